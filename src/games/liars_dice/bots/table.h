// A solved strategy of rounds between two, as bytes (N5.2). What `agon solve liars_dice` writes is this.
//
// A list of places for each pair of own and other dice, found by an index in front. A place is its number and the size
// of what follows, two bytes each, then entries: a class of hands, and up to TABLE_MOVES moves of one word each. A word
// has a bit that another one follows, the move and its share: in exact rounds 1 + 5 + 10 bits, in larger ones 1 + 3
// + 4. What is not listed is played by the odds (dice_table_odds).
#pragma once

#include "games/liars_dice/bots/round.h"

enum { TABLE_MOVES = 6, TABLE_HEAD = 256, TABLE_CELLS = LIARS_DICE_DICE * LIARS_DICE_DICE };

struct dice_table {
    const uint8_t *bytes;
    uint32_t cell[TABLE_CELLS + 1]; // where the lists begin; the last: where they end
};

struct table_mix {
    int count;
    int rank[TABLE_MOVES]; // 0: challenge
    float share[TABLE_MOVES];
};

bool dice_table_open(struct dice_table *t, const void *bytes, size_t size); // false: it is none
// What the table plays with this hand of `own` dice at a place.
void dice_table_find(const struct dice_table *t, const struct round_hands *h, int other, int place, int hand,
                     struct table_mix *out);
// Whoever holds nothing better: challenges what is less likely than not, else bids what is likeliest.
void dice_table_odds(const struct round_hands *h, int other, int last, int hand, struct table_mix *out);
int dice_table_draw(const struct table_mix *m, struct rng *dice); // a rank
