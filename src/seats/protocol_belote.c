// The belote API from the engine's side (B12.7-B12.16): notifications derived from events, and questions.
#include "games/belote/rules/belote.h"
#include "seats/internal.h"

#include <assert.h>
#include <stdlib.h>

enum { MAX_DEALS = 4096 }; // deals sent in full; of a longer match the oldest are left out

static const char *const paths[] = {"choose-cut", "choose-negotiation-action", "choose-card"};

static void belote_begin(struct seat *s)
{
    const struct belote_rules *r = s->place.rules;
    s->tracked = (struct tracked_match){
        .match = {.target = r->target,
                  .points = {r->points[0], r->points[1]},
                  .dealer = r->dealer,
                  .winner = BELOTE_NONE},
        .clubs_base = r->clubs_base,
        .sweep_points = r->colour_sweep_points,
        .single_deal = r->options & BELOTE_SINGLE_DEAL,
    };
    wire_start_deal(&s->tracked.deal, r->dealer);
}

static void end(struct seat *s)
{
    free(s->tracked.deals);
}

static void write_create(struct seat *s, struct text *t)
{
    wire_write_create(t, s->place.seat, s->place.match, s->place.has_seed, s->place.seed);
}

// --- the match, derived from its events

static void add_deal(struct tracked_match *k, const struct belote_deal *d)
{
    if (k->match.count == MAX_DEALS) {
        memmove(k->deals, k->deals + 1, (MAX_DEALS - 1) * sizeof *k->deals);
        k->match.count--;
    }
    k->deals = heap_list_grow(k->deals, k->match.count, &k->room, 8, sizeof *k->deals);
    k->deals[k->match.count++] = *d;
    k->match.deals = k->deals;
}

// B6, B7, B2.8: adds the result of the current deal to the match.
// At the last card with `early_result`, else at the deal's end; whichever comes first (B12.4).
static void add_deal_result(struct tracked_match *k)
{
    if (k->settled || k->deal.plays < BELOTE_CARDS)
        return;
    k->settled = true;
    uint16_t points[2] = {0};
    int tricks[2] = {0};
    for (int trick = 0; trick < BELOTE_TRICKS; trick++) {
        int team = belote_team(k->deal.leader[trick + 1]), sum = trick == BELOTE_TRICKS - 1 ? 10 : 0;
        for (int i = 0; i < 4; i++)
            sum += belote_card_points(k->deal.mode, k->deal.play[4 * trick + i]);
        points[team] = (uint16_t)(points[team] + sum);
        tricks[team]++;
    }
    int sweep = tricks[0] == BELOTE_TRICKS ? 0 : tricks[1] == BELOTE_TRICKS ? 1 : BELOTE_NONE;
    struct belote_deal d = belote_score(k->deal.mode, k->multiplier, k->team, points, sweep, k->clubs_base);
    bool colour_sweep = sweep != BELOTE_NONE && d.mode < BELOTE_NO_TRUMPS;
    k->match.points[0] += d.match_points[0];
    k->match.points[1] += d.match_points[1];
    if (colour_sweep)
        k->match.points[sweep] += k->sweep_points * k->multiplier; // B7.5
    add_deal(k, &d);
    k->match.dealer = (uint8_t)((k->match.dealer + 1) % BELOTE_SEATS);
    const int32_t *p = k->match.points;
    k->match.winner = (uint8_t)(colour_sweep && !k->sweep_points ? sweep
                                : k->single_deal                 ? p[0] == p[1] ? BELOTE_NONE : p[1] > p[0]
                                                                 : belote_find_winner(p, &k->match.target));
    k->match.complete = k->match.winner != BELOTE_NONE || k->single_deal;
}

static void follow_event(struct tracked_match *k, const struct game_event *e, bool early)
{
    struct belote_match_ended end;
    switch (e->kind) {
    case BELOTE_DEAL_STARTED:
        wire_start_deal(&k->deal, e->seat);
        k->match.dealer = (uint8_t)e->seat;
        k->settled = false;
        return;
    case BELOTE_BID:
        if (k->deal.bids < BELOTE_MAX_BIDS)
            wire_add_bid(&k->deal, e->data[0]);
        return;
    case BELOTE_NEGOTIATION_COMPLETED:
        k->deal.mode = e->data[0];
        k->team = e->data[1];
        k->multiplier = e->data[2];
        return;
    case BELOTE_CARD_PLAYED:
        wire_add_play(&k->deal, e->data[0]);
        if (early)
            add_deal_result(k);
        return;
    case BELOTE_DEAL_ENDED:
        add_deal_result(k);
        return;
    case BELOTE_MATCH_ENDED:
        memcpy(&end, e->data, sizeof end);
        k->match.complete = true;
        k->match.winner = end.team;
        return;
    default:
        return;
    }
}

// --- notifications

typedef void write_deal_notice(struct text *t, const struct wire_deal *d, const struct wire_match *m, bool nulls);

static void write_match(struct text *t, const struct wire_deal *d, const struct wire_match *m, bool nulls)
{
    (void)d;
    wire_write_match_notice(t, m, nulls);
}

static const struct {
    const char *path;
    unsigned notice;
    write_deal_notice *write;
} notices[BELOTE_EVENTS] = {
    [BELOTE_DEAL_STARTED] = {"notify/deal-started", SEAT_DEAL_STARTED, write_match},
    [BELOTE_NEGOTIATION_COMPLETED] = {"notify/negotiation-completed", SEAT_NEGOTIATION_COMPLETED,
                                      wire_write_negotiated},
    [BELOTE_CARD_PLAYED] = {"notify/card-played", SEAT_CARD_PLAYED, wire_write_played},
    [BELOTE_TRICK_COMPLETED] = {"notify/trick-completed", SEAT_TRICK_COMPLETED, wire_write_trick},
    [BELOTE_DEAL_ENDED] = {"notify/deal-ended", SEAT_DEAL_ENDED, wire_write_ended},
    [BELOTE_MATCH_ENDED] = {"notify/match-ended", SEAT_MATCH_ENDED, write_match},
};

static void send_events(struct seat *s, const void *view, const struct game_event *e, uint32_t count)
{
    struct tracked_match *k = &s->tracked;
    bool out = s->lost || s->given_up, nulls = !s->place.dialect.omit_nulls;
    for (uint32_t i = 0; i < count; i++) {
        follow_event(k, &e[i], s->place.dialect.early_result);
        if (out || e[i].kind >= BELOTE_EVENTS || !(notices[e[i].kind].notice & s->place.notices))
            continue;
        struct job *j = seat_add_job(s, SEAT_NOTIFICATION, notices[e[i].kind].path, notices[e[i].kind].notice);
        notices[e[i].kind].write(&j->body, &k->deal, &k->match, nulls);
    }
    k->match.target = ((const struct belote_view *)view)->target; // the master may have changed it
}

// --- questions

static struct job *ask(struct seat *s, const void *view)
{
    const struct belote_view *v = view;
    const struct wire_match *m = &s->tracked.match;
    bool nulls = !s->place.dialect.omit_nulls;
    enum seat_call call = v->phase == BELOTE_CUT_PHASE   ? SEAT_CUT
                          : v->phase == BELOTE_BID_PHASE ? SEAT_NEGOTIATION
                                                         : SEAT_CARD;
    struct job *j = seat_add_job(s, call, paths[call], 0);
    if (call == SEAT_CUT)
        wire_write_cut(&j->body, m, nulls);
    else if (call == SEAT_NEGOTIATION)
        wire_write_negotiate(&j->body, v, m, nulls, s->choices, s->choice_count);
    else
        wire_write_choose_card(&j->body, v, &s->tracked.deal, m, nulls, s->choices, s->choice_count);
    return j;
}

// B2.4: (n, false) is the same cut as (32 - n, true), and only the latter is listed.
static bool is_listed(const struct seat *s, struct game_action a)
{
    if (a.kind == BELOTE_CUT && !a.arg[0]) {
        a.arg[0] = 1;
        a.amount = BELOTE_CARDS - a.amount;
    }
    return game_has_choice(s->choices, s->choice_count, a);
}

static int read_answer(struct seat *s, enum seat_call call, struct span reply, struct game_action *a)
{
    int err = call == SEAT_NEGOTIATION ? wire_read_word(reply, a)
              : call == SEAT_CARD      ? wire_read_card(reply, a)
                                       : wire_read_cut(reply, s->place.dialect.lax_cut, a);
    return err != OK ? err : is_listed(s, *a) ? OK : ERR_ACTION;
}

const struct seat_protocol protocol_belote = {belote_begin, end, write_create, send_events, ask, read_answer};
