// Members of a kit that are the same in the small poker games, which are played for chips, in antes (game/hands.h).
#pragma once

#include "game/hands.h"
#include "kit/contest.h"
#include "stats/swing.h"

// A hand moves two chips in the lead, as a rule.
static inline void antes_chances(const struct hands *h, double out[GAME_MAX_SEATS])
{
    swing_sides(2 * h->payoff[0], 2 * (h->max_hands - h->hand + 1), HANDS_SEATS, out);
}

static inline uint32_t antes_hand(const struct hands *h) // 0: the match is over
{
    return h->done ? 0 : h->hand;
}

static inline double antes_a_hundred(const void *rules)
{
    (void)rules;
    return 100;
}

static inline uint32_t antes_count(const void *view)
{
    return hands_finished(&((const struct hands_view *)view)->hands);
}

// For solve_facts: writes a deck whose first `dealt` cards are in the order of this number. Returns false if there are
// no more orders. The rest lies where it falls.
bool antes_deal(int number, const uint8_t *cards, int count, int dealt, struct hands_rules *r);

// Contests are about chips: whoever calls everything wins many hands and loses chips, so hands won say nothing.
#define ANTES_CONTEST                                                                                                  \
    .unit_rules = "{\"max_hands\":1}", .first_rule = "starter",                                                        \
    .stake = &(const struct contest_stake){.of = "chips",                                                              \
                                           .unit = "antes/100",                                                        \
                                           .part = "hand",                                                             \
                                           .parts = "hands",                                                           \
                                           .scale = antes_a_hundred,                                                   \
                                           .count_parts = antes_count,                                                 \
                                           .is_net = true},                                                            \
    .whole = &(const struct contest_stake)                                                                             \
    {                                                                                                                  \
        .of = "chips", .unit = "antes/game", .is_net = true                                                            \
    }

// For kit_deck: the whole deck; seat 0 gets the first card, and the other two change places.
#define ANTES_DECK(cards, one, other)                                                                                  \
    .deck = &(const struct kit_deck)                                                                                   \
    {                                                                                                                  \
        .key = "deck", .items = cards, .swapped = {one, other}, .more = "{'starter':0}"                                \
    }

// Decisions are weighed exactly here, so that a hundredth of an ante is a mistake already.
#define ANTES_ANALYSIS .unit = "antes", .floor = 0.01, .part = "hand", .pays = true
