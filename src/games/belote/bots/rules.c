// rules (B15.3): no randomness. In the negotiation it counts sure and likely tricks; at the table it plays what weighs
// most.
#include "games/belote/bots/card_weight.h"
#include "games/belote/bots/hand.h"

enum { // B15.3
    ANNOUNCE_FROM = 55,
    COMPETE_FROM = 42,
    DOUBLE_FROM = 65,
    DOUBLE_SURE = 3,
    REDOUBLE_FROM = 75,
    REDOUBLE_SURE = 4,
};

// --- The negotiation

struct worth {
    int sure;   // tricks
    int halves; // half tricks, the sure ones counted twice
};

static const uint8_t strong_order[BELOTE_RANKS] = {BELOTE_J, BELOTE_9, BELOTE_A, BELOTE_10,
                                                   BELOTE_K, BELOTE_Q, BELOTE_8, BELOTE_7};
static const uint8_t plain_order[BELOTE_RANKS] = {BELOTE_A, BELOTE_10, BELOTE_K, BELOTE_Q,
                                                  BELOTE_J, BELOTE_9,  BELOTE_8, BELOTE_7};

// Cards held in a row from the top are sure; the next one below a gap is likely when others guard it.
static struct worth count_suit(unsigned ranks, bool strong)
{
    const uint8_t *order = strong ? strong_order : plain_order;
    int length = __builtin_popcount(ranks), top = 0;
    while (top < BELOTE_RANKS && ranks >> order[top] & 1)
        top++;
    struct worth w = {.sure = top, .halves = 2 * top};
    if (top >= 3)
        w.halves += 2 * (length - top); // the suit is ours
    else if (top == 2)
        w.halves += length - top;
    else if (length >= 2 && ranks >> order[top + 1] & 1)
        w.halves += 1;
    return w;
}

// Trumps beyond the second take tricks by themselves; short side suits let small trumps take some.
static int count_ruffs(uint32_t hand, int trump)
{
    int length = __builtin_popcount(hand & cards_of_suit(trump)), halves = length > 2 ? length - 2 : 0;
    for (int suit = 0; suit < BELOTE_SUITS; suit++)
        if (suit != trump && length >= 2)
            halves += !(hand & cards_of_suit(suit));
    return halves;
}

static struct worth count_tricks(uint32_t hand, int mode)
{
    struct worth all = {0};
    for (int suit = 0; suit < BELOTE_SUITS; suit++) {
        unsigned ranks = hand >> BELOTE_RANKS * suit & 0xFF;
        struct worth w = count_suit(ranks, belote_is_strong(mode, suit));
        bool side = mode < BELOTE_NO_TRUMPS && suit != mode;
        if (side && w.sure > 1) // a second round is likely to be ruffed
            w = (struct worth){.sure = 1, .halves = w.halves > 3 ? 3 : w.halves};
        all.sure += w.sure;
        all.halves += w.halves;
    }
    if (mode < BELOTE_NO_TRUMPS)
        all.halves += count_ruffs(hand, mode);
    return all;
}

// An average hand is below 40; from 100 on it wins by itself.
static int value_hand(struct worth w, int mode)
{
    static const uint8_t base[BELOTE_MODES] = {18, 18, 18, 18, 26, 20};
    return base[mode] + 11 * w.halves;
}

// Whoever is far behind takes more risk.
static int courage(const struct bot_ask *ask, const struct belote_view *v)
{
    int us = belote_team(ask->seat), behind = (int)(v->points[1 - us] - v->points[us]);
    int part = behind * 100 / v->target;
    int lowered = part > 60 ? 10 : part > 30 ? 5 : part > 10 ? 2 : 0;
    int lean = bot_leans(ask, BOT_LOOSE) ? 12 : bot_leans(ask, BOT_TIGHT) ? -12 : 0; // N2.5
    return lowered + lean + (int)((ask->aggro - 0.5f) * 10);
}

static int find_best_mode(const struct bot_ask *ask, uint32_t hand, int *value)
{
    static const uint8_t stakes[BELOTE_MODES] = {2, 0, 0, 0, 3, 1}; // of equal hands the dearer mode
    int best = BELOTE_NONE, high = -1;
    for (int i = 0; i < ask->count; i++) {
        struct game_action a = ask->choices[i].first;
        if (a.kind != BELOTE_ANNOUNCE)
            continue;
        int worth = value_hand(count_tricks(hand, a.arg[0]), a.arg[0]);
        if (worth + stakes[a.arg[0]] > high) {
            high = worth + stakes[a.arg[0]];
            best = a.arg[0];
            *value = worth;
        }
    }
    return best;
}

static struct game_action raise_stakes(const struct bot_ask *ask, uint32_t hand, int lowered)
{
    for (int i = ask->count - 1; i >= 0; i--) { // redoubles stand behind doubles
        struct game_action a = ask->choices[i].first;
        if (a.kind != BELOTE_DOUBLE && a.kind != BELOTE_REDOUBLE)
            continue;
        bool again = a.kind == BELOTE_REDOUBLE;
        struct worth w = count_tricks(hand, a.arg[0]);
        if (w.sure >= (again ? REDOUBLE_SURE : DOUBLE_SURE) &&
            value_hand(w, a.arg[0]) >= (again ? REDOUBLE_FROM : DOUBLE_FROM) - lowered)
            return a;
    }
    return (struct game_action){0};
}

static struct game_action choose_word(const struct bot_ask *ask, const struct belote_view *v)
{
    uint32_t hand = cards_in_hand(v);
    int lowered = courage(ask, v), value = 0;
    struct game_action raise = raise_stakes(ask, hand, lowered);
    if (raise.kind)
        return raise;
    int mode = find_best_mode(ask, hand, &value);
    bool opening = v->high == BELOTE_NONE, partner_bid = !opening && belote_team(v->bidder) == belote_team(ask->seat);
    int wanted = partner_bid ? ANNOUNCE_FROM : COMPETE_FROM; // the partner's bid is left alone unless ours is good
    if (mode != BELOTE_NONE && (opening || value >= wanted - lowered))
        return word_action(BELOTE_ANNOUNCE, mode);
    return ask->fallback;
}

// --- Cards

static struct game_action choose_card(const struct bot_ask *ask, const struct belote_view *v)
{
    struct table table = card_weight_table(v);
    struct look look = card_weight_look(&table, cards_in_hand(v));
    int best = 0;
    float high = 0;
    for (int i = 0; i < ask->count; i++) {
        float weight = card_weight_of(&look, ask->choices[i].first.arg[0]);
        if (i == 0 || weight > high) {
            high = weight;
            best = i;
        }
    }
    return ask->choices[best].first;
}

static struct game_action choose(const struct bot_ask *ask)
{
    const struct belote_view *v = ask->view;
    if (v->phase == BELOTE_BID_PHASE)
        return choose_word(ask, v);
    if (v->phase == BELOTE_PLAY_PHASE)
        return choose_card(ask, v);
    return ask->fallback; // cuts (16, true)
}

const struct bot belote_rules_bot = {
    .name = "rules", .game = "belote", .choose = choose, .knows = BOT_TIGHT | BOT_LOOSE};
