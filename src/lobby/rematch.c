#include "lobby/rematch.h"

#include "lobby/inside.h"

#include <stdio.h>
#include <stdlib.h>

struct offer {
    struct uuid match; // the one that is over; none: this place is free
    struct uuid next;  // the one that came of it; none: not yet
    int64_t expires_ms;
    int64_t forget_ms;
    seat_set asked; // by seat of the old match, house players excepted
};

struct rematches {
    struct lobby *lobby;
    struct offer at[REMATCH_MOST];
};

const char *const rematch_status_names[] = {
    [REMATCH_OPEN] = "open", [REMATCH_WAITING] = "waiting", [REMATCH_IN_MATCH] = "in_match"};

struct rematches *rematches_open(struct lobby *l)
{
    struct rematches *r = lobby_take(sizeof *r);
    r->lobby = l;
    return r;
}

void rematches_close(struct rematches *r)
{
    free(r);
}

static int refuse(char why[REMATCH_SAY], int status, const char *text)
{
    snprintf(why, REMATCH_SAY, "%s", text);
    return status;
}

static struct offer *find(struct rematches *r, struct uuid match)
{
    for (int i = 0; i < REMATCH_MOST; i++)
        if (uuid_equals(r->at[i].match, match))
            return &r->at[i];
    return NULL;
}

// A free place: never used, or of an offer that nobody can take any more.
static struct offer *find_free(struct rematches *r, int64_t now_ms)
{
    for (int i = 0; i < REMATCH_MOST; i++) {
        const struct offer *o = &r->at[i];
        bool is_late = uuid_is_none(o->next) && o->expires_ms <= now_ms;
        if (uuid_is_none(o->match) || is_late || o->forget_ms <= now_ms)
            return &r->at[i];
    }
    return NULL;
}

// --- everybody

struct party {
    const struct lobby_game *game;
    struct lobby_agent *agent[GAME_MAX_SEATS];
    seat_set house;
};

static bool gather(struct lobby *l, const struct store_match *m, struct party *p)
{
    *p = (struct party){.game = lobby_find_game(l, span_of(m->game))};
    for (int i = 0; i < m->seats; i++) {
        p->agent[i] = lobby_agent_by_id(l, m->seat[i].agent);
        if (!p->agent[i])
            return false;
        if (p->agent[i]->record.kind == STORE_HOUSE)
            p->house |= SEAT(i);
    }
    return p->game != NULL;
}

static bool can_sit(const struct lobby *l, const struct lobby_agent *a, const struct lobby_game *g)
{
    return is_online(a) && !a->record.disabled && lobby_agent_active(a) < a->record.max_concurrent &&
           gate_offers(l, a, g);
}

// The first who cannot be seated now; -1: all can.
static int find_missing(const struct lobby *l, const struct store_match *m, const struct party *p)
{
    for (int i = 0; i < m->seats; i++)
        if (!(p->house & SEAT(i)) && !can_sit(l, p->agent[i], p->game))
            return i;
    return -1;
}

// --- what is told

static struct uuid find_session(struct lobby *l, struct uuid match, struct uuid agent)
{
    const struct lobby_agent *a = lobby_agent_by_id(l, agent);
    struct store_match stored;
    for (const struct lobby_seat *s = a ? a->seats : NULL; s; s = s->next)
        if (uuid_equals(s->bout->record.id, match))
            return s->session;
    if (store_find_match(l->store, match, &stored))
        for (int i = 0; i < stored.seats; i++)
            if (uuid_equals(stored.seat[i].agent, agent))
                return stored.seat[i].session;
    return (struct uuid){0};
}

static void tell(struct rematches *r, const struct offer *o, const struct store_match *m, int seat,
                 const struct party *p, struct rematch *out)
{
    seat_set asked = (seat_set)((o ? o->asked : 0) | p->house);
    *out = (struct rematch){.status = REMATCH_OPEN, .asked = __builtin_popcount(asked), .of = m->seats};
    if (o && !uuid_is_none(o->next)) {
        out->status = REMATCH_IN_MATCH;
        out->asked = m->seats;
        out->session = find_session(r->lobby, o->next, m->seat[seat].agent);
    } else if (o && o->asked) {
        out->status = REMATCH_WAITING;
        out->expires_ms = o->expires_ms;
    }
}

// What every call needs: 200, or refused. An offer whose time is over is none.
static int open_offer(struct rematches *r, const struct store_match *m, int64_t now_ms, struct party *p,
                      struct offer **offer, char why[REMATCH_SAY])
{
    if (m->status == STORE_RUNNING)
        return refuse(why, 409, "this match is not over yet");
    if (strcmp(m->mode, "tournament") == 0)
        return refuse(why, 409, "a game of a tournament has no rematch");
    if (!gather(r->lobby, m, p))
        return refuse(why, 409, "a player of this match is gone, or its game is no longer played here");
    *offer = find(r, m->id);
    if (*offer && uuid_is_none((*offer)->next) && (*offer)->expires_ms <= now_ms) {
        **offer = (struct offer){0};
        *offer = NULL;
    }
    if (!*offer && now_ms - m->finished_ms > REMATCH_OPEN_MS)
        return refuse(why, 410, "this match ended more than ten minutes ago");
    return 200;
}

// --- the calls

int rematch_look(struct rematches *r, const struct store_match *m, int seat, int64_t now_ms, struct rematch *out,
                 char why[REMATCH_SAY])
{
    struct party p;
    struct offer *o = NULL;
    int status = open_offer(r, m, now_ms, &p, &o, why);
    if (status == 200)
        tell(r, o, m, seat, &p, out);
    return status;
}

int rematch_withdraw(struct rematches *r, const struct store_match *m, int seat, int64_t now_ms, struct rematch *out,
                     char why[REMATCH_SAY])
{
    struct party p;
    struct offer *o = NULL;
    int status = open_offer(r, m, now_ms, &p, &o, why);
    if (status != 200)
        return status;
    if (o && uuid_is_none(o->next))
        o->asked &= (seat_set)~SEAT(seat);
    if (o && uuid_is_none(o->next) && !o->asked) {
        *o = (struct offer){0};
        o = NULL;
    }
    tell(r, o, m, seat, &p, out);
    return 200;
}

static int begin(struct rematches *r, struct offer *o, const struct store_match *m, const struct party *p,
                 int64_t now_ms, char why[REMATCH_SAY])
{
    int missing = find_missing(r->lobby, m, p);
    if (missing >= 0) {
        snprintf(why, REMATCH_SAY, "%s is offline or playing; ask again", p->agent[missing]->record.name);
        return 409;
    }
    if (lobby_is_draining(r->lobby))
        return refuse(why, 503, "the server is in maintenance; try again later");
    if (lobby_seat_table(r->lobby, p->game, "friendly", p->agent, m->seats, (struct uuid){0}, now_ms, &o->next) != OK)
        return refuse(why, 503, "no match can begin now; try again later");
    return 200;
}

int rematch_ask(struct rematches *r, const struct store_match *m, int seat, int64_t now_ms, struct rematch *out,
                char why[REMATCH_SAY])
{
    struct party p;
    struct offer *o = NULL;
    int status = open_offer(r, m, now_ms, &p, &o, why);
    if (status != 200)
        return status;
    if (!o) {
        if (!(o = find_free(r, now_ms)))
            return refuse(why, 429, "too many rematches are open; try again in a minute");
        *o = (struct offer){
            .match = m->id, .expires_ms = now_ms + REMATCH_OFFER_MS, .forget_ms = now_ms + REMATCH_OPEN_MS};
    }
    o->asked |= SEAT(seat);
    bool all = (seat_set)(o->asked | p.house) == (seat_set)((1u << m->seats) - 1);
    if (all && uuid_is_none(o->next))
        status = begin(r, o, m, &p, now_ms, why);
    if (status == 200)
        tell(r, o, m, seat, &p, out);
    return status;
}
