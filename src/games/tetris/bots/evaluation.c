#include "games/tetris/bots/evaluation.h"

enum { OPEN = 0x3FF, WALLS = 0x801 };

static const struct weights weights_marathon = {
    .lines = {0, -900, -1800, -2700, 4000},
    .hole = 1200,
    .hole_row = 600,
    .cover = 60,
    .row_turns = 120,
    .column_turns = 250,
    .bump = 60,
    .well = 150,
    .high = 30,
    .high_from = 11,
    .lane = 700,
    .lane_ready = 60,
    .path = 4,
    .kept = 9,
    .cover_most = 4,
};
static const struct weights weights_cheese = {
    .lines = {0, 50, 150, 300, 500},
    .garbage = 1400,
    .piece = 600,
    .hole = 250,
    .hole_row = 150,
    .row_turns = 60,
    .column_turns = 110,
    .bump = 40,
    .well = 50,
    .high = 20,
    .high_from = 13,
    .over_grey = 660,
    .over_next = 220,
    .path = 8,
    .kept = -1,
    .cover_most = 4,
};
// Prices of the linear programme "fewest inputs a piece, every column as often": without them far columns would be put
// off until nothing fits.
static const struct weights weights_sprint = {
    .input = 250,
    .hole = 800,
    .hole_row = 400,
    .cover = 60,
    .row_turns = 150,
    .column_turns = 300,
    .bump = 60,
    .well = 100,
    .height = 60,
    .high = 30,
    .high_from = 8,
    .path = 8,
    .kept = -1,
    .cover_most = 4,
    .par = {176, 82, 88, 71, 0, 59, 76, 118, 118, 176},
};
// Weights and prices set together (decision 077). `piece` is what a usual one earns beyond its inputs, so that plans of
// more pieces are not better for it.
static const struct weights weights_race = {
    .piece = 210,
    .input = 600,
    .hole = 368,
    .hole_row = 117,
    .cover = 26,
    .row_turns = 44,
    .column_turns = 153,
    .bump = 102,
    .well = 104,
    .height = 18,
    .high = 22,
    .high_from = 8,
    .kept = -1,
    .cover_most = 4,
    .race = 1,
    .par = {156, 97, 86, 64, 21, 58, 68, 106, 127, 172},
};

const struct weights *evaluation_weights(const struct tetris_view *v, const struct board *b, bool placed)
{
    if (v->goal == TETRIS_GOAL_LINES)
        return placed ? &weights_sprint : &weights_race;
    if (v->goal == TETRIS_GOAL_GARBAGE || v->goal == TETRIS_GOAL_TICKS || b->garbage)
        return &weights_cheese;
    return &weights_marathon;
}

// One pass from the top: what is covered so far tells holes, heights and steps of the surface.
static int weigh_shape(const struct board *b, const struct weights *w)
{
    unsigned lane = w->kept < 0 ? 0 : 1u << w->kept, above = 0, covered = 0;
    unsigned well1 = 0, well2 = 0, well3 = 0; // columns whose well is at least so deep here
    int value = 0, bump = 0, wells = 0, holes = 0, hole_rows = 0, row_turns = 0, column_turns = 0;
    for (int i = b->top + FIELD_ABOVE; i < TETRIS_HEIGHT + FIELD_ABOVE; i++) {
        unsigned row = (unsigned)b->row[i] >> FIELD_LEFT & OPEN, filled = row | lane;
        unsigned walled = filled << 1 | WALLS, hole = covered & ~filled;
        value -= w->lane * ((row & lane) != 0);
        row_turns += __builtin_popcount((walled ^ walled >> 1) & 0x7FF);
        column_turns += __builtin_popcount((filled ^ above) & ~lane);
        holes += __builtin_popcount(hole);
        hole_rows += hole != 0;
        covered |= filled;
        unsigned shape = covered & ~lane;
        bump += __builtin_popcount((shape ^ shape >> 1) & OPEN >> 1 & ~lane & ~(lane >> 1));
        unsigned well = walled & walled >> 2 & ~filled & OPEN;
        well3 = well2 & well, well2 = well1 & well, well1 = well;
        wells += __builtin_popcount(well1) + __builtin_popcount(well2) + 2 * __builtin_popcount(well3);
        above = filled;
    }
    column_turns += __builtin_popcount(~above & OPEN & ~lane);
    return value - w->bump * bump - w->well * wells - w->hole * holes - w->hole_row * hole_rows -
           w->row_turns * row_turns - w->column_turns * column_turns;
}

// Taken cells over the topmost hole of each column, from the deepest row up.
static int value_of_cover(const struct board *b, const struct weights *w)
{
    unsigned covered = 0, open = 0;
    int cells = 0;
    for (int i = b->top + FIELD_ABOVE; i < TETRIS_HEIGHT + FIELD_ABOVE; i++) {
        unsigned row = (unsigned)b->row[i] >> FIELD_LEFT & OPEN;
        unsigned hole = covered & ~row & ~open;
        open |= hole;
        for (; hole; hole &= hole - 1) {
            int x = __builtin_ctz(hole), k = i - 1, over = 0;
            for (; k >= 0 && over < w->cover_most && (b->row[k] >> (x + FIELD_LEFT) & 1); k--)
                over++;
            cells += over;
        }
        covered |= row;
    }
    return -w->cover * cells;
}

// What lies over the gaps of garbage rows: of the topmost row, and of the two below it.
static int weigh_garbage(const struct board *b, const struct weights *w)
{
    int value = 0, rank = 0;
    for (uint32_t left = b->garbage; left && rank < 3; left &= left - 1, rank++) {
        int i = __builtin_ctz(left), cells = 0;
        unsigned gaps = ~((unsigned)b->row[i] >> FIELD_LEFT) & OPEN;
        for (int k = b->top + FIELD_ABOVE; k < i; k++)
            cells += __builtin_popcount((unsigned)b->row[k] >> FIELD_LEFT & gaps);
        value -= (rank ? w->over_next : w->over_grey) * cells;
    }
    return value - w->grey_left * __builtin_popcount(b->garbage);
}

static int value_of_lane(const struct board *b, const struct weights *w)
{
    unsigned waits = (OPEN & ~(1u << w->kept)) << FIELD_LEFT | FIELD_WALL;
    int ready = 0;
    for (int i = TETRIS_HEIGHT - 1 + FIELD_ABOVE; b->row[i] == waits; i--)
        ready++;
    return w->lane_ready * ready;
}

static int value_of_cells(const struct board *b, const struct weights *w)
{
    int cells = 0;
    for (int i = b->top + FIELD_ABOVE; i < TETRIS_HEIGHT + FIELD_ABOVE; i++)
        cells += __builtin_popcount((unsigned)b->row[i] >> FIELD_LEFT & OPEN);
    return -w->cells * cells;
}

int evaluate_inputs(const struct weights *w, int kind, struct board_end e, int inputs)
{
    int over = 100 * inputs;
    for (uint64_t cells = field_shapes[kind][e.rotation] << (e.x + FIELD_LEFT); cells; cells &= cells - 1)
        over -= w->par[__builtin_ctzll(cells) % 16 - FIELD_LEFT];
    return w->input * over / 100;
}

int evaluate_waste(const struct board *b, const struct weights *w, int left)
{
    int waste = 0;
    for (int i = b->top + FIELD_ABOVE; i < TETRIS_HEIGHT + FIELD_ABOVE - left; i++)
        for (unsigned row = (unsigned)b->row[i] >> FIELD_LEFT & OPEN; row; row &= row - 1)
            waste += w->input * w->par[__builtin_ctz(row)] / 100 - w->piece / 4;
    return waste;
}

int evaluate_board(const struct board *b, const struct weights *w)
{
    int rows = TETRIS_HEIGHT - b->top, high = rows > w->high_from ? rows - w->high_from : 0;
    int value = weigh_shape(b, w) - w->height * rows - w->high * high * high;
    if (w->cover)
        value += value_of_cover(b, w);
    if (b->garbage && (w->over_grey || w->over_next || w->grey_left))
        value += weigh_garbage(b, w);
    if (w->kept >= 0 && w->lane_ready)
        value += value_of_lane(b, w);
    if (w->cells)
        value += value_of_cells(b, w);
    return value;
}
