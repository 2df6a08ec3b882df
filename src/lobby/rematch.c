#include "lobby/rematch.h"

#include "cluster/note.h"
#include "lobby/internal.h"
#include "work/work.h"

#include <stdio.h>
#include <stdlib.h>

// In a fixed array, found by the finished match. An expired offer stays until its slot is needed or it is asked for.
struct offer {
    struct uuid match; // the finished match; zero: unused
    struct uuid next;  // the match that followed; zero: not yet
    int64_t expires_ms;
    int64_t forget_ms;
    seat_set asked; // seats of the old match, without house players
    // The match is beginning. That may suspend the job, and other requests come meanwhile: they find the offer waiting,
    // and neither begin a match, nor withdraw, nor take the slot.
    bool is_beginning;
};

struct rematches {
    struct lobby *lobby;
    struct offer at[REMATCH_MOST];
};

const char *const rematch_status_names[] = {
    [REMATCH_OPEN] = "open", [REMATCH_WAITING] = "waiting", [REMATCH_IN_MATCH] = "in_match"};

struct rematches *rematches_open(struct lobby *l)
{
    struct rematches *r = lobby_alloc(sizeof *r);
    r->lobby = l;
    l->rematches = r;
    return r;
}

void rematches_close(struct rematches *r)
{
    r->lobby->rematches = NULL;
    free(r);
}

static int refuse(char why[REMATCH_ERROR_ROOM], int status, const char *text)
{
    snprintf(why, REMATCH_ERROR_ROOM, "%s", text);
    return status;
}

static struct offer *find_offer(struct rematches *r, struct uuid match)
{
    for (int i = 0; i < REMATCH_MOST; i++)
        if (uuid_equals(r->at[i].match, match))
            return &r->at[i];
    return NULL;
}

static bool is_expired(const struct offer *o, int64_t now_ms)
{
    return uuid_is_none(o->next) && o->expires_ms <= now_ms && !o->is_beginning;
}

// A slot that was never used, whose offer has expired, or whose match began long ago (forget_ms).
static struct offer *find_free(struct rematches *r, int64_t now_ms)
{
    for (int i = 0; i < REMATCH_MOST; i++) {
        const struct offer *o = &r->at[i];
        bool is_forgotten = o->forget_ms <= now_ms && !o->is_beginning;
        if (uuid_is_none(o->match) || is_expired(o, now_ms) || is_forgotten)
            return &r->at[i];
    }
    return NULL;
}

// --- the players

struct party {
    const struct lobby_game *game;
    struct lobby_agent *agent[GAME_MAX_SEATS];
    seat_set house;
};

static bool find_players(struct lobby *l, const struct store_match *m, struct party *p)
{
    *p = (struct party){.game = lobby_find_game(l, span_of(m->game))};
    for (int i = 0; i < m->seats; i++) {
        p->agent[i] = lobby_agent_by_id(l, m->seat[i].agent);
        if (!p->agent[i] || is_deleted(&p->agent[i]->record))
            return false;
        if (p->agent[i]->record.kind == STORE_HOUSE)
            p->house |= SEAT(i);
    }
    return p->game != NULL;
}

// Returns the first player that cannot be seated now, or -1.
static int find_missing(const struct lobby *l, const struct store_match *m, const struct party *p)
{
    for (int i = 0; i < m->seats; i++)
        if (!(p->house & SEAT(i)) && !(is_online(p->agent[i]) && tables_can_seat(l, p->agent[i], p->game)))
            return i;
    return -1;
}

// --- results

static struct uuid find_session(struct lobby *l, struct uuid match, struct uuid agent)
{
    const struct lobby_agent *a = lobby_agent_by_id(l, agent);
    struct store_match stored;
    for (const struct lobby_seat *s = a ? a->seats : NULL; s; s = s->next)
        if (uuid_equals(s->live->record.id, match))
            return s->session;
    if (store_find_match(l->store, match, &stored))
        for (int i = 0; i < stored.seats; i++)
            if (uuid_equals(stored.seat[i].agent, agent))
                return stored.seat[i].session;
    return (struct uuid){0};
}

static void describe_offer(struct rematches *r, const struct offer *o, const struct store_match *m, int seat,
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

// Checks that every function needs. Returns 200 or refuses; an expired offer is removed.
static int open_offer(struct rematches *r, const struct store_match *m, int64_t now_ms, struct party *p,
                      struct offer **offer, char why[REMATCH_ERROR_ROOM])
{
    if (m->status == STORE_RUNNING)
        return refuse(why, 409, "this match is not over yet");
    if (strcmp(m->mode, "tournament") == 0)
        return refuse(why, 409, "games of tournaments have no rematch");
    if (!find_players(r->lobby, m, p))
        return refuse(why, 409, "a player of this match was deleted, or this server no longer offers its game");
    *offer = find_offer(r, m->id);
    if (*offer && is_expired(*offer, now_ms)) {
        **offer = (struct offer){0};
        *offer = NULL;
    }
    if (!*offer && now_ms - m->finished_ms > REMATCH_OPEN_MS)
        return refuse(why, 410, "this match ended more than ten minutes ago; start a new one");
    return 200;
}

// --- forwarding to the matchmaker at another node (S25)

// Returns the HTTP status, or 0 if this node keeps the offer.
static int forward_request(struct rematches *r, int kind, const struct store_match *m, int seat, int64_t now_ms,
                           struct rematch *out, char why[REMATCH_ERROR_ROOM])
{
    struct lobby *l = r->lobby;
    const struct lobby_game *g = lobby_find_game(l, span_of(m->game));
    struct note answer;
    if (!g || mesh_is_ours(l, g))
        return 0;
    struct note n = mesh_note(l, kind, g);
    n.flags = NOTE_CHALLENGE | NOTE_SEATED;
    n.agent = m->seat[seat].agent;
    n.challenge = m->id;
    if (!peer_request_send(l, g, &n, &answer))
        return refuse(why, 503, "no match can begin now; try again later");
    if (answer.kind == ENTRY_REFUSED)
        return refuse(why, (int)answer.age_ms, answer.say);
    // Notes have no fields for rematches: run_request says which are used instead.
    *out = (struct rematch){.status =
                                answer.waiting <= REMATCH_IN_MATCH ? (enum rematch_status)answer.waiting : REMATCH_OPEN,
                            .asked = answer.why,
                            .of = answer.houses,
                            .expires_ms = answer.host ? now_ms + (int64_t)answer.host : 0,
                            .session = answer.challenge};
    return (int)answer.age_ms;
}

// --- the functions

int rematch_read(struct rematches *r, const struct store_match *m, int seat, int64_t now_ms, struct rematch *out,
                 char why[REMATCH_ERROR_ROOM])
{
    struct party p;
    struct offer *o = NULL;
    int status = forward_request(r, ENTRY_READY, m, seat, now_ms, out, why);
    if (status)
        return status;
    status = open_offer(r, m, now_ms, &p, &o, why);
    if (status == 200)
        describe_offer(r, o, m, seat, &p, out);
    return status;
}

int rematch_withdraw(struct rematches *r, const struct store_match *m, int seat, int64_t now_ms, struct rematch *out,
                     char why[REMATCH_ERROR_ROOM])
{
    struct party p;
    struct offer *o = NULL;
    int status = forward_request(r, ENTRY_QUIT, m, seat, now_ms, out, why);
    if (status)
        return status;
    status = open_offer(r, m, now_ms, &p, &o, why);
    if (status != 200)
        return status;
    if (o && uuid_is_none(o->next) && !o->is_beginning) {
        o->asked &= (seat_set)~SEAT(seat);
        if (!o->asked) {
            *o = (struct offer){0};
            o = NULL;
        }
    }
    describe_offer(r, o, m, seat, &p, out);
    return 200;
}

// `where`: where the players are connected, if they may be at any node.
static int rematch_begin(struct rematches *r, struct offer *o, const struct store_match *m, const struct party *p,
                         const struct table_player *where, int64_t now_ms, char why[REMATCH_ERROR_ROOM])
{
    int missing = where ? tables_find_missing(r->lobby, p->game, where, m->seats) : find_missing(r->lobby, m, p);
    if (missing >= 0) {
        snprintf(why, REMATCH_ERROR_ROOM, "%s is offline or playing; try again later", p->agent[missing]->record.name);
        return 409;
    }
    if (lobby_is_draining(r->lobby))
        return refuse(why, 503, "the server is in maintenance; try again later");
    o->is_beginning = true;
    int err =
        where ? tables_begin(r->lobby, p->game, where, m->seats, (struct uuid){0}, &o->next)
              : lobby_seat_table(r->lobby, p->game, "friendly", p->agent, m->seats, (struct uuid){0}, now_ms, &o->next);
    o->is_beginning = false;
    if (err != OK)
        return refuse(why, 503, "no match can begin now; try again later");
    return 200;
}

static int request_rematch(struct rematches *r, const struct store_match *m, int seat, const struct table_player *where,
                           int64_t now_ms, struct rematch *out, char why[REMATCH_ERROR_ROOM])
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
    if (all && uuid_is_none(o->next) && !o->is_beginning)
        status = rematch_begin(r, o, m, &p, where, now_ms, why);
    if (status == 200)
        describe_offer(r, o, m, seat, &p, out);
    return status;
}

int rematch_ask(struct rematches *r, const struct store_match *m, int seat, int64_t now_ms, struct rematch *out,
                char why[REMATCH_ERROR_ROOM])
{
    struct lobby *l = r->lobby;
    struct table_player where[STORE_SEATS];
    struct uuid agent[STORE_SEATS];
    int status = forward_request(r, ENTRY_JOIN, m, seat, now_ms, out, why);
    if (status)
        return status;
    if (!l->mesh.call)
        return request_rematch(r, m, seat, NULL, now_ms, out, why);
    for (int i = 0; i < m->seats; i++)
        agent[i] = m->seat[i].agent;
    tables_find_players(l, agent, m->seats, where); // first, because it may suspend the job
    status = l->mesh.call ? request_rematch(r, m, seat, where, now_ms, out, why)
                          : refuse(why, 503, "no match can begin now; try again later");
    tables_release_players(where, m->seats);
    return status;
}

// --- requests from other nodes

struct rematch_request {
    struct rematches *rematches;
    uint64_t from;
    struct note note;
};

static int find_seat(struct lobby *l, const struct note *n, struct store_match *m)
{
    if (store_find_match(l->store, n->challenge, m))
        for (int i = 0; i < m->seats; i++)
            if (uuid_equals(m->seat[i].agent, n->agent))
                return i;
    return -1;
}

static int handle_request(struct rematches *r, const struct note *n, struct rematch *out, char why[REMATCH_ERROR_ROOM])
{
    struct store_match m;
    struct lobby *l = r->lobby;
    int seat = find_seat(l, n, &m);
    const struct lobby_game *g = seat >= 0 ? lobby_find_game(l, span_of(m.game)) : NULL;
    if (!g)
        return refuse(why, 409, "a player of this match was deleted, or this server no longer offers its game");
    if (!mesh_is_ours(l, g))
        return refuse(why, 503, "no match can begin now; try again later");
    return n->kind == ENTRY_JOIN   ? rematch_ask(r, &m, seat, l->now_ms, out, why)
           : n->kind == ENTRY_QUIT ? rematch_withdraw(r, &m, seat, l->now_ms, out, why)
                                   : rematch_read(r, &m, seat, l->now_ms, out, why);
}

static void run_request(void *arg)
{
    struct rematch_request *x = arg;
    struct lobby *l = x->rematches->lobby;
    struct rematch out = {0};
    char why[REMATCH_ERROR_ROOM] = "the server is stopping; try again later";
    int status = l->closing ? 503 : handle_request(x->rematches, &x->note, &out, why);
    struct note n = {.kind = status < 300 ? ENTRY_BEGUN : ENTRY_REFUSED, .flags = NOTE_DOWN | NOTE_CHALLENGE};
    n.id = x->note.id;
    n.age_ms = status;
    n.waiting = (uint8_t)out.status;
    n.houses = (uint8_t)out.of;
    n.why = (uint8_t)out.asked;
    // The time that is left: clocks of two nodes are never compared (S18).
    n.host = out.expires_ms > l->now_ms ? (uint64_t)(out.expires_ms - l->now_ms) : 0;
    n.challenge = out.session;
    snprintf(n.say, sizeof n.say, "%.*s", NOTE_SAY - 1, status < 300 ? "" : why);
    mesh_send(l, x->from, &n);
    free(x);
}

void rematches_receive(struct rematches *r, uint64_t from, const struct note *n)
{
    struct rematch_request *x = lobby_alloc(sizeof *x);
    *x = (struct rematch_request){.rematches = r, .from = from, .note = *n};
    work_start(r->lobby->o.work, run_request, x);
}
