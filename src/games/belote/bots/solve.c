// Alpha-beta over single cards, positions between tricks remembered. Where the search ends the rest is played by habit,
// with open cards: good enough to tell good hands from bad ones.
#include "games/belote/bots/solve.h"

#include <assert.h>
#include <string.h>

static inline uint32_t suit_of(int card)
{
    return 0xFFu << (card & ~7);
}

static inline int first_of(uint32_t set)
{
    return __builtin_ctz(set);
}

void solve_begin(struct solver *s, int us)
{
    memset(s->row, 0, sizeof s->row);
    s->deal = 0;
    s->nodes = 0;
    s->us = (uint8_t)us;
    s->mode = BELOTE_NONE;
}

void solve_set_mode(struct solver *s, int mode)
{
    if (s->mode == mode)
        return;
    s->mode = (uint8_t)mode;
    for (int card = 0; card < BELOTE_CARDS; card++) {
        s->beaten_by[card] = belote_beaten_by(mode, card);
        s->points[card] = (uint8_t)belote_card_points(mode, card);
    }
}

void solve_set_hands(struct solver *s, const uint32_t held[BELOTE_SEATS], int depth)
{
    int most = 0;
    memcpy(s->held, held, sizeof s->held);
    s->left = held[0] | held[1] | held[2] | held[3];
    for (int seat = 0; seat < BELOTE_SEATS; seat++)
        most = __builtin_popcount(held[seat]) > most ? __builtin_popcount(held[seat]) : most;
    s->guess_at = (uint8_t)(most - 1 > depth ? most - 1 - depth : 0);
    if (++s->deal == 0) { // all numbers are used: begin anew
        memset(s->row, 0, sizeof s->row);
        s->deal = 1;
    }
}

static inline int count_points(const struct solver *s, uint32_t cards)
{
    int sum = 0;
    for (; cards; cards &= cards - 1)
        sum += s->points[first_of(cards)];
    return sum;
}

uint32_t solve_distinct(const struct solver *s, const struct solve_trick *t, uint32_t cards)
{
    uint32_t there = s->left | (t->lying ? 1u << t->best : 0);
    uint32_t sevens = cards & 0x01010101u, eights = cards & 0x02020202u, nines = cards & 0x04040404u;
    cards &= ~(eights & sevens << 1);
    for (uint32_t rest = nines & (eights << 1 | sevens << 2); rest; rest &= rest - 1) {
        int nine = first_of(rest);
        bool alone = !(eights >> (nine - 1) & 1) && there >> (nine - 1) & 1; // another seat's eight lies between
        if (!alone && s->points[nine] == 0)
            cards &= ~(1u << nine);
    }
    return cards;
}

static inline uint32_t legal_now(const struct solver *s, const struct solve_trick *t)
{
    uint32_t held = s->held[t->seat];
    if (t->lying == 0)
        return held;
    return belote_legal_cards(s->mode, held, t->led, t->best, !((t->taker ^ t->seat) & 1));
}

// Whether a seat that has yet to play can beat the best card, which is its opponents'.
static inline bool can_beat(const struct solver *s, int seat, int led, int best)
{
    return belote_legal_cards(s->mode, s->held[seat], led, best, false) & s->beaten_by[best];
}

static inline void put_card(struct solver *s, struct solve_trick *t, int card)
{
    s->held[t->seat] &= ~(1u << card);
    s->left &= ~(1u << card);
    if (t->lying == 0)
        t->led = (uint8_t)card;
    if (t->lying == 0 || s->beaten_by[t->best] >> card & 1) {
        t->best = (uint8_t)card;
        t->taker = t->seat;
    }
    t->points = (uint8_t)(t->points + s->points[card]);
    t->lying++;
    t->seat = (t->seat + 1) & 3;
}

// --- Play by habit

// What leading a card promises: safe ones by their points, then those the partner can take, then little points.
static int weigh_lead(const struct solver *s, int seat, int card)
{
    int left = (seat + 1) & 3, right = (seat + 3) & 3, partner = seat ^ 2;
    if (!can_beat(s, left, card, card) && !can_beat(s, right, card, card))
        return 100 + s->points[card];
    uint32_t over = s->held[partner] & s->beaten_by[card] & suit_of(card);
    for (; over; over &= over - 1) {
        int best = first_of(over);
        if (!can_beat(s, left, card, best) && !can_beat(s, right, card, best))
            return 50 - s->points[card];
    }
    return -s->points[card];
}

static int weigh_follow(const struct solver *s, const struct solve_trick *t, int card)
{
    bool beats = s->beaten_by[t->best] >> card & 1;
    int best = beats ? card : t->best, next = (t->seat + 1) & 3;
    bool ours = beats || !((t->taker ^ t->seat) & 1);
    bool lost = !ours && t->lying >= 2; // the partner has played
    bool safe = ours && (t->lying == 3 || !can_beat(s, next, t->led, best));
    if (safe)
        return 100 + s->points[card] - (beats && suit_of(card) != suit_of(t->led) ? 2 * s->points[card] : 0);
    if (!ours && !lost && can_beat(s, t->seat ^ 2, t->led, best))
        return 20 - s->points[card];
    return -s->points[card];
}

static int pick_by_habit(const struct solver *s, const struct solve_trick *t)
{
    int best = 0, high = -1000;
    for (uint32_t rest = legal_now(s, t); rest; rest &= rest - 1) {
        int card = first_of(rest), weight = t->lying ? weigh_follow(s, t, card) : weigh_lead(s, t->seat, card);
        if (weight > high) {
            high = weight;
            best = card;
        }
    }
    return best;
}

static int finish_trick(const struct solver *s, const struct solve_trick *t)
{
    return t->sweep == 0 ? 0 : t->sweep == 1 << s->us ? SOLVE_SWEEP : -SOLVE_SWEEP;
}

// Returns what a complete trick gives us, and begins the next one.
static int take_trick(const struct solver *s, struct solve_trick *t)
{
    int team = t->taker & 1, gain = t->points + (s->left ? 0 : BELOTE_LAST_TRICK);
    t->sweep &= (uint8_t)(1 << team);
    t->seat = t->taker;
    t->lying = 0;
    t->points = 0;
    return team == s->us ? gain : 0;
}

// The rest of the deal from between two tricks.
static int guess_value(struct solver *s, struct solve_trick t)
{
    uint32_t held[BELOTE_SEATS], left = s->left;
    int value = 0;
    memcpy(held, s->held, sizeof held);
    s->nodes += (uint32_t)__builtin_popcount(left);
    while (s->left) {
        for (int i = 0; i < 4; i++)
            put_card(s, &t, pick_by_habit(s, &t));
        value += take_trick(s, &t);
    }
    memcpy(s->held, held, sizeof held);
    s->left = left;
    return value + finish_trick(s, &t);
}

// --- Search

struct order {
    int16_t weight;
    uint8_t card;
};

static int weigh_card(const struct solver *s, const struct solve_trick *t, int card)
{
    int points = s->points[card];
    if (t->lying == 0) {
        uint32_t higher = s->beaten_by[card] & suit_of(card) & (s->left & ~s->held[t->seat]);
        return higher ? -points : 40 + points;
    }
    bool beats = s->beaten_by[t->best] >> card & 1, partner = !((t->taker ^ t->seat) & 1);
    if (partner)
        return beats ? (t->lying == 3 ? points - 5 : 0) : t->lying == 3 ? points : points / 2;
    if (!beats)
        return -points;
    return 40 + (t->lying == 3 && suit_of(card) == suit_of(t->led) ? points : -points);
}

static int sort_moves(const struct solver *s, const struct solve_trick *t, uint32_t cards, int first,
                      struct order out[BELOTE_HAND])
{
    int n = 0;
    for (; cards; cards &= cards - 1) {
        int card = first_of(cards), weight = card == first ? 1000 : weigh_card(s, t, card), at = n++;
        for (; at > 0 && out[at - 1].weight < weight; at--)
            out[at] = out[at - 1];
        out[at] = (struct order){(int16_t)weight, (uint8_t)card};
    }
    return n;
}

static int search_moves(struct solver *s, const struct solve_trick *t, int low, int high, int *move)
{
    struct order list[BELOTE_HAND];
    uint32_t cards = legal_now(s, t);
    if (cards & (cards - 1))
        cards = solve_distinct(s, t, cards);
    int n = sort_moves(s, t, cards, *move, list);
    bool ours = (t->seat & 1) == s->us;
    int found = ours ? SOLVE_LOW : SOLVE_HIGH;
    for (int i = 0; i < n && low < high; i++) {
        int value = solve_card(s, *t, list[i].card, low, high);
        if (ours ? value > found : value < found) {
            found = value;
            *move = list[i].card;
        }
        if (ours && value > low)
            low = value;
        if (!ours && value < high)
            high = value;
    }
    return found;
}

int solve_card(struct solver *s, struct solve_trick t, int card, int low, int high)
{
    int seat = t.seat, gain = 0;
    assert(card >= 0 && card < BELOTE_CARDS);
    s->nodes++;
    put_card(s, &t, card);
    if (t.lying == 4)
        gain = take_trick(s, &t);
    int value = gain + solve_trick(s, t, low - gain, high - gain);
    s->held[seat] |= 1u << card;
    s->left |= 1u << card;
    return value;
}

static struct solve_row *find_row(struct solver *s, const struct solve_trick *t)
{
    uint8_t who = (uint8_t)(t->seat | t->sweep << 2);
    uint32_t hash = (s->left ^ (uint32_t)who * 0x9E3779B9u ^ (uint32_t)s->deal * 0x85EBCA6Bu) * 0xC2B2AE35u;
    struct solve_row *r = &s->row[hash >> (32 - __builtin_ctz(SOLVE_ROWS))];
    if (r->left != s->left || r->deal != s->deal || r->who != who)
        *r = (struct solve_row){s->left, s->deal, who, BELOTE_NONE, SOLVE_LOW, SOLVE_HIGH};
    return r;
}

// Cards of the leader that cannot be beaten, led one after the other.
static uint32_t find_sure(const struct solver *s, int leader)
{
    uint32_t hand = s->held[leader], others = s->left & ~hand, trumps = belote_trumps(s->mode), sure = 0;
    uint32_t theirs = s->held[(leader + 1) & 3] | s->held[(leader + 3) & 3];
    if (theirs & trumps)
        hand &= trumps; // the rest may be ruffed
    for (uint32_t rest = hand; rest; rest &= rest - 1) {
        int card = first_of(rest);
        if (!(s->beaten_by[card] & suit_of(card) & others))
            sure |= 1u << card;
    }
    return sure;
}

// Bounds the value of a position to [*least, *most] without search.
static void bound(const struct solver *s, const struct solve_trick *t, int *least, int *most)
{
    uint32_t sure = find_sure(s, t->seat);
    bool ours = (t->seat & 1) == s->us, all = sure == s->held[t->seat];
    int rest = count_points(s, s->left) + BELOTE_LAST_TRICK, cashed = all ? rest : count_points(s, sure);
    int high = t->sweep >> s->us & 1 ? SOLVE_SWEEP : 0, low = t->sweep >> (1 - s->us) & 1 ? -SOLVE_SWEEP : 0;
    *most = rest + high;
    *least = low;
    if (!sure)
        return;
    if (ours)
        *least = cashed + (all ? high : 0);
    else
        *most = rest - cashed + (all ? low : 0);
}

// Between two tricks.
static int search_position(struct solver *s, struct solve_trick *t, int low, int high)
{
    int least, most;
    bound(s, t, &least, &most);
    if (most <= low || most == least)
        return most;
    if (least >= high)
        return least;
    struct solve_row *r = find_row(s, t);
    if (r->low >= high || r->low == r->high)
        return r->low;
    if (r->high <= low)
        return r->high;
    low = r->low > low ? r->low : low;
    high = r->high < high ? r->high : high;
    int move = r->move, value = search_moves(s, t, low, high, &move);
    r = find_row(s, t); // deeper positions may have taken its place
    r->move = (uint8_t)move;
    if (value > low)
        r->low = (int16_t)value;
    if (value < high)
        r->high = (int16_t)value;
    return value;
}

int solve_trick(struct solver *s, struct solve_trick t, int low, int high)
{
    int move = BELOTE_NONE;
    if (t.lying)
        return search_moves(s, &t, low, high, &move);
    if (!s->left)
        return finish_trick(s, &t);
    if (__builtin_popcount(s->left) == 4 * s->guess_at)
        return guess_value(s, t);
    return search_position(s, &t, low, high);
}
