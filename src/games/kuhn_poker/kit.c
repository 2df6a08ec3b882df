#include "kit/kit.h"

#include "games/kuhn_poker/bots/bots.h"
#include "games/kuhn_poker/codec.h"
#include "games/kuhn_poker/rules/kuhn_poker.h"
#include "kit/aivat_hands.h"
#include "kit/small_poker.h"
#include "solve/facts.h"

static void chances(const void *state, double out[GAME_MAX_SEATS])
{
    small_poker_chances(hands_of(&kuhn_poker_game, state), out);
}

// K2.1: Js Qs Ks, in six orders.
static bool deal(int number, void *rules)
{
    static const uint8_t cards[] = {39, 43, 47};
    return small_poker_deal(number, cards, sizeof cards, HANDS_SEATS, rules);
}

static uint32_t hand(const void *state)
{
    return small_poker_hand(hands_of(&kuhn_poker_game, state));
}

static const struct solve_facts solve = {.unit = "antes", .deal = deal, .key = kuhn_poker_key};
static const struct analysis_facts analysis = {SMALL_POKER_ANALYSIS, .part_of = hand};
static const struct aivat_facts aivat = {AIVAT_HANDS, .more = AIVAT_HANDS_FACTS(&kuhn_poker_game, 3)};
static const struct contest_facts contest = {SMALL_POKER_CONTEST, .aivat = &aivat};

const struct game_kit kuhn_poker_kit = {
    .game = &kuhn_poker_game,
    .codec = &kuhn_poker_codec,
    .french = "Poker de Kuhn",
    .contest = &contest,
    SMALL_POKER_DECK("['Qs','Js','Ks']", 1, 2),
    .chances = chances,
    .bots = KIT_BOTS(&kuhn_poker_solved_bot),
    .level = {&bot_random, &bot_random, &kuhn_poker_solved_bot, &kuhn_poker_solved_bot, &kuhn_poker_solved_bot},
    .solve = &solve,
    .analysis = &analysis,
};
