// Playing cards of the 52-card deck, and the shuffles that the rules name.
#pragma once

#include "base/rng.h"

#include <stdint.h>

// A card is 4 x rank + suit: 2c 2d 2h 2s 3c .. As are 0..51. Ranks 0..12 are 2..A, suits 0..3 are c d h s.
enum { CARDS_IN_DECK = 52, CARD_JACK = 9, CARD_NONE = 255 };

static inline int card_rank(uint8_t card)
{
    return card / 4;
}

static inline int card_suit(uint8_t card)
{
    return card % 4;
}

// Cards as bits.
static inline uint64_t cards_set(const uint8_t *cards, int count)
{
    uint64_t set = 0;
    for (int i = 0; i < count; i++)
        set |= UINT64_C(1) << cards[i];
    return set;
}

// Lists the cards that are not in the set, in order. Returns how many.
static inline int cards_list_others(uint64_t set, uint8_t out[CARDS_IN_DECK])
{
    int count = 0;
    for (uint8_t card = 0; card < CARDS_IN_DECK; card++)
        if (!(set >> card & 1))
            out[count++] = card;
    return count;
}

// F6.1: positions from..to-1 of a deck of `count` become the next cards of a shuffle: for i, swap i with i +
// U(count-i). Cards may be drawn as needed: the order is the same as if all were shuffled at once from the same draws.
void cards_draw(uint8_t *deck, int count, int from, int to, struct rng_draw *draw);

// B9.4: shuffles the whole deck from the back: for i = count-1 down to 1 swap i with U(i+1).
void cards_shuffle_back(uint8_t *deck, int count, struct rng_draw *draw);
