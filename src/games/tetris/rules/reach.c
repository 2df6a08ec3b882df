// Which placements are legal, all at once (T3.50). A bit for each: 10 rotation + column.
#include "games/tetris/rules/course.h"

// Where nothing is in the way, every rotation reaches every column.
#define COLUMNS(width)     ((1ull << (TETRIS_WIDTH + 1 - (width))) - 1)
#define TURNS(north, east) ((COLUMNS(north) | COLUMNS(east) << 10) * (1 | 1ull << 20))

static const uint64_t open_reach[8] = {
    [TETRIS_I] = TURNS(4, 1), [TETRIS_O] = TURNS(2, 2), [TETRIS_T] = TURNS(3, 2), [TETRIS_S] = TURNS(3, 2),
    [TETRIS_Z] = TURNS(3, 2), [TETRIS_J] = TURNS(3, 2), [TETRIS_L] = TURNS(3, 2),
};

// Where a shape fits in four rows, all columns in one: bit x + FIELD_LEFT for box x. What a shift brings in from the
// row below is wall, so no box beyond the walls is free; only I has cells in the fourth row, and others in that column.
static unsigned free_boxes(uint64_t rows, const uint8_t bits[4])
{
    return (uint16_t) ~(rows >> bits[0] | rows >> bits[1] | rows >> bits[2] | rows >> bits[3]);
}

// The ones around a place that has one. There is no box at x = -FIELD_LEFT, so there is an end on the left.
static unsigned run_around(unsigned ones, int place)
{
    unsigned gaps = ~ones;
    int from = 32 - __builtin_clz(gaps & ((1u << place) - 1)), end = place + __builtin_ctz(gaps >> place);
    return (1u << end) - (1u << from);
}

// The columns that a piece reaches by shifts, as its leftmost cell counts them; `free` is those of its rotation and
// row.
static uint64_t shifts(const struct tetris_piece *p, int rotation, unsigned free)
{
    return run_around(free, p->x + FIELD_LEFT) << field_extents[p->kind][rotation].left >> FIELD_LEFT;
}

static __attribute__((noinline)) uint64_t reach_by_kicks(const struct tetris_state *s, struct tetris_piece p,
                                                         int rotation)
{
    if (!place_turn(&s->field, &p, rotation, s->rules.ruleset))
        return 0;
    return shifts(&p, rotation, free_boxes(field_rows(&s->field, p.y), field_bits[p.kind][rotation]));
}

// The rotations that a turn by the shorter way passes (T3.50.3), the last one included.
static unsigned turn_way(int from, int to)
{
    return 1u << to | (unsigned)(((to - from) & 3) == 2) << ((from + 1) & 3);
}

static uint64_t reach(const struct tetris_state *s, const struct tetris_piece *p)
{
    uint64_t rows = field_rows(&s->field, p->y), mask = 0;
    if (rows == FIELD_OPEN && p->x >= 0 && p->x <= TETRIS_WIDTH - 4) // boxes are at most four wide
        return open_reach[p->kind];
    unsigned free[4], fits = 0;
    for (int rotation = TETRIS_NORTH; rotation <= TETRIS_WEST; rotation++) {
        free[rotation] = free_boxes(rows, field_bits[p->kind][rotation]);
        fits |= (free[rotation] >> (p->x + FIELD_LEFT) & 1) << rotation;
    }
    for (int rotation = TETRIS_NORTH; rotation <= TETRIS_WEST; rotation++) { // O turns in place: T3.51
        bool direct = !(turn_way(p->rotation, rotation) & ~fits);
        uint64_t columns = direct ? shifts(p, rotation, free[rotation]) : reach_by_kicks(s, *p, rotation);
        mask |= columns << rotation * TETRIS_WIDTH;
    }
    return mask;
}

uint64_t place_mask(const struct tetris_state *s, bool hold)
{
    struct tetris_piece p;
    if (s->facts.paused || s->facts.end || place_take(s, hold, &p) != TETRIS_PLACE_OK)
        return 0;
    return reach(s, &p);
}

int place_list(const struct tetris_state *s, struct game_choice *out)
{
    int count = 0;
    for (int hold = 0; hold <= 1; hold++)
        for (uint64_t left = place_mask(s, hold); left; left &= left - 1) {
            int place = __builtin_ctzll(left);
            out[count++] = (struct game_choice){
                .first.kind = TETRIS_PLACE,
                .first.arg = {(uint8_t)(place % TETRIS_WIDTH), (uint8_t)(place / TETRIS_WIDTH), (uint8_t)hold},
            };
        }
    return count;
}
