// Makes the tables of eval.h: eval_tables OUTPUT. The same bytes on every machine.
#include "games/texas_holdem/rules/eval.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RANKS = 13, ACE = 12, MAX_RANKINGS = 49205, ROW_ROOM = 64 };

// Seven ranks without regard to suits: the sum of their worths, and what they are worth at showdown.
struct ranking {
    uint32_t sum;
    uint32_t value;
};

static uint32_t rank_worth[RANKS];
static struct ranking rankings[MAX_RANKINGS];
static int ranking_count;
static uint32_t suit_values[EVAL_SUIT_MASKS];
static uint32_t values[MAX_RANKINGS + EVAL_SUIT_MASKS]; // all that occur, ascending, each once
static int value_count;
static uint16_t row_offset[EVAL_ROWS];
static uint16_t by_ranks[EVAL_PLACES];

// A value: category, then up to five ranks that decide, the most important first.
static uint32_t value_of(enum eval_category category, const int *deciding, int count)
{
    uint32_t value = category;
    for (int i = 0; i < 5; i++)
        value = value << 4 | (i < count ? (uint32_t)deciding[i] : 0);
    return value;
}

// The highest card of the best straight in a mask of ranks, or -1. The ace also stands below the two.
static int straight_top(unsigned mask)
{
    unsigned low_ace = mask << 1 | (mask >> ACE & 1);
    for (int top = ACE; top >= 3; top--)
        if ((low_ace >> (top - 3) & 31) == 31)
            return top;
    return -1;
}

// `order` has the ranks in hand, those with more copies first, equal ones from the ace down.
static uint32_t value_of_counts(const int count[RANKS])
{
    unsigned mask = 0;
    int order[RANKS], n = 0, copies[5] = {0};
    for (int c = 4; c >= 1; c--)
        for (int r = ACE; r >= 0; r--)
            if (count[r] == c) {
                if (n < 2)
                    copies[n] = c;
                order[n++] = r;
                mask |= 1u << r;
            }
    int top = straight_top(mask);
    if (copies[0] == 4) { // the kicker is the best of the rest, paired or not
        int kicker = -1;
        for (int i = 1; i < n; i++)
            kicker = order[i] > kicker ? order[i] : kicker;
        return value_of(EVAL_FOUR_OF_A_KIND, (int[]){order[0], kicker}, 2);
    }
    if (copies[0] == 3 && copies[1] >= 2)
        return value_of(EVAL_FULL_HOUSE, order, 2);
    if (top >= 0)
        return value_of(EVAL_STRAIGHT, &top, 1);
    if (copies[0] == 3)
        return value_of(EVAL_THREE_OF_A_KIND, order, 3);
    if (copies[0] == 2 && copies[1] == 2) { // a third pair may hold the kicker
        int kicker = -1;
        for (int i = 2; i < n; i++)
            kicker = order[i] > kicker ? order[i] : kicker;
        return value_of(EVAL_TWO_PAIR, (int[]){order[0], order[1], kicker}, 3);
    }
    return copies[0] == 2 ? value_of(EVAL_ONE_PAIR, order, 4) : value_of(EVAL_HIGH_CARD, order, 5);
}

static uint32_t value_of_suit_mask(unsigned mask)
{
    int order[RANKS], n = 0, top = straight_top(mask);
    for (int r = ACE; r >= 0; r--)
        if (mask >> r & 1)
            order[n++] = r;
    if (n < 5)
        return 0;
    if (top == ACE)
        return value_of(EVAL_ROYAL_FLUSH, &top, 1);
    return top >= 0 ? value_of(EVAL_STRAIGHT_FLUSH, &top, 1) : value_of(EVAL_FLUSH, order, 5);
}

static void list_rankings(int count[RANKS], int rank, int left, uint32_t sum)
{
    if (rank == RANKS) {
        if (left == 0)
            rankings[ranking_count++] = (struct ranking){sum, value_of_counts(count)};
        return;
    }
    for (count[rank] = 0; count[rank] <= 4 && count[rank] <= left; count[rank]++)
        list_rankings(count, rank + 1, left - count[rank], sum + (uint32_t)count[rank] * rank_worth[rank]);
    count[rank] = 0;
}

static uint64_t mix(uint64_t *seed)
{
    uint64_t z = *seed += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

static int compare_u32(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

static void list_values(void)
{
    for (int i = 0; i < ranking_count; i++)
        values[value_count++] = rankings[i].value;
    for (unsigned mask = 0; mask < EVAL_SUIT_MASKS; mask++)
        if ((suit_values[mask] = value_of_suit_mask(mask)))
            values[value_count++] = suit_values[mask];
    qsort(values, (size_t)value_count, sizeof *values, compare_u32);
    int kept = 0;
    for (int i = 0; i < value_count; i++)
        if (i == 0 || values[i] != values[kept - 1])
            values[kept++] = values[i];
    value_count = kept;
}

// The category, and how many lower values it has; no category has more than 2860.
static uint16_t strength_of(uint32_t value)
{
    const uint32_t *found = bsearch(&value, values, (size_t)value_count, sizeof *values, compare_u32);
    uint32_t category = value >> 20, below = 0;
    while (found - below > values && found[-1 - (long)below] >> 20 == category)
        below++;
    return (uint16_t)(category << EVAL_CATEGORY_SHIFT | below);
}

static bool fits(const struct ranking *const *row, int count, uint32_t offset)
{
    for (int i = 0; i < count; i++)
        if (by_ranks[(uint16_t)(row[i]->sum + offset)])
            return false;
    return true;
}

static bool collides(const struct ranking *const *row, int count)
{
    for (int i = 0; i < count; i++)
        for (int j = 0; j < i; j++)
            if ((uint16_t)row[i]->sum == (uint16_t)row[j]->sum)
                return true;
    return false;
}

static bool place_row(int number, const struct ranking *const *row, int count)
{
    uint32_t offset = 0;
    if (collides(row, count))
        return false;
    while (!fits(row, count, offset))
        if (++offset == EVAL_PLACES)
            return false;
    row_offset[number] = (uint16_t)offset;
    for (int i = 0; i < count; i++) // strengths are stored one higher while 0 means free
        by_ranks[(uint16_t)(row[i]->sum + offset)] = (uint16_t)(strength_of(row[i]->value) + 1);
    return true;
}

// The fullest rows first, while there is room to choose.
static bool place_rows(void)
{
    static const struct ranking *row[EVAL_ROWS][ROW_ROOM];
    static int size[EVAL_ROWS];
    memset(size, 0, sizeof size);
    memset(by_ranks, 0, sizeof by_ranks);
    for (int i = 0; i < ranking_count; i++) {
        uint32_t number = rankings[i].sum >> EVAL_ROW_SHIFT;
        if (size[number] == ROW_ROOM)
            return false;
        row[number][size[number]++] = &rankings[i];
    }
    for (int wanted = ROW_ROOM; wanted > 0; wanted--)
        for (int number = 0; number < EVAL_ROWS; number++)
            if (size[number] == wanted && !place_row(number, row[number], wanted))
                return false;
    return true;
}

// Draws worths for the ranks until a table without collisions comes of them.
static void make_tables(void)
{
    uint64_t seed = 0;
    do {
        for (int r = 0; r < RANKS; r++)
            rank_worth[r] = (uint32_t)(mix(&seed) >> 32);
        ranking_count = value_count = 0;
        list_rankings((int[RANKS]){0}, 0, 7, 0);
        list_values();
    } while (!place_rows());
    for (int i = 0; i < EVAL_PLACES; i++)
        by_ranks[i] = (uint16_t)(by_ranks[i] - (by_ranks[i] != 0));
}

static void write_u16(FILE *f, const char *name, const char *room, const uint16_t *at, int count)
{
    fprintf(f, "\nconst uint16_t %s[%s] = {", name, room);
    for (int i = 0; i < count; i++)
        fprintf(f, "%s%u,", i % 16 ? " " : "\n    ", at[i]);
    fprintf(f, "\n};\n");
}

static void write_tables(FILE *f)
{
    static uint16_t by_suit_mask[EVAL_SUIT_MASKS];
    for (unsigned mask = 0; mask < EVAL_SUIT_MASKS; mask++)
        by_suit_mask[mask] = suit_values[mask] ? strength_of(suit_values[mask]) : 0;
    fprintf(f, "// Made by eval_tables.\n#include \"games/texas_holdem/rules/eval.h\"\n\nconst uint64_t "
               "eval_card_worth[52] = {");
    for (int card = 0; card < 52; card++)
        fprintf(f, "%sUINT64_C(0x%014llx),", card % 4 ? " " : "\n    ",
                1ull << (EVAL_SUIT_SHIFT + 4 * (card % 4)) | rank_worth[card / 4]);
    fprintf(f, "\n};\n");
    write_u16(f, "eval_row_offset", "EVAL_ROWS", row_offset, EVAL_ROWS);
    write_u16(f, "eval_by_ranks", "EVAL_PLACES", by_ranks, EVAL_PLACES);
    write_u16(f, "eval_by_suit_mask", "EVAL_SUIT_MASKS", by_suit_mask, EVAL_SUIT_MASKS);
}

int main(int argc, char **argv)
{
    FILE *f = argc == 2 ? fopen(argv[1], "w") : NULL;
    if (!f) {
        fprintf(stderr, "usage: eval_tables OUTPUT (a file that can be written)\n");
        return 2;
    }
    make_tables();
    write_tables(f);
    return ferror(f) | fclose(f) ? 1 : 0;
}
