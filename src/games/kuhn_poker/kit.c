#include "kit/kit.h"

#include "games/kuhn_poker/bots/bots.h"
#include "games/kuhn_poker/codec.h"
#include "games/kuhn_poker/rules/kuhn_poker.h"
#include "kit/antes.h"
#include "kit/hidden.h"
#include "solve/facts.h"

static void chances(const void *state, double out[GAME_MAX_SEATS])
{
    antes_chances(&((const struct kuhn_poker_state *)state)->hands, out);
}

// Browsers neither solve nor analyse.
#ifndef AGON_BROWSER
// K2.1: Js Qs Ks, dealt in six ways.
static bool deal(int number, void *rules)
{
    static const uint8_t cards[3] = {39, 43, 47};
    struct hands_rules *r = rules;
    int first = number / 2, second = (first + 1 + number % 2) % 3;
    if (number >= 6)
        return false;
    memset(r->deck, CARD_NONE, sizeof r->deck);
    r->deck[0] = cards[first];
    r->deck[1] = cards[second];
    r->deck[2] = cards[3 - first - second];
    return true;
}

static const struct solve_facts solve = {.unit = "antes", .deal = deal, .key = kuhn_poker_key};

// N14.5: what another card would have come to.
static bool hold(void *state, int seat, int card)
{
    struct kuhn_poker_state *s = state;
    return hands_hold(&s->hands, &s->deck, seat, card, 0);
}

static bool reorder(void *state, int number) // nothing comes any more
{
    (void)state;
    return number == 0;
}

static uint32_t hand(const void *state)
{
    return antes_hand(&((const struct kuhn_poker_state *)state)->hands);
}

static double worth(const void *state, int seat) // the better card wins the antes
{
    const struct kuhn_poker_state *s = state;
    return hands_card(&s->hands, &s->deck, seat) > hands_card(&s->hands, &s->deck, !seat) ? 1 : -1;
}

static const struct hidden_facts hidden = {&kuhn_poker_game, 3, hold, reorder, hand, worth};

static const struct analysis_facts analysis = {ANTES_ANALYSIS, .part_of = hand};

static const struct known_facts known = {HIDDEN_KNOWN, .more = &hidden};
#define KNOWN &known
#else
#define KNOWN NULL
#endif

static uint32_t count_hands(const void *view)
{
    return hands_finished(&((const struct kuhn_poker_view *)view)->hands);
}

static const struct contest_facts contest = {ANTES_CONTEST(count_hands), .known = KNOWN};

const struct game_kit kuhn_poker_kit = {
    .game = &kuhn_poker_game,
    .codec = &kuhn_poker_codec,
    .french = "Poker de Kuhn",
    .contest = &contest,
    .chances = chances,
    .bots = KIT_BOTS(&kuhn_poker_solved_bot),
    .level = {&bot_random, &bot_random, &kuhn_poker_solved_bot, &kuhn_poker_solved_bot, &kuhn_poker_solved_bot},
#ifndef AGON_BROWSER
    .solve = &solve,
    .analysis = &analysis,
#endif
};
