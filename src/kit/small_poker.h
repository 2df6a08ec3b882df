// Members of a kit that are the same in the small poker games, which are played for chips, in antes (game/hands.h).
#pragma once

#include "game/hands.h"
#include "kit/contest.h"
#include "stats/swing.h"

// A hand usually changes the lead by two chips.
static inline void small_poker_chances(const struct hands *h, double out[GAME_MAX_SEATS])
{
    swing_sides(2 * h->payoff[0], 2 * (h->max_hands - h->hand + 1), HANDS_SEATS, out);
}

static inline uint32_t small_poker_hand(const struct hands *h) // 0: the match is over
{
    return h->done ? 0 : h->hand;
}

static inline double small_poker_antes_per_100(const void *rules)
{
    (void)rules;
    return 100;
}

static inline uint32_t small_poker_count_hands(const void *view)
{
    return hands_finished(&((const struct hands_view *)view)->hands);
}

// For solve_facts: writes a deck whose first `dealt` cards are in the order of this number. Returns false if there are
// no more orders. The rest lies where it falls.
bool small_poker_deal(int number, const uint8_t *cards, int count, int dealt, struct hands_rules *r);

// Contests are about chips: a player who calls everything wins many hands and loses chips, so hands won say nothing.
#define SMALL_POKER_CONTEST                                                                                            \
    .unit_rules = "{\"max_hands\":1}", .first_rule = "starter",                                                        \
    .stake = &(const struct contest_stake){.of = "chips",                                                              \
                                           .unit = "antes/100",                                                        \
                                           .part = "hand",                                                             \
                                           .parts = "hands",                                                           \
                                           .scale = small_poker_antes_per_100,                                         \
                                           .count_parts = small_poker_count_hands,                                     \
                                           .is_net = true},                                                            \
    .whole = &(const struct contest_stake)                                                                             \
    {                                                                                                                  \
        .of = "chips", .unit = "antes/game", .is_net = true                                                            \
    }

// For kit_deck: the whole deck; seat 0 gets the first card, and the other two change places.
#define SMALL_POKER_DECK(cards, one, other)                                                                            \
    .deck = &(const struct kit_deck)                                                                                   \
    {                                                                                                                  \
        .key = "deck", .items = cards, .swapped = {one, other}, .more = "{'starter':0}"                                \
    }

// Decisions are weighed exactly here, so that a hundredth of an ante is a mistake already.
#define SMALL_POKER_ANALYSIS .unit = "antes", .floor = 0.01, .part = "hand", .pays = true
