#include "kit/kit.h"

#include "games/leduc_poker/bots/bots.h"
#include "games/leduc_poker/codec.h"
#include "games/leduc_poker/rules/leduc_poker.h"
#include "solve/facts.h"

// Two chips a hand may still change hands.
static void chances(const void *state, double out[GAME_MAX_SEATS])
{
    const struct hands *h = &((const struct leduc_poker_state *)state)->hands;
    swing_sides(2 * h->payoff[0], 2 * (h->max_hands - h->hand + 1), HANDS_SEATS, out);
}

static const struct contest_facts contest = {.unit_rules = "{\"max_hands\":1}", .first_rule = "starter"};

// Browsers have no room for the table.
#ifndef AGON_BROWSER
// K3.1: the first card, the second, the public one, in 120 ways; the rest lies where it falls.
static bool deal(int number, void *rules)
{
    uint8_t cards[HANDS_CARDS] = {38, 39, 42, 43, 46, 47};
    struct hands_rules *r = rules;
    int left = number;
    if (number >= 6 * 5 * 4)
        return false;
    for (int i = 0; i < 3; i++) {
        int at = i + left % (HANDS_CARDS - i);
        uint8_t card = cards[at];
        left /= HANDS_CARDS - i;
        cards[at] = cards[i];
        cards[i] = card;
    }
    memcpy(r->deck, cards, sizeof r->deck);
    return true;
}

static const struct solve_facts solve = {.unit = "antes", .deal = deal, .key = leduc_poker_key};

static uint32_t hand_of(const void *state)
{
    return ((const struct leduc_poker_state *)state)->hands.hand;
}

static const struct analysis_facts analysis = {
    .unit = "antes", .floor = 0.01, .part = "hand", .part_of = hand_of, .pays = true};
#endif

const struct game_kit leduc_poker_kit = {
    .game = &leduc_poker_game,
    .codec = &leduc_poker_codec,
    .french = "Poker de Leduc",
    .contest = &contest,
    .chances = chances,
#ifndef AGON_BROWSER
    .bots = KIT_BOTS(&leduc_poker_solved_bot),
    .level = {&bot_random, &bot_random, &leduc_poker_solved_bot, &leduc_poker_solved_bot, &leduc_poker_solved_bot},
    .solve = &solve,
    .analysis = &analysis,
#endif
};
