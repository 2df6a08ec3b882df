// The board with the active piece and its ghost; hold and figures on the left, what comes on the right.
#include "games/tetris/rules/tetris.h"

#include "render/canvas.h"

enum { CELL = 48, LEFT = 272, TOP = 32, SMALL = 30, PANEL_LEFT = 136, PANEL_RIGHT = 888, LABEL = 36, FIGURE = 42 };
enum { ABOVE_GHOST = 500, ABOVE_LOCKED = 1000, ABOVE_ACTIVE = 1500 }; // G29.4

static const struct {
    uint32_t edge, face;
} looks[TETRIS_GREY + 1] = {
    [TETRIS_I] = {0x14808c, 0x2cc8d8}, [TETRIS_O] = {0x9c8414, 0xf0d02c},    [TETRIS_T] = {0x6a2a8c, 0xa848d8},
    [TETRIS_S] = {0x2a8030, 0x50c858}, [TETRIS_Z] = {0x8c2424, 0xe04040},    [TETRIS_J] = {0x24409c, 0x4868e8},
    [TETRIS_L] = {0x9c5414, 0xf09030}, [TETRIS_GREY] = {0x505458, 0x80868c},
};

static void draw_cell(struct render_list *l, int x, int y, int size, int kind)
{
    canvas_box(l, x, y, size, size, looks[kind].edge);
    canvas_box(l, x + size / 12, y + size / 12, size - size / 6, size - size / 6, looks[kind].face);
}

static void draw_board(struct render_list *l, const struct tetris_view *v)
{
    canvas_thing(l, RENDER_FELT, NOBODY, 0);
    canvas_box(l, LEFT - 8, TOP - 8, CELL * TETRIS_WIDTH + 16, CELL * TETRIS_HEIGHT + 16, 0x5c6470);
    canvas_box(l, LEFT, TOP, CELL * TETRIS_WIDTH, CELL * TETRIS_HEIGHT, 0x1c2028);
    for (int i = 0; i < TETRIS_CELLS; i++) {
        int kind = v->cells[i];
        if (!kind)
            continue;
        canvas_thing(l, kind == TETRIS_GREY ? RENDER_GARBAGE : RENDER_LOCKED, NOBODY, ABOVE_LOCKED);
        draw_cell(l, LEFT + i % TETRIS_WIDTH * CELL, TOP + i / TETRIS_WIDTH * CELL, CELL, kind);
    }
}

// What is above the top row is not seen.
static void draw_ghost(struct render_list *l, const struct tetris_view *v)
{
    const struct tetris_piece *p = &v->piece;
    const struct tetris_cell *cells = tetris_cells(p->kind, p->rotation);
    int y = tetris_ghost(v);
    canvas_thing(l, RENDER_GHOST, 0, ABOVE_GHOST);
    for (int i = 0; i < 4; i++)
        if (y + cells[i].y >= 0)
            canvas_box(l, LEFT + (p->x + cells[i].x) * CELL + 4, TOP + (y + cells[i].y) * CELL + 4, CELL - 8, CELL - 8,
                       0x464c58);
}

static void draw_active(struct render_list *l, const struct tetris_view *v)
{
    const struct tetris_piece *p = &v->piece;
    const struct tetris_cell *cells = tetris_cells(p->kind, p->rotation);
    canvas_thing(l, RENDER_ACTIVE, 0, ABOVE_ACTIVE);
    l->pen.moves = 1;
    l->mover = v->facts.turn + 1; // pieces are counted over all episodes
    l->mover_x = (int16_t)(p->x * CELL);
    l->mover_y = (int16_t)(p->y * CELL);
    for (int i = 0; i < 4; i++)
        if (p->y + cells[i].y >= 0)
            draw_cell(l, LEFT + (p->x + cells[i].x) * CELL, TOP + (p->y + cells[i].y) * CELL, CELL, p->kind);
}

// A piece in a panel, around x.
static void draw_small(struct render_list *l, int kind, int x, int y)
{
    const struct tetris_cell *cells = tetris_cells(kind, TETRIS_NORTH);
    int left = tetris_left(kind, TETRIS_NORTH), top = tetris_top(kind, TETRIS_NORTH);
    x -= tetris_span(kind, TETRIS_NORTH) * SMALL / 2;
    canvas_thing(l, RENDER_LOCKED, NOBODY, ABOVE_LOCKED);
    for (int i = 0; i < 4; i++)
        draw_cell(l, x + (cells[i].x - left) * SMALL, y + (cells[i].y - top) * SMALL, SMALL, kind);
}

static void draw_panels(struct render_list *l, const struct tetris_view *v)
{
    static const char *const labels[] = {"SCORE", "LEVEL", "LINES"};
    const int64_t figures[] = {v->facts.score, v->facts.level, v->facts.lines};
    canvas_text(l, PANEL_LEFT, 40, LABEL, COLOUR_GREY, NOBODY, "HOLD");
    if (v->facts.hold)
        draw_small(l, v->facts.hold, PANEL_LEFT, 100);
    for (int i = 0; i < 3; i++) {
        canvas_text(l, PANEL_LEFT, 300 + 140 * i, LABEL, COLOUR_GREY, NOBODY, labels[i]);
        canvas_number(l, PANEL_LEFT, 346 + 140 * i, i ? FIGURE : 32, COLOUR_WHITE, NOBODY, "", figures[i]);
    }
    if (v->facts.pending)
        canvas_number(l, PANEL_LEFT, 760, LABEL, COLOUR_RED, NOBODY, "+", v->facts.pending);
    if (v->goal)
        canvas_number(l, PANEL_LEFT, 860, LABEL, COLOUR_GOLD, NOBODY, "GOAL ", v->goal_left);
    canvas_text(l, PANEL_RIGHT, 40, LABEL, COLOUR_GREY, NOBODY, "NEXT");
    for (int i = 0; i < TETRIS_NEXT; i++)
        if (v->next[i])
            draw_small(l, v->next[i], PANEL_RIGHT, 110 + 110 * i);
    if (v->facts.paused || v->facts.end)
        canvas_text(l, PANEL_RIGHT, 760, LABEL, COLOUR_GOLD, NOBODY, v->facts.end ? "OVER" : "PAUSED");
}

static void draw(struct render_list *l, const struct render_eyes *e)
{
    const struct tetris_view *v = e->view;
    draw_board(l, v);
    if (v->piece.kind) {
        draw_ghost(l, v);
        draw_active(l, v);
    }
    draw_panels(l, v);
}

const struct render_picture tetris_picture = {.draw = draw, .far = 10000, .flows = true};
