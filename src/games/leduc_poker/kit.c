#include "kit/kit.h"

#include "games/leduc_poker/bots/bots.h"
#include "games/leduc_poker/codec.h"
#include "games/leduc_poker/rules/leduc_poker.h"
#include "kit/aivat_hands.h"
#include "kit/small_poker.h"
#include "solve/facts.h"

static void chances(const void *state, double out[GAME_MAX_SEATS])
{
    small_poker_chances(hands_of(&leduc_poker_game, state), out);
}

// K3.1: the first card, the second, the public one, in 120 orders.
static bool deal(int number, void *rules)
{
    static const uint8_t cards[] = {38, 39, 42, 43, 46, 47};
    return small_poker_deal(number, cards, sizeof cards, HANDS_SEATS + 1, rules);
}

static uint32_t hand(const void *state)
{
    return small_poker_hand(hands_of(&leduc_poker_game, state));
}

static const struct solve_facts solve = {.unit = "antes", .deal = deal, .key = leduc_poker_key};
static const struct analysis_facts analysis = {SMALL_POKER_ANALYSIS, .part_of = hand};
static const struct aivat_facts aivat = {AIVAT_HANDS, .more = AIVAT_HANDS_FACTS(&leduc_poker_game, 6)};
static const struct contest_facts contest = {SMALL_POKER_CONTEST, .aivat = &aivat};

const struct game_kit leduc_poker_kit = {
    .game = &leduc_poker_game,
    .codec = &leduc_poker_codec,
    .french = "Poker de Leduc",
    .contest = &contest,
    SMALL_POKER_DECK("['Qs','Js','Ks','Kh','Qh','Jh']", 1, 3),
    .chances = chances,
    .bots = KIT_BOTS(&leduc_poker_solved_bot),
    .level = {&bot_random, &bot_random, &leduc_poker_solved_bot, &leduc_poker_solved_bot, &leduc_poker_solved_bot},
    .solve = &solve,
    .analysis = &analysis,
};
