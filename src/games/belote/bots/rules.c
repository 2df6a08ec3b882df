// rules (B15.3): no randomness. In the negotiation it counts sure and likely tricks; at the table it counts cards and
// weighs, for each card it may play, the chance that its team takes the trick, the points on it, and what the card
// would still be worth later.
#include "games/belote/bots/hand.h"

enum {
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

static struct game_action speak(const struct bot_ask *ask, const struct belote_view *v)
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

// What this seat knows when it plays.
struct table {
    const struct belote_view *v;
    uint32_t hand, unseen;
    uint32_t may_hold[BELOTE_SEATS]; // unseen cards each other seat may have
    float rest_points;               // mean points of an unseen card
};

static struct table look(const struct belote_view *v)
{
    struct table t = {.v = v, .hand = cards_in_hand(v), .unseen = cards_unseen(v)};
    int points = 0;
    for (int seat = 0; seat < BELOTE_SEATS; seat++)
        t.may_hold[seat] = seat == v->viewer ? 0 : t.unseen & ~v->cannot[seat];
    for (uint32_t rest = t.unseen; rest; rest &= rest - 1)
        points += belote_card_points(v->mode, __builtin_ctz(rest));
    t.rest_points = t.unseen ? (float)points / (float)__builtin_popcount(t.unseen) : 0;
    return t;
}

// The chance that a seat holds one card of the set: each card is with those who may have it, by the size of their
// hands.
static float chance_to_hold(const struct table *t, int seat, uint32_t set)
{
    float none = 1;
    for (uint32_t rest = set & t->may_hold[seat]; rest; rest &= rest - 1) {
        int card = __builtin_ctz(rest), rooms = 0;
        for (int other = 0; other < BELOTE_SEATS; other++)
            rooms += t->may_hold[other] >> card & 1 ? t->v->held[other] : 0;
        none *= 1 - (float)t->v->held[seat] / (float)rooms;
    }
    return 1 - none;
}

// The chance that a seat yet to play beats `best` in a trick of suit `led`.
static float chance_to_beat(const struct table *t, int seat, int led, int best)
{
    uint32_t suit = cards_of_suit(led), trumps = belote_trumps(t->v->mode), higher = belote_beaten_by(t->v->mode, best);
    float follows = chance_to_hold(t, seat, suit);
    float over = chance_to_hold(t, seat, higher & suit);
    if (!(trumps & ~suit))
        return over;
    return over + (1 - follows) * chance_to_hold(t, seat, higher & trumps & ~suit);
}

static bool is_partner(const struct table *t, int seat)
{
    return belote_team(seat) == belote_team(t->v->viewer);
}

// The chance that our team takes the trick when this card is played.
static float chance_to_take(const struct table *t, int card)
{
    const struct belote_view *v = t->v;
    int lying = cards_lying(v), led = belote_suit(lying ? card_led(v) : card);
    bool beats = !lying || belote_beaten_by(v->mode, v->best) >> card & 1;
    int best = beats ? card : v->best;
    bool ours = beats || is_partner(t, v->taker);
    float safe = 1, help = 0;
    for (int i = 1; i < BELOTE_SEATS - lying; i++) {
        int seat = (v->viewer + i) % BELOTE_SEATS;
        if (!is_partner(t, seat))
            safe *= 1 - chance_to_beat(t, seat, led, best);
        else
            help = chance_to_beat(t, seat, led, best);
    }
    return ours ? safe + (1 - safe) * help * 0.4f : help * (0.4f + 0.5f * safe);
}

// What a card may still win later: a master a trick, a card next to it a part of one.
static float keep_value(const struct table *t, int card)
{
    const struct belote_view *v = t->v;
    int suit = belote_suit(card), tricks = BELOTE_TRICKS - v->plays / 4;
    if (tricks <= 1)
        return 0;
    uint32_t above = belote_beaten_by(v->mode, card) & cards_of_suit(suit) & t->unseen;
    int higher = __builtin_popcount(above), guards = __builtin_popcount(t->hand & cards_of_suit(suit)) - 1;
    bool side = v->mode < BELOTE_NO_TRUMPS && suit != v->mode;
    float trick = 4 * t->rest_points + 2;
    float share = higher == 0 ? 1.0f : higher == 1 && guards > 0 ? 0.35f : higher == 2 && guards > 1 ? 0.15f : 0;
    if (side && (t->unseen & belote_trumps(v->mode)))
        share *= 0.6f; // may be ruffed
    if (!side && v->mode < BELOTE_NO_TRUMPS)
        share += 0.15f; // even a small trump takes something
    return share * trick;
}

// Reasons to open a suit besides what the trick is worth.
static float value_of_lead(const struct table *t, int card)
{
    const struct belote_view *v = t->v;
    int suit = belote_suit(card), partner = (v->viewer + 2) % BELOTE_SEATS;
    uint32_t theirs = t->may_hold[(v->viewer + 1) % 4] | t->may_hold[(v->viewer + 3) % 4];
    bool master = !(belote_beaten_by(v->mode, card) & cards_of_suit(suit) & theirs);
    float value = 0;
    if (v->mode < BELOTE_NO_TRUMPS && suit == v->mode) {
        bool declaring = v->team == belote_team(v->viewer), useful = (theirs & belote_trumps(v->mode)) != 0;
        value += declaring && useful && master ? 8 : useful ? -2 : -6; // draw trumps, then keep the rest
    }
    if (master)
        value += 3 + keep_value(t, card); // it wins now what it would win later
    if (suit_announced(v, partner) == suit && suit != v->mode)
        value += 3;
    return value + 0.5f * (float)__builtin_popcount(t->hand & cards_of_suit(suit));
}

static float weigh(const struct table *t, int card)
{
    const struct belote_view *v = t->v;
    int lying = cards_lying(v), points = belote_card_points(v->mode, card);
    for (int i = 0; i < lying; i++)
        points += belote_card_points(v->mode, v->play[(v->plays & ~3) + i]);
    float all = (float)points + t->rest_points * (float)(3 - lying);
    if (v->plays / 4 == BELOTE_TRICKS - 1)
        all += 10;
    float take = chance_to_take(t, card);
    return (2 * take - 1) * all + take * 2 - keep_value(t, card) + (lying ? 0 : value_of_lead(t, card));
}

static struct game_action play(const struct bot_ask *ask, const struct belote_view *v)
{
    struct table t = look(v);
    int best = 0;
    float high = 0;
    for (int i = 0; i < ask->count; i++) {
        float weight = weigh(&t, ask->choices[i].first.arg[0]);
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
        return speak(ask, v);
    if (v->phase == BELOTE_PLAY_PHASE)
        return play(ask, v);
    return ask->fallback; // cuts (16, true)
}

const struct bot belote_rules_bot = {
    .name = "rules", .game = "belote", .choose = choose, .knows = BOT_TIGHT | BOT_LOOSE};
