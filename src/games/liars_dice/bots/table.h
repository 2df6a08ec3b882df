// A solved strategy of rounds between two, as bytes (N5.2). What `agon solve liars_dice` writes is this.
//
// A head with the command that made it, an index of cells, then a cell for each pair of own and other dice: how many
// quanta a strategy is divided into (the logarithm), the size of the block of each stem, the blocks. A block is a
// stream of bits with models of their own (coder.h): which places are listed, then for each hand and place whether it
// is known and how many quanta each move has. What is known neither there nor at another place of the stem is played by
// the odds.
#pragma once

#include "games/liars_dice/bots/round.h"
#include "solve/coder.h"

enum {
    TABLE_MOVES = 32, // in a mix
    TABLE_BITS = 7,   // most quanta, as a logarithm
    TABLE_HEAD = 256,
    TABLE_CELLS = LIARS_DICE_DICE * LIARS_DICE_DICE
};

struct dice_table {
    const uint8_t *bytes;
    uint32_t cell[TABLE_CELLS + 1]; // where they begin; the last: where they end
};

struct table_mix {
    int count;
    int rank[TABLE_MOVES]; // 0: challenge
    float share[TABLE_MOVES];
};

// What one hand plays at one place, in quanta.
struct table_entry {
    bool known;
    uint8_t quanta[ROUND_MOVES];
};

// A block, to be written or read.
struct table_block {
    const struct round_hands *hands;
    int shape, stem, bits;
    struct table_entry *entry; // [hand][place of the stem], to be written or read whole; else:
    int hand, place;           // what is looked for
    struct table_entry found;
};

// Where nothing own was bid yet a strategy has twice as many quanta.
static inline int table_bits(int bits, int place, int stem)
{
    return place == stem ? bits : bits - 1;
}

static inline int table_cell(int own, int other)
{
    return (own - 1) * LIARS_DICE_DICE + other - 1;
}

bool dice_table_open(struct dice_table *t, const void *bytes, size_t size); // false: not a table
void dice_table_code(struct coder *c, struct table_block *b);               // stops after the hand that is looked for
// What the table plays with this hand of `own` dice at a place.
void dice_table_find(const struct dice_table *t, const struct round_hands *h, int other, int place, int hand,
                     struct table_mix *out);
// Everything that is listed at the places of a stem: [hand][place of the stem].
void dice_table_read(const struct dice_table *t, const struct round_hands *h, int other, int stem,
                     struct table_entry *entry);
// What is played by an entry; one that is not known: by the odds.
void dice_table_mix(const struct round_hands *h, int other, int last, int hand, const struct table_entry *e,
                    struct table_mix *out);
int dice_table_draw(const struct table_mix *m, struct rng *dice); // a rank
