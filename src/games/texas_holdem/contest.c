// What contests compare in Texas Hold'em: chips, in big blinds.
#include "games/texas_holdem/kit.h"
#include "games/texas_holdem/rules/texas_holdem.h"
#include "match/compare.h"

static double big_blind(const void *rules)
{
    return ((const struct texas_holdem_rules *)rules)->big_blind;
}

static double hundred_hands(const void *rules)
{
    return 100 / big_blind(rules);
}

static double one_game(const void *rules)
{
    return 1 / big_blind(rules);
}

static uint32_t count_hands(const void *view)
{
    return ((const struct texas_holdem_view *)view)->hands_completed;
}

static const struct contest_stake hands = {
    .of = "chips",
    .unit = "bb/100",
    .part = "hand",
    .parts = "hands",
    .scale = hundred_hands,
    .count_parts = count_hands,
    .grain = big_blind,
    .least = COMPARE_LEAST_SKEWED,
    .is_net = true,
};

static const struct contest_stake games = {
    .of = "chips",
    .unit = "bb/game",
    .scale = one_game,
    .grain = big_blind,
    .least = COMPARE_LEAST_SKEWED,
    .is_net = true,
};

const struct contest_facts texas_holdem_contest = {
    .unit_rules = "{\"format\":\"cash\",\"max_hands\":1}",
    .first_rule = "button",
    .stake = &hands,
    .whole = &games,
    .luck = &texas_holdem_luck,
};
