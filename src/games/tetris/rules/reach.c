// Which placements are legal, all at once (T3.50). A bit for each: 10 rotation + column.
//
// All four rotations are judged in one word, a line of 16 bits each: bit LEFT + column of a line is the placement whose
// leftmost cell is in that column. What is computed costs the same whatever the field looks like: its branches could
// not be predicted.
#include "games/tetris/rules/internal.h"

#ifdef __SSSE3__
#include <tmmintrin.h>
#endif

enum { LEFT = 6, LINE = 16 };
#define FOUR(north, east, south, west)                                                                                 \
    ((uint64_t)(north) | (uint64_t)(east) << LINE | (uint64_t)(south) << 2 * LINE | (uint64_t)(west) << 3 * LINE)
#define COLUMNS(width)       (((1u << (TETRIS_WIDTH + 1 - (width))) - 1) << LEFT)
#define TURNS(flat, upright) FOUR(COLUMNS(flat), COLUMNS(upright), COLUMNS(flat), COLUMNS(upright))

// The columns within the walls, and bit 0 of each line shifted to the leftmost cell of the box (field_extents).
static const uint64_t columns[8] = {
    [TETRIS_I] = TURNS(4, 1), [TETRIS_O] = TURNS(2, 2), [TETRIS_T] = TURNS(3, 2), [TETRIS_S] = TURNS(3, 2),
    [TETRIS_Z] = TURNS(3, 2), [TETRIS_J] = TURNS(3, 2), [TETRIS_L] = TURNS(3, 2),
};
static const uint64_t leftmost[8] = {
    [TETRIS_I] = FOUR(1, 4, 1, 2), [TETRIS_O] = FOUR(2, 2, 2, 2), [TETRIS_T] = FOUR(1, 2, 1, 1),
    [TETRIS_S] = FOUR(1, 2, 1, 1), [TETRIS_Z] = FOUR(1, 2, 1, 1), [TETRIS_J] = FOUR(1, 2, 1, 1),
    [TETRIS_L] = FOUR(1, 2, 1, 1),
};

// Where a kind meets something in four rows: the row of each cell, shifted so that bit LEFT + x is the cell of the box
// at x, then by the leftmost cell.
static uint64_t taken_columns(uint64_t rows, int kind)
{
#ifdef __SSSE3__
    // Sixteen cells, the first and second of the four rotations in one register, the third and fourth in the other.
    const __m128i first = _mm_setr_epi8(0, 0, 4, 4, 8, 8, 12, 12, 1, 1, 5, 5, 9, 9, 13, 13);
    const __m128i alone = _mm_setr_epi8(0, -1, 4, -1, 8, -1, 12, -1, 1, -1, 5, -1, 9, -1, 13, -1);
    const __m128i second_byte = _mm_set1_epi16(1 << 8), later = _mm_set1_epi8(2), later_alone = _mm_set1_epi16(2);
    __m128i field = _mm_cvtsi64_si128((long long)rows);
    __m128i row = _mm_loadu_si128((const __m128i *)field_cell_rows[kind]);
    __m128i factor = _mm_loadu_si128((const __m128i *)field_cell_factors[kind]);
    __m128i low = _mm_add_epi8(_mm_shuffle_epi8(row, first), second_byte);
    __m128i high = _mm_add_epi8(_mm_shuffle_epi8(row, _mm_add_epi8(first, later)), second_byte);
    low = _mm_mullo_epi16(_mm_shuffle_epi8(field, low), _mm_shuffle_epi8(factor, alone));
    high = _mm_mullo_epi16(_mm_shuffle_epi8(field, high), _mm_shuffle_epi8(factor, _mm_add_epi8(alone, later_alone)));
    low = _mm_or_si128(low, high);
    low = _mm_or_si128(low, _mm_unpackhi_epi64(low, low));
    low = _mm_mullo_epi16(low, _mm_cvtsi64_si128((long long)leftmost[kind]));
    return (uint64_t)_mm_cvtsi128_si64(low);
#else
    uint64_t taken = 0;
    for (int rotation = TETRIS_NORTH; rotation <= TETRIS_WEST; rotation++) {
        uint64_t line = 0;
        for (int i = 0; i < 4; i++)
            line |= (rows >> 8 * field_cell_rows[kind][rotation][i]) * field_cell_factors[kind][rotation][i];
        line = (uint16_t)(line * (uint16_t)(leftmost[kind] >> LINE * rotation));
        taken |= line << LINE * rotation;
    }
    return taken;
#endif
}

// The ones around one bit of each line. No line has its lowest bit: what comes over from the line below stops there.
static uint64_t runs_around(uint64_t ones, uint64_t bits)
{
    uint64_t above = ones & ~(ones + bits), way = ones;
    bits |= way & bits >> 1;
    way &= way >> 1;
    bits |= way & bits >> 2;
    way &= way >> 2;
    bits |= way & bits >> 4;
    way &= way >> 4;
    bits |= way & bits >> 8;
    return above | bits;
}

// Lines of ten bits, one after the other.
static uint64_t pack_lines(uint64_t lines)
{
    lines >>= LEFT;
    lines = (lines & 0x000003FF000003FFu) | (lines >> 6 & 0x000FFC00000FFC00u);
    return (lines & 0xFFFFF) | (lines >> 12 & 0xFFFFF00000u);
}

static uint64_t line_of(int rotation)
{
    return (uint64_t)0xFFFF << LINE * rotation;
}

// The columns of one rotation that a piece reaches by shifts from where it is.
static uint64_t shifts(const struct tetris_field *f, const struct tetris_piece *p)
{
    uint64_t free = columns[p->kind] & ~taken_columns(field_rows(f, p->y), p->kind) & line_of(p->rotation);
    return runs_around(free, free & leftmost[p->kind] << (p->x + LEFT));
}

// Whether every rotation that a turn by the shorter way passes fits, the last one included (T3.50.3).
static bool turns_in_place(uint64_t fits, int from, int to)
{
    bool half_way = ((to - from) & 3) == 2;
    return fits & line_of(to) && (!half_way || fits & line_of((from + 1) & 3));
}

// Some rotation does not fit where the piece is. `lines` are right for those that are reached without a kick.
static __attribute__((noinline)) uint64_t reach_by_kicks(const struct tetris_state *s, const struct tetris_piece *p,
                                                         uint64_t fits, uint64_t lines)
{
    for (int rotation = TETRIS_NORTH; rotation <= TETRIS_WEST; rotation++) { // O turns in place: T3.51
        struct tetris_piece turned = *p;
        if (turns_in_place(fits, p->rotation, rotation))
            continue;
        lines &= ~line_of(rotation);
        if (place_turn(&s->field, &turned, rotation, s->rules.ruleset))
            lines |= shifts(&s->field, &turned);
    }
    return lines;
}

static uint64_t reach(const struct tetris_state *s, const struct tetris_piece *p)
{
    uint64_t free = columns[p->kind] & ~taken_columns(field_rows(&s->field, p->y), p->kind);
    uint64_t here = leftmost[p->kind] << (p->x + LEFT), fits = free & here, lines = runs_around(free, fits);
    if (fits != here)
        lines = reach_by_kicks(s, p, fits, lines);
    return pack_lines(lines);
}

uint64_t place_mask(const struct tetris_state *s, bool hold)
{
    struct tetris_piece p;
    if (s->facts.paused || s->facts.end)
        return 0;
    if (!hold)
        return reach(s, &s->piece);
    return place_take(s, hold, &p) == TETRIS_PLACE_OK ? reach(s, &p) : 0;
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
