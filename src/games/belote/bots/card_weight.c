// For each card that may be played: the chance that the team takes the trick, the points on it, and what the card would
// still be worth later.
#include "games/belote/bots/card_weight.h"

#include "games/belote/bots/hand.h"

struct table card_weight_table(const struct belote_view *v)
{
    struct table t = {.played = ~(cards_unseen(v) | cards_in_hand(v)),
                      .mode = v->mode,
                      .team = v->team,
                      .seat = v->viewer,
                      .plays = v->plays,
                      .best = v->best,
                      .taker = v->taker};
    for (int seat = 0; seat < BELOTE_SEATS; seat++) {
        t.cannot[seat] = v->cannot[seat];
        t.said[seat] = (uint8_t)suit_announced(v, seat);
        t.held[seat] = v->held[seat];
    }
    if (cards_lying(v))
        t.led = (uint8_t)card_led(v);
    for (int i = v->plays & ~3; i < v->plays; i++)
        t.lying = (uint8_t)(t.lying + belote_card_points(v->mode, v->play[i]));
    return t;
}

struct look card_weight_look(const struct table *t, uint32_t hand)
{
    struct look l = {.table = t, .hand = hand, .unseen = ~(hand | t->played)};
    int points = 0;
    for (int seat = 0; seat < BELOTE_SEATS; seat++)
        l.may_hold[seat] = seat == t->seat ? 0 : l.unseen & ~t->cannot[seat];
    for (uint32_t rest = l.unseen; rest; rest &= rest - 1)
        points += belote_card_points(t->mode, __builtin_ctz(rest));
    l.rest_points = l.unseen ? (float)points / (float)__builtin_popcount(l.unseen) : 0;
    return l;
}

uint32_t card_weight_list_legal(const struct table *t, uint32_t hand)
{
    return t->plays % 4 ? belote_legal_cards(t->mode, hand, t->led, t->best, !((t->taker ^ t->seat) & 1)) : hand;
}

int card_weight_play(struct table *t, int card)
{
    uint32_t gone = 1u << card;
    if (t->plays % 4 == 0) {
        t->led = t->best = (uint8_t)card;
        t->taker = t->seat;
        t->lying = 0;
    } else {
        t->cannot[t->seat] |= belote_infer(t->mode, t->led, t->best, !((t->taker ^ t->seat) & 1), card);
        if (belote_beaten_by(t->mode, t->best) & gone) {
            t->best = (uint8_t)card;
            t->taker = t->seat;
        }
    }
    t->lying = (uint8_t)(t->lying + belote_card_points(t->mode, card));
    t->played |= gone;
    for (int seat = 0; seat < BELOTE_SEATS; seat++)
        t->cannot[seat] |= gone;
    t->held[t->seat]--;
    bool complete = ++t->plays % 4 == 0;
    t->seat = complete ? t->taker : (t->seat + 1) & 3;
    return complete ? belote_team(t->taker) : BELOTE_NONE;
}

// The chance that a seat holds one card of the set: each card is with those who may have it, by the size of their
// hands.
static float chance_to_hold(const struct look *l, int seat, uint32_t set)
{
    float none = 1;
    for (uint32_t rest = set & l->may_hold[seat]; rest; rest &= rest - 1) {
        int card = __builtin_ctz(rest), rooms = 0;
        for (int other = 0; other < BELOTE_SEATS; other++)
            rooms += l->may_hold[other] >> card & 1 ? l->table->held[other] : 0;
        none *= 1 - (float)l->table->held[seat] / (float)rooms;
    }
    return 1 - none;
}

// The chance that a seat yet to play beats `best` in a trick of suit `led`.
static float chance_to_beat(const struct look *l, int seat, int led, int best)
{
    uint32_t suit = cards_of_suit(led), trumps = belote_trumps(l->table->mode),
             higher = belote_beaten_by(l->table->mode, best);
    float follows = chance_to_hold(l, seat, suit);
    float over = chance_to_hold(l, seat, higher & suit);
    if (!(trumps & ~suit))
        return over;
    return over + (1 - follows) * chance_to_hold(l, seat, higher & trumps & ~suit);
}

static bool is_partner(const struct look *l, int seat)
{
    return belote_team(seat) == belote_team(l->table->seat);
}

// The chance that our team takes the trick when this card is played.
static float chance_to_take(const struct look *l, int card)
{
    const struct table *t = l->table;
    int lying = t->plays % 4, led = belote_suit(lying ? t->led : card);
    bool beats = !lying || belote_beaten_by(t->mode, t->best) >> card & 1;
    int best = beats ? card : t->best;
    bool ours = beats || is_partner(l, t->taker);
    float safe = 1, help = 0;
    for (int i = 1; i < BELOTE_SEATS - lying; i++) {
        int seat = (t->seat + i) % BELOTE_SEATS;
        if (!is_partner(l, seat))
            safe *= 1 - chance_to_beat(l, seat, led, best);
        else
            help = chance_to_beat(l, seat, led, best);
    }
    return ours ? safe + (1 - safe) * help * 0.4f : help * (0.4f + 0.5f * safe);
}

// What a card may still win later: a master a trick, a card next to it a part of one.
static float keep_value(const struct look *l, int card)
{
    const struct table *t = l->table;
    int suit = belote_suit(card), tricks = BELOTE_TRICKS - t->plays / 4;
    if (tricks <= 1)
        return 0;
    uint32_t above = belote_beaten_by(t->mode, card) & cards_of_suit(suit) & l->unseen;
    int higher = __builtin_popcount(above), guards = __builtin_popcount(l->hand & cards_of_suit(suit)) - 1;
    bool side = t->mode < BELOTE_NO_TRUMPS && suit != t->mode;
    float trick = 4 * l->rest_points + 2;
    float share = higher == 0 ? 1.0f : higher == 1 && guards > 0 ? 0.35f : higher == 2 && guards > 1 ? 0.15f : 0;
    if (side && (l->unseen & belote_trumps(t->mode)))
        share *= 0.6f; // may be ruffed
    if (!side && t->mode < BELOTE_NO_TRUMPS)
        share += 0.15f; // even a small trump takes something
    return share * trick;
}

// Reasons to open a suit besides what the trick is worth.
static float value_of_lead(const struct look *l, int card)
{
    const struct table *t = l->table;
    int suit = belote_suit(card), partner = (t->seat + 2) % BELOTE_SEATS;
    uint32_t theirs = l->may_hold[(t->seat + 1) % 4] | l->may_hold[(t->seat + 3) % 4];
    bool master = !(belote_beaten_by(t->mode, card) & cards_of_suit(suit) & theirs);
    float value = 0;
    if (t->mode < BELOTE_NO_TRUMPS && suit == t->mode) {
        bool declaring = t->team == belote_team(t->seat), useful = (theirs & belote_trumps(t->mode)) != 0;
        value += declaring && useful && master ? 8 : useful ? -2 : -6; // draw trumps, then keep the rest
    }
    if (master)
        value += 3 + keep_value(l, card); // it wins now what it would win later
    if (t->said[partner] == suit && suit != t->mode)
        value += 3;
    return value + 0.5f * (float)__builtin_popcount(l->hand & cards_of_suit(suit));
}

float card_weight_of(const struct look *l, int card)
{
    const struct table *t = l->table;
    int lying = t->plays % 4, points = belote_card_points(t->mode, card);
    points += lying ? t->lying : 0;
    float all = (float)points + l->rest_points * (float)(3 - lying);
    if (t->plays / 4 == BELOTE_TRICKS - 1)
        all += BELOTE_LAST_TRICK;
    float take = chance_to_take(l, card);
    return (2 * take - 1) * all + take * 2 - keep_value(l, card) + (lying ? 0 : value_of_lead(l, card));
}
