// Members of a kit that are the same in the small poker games, which are played for chips, in antes (game/hands.h).
#pragma once

#include "game/hands.h"
#include "kit/contest.h"
#include "match/swing.h"

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

// Contests are about chips: whoever calls everything wins many hands and loses chips, so hands won say nothing.
// `count` tells how many hands a view has seen end.
#define ANTES_CONTEST(count)                                                                                           \
    .unit_rules = "{\"max_hands\":1}", .first_rule = "starter",                                                        \
    .stake = &(const struct contest_stake){.of = "chips",                                                              \
                                           .unit = "antes/100",                                                        \
                                           .part = "hand",                                                             \
                                           .parts = "hands",                                                           \
                                           .scale = antes_a_hundred,                                                   \
                                           .count_parts = (count),                                                     \
                                           .is_net = true},                                                            \
    .whole = &(const struct contest_stake)                                                                             \
    {                                                                                                                  \
        .of = "chips", .unit = "antes/game", .is_net = true                                                            \
    }

// Decisions are weighed exactly here, so that a hundredth of an ante is a mistake already.
#define ANTES_ANALYSIS .unit = "antes", .floor = 0.01, .part = "hand", .pays = true
