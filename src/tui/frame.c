#include "tui/frame.h"

#include "base/text.h"

static const struct frame_cell blank = {.glyph = ' '};

void frame_clear(struct frame *f, int columns, int rows)
{
    f->columns = columns < FRAME_COLUMNS ? columns : FRAME_COLUMNS;
    f->rows = rows < FRAME_ROWS ? rows : FRAME_ROWS;
    for (int i = 0; i < FRAME_COLUMNS; i++)
        f->cell[0][i] = blank;
    for (int row = 1; row < FRAME_ROWS; row++)
        memcpy(f->cell[row], f->cell[0], sizeof f->cell[0]);
}

void frame_put(struct frame *f, int row, int column, struct frame_cell cell)
{
    if (row >= 0 && row < f->rows && column >= 0 && column < f->columns)
        f->cell[row][column] = cell;
}

void frame_puts(struct frame *f, int row, int column, int colour, int style, const char *ascii)
{
    for (; *ascii; ascii++, column++)
        frame_put(f, row, column, (struct frame_cell){(unsigned char)*ascii, (uint8_t)colour, (uint8_t)style});
}

void frame_put_uint(struct frame *f, int row, int column, int colour, int style, uint64_t value)
{
    char digits[24];
    struct text t = text_on(digits, sizeof digits);
    text_put_uint(&t, value);
    text_put_char(&t, 0);
    frame_puts(f, row, column, colour, style, digits);
}

void frame_fill(struct frame *f, int row, int column, int rows, int columns, struct frame_cell cell)
{
    for (int y = 0; y < rows; y++)
        for (int x = 0; x < columns; x++)
            frame_put(f, row + y, column + x, cell);
}

void frame_box(struct frame *f, int row, int column, int rows, int columns, int colour)
{
    enum {
        ACROSS = 0x2500,
        DOWN = 0x2502,
        TOP_LEFT = 0x250c,
        TOP_RIGHT = 0x2510,
        LOW_LEFT = 0x2514,
        LOW_RIGHT = 0x2518
    };
    struct frame_cell line = {ACROSS, (uint8_t)colour, 0};
    int last_row = row + rows - 1, last_column = column + columns - 1;
    frame_fill(f, row, column + 1, 1, columns - 2, line);
    frame_fill(f, last_row, column + 1, 1, columns - 2, line);
    line.glyph = DOWN;
    frame_fill(f, row + 1, column, rows - 2, 1, line);
    frame_fill(f, row + 1, last_column, rows - 2, 1, line);
    static const uint16_t corners[] = {TOP_LEFT, TOP_RIGHT, LOW_LEFT, LOW_RIGHT};
    for (int i = 0; i < 4; i++) {
        line.glyph = corners[i];
        frame_put(f, i < 2 ? row : last_row, i % 2 ? last_column : column, line);
    }
}
