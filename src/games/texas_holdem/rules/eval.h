// The best five of seven cards, as one number: the higher, the stronger; equal hands are equal (F6.T13).
//
// Each card is worth a 64-bit number. In the sum of seven the low 32 bits tell which ranks there are, suits apart, and
// the bits from 40 on count each suit. Without five of a suit the ranks decide, by a perfect hash: the high bits of the
// sum choose a row, and the row's offset moves its sums to places that no other row takes. Five of a suit leave no
// room for a full house or four of a kind, so the ranks of that suit decide alone. The tables are made by
// tables/eval_tables.c when the program is built.
#pragma once

#include <stdint.h>

enum eval_category {
    EVAL_HIGH_CARD,
    EVAL_ONE_PAIR,
    EVAL_TWO_PAIR,
    EVAL_THREE_OF_A_KIND,
    EVAL_STRAIGHT,
    EVAL_FLUSH,
    EVAL_FULL_HOUSE,
    EVAL_FOUR_OF_A_KIND,
    EVAL_STRAIGHT_FLUSH,
    EVAL_ROYAL_FLUSH,
    EVAL_CATEGORIES
};

enum {
    EVAL_CATEGORY_SHIFT = 12, // a strength is its category, and below that the place within
    EVAL_SUIT_SHIFT = 40,     // four bits for each suit
    EVAL_ROW_SHIFT = 20,
    EVAL_ROWS = 1 << (32 - EVAL_ROW_SHIFT),
    EVAL_PLACES = 1 << 16,
    EVAL_SUIT_MASKS = 1 << 13
};

#ifdef __wasm__ // the browser makes its own when it loads the rules (wasm/games/texas_holdem)
extern uint64_t eval_card_worth[52];
extern uint16_t eval_by_suit_mask[EVAL_SUIT_MASKS];
int eval_by_worth(uint32_t ranks);
#else
extern const uint64_t eval_card_worth[52];
extern const uint16_t eval_row_offset[EVAL_ROWS];
extern const uint16_t eval_by_ranks[EVAL_PLACES];
extern const uint16_t eval_by_suit_mask[EVAL_SUIT_MASKS]; // 0 where fewer than five ranks are set

static inline int eval_by_worth(uint32_t ranks)
{
    return eval_by_ranks[(uint16_t)(ranks + eval_row_offset[ranks >> EVAL_ROW_SHIFT])];
}
#endif

// The ranks of `suit` among seven cards, as a mask.
static inline unsigned eval_suit_mask(const uint8_t cards[7], unsigned suit)
{
    unsigned mask = 0;
    for (int i = 0; i < 7; i++)
        mask |= (unsigned)((cards[i] & 3u) == suit) << (cards[i] >> 2);
    return mask;
}

// For hands that share cards: begin with 0, add the shared cards once, then each hand's own to a copy.
static inline uint64_t eval_add(uint64_t sum, const uint8_t *cards, int count)
{
#pragma GCC unroll 7
    for (int i = 0; i < count; i++)
        sum += eval_card_worth[cards[i]];
    return sum;
}

// The strength of seven cards with this sum, or -1 when five are of a suit: then ask eval7.
static inline int eval_of_ranks(uint64_t sum)
{
    uint32_t ranks = (uint32_t)sum;
    sum += UINT64_C(0x3333) << EVAL_SUIT_SHIFT; // so that the fifth card of a suit sets its highest bit
    if (__builtin_expect((sum & UINT64_C(0x8888) << EVAL_SUIT_SHIFT) != 0, 0))
        return -1;
    return eval_by_worth(ranks);
}

// Seven different cards (4 x rank + suit), in any order.
static inline int eval7(const uint8_t cards[7])
{
    uint64_t sum = eval_add(UINT64_C(0x3333) << EVAL_SUIT_SHIFT, cards, 7);
    uint64_t flush = sum & UINT64_C(0x8888) << EVAL_SUIT_SHIFT;
    if (__builtin_expect(flush != 0, 0))
        return eval_by_suit_mask[eval_suit_mask(cards, (unsigned)(__builtin_ctzll(flush) - EVAL_SUIT_SHIFT) / 4)];
    return eval_by_worth((uint32_t)sum);
}

static inline enum eval_category eval_category(int strength)
{
    return (enum eval_category)(strength >> EVAL_CATEGORY_SHIFT);
}
