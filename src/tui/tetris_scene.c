#include "tui/tetris_scene.h"

#include "base/text.h"

// Positions of the parts. A part at column -1 is not shown.
struct layout {
    int columns, rows; // of the terminal, at least
    int field;
    struct {
        int row, column;
    } next, hold, numbers, notices, panel;
    int number_step; // rows from one number to the next; 1: name and value share a row
    int notices_shown;
};

enum { FIELD_ROWS = TETRIS_HEIGHT + 2, FIELD_COLUMNS = 2 * TETRIS_WIDTH + 2, HELP_ROW = FRAME_ROWS - 1 };

static const struct layout layouts[] = {
    {.columns = FRAME_COLUMNS,
     .rows = FIELD_ROWS,
     .field = 16,
     .next = {0, 41},
     .hold = {0, 1},
     .numbers = {5, 1},
     .notices = {16, 1},
     .panel = {16, 41},
     .number_step = 3,
     .notices_shown = TETRIS_EFFECT_NOTICES},
    {.columns = 38,
     .rows = FIELD_ROWS,
     .field = 0,
     .next = {0, 24},
     .hold = {15, 24},
     .numbers = {18, 24},
     .notices = {21, 24},
     .panel = {-1, -1},
     .number_step = 1,
     .notices_shown = 1},
};

enum { LAYOUTS = sizeof layouts / sizeof *layouts };

static struct frame_cell half(int glyph, int colour, int style)
{
    return (struct frame_cell){(uint16_t)glyph, (uint8_t)colour, (uint8_t)style};
}

// One cell of the field: two columns of the terminal.
static void put_block(struct frame *f, int row, int column, int colour, int style)
{
    frame_put(f, row, column, half('[', colour, style | STYLE_SOLID));
    frame_put(f, row, column + 1, half(']', colour, style | STYLE_SOLID));
}

static void put_hole(struct frame *f, int row, int column)
{
    frame_put(f, row, column, half(' ', COLOUR_DIM, 0)); // one colour: fewer bytes
    frame_put(f, row, column + 1, half('.', COLOUR_DIM, 0));
}

static void put_ghost(struct frame *f, int row, int column, int colour)
{
    frame_put(f, row, column, half(':', colour, 0));
    frame_put(f, row, column + 1, half(':', colour, 0));
}

// --- the field

// Vanishing rows are wiped from the middle to the sides.
static bool is_wiped(int x, int line_clear_ms)
{
    int from_middle = x < TETRIS_WIDTH / 2 ? TETRIS_WIDTH / 2 - 1 - x : x - TETRIS_WIDTH / 2;
    return from_middle * TETRIS_EFFECT_CLEAR_MS < (TETRIS_EFFECT_CLEAR_MS - line_clear_ms) * (TETRIS_WIDTH / 2);
}

static void draw_cells(const struct tetris_scene *s, struct frame *f, int left)
{
    const struct tetris_effect *e = &s->effect;
    const uint8_t *cells = e->rows ? e->before : s->view.cells;
    for (int y = 0; y < TETRIS_HEIGHT; y++)
        for (int x = 0; x < TETRIS_WIDTH; x++) {
            int code = cells[y * TETRIS_WIDTH + x], column = left + 2 * x;
            bool going = e->rows >> y & 1;
            if (!code || (going && is_wiped(x, s->view.facts.line_clear_ms)))
                put_hole(f, y + 1, column);
            else
                put_block(f, y + 1, column, going ? COLOUR_WHITE : code, 0);
        }
}

// While rows vanish there is no ghost: it belongs to the field after them.
static void draw_piece(const struct tetris_scene *s, struct frame *f, int left)
{
    const struct tetris_piece *p = &s->view.piece;
    if (!p->kind)
        return;
    const struct tetris_cell *cell = tetris_cells(p->kind, p->rotation);
    int ghost = tetris_ghost(&s->view);
    for (int i = 0; i < 4 && !s->effect.rows; i++)
        if (ghost + cell[i].y >= 0)
            put_ghost(f, ghost + cell[i].y + 1, left + 2 * (p->x + cell[i].x), p->kind);
    for (int i = 0; i < 4; i++)
        if (p->y + cell[i].y >= 0)
            put_block(f, p->y + cell[i].y + 1, left + 2 * (p->x + cell[i].x), p->kind, STYLE_BOLD);
}

// The piece that has just landed lights up; not when rows went with it, they have an effect of their own.
static void draw_flash(const struct tetris_view *v, struct frame *f, int left)
{
    const struct tetris_lock *lock = &v->facts.lock;
    if (!v->facts.flash_ms || !lock->kind || lock->lines)
        return;
    const struct tetris_cell *cell = tetris_cells(lock->kind, lock->rotation);
    int x = lock->x - tetris_left(lock->kind, lock->rotation), y = lock->y - tetris_top(lock->kind, lock->rotation);
    for (int i = 0; i < 4; i++)
        if (y + cell[i].y >= 0)
            put_block(f, y + cell[i].y + 1, left + 2 * (x + cell[i].x), COLOUR_WHITE, STYLE_BOLD);
}

static void put_centred(struct frame *f, int row, int left, int colour, int style, const char *words)
{
    frame_puts(f, row, left + (2 * TETRIS_WIDTH - (int)strlen(words)) / 2, colour, style, words);
}

static void draw_overlay(struct frame *f, int left, const char *title, const char *below)
{
    enum { ROW = 8, ROWS = 5 };
    frame_fill(f, ROW, left, ROWS, 2 * TETRIS_WIDTH, half(' ', COLOUR_PLAIN, 0));
    frame_box(f, ROW, left, ROWS, 2 * TETRIS_WIDTH, COLOUR_WHITE);
    put_centred(f, ROW + 1, left, COLOUR_ALERT, STYLE_BOLD, title);
    put_centred(f, ROW + 3, left, COLOUR_PLAIN, 0, below);
}

// A box of lines in the middle of the field.
static void draw_list(struct frame *f, int left, const char *title, const char line[][21], int count)
{
    int rows = count + 4, row = (FIELD_ROWS - rows) / 2;
    frame_fill(f, row, left, rows, 2 * TETRIS_WIDTH, half(' ', COLOUR_PLAIN, 0));
    frame_box(f, row, left, rows, 2 * TETRIS_WIDTH, COLOUR_WHITE);
    put_centred(f, row + 1, left, COLOUR_ALERT, STYLE_BOLD, title);
    for (int i = 0; i < count; i++)
        frame_puts(f, row + 3 + i, left + 3, COLOUR_PLAIN, 0, line[i]);
}

static void draw_state(const struct tetris_scene *s, struct frame *f, int left)
{
    const struct tetris_facts *facts = &s->view.facts;
    char typed[sizeof s->seed + 2];
    struct text t = text_on(typed, sizeof typed - 1);
    text_puts(&t, s->seed);
    text_put_char(&t, '_');
    typed[t.size] = 0;
    if (s->prompt)
        draw_overlay(f, left, "SEED", typed);
    else if (s->keys)
        draw_list(f, left, "KEYS", s->key, s->key_count);
    else if (facts->end)
        draw_list(f, left, "GAME OVER", s->over, s->over_count);
    else if (facts->paused)
        draw_overlay(f, left, "PAUSED", s->resume_hint);
}

static void draw_field(const struct tetris_scene *s, struct frame *f, int left)
{
    frame_box(f, 0, left, FIELD_ROWS, FIELD_COLUMNS, COLOUR_PLAIN);
    left++;
    draw_cells(s, f, left);
    draw_flash(&s->view, f, left);
    draw_piece(s, f, left);
    draw_state(s, f, left);
}

// --- around it

// A piece as it spawns, in two rows.
static void put_preview(struct frame *f, int row, int column, int kind)
{
    if (!kind)
        return;
    const struct tetris_cell *cell = tetris_cells(kind, TETRIS_NORTH);
    int top = tetris_top(kind, TETRIS_NORTH), left = tetris_left(kind, TETRIS_NORTH);
    for (int i = 0; i < 4; i++)
        put_block(f, row + cell[i].y - top, column + 2 * (cell[i].x - left), kind, 0);
}

// Of this game, without pauses: 3:07.
static void draw_time(const struct tetris_facts *facts, struct frame *f, int row, int column)
{
    char time[16];
    struct text t = text_on(time, sizeof time - 1);
    uint32_t seconds = (uint32_t)((uint64_t)facts->ticks * TETRIS_TICK_MS / 1000);
    text_put_uint(&t, seconds / 60);
    text_put_char(&t, ':');
    text_put_char(&t, (char)('0' + seconds % 60 / 10));
    text_put_char(&t, (char)('0' + seconds % 10));
    time[t.size] = 0;
    frame_puts(f, row, column, COLOUR_PLAIN, 0, "TIME");
    frame_puts(f, row + 1, column, COLOUR_WHITE, STYLE_BOLD, time);
}

static void draw_numbers(const struct tetris_facts *facts, const struct layout *l, struct frame *f)
{
    const struct {
        const char *name;
        uint32_t value;
    } numbers[] = {{"SCORE", facts->score}, {"LEVEL", facts->level}, {"LINES", facts->lines}};
    for (int i = 0; i < 3; i++) {
        int row = l->numbers.row + i * l->number_step, column = l->numbers.column;
        frame_puts(f, row, column, COLOUR_PLAIN, 0, numbers[i].name);
        if (l->number_step > 1)
            row++;
        else
            column += 6;
        frame_put_uint(f, row, column, COLOUR_WHITE, STYLE_BOLD, numbers[i].value);
    }
    if (l->number_step > 1)
        draw_time(facts, f, l->numbers.row + 3 * l->number_step, l->numbers.column);
}

static void draw_sides(const struct tetris_scene *s, const struct layout *l, struct frame *f)
{
    const struct tetris_view *v = &s->view;
    frame_puts(f, l->hold.row, l->hold.column, COLOUR_PLAIN, 0, "HOLD");
    if (v->facts.hold) // used up: grey until the next piece
        put_preview(f, l->hold.row + 1, l->hold.column, v->facts.hold);
    if (v->facts.hold && !v->facts.can_hold)
        frame_puts(f, l->hold.row, l->hold.column + 5, COLOUR_DIM, 0, "used");
    frame_puts(f, l->next.row, l->next.column, COLOUR_PLAIN, 0, "NEXT");
    for (int i = 0; i < TETRIS_NEXT; i++)
        put_preview(f, l->next.row + 1 + 3 * i, l->next.column, v->next[i]);
    draw_numbers(&v->facts, l, f);
    for (int i = 0; i < s->effect.notices && i < l->notices_shown; i++)
        frame_puts(f, l->notices.row + i, l->notices.column, COLOUR_ALERT, STYLE_BOLD, s->effect.notice[i]);
}

static void draw_panel(const struct tetris_scene *s, const struct layout *l, struct frame *f)
{
    for (int i = 0; l->panel.column >= 0 && i < TETRIS_SCENE_PANEL_LINES; i++)
        frame_puts(f, l->panel.row + i, l->panel.column, i ? COLOUR_GREY : COLOUR_PLAIN, 0, s->panel[i]);
    if (s->note[0])
        frame_puts(f, HELP_ROW, 0, COLOUR_ALERT, STYLE_BOLD, s->note);
    else
        frame_puts(f, HELP_ROW, 0, COLOUR_DIM, 0, s->help);
}

static void draw_too_small(int columns, int rows, struct frame *f)
{
    const struct layout *least = &layouts[LAYOUTS - 1];
    char line[40];
    frame_clear(f, columns, rows);
    frame_puts(f, 0, 0, COLOUR_ALERT, STYLE_BOLD, "too small");
    const struct {
        const char *words;
        int columns, rows;
    } sizes[] = {{"need ", least->columns, least->rows}, {"have ", columns, rows}};
    for (int i = 0; i < 2; i++) {
        struct text t = text_on(line, sizeof line - 1);
        text_puts(&t, sizes[i].words);
        text_put_int(&t, sizes[i].columns);
        text_put_char(&t, 'x');
        text_put_int(&t, sizes[i].rows);
        line[t.size] = 0;
        frame_puts(f, 1 + i, 0, COLOUR_PLAIN, 0, line);
    }
}

void tetris_scene_draw(const struct tetris_scene *s, int columns, int rows, struct frame *f)
{
    const struct layout *l = layouts;
    while (l < layouts + LAYOUTS && (columns < l->columns || rows < l->rows))
        l++;
    if (l == layouts + LAYOUTS) {
        draw_too_small(columns, rows, f);
        return;
    }
    frame_clear(f, l->columns, rows < FRAME_ROWS ? FIELD_ROWS : FRAME_ROWS);
    draw_field(s, f, l->field);
    if (s->has_view)
        draw_sides(s, l, f);
    draw_panel(s, l, f);
}
