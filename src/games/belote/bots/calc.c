// calc (B15.2): values each mode from points, top cards and length, and plays by simple habits.
#include "games/belote/bots/hand.h"

enum { ANNOUNCE_FROM = 60, COMPETE_FROM = 45, TOPS_TO_RAISE = 3 }; // B15.2

static int min_int(int a, int b)
{
    return a < b ? a : b;
}

static bool holds(uint32_t hand, int suit, int rank)
{
    return hand >> (BELOTE_RANKS * suit + rank) & 1;
}

static int count_tops(uint32_t hand, int mode)
{
    int tops = 0;
    for (int suit = 0; suit < BELOTE_SUITS; suit++)
        tops += holds(hand, suit, belote_is_strong(mode, suit) ? BELOTE_J : BELOTE_A);
    return tops;
}

// 0..40: the hand's share of all card points; three tenths of them give the full value.
static int value_points(uint32_t hand, int mode)
{
    static const int all[BELOTE_MODES] = {152, 152, 152, 152, 120, 248};
    int points = 0;
    for (uint32_t rest = hand; rest; rest &= rest - 1)
        points += belote_card_points(mode, __builtin_ctz(rest));
    return min_int(40, points * 400 / (3 * all[mode]));
}

// 0..30: length with Jack and Nine in strong suits, Aces and Tens in NoTrumps.
static int value_length(uint32_t hand, int mode)
{
    int value = 0;
    for (int suit = 0; suit < BELOTE_SUITS; suit++) {
        int length = __builtin_popcount(hand & cards_of_suit(suit));
        bool jack = holds(hand, suit, BELOTE_J), nine = holds(hand, suit, BELOTE_9);
        bool ace = holds(hand, suit, BELOTE_A), ten = holds(hand, suit, BELOTE_10);
        if (mode == BELOTE_NO_TRUMPS)
            value += 6 * ace + (ace ? 5 : 2) * ten;
        else if (mode == BELOTE_ALL_TRUMPS)
            value += 5 * jack + (jack ? 5 : 2) * nine;
        else if (mode == suit)
            value += 4 * length + 8 * jack + 6 * nine;
    }
    return min_int(30, value);
}

static int value_mode(uint32_t hand, int mode)
{
    return value_points(hand, mode) + min_int(30, 10 * count_tops(hand, mode)) + value_length(hand, mode);
}

static struct game_action find_best_announcement(const struct bot_ask *ask, uint32_t hand)
{
    struct game_action best = {0};
    int high = 0;
    for (int i = 0; i < ask->count; i++) {
        struct game_action a = ask->choices[i].first;
        int value = a.kind == BELOTE_ANNOUNCE ? value_mode(hand, a.arg[0]) : 0;
        if (value > high) {
            high = value;
            best = a;
        }
    }
    return high >= COMPETE_FROM ? best : (struct game_action){0};
}

static int find_best_mode(uint32_t hand)
{
    int best = 0;
    for (int mode = 1; mode < BELOTE_MODES; mode++)
        if (value_mode(hand, mode) >= value_mode(hand, best))
            best = mode;
    return best;
}

static struct game_action choose_word(const struct bot_ask *ask, const struct belote_view *v)
{
    uint32_t hand = cards_in_hand(v);
    for (int i = ask->count - 1; i >= 0; i--) { // redoubles stand behind doubles
        struct game_action a = ask->choices[i].first;
        if ((a.kind == BELOTE_DOUBLE || a.kind == BELOTE_REDOUBLE) && count_tops(hand, a.arg[0]) >= TOPS_TO_RAISE)
            return a;
    }
    int best = find_best_mode(hand);
    struct game_action a = word_action(BELOTE_ANNOUNCE, best);
    if (value_mode(hand, best) >= ANNOUNCE_FROM && game_has_choice(ask->choices, ask->count, a))
        return a;
    a = find_best_announcement(ask, hand);
    return a.kind ? a : ask->fallback; // accepts; the opener says the first word of the list
}

// --- Cards

struct pick {
    const struct bot_ask *ask;
    const struct belote_view *v;
};

// The choice with the lowest cost; the first of equals.
static struct game_action pick_cheapest(struct pick p, int (*cost)(struct pick p, int card))
{
    int best = 0;
    for (int i = 1; i < p.ask->count; i++)
        if (cost(p, p.ask->choices[i].first.arg[0]) < cost(p, p.ask->choices[best].first.arg[0]))
            best = i;
    return p.ask->choices[best].first;
}

enum { NEVER = 1000 };

static int points_of(struct pick p, int card)
{
    return belote_card_points(p.v->mode, card);
}

// Masters first, the richest of them; then the partner's suit; then from length. Little points are risked.
static int cost_to_lead(struct pick p, int card)
{
    if (!cards_above(p.v, card))
        return -100 - points_of(p, card);
    if (suit_announced(p.v, (p.v->viewer + 2) % BELOTE_SEATS) == belote_suit(card))
        return -50 + points_of(p, card);
    int length = __builtin_popcount(cards_in_hand(p.v) & cards_of_suit(belote_suit(card)));
    return points_of(p, card) - 4 * length;
}

static int cost_to_give(struct pick p, int card)
{
    return -points_of(p, card);
}

static int cost_to_win(struct pick p, int card)
{
    bool wins = belote_beaten_by(p.v->mode, p.v->best) >> card & 1;
    return points_of(p, card) + (wins ? 0 : NEVER);
}

static struct game_action choose_card(const struct bot_ask *ask, const struct belote_view *v)
{
    struct pick p = {ask, v};
    if (cards_lying(v) == 0)
        return pick_cheapest(p, cost_to_lead);
    if (belote_team(v->taker) == belote_team(v->viewer))
        return pick_cheapest(p, cost_to_give);
    return pick_cheapest(p, cost_to_win); // or the least points when nothing wins
}

static struct game_action choose(const struct bot_ask *ask)
{
    const struct belote_view *v = ask->view;
    if (v->phase == BELOTE_BID_PHASE)
        return choose_word(ask, v);
    if (v->phase == BELOTE_PLAY_PHASE)
        return choose_card(ask, v);
    return ask->fallback;
}

// Every third answer is anything.
static struct game_action choose_novice(const struct bot_ask *ask)
{
    if (rng_below(ask->dice, 3) == 0)
        return bot_pick_uniform(ask->choices, ask->count, ask->dice);
    return choose(ask);
}

const struct bot belote_calc_bot = {.name = "calc", .game = "belote", .choose = choose};
const struct bot belote_novice_bot = {.name = "novice", .game = "belote", .choose = choose_novice};
