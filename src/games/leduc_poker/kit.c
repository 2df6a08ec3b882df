#include "kit/kit.h"

#include "games/leduc_poker/bots/bots.h"
#include "games/leduc_poker/codec.h"
#include "games/leduc_poker/rules/leduc_poker.h"
#include "kit/antes.h"
#include "kit/hidden.h"
#include "solve/facts.h"

static void chances(const void *state, double out[GAME_MAX_SEATS])
{
    antes_chances(&((const struct leduc_poker_state *)state)->hands, out);
}

// Browsers neither solve nor analyse.
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

// N14.5: what other cards would have come to.
static bool hold(void *state, int seat, int card)
{
    struct leduc_poker_state *s = state;
    return hands_hold(&s->hands, &s->deck, seat, card, s->bets.round);
}

static bool reorder(void *state, int number) // which card will be the public one
{
    struct leduc_poker_state *s = state;
    if (number >= HANDS_CARDS - 2 || (number && s->bets.round))
        return false;
    uint8_t card = s->deck.card[2 + number];
    s->deck.card[2 + number] = s->deck.card[2];
    s->deck.card[2] = card;
    return true;
}

static uint32_t hand(const void *state)
{
    return antes_hand(&((const struct leduc_poker_state *)state)->hands);
}

static int strength_of(const struct leduc_poker_state *s, int seat)
{
    int rank = card_rank(hands_card(&s->hands, &s->deck, seat));
    return s->bets.round && rank == card_rank(s->deck.card[2]) ? CARDS_IN_DECK : rank;
}

static double worth(const void *state, int seat) // the better hand wins what both have put in
{
    const struct leduc_poker_state *s = state;
    int lead = strength_of(s, seat) - strength_of(s, !seat),
        both = s->bets.paid[0] < s->bets.paid[1] ? s->bets.paid[0] : s->bets.paid[1];
    return lead > 0 ? both : lead < 0 ? -both : 0;
}

static const struct hidden_facts hidden = {&leduc_poker_game, 6, hold, reorder, hand, worth};

static const struct analysis_facts analysis = {ANTES_ANALYSIS, .part_of = hand};

static const struct known_facts known = {HIDDEN_KNOWN, .more = &hidden};
#define KNOWN &known
#else
#define KNOWN NULL
#endif

static uint32_t count_hands(const void *view)
{
    return hands_finished(&((const struct leduc_poker_view *)view)->hands);
}

static const struct contest_facts contest = {ANTES_CONTEST(count_hands), .known = KNOWN};

const struct game_kit leduc_poker_kit = {
    .game = &leduc_poker_game,
    .codec = &leduc_poker_codec,
    .french = "Poker de Leduc",
    .contest = &contest,
    .chances = chances,
    .bots = KIT_BOTS(&leduc_poker_solved_bot),
    .level = {&bot_random, &bot_random, &leduc_poker_solved_bot, &leduc_poker_solved_bot, &leduc_poker_solved_bot},
#ifndef AGON_BROWSER
    .solve = &solve,
    .analysis = &analysis,
#endif
};
