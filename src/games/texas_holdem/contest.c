// What contests compare in Texas Hold'em: chips, in big blinds.
#include "games/texas_holdem/aivat.h"
#include "games/texas_holdem/kit.h"
#include "games/texas_holdem/luck.h"
#include "games/texas_holdem/rules/texas_holdem.h"
#include "stats/compare.h"

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

static void follow_luck(void *scratch, const struct game_events *e, struct rng dice,
                        double out[CONTEST_LUCKS][GAME_MAX_SEATS])
{
    _Static_assert(sizeof(struct holdem_luck) <= CONTEST_LUCK_SCRATCH && (int)HOLDEM_LUCKS == CONTEST_FOLLOWED, "fits");
    holdem_luck_follow(scratch, e, dice, &holdem_luck_weights, out);
}

static const struct contest_luck luck = {
    .name = {"all-in EV", "equity correction", "AIVAT"},
    .about = {"", "constants 9.5 bb, 3.5, 2.4, 1.6",
              "49 constants of solved v rules, plain, outline with 50 bb, seed 1"},
    .follow = follow_luck,
};

const struct contest_facts texas_holdem_contest = {
    .unit_rules = "{\"format\":\"cash\",\"max_hands\":1}",
    .first_rule = "button",
    .stake = &hands,
    .whole = &games,
    .luck = &luck,
    .aivat = &texas_holdem_aivat,
};
