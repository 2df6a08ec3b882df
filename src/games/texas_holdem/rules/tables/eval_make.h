// How strong hands are, from the rules of poker: for the program that writes the tables of eval.h when agon is built,
// and for the browser, which makes its own when it loads the rules (wasm/), because tables do not compress.
#pragma once

#include "games/texas_holdem/rules/eval.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { RANKS = 13, ACE = 12, MAX_RANKINGS = 49205 };

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
static uint16_t by_suit_mask[EVAL_SUIT_MASKS];

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

static uint64_t card_worth(int card)
{
    return UINT64_C(1) << (EVAL_SUIT_SHIFT + 4 * (card % 4)) | rank_worth[card / 4];
}

// From rank_worth: what every seven ranks and every five or more of a suit are worth.
static void list_hands(void)
{
    ranking_count = value_count = 0;
    list_rankings((int[RANKS]){0}, 0, 7, 0);
    list_values();
    for (unsigned mask = 0; mask < EVAL_SUIT_MASKS; mask++)
        by_suit_mask[mask] = suit_values[mask] ? strength_of(suit_values[mask]) : 0;
}
