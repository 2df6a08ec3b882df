// What a viewer may know, as a struct and as numbers (G28.2, G28.3).
#include "games/belote/rules/internal.h"

#include <string.h>

static int find_taker(int mode, int leader, const uint8_t trick[4])
{
    int best = 0;
    for (int i = 1; i < 4; i++)
        if (belote_beaten_by(mode, trick[best]) >> trick[i] & 1)
            best = i;
    return seat_after(leader, best);
}

static void show_hand(const struct belote_state *s, int seat, struct belote_view *v)
{
    int cards = s->mode == BELOTE_NONE ? BELOTE_HAND - 3 : BELOTE_HAND; // three come with the contract (B2.5)
    for (int i = 0; i < cards; i++)
        if (s->held[seat] >> s->hand[seat][i] & 1)
            v->hand[v->cards++] = s->hand[seat][i];
    if (s->turn == seat)
        v->may = s->may;
}

static void show_negotiation(const struct belote_state *s, struct belote_view *v)
{
    v->bids = s->bids;
    v->opener = (uint8_t)(s->plays ? trick_leader(s, 0) : seat_after(s->dealer, 1));
    memcpy(v->bid, s->bid, s->bids);
    v->high = s->high;
    v->bidder = s->bidder;
    v->accepts = s->accepts;
    v->locked = s->locked;
    v->doubled = s->doubled;
    v->redoubled = s->redoubled;
    memset(v->doubled_at, BELOTE_NONE, sizeof v->doubled_at);
    for (int i = 0; i < s->bids; i++)
        if (s->bid[i] >= BELOTE_SAY_DOUBLE && s->bid[i] < BELOTE_SAY_REDOUBLE)
            v->doubled_at[s->bid[i] - BELOTE_SAY_DOUBLE] = (uint8_t)i;
    memcpy(v->announced, s->announced, sizeof v->announced);
    v->mode = s->mode;
    v->multiplier = s->multiplier;
    v->team = s->team;
}

// The last complete trick; before the first of this deal that is the eighth of the one before, still in its place.
static void show_last_trick(const struct belote_state *s, struct belote_view *v)
{
    v->last_leader = v->last_taker = BELOTE_NONE;
    int trick = s->plays >= 4 ? s->plays / 4 - 1 : BELOTE_TRICKS - 1;
    int mode = s->plays >= 4 ? s->mode : s->last.mode;
    if (s->plays < 4 && !s->last.multiplier)
        return;
    memcpy(v->last_trick, &s->play[4 * trick], sizeof v->last_trick);
    v->last_leader = (uint8_t)trick_leader(s, trick);
    v->last_taker = (uint8_t)find_taker(mode, v->last_leader, v->last_trick);
}

static void show_tricks(const struct belote_state *s, struct belote_view *v)
{
    v->plays = s->plays;
    memcpy(v->play, s->play, s->plays);
    memset(v->leader, BELOTE_NONE, sizeof v->leader);
    memset(v->taken, BELOTE_NONE, sizeof v->taken);
    for (int trick = 0; 4 * trick < s->plays; trick++) {
        v->leader[trick] = (uint8_t)trick_leader(s, trick);
        if (4 * trick + 4 <= s->plays)
            v->taken[trick] = (uint8_t)find_taker(s->mode, v->leader[trick], &s->play[4 * trick]);
    }
    bool lies = s->plays % 4 != 0;
    v->best = lies ? s->best : BELOTE_NONE;
    v->taker = lies ? s->taker : BELOTE_NONE;
    memcpy(v->won, s->won, sizeof v->won);
    memcpy(v->card_points, s->card_points, sizeof v->card_points);
}

void belote_view(const void *state, int viewer, void *view)
{
    const struct belote_state *s = state;
    struct belote_view *v = view;
    *v = (struct belote_view){
        .number = s->number,
        .deal_number = s->deal + 1,
        .target = s->target,
        .points = {s->points[0], s->points[1]},
        .last = s->last,
        .colour_sweep_points = s->colour_sweep_points,
        .clubs_base = s->clubs_base,
        .options = s->options,
        .viewer = (uint8_t)viewer,
        .phase = s->phase,
        .turn = s->turn,
        .dealer = s->dealer,
        .winner = s->winner,
        .left = s->left,
    };
    for (int seat = 0; seat < BELOTE_SEATS; seat++)
        v->held[seat] = (uint8_t)__builtin_popcount(s->held[seat]);
    if (viewer < BELOTE_SEATS)
        show_hand(s, viewer, v);
    show_negotiation(s, v);
    show_tricks(s, v);
    show_last_trick(s, v);
    belote_collect_facts(s, v->cannot);
}

// Writes the numbers one after the other.
struct pen {
    float *at;
};

static void put_number(struct pen *p, float number)
{
    *p->at++ = number;
}

static void put_one_of(struct pen *p, int chosen, int count)
{
    for (int i = 0; i < count; i++)
        put_number(p, i == chosen);
}

static void put_set(struct pen *p, uint32_t set, int count)
{
    for (int i = 0; i < count; i++)
        put_number(p, (float)(set >> i & 1));
}

static void put_trick(struct pen *p, const struct belote_view *v, int me)
{
    int lying = v->plays % 4, first = v->plays - lying;
    for (int r = 0; r < BELOTE_SEATS; r++) {
        int place = lying ? (me + r - v->leader[first / 4] + BELOTE_SEATS) % BELOTE_SEATS : 0;
        put_one_of(p, place < lying ? v->play[first + place] : BELOTE_NONE, BELOTE_CARDS);
    }
}

static void put_announcements(struct pen *p, const struct belote_view *v, int me)
{
    uint8_t last[BELOTE_SEATS];
    memset(last, BELOTE_NONE, sizeof last);
    for (int i = 0; i < v->bids; i++)
        if (v->bid[i] < BELOTE_SAY_ACCEPT)
            last[seat_after(v->opener, i)] = v->bid[i];
    for (int r = 0; r < BELOTE_SEATS; r++)
        put_one_of(p, last[seat_after(me, r)], BELOTE_MODES);
}

static float share(int32_t part, int32_t whole)
{
    return part < whole ? (float)part / (float)whole : 1;
}

// Who leads the running or coming trick; in the other phases who will open.
static int find_leader(const struct belote_view *v)
{
    if (v->phase != BELOTE_PLAY_PHASE)
        return v->phase == BELOTE_DONE ? BELOTE_NONE : v->opener;
    return v->plays % 4 ? v->leader[v->plays / 4] : v->turn;
}

static int relative(int seat, int me)
{
    return seat == BELOTE_NONE ? BELOTE_NONE : (seat - me + BELOTE_SEATS) % BELOTE_SEATS;
}

static uint32_t as_set(const uint8_t *cards, int count)
{
    uint32_t set = 0;
    for (int i = 0; i < count; i++)
        set |= 1u << cards[i];
    return set;
}

void belote_vector(const void *view, float *out)
{
    const struct belote_view *v = view;
    struct pen p = {out};
    int me = v->viewer < BELOTE_SEATS ? v->viewer : 0, us = belote_team(me); // the gallery looks from seat 0
    put_set(&p, as_set(v->hand, v->cards), BELOTE_CARDS);
    put_set(&p, as_set(v->play, v->plays), BELOTE_CARDS);
    put_trick(&p, v, me);
    put_one_of(&p, v->mode, BELOTE_MODES);
    put_one_of(&p, v->team == BELOTE_NONE ? BELOTE_NONE : v->team != us, 2);
    put_one_of(&p, v->multiplier == 4 ? 2 : v->multiplier - 1, 3);
    put_one_of(&p, v->phase, BELOTE_DONE);
    put_one_of(&p, relative(v->dealer, me), BELOTE_SEATS);
    put_one_of(&p, relative(find_leader(v), me), BELOTE_SEATS);
    put_announcements(&p, v, me);
    put_number(&p, v->locked);
    put_set(&p, v->doubled, BELOTE_MODES);
    put_set(&p, v->redoubled, BELOTE_MODES);
    for (int i = 0; i < 2; i++)
        put_number(&p, share(v->points[us ^ i], v->target));
    for (int i = 0; i < 2; i++)
        put_number(&p, share(v->card_points[us ^ i], 258));
}
