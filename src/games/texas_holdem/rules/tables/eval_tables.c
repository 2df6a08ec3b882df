// Makes the tables of eval.h: eval_tables OUTPUT. The same bytes on every machine.
#include "eval_make.h"

#include <stdio.h>

enum { ROW_ROOM = 64 };

static uint16_t row_offset[EVAL_ROWS];
static uint16_t by_ranks[EVAL_PLACES];

static uint64_t mix(uint64_t *seed)
{
    uint64_t z = *seed += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
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
        list_hands();
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
    fprintf(f, "// Made by eval_tables.\n#include \"games/texas_holdem/rules/eval.h\"\n\nconst uint64_t "
               "eval_card_worth[52] = {");
    for (int card = 0; card < 52; card++)
        fprintf(f, "%sUINT64_C(0x%014llx),", card % 4 ? " " : "\n    ", (unsigned long long)card_worth(card));
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
