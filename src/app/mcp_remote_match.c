#include "app/mcp_remote_match.h"

#include "base/json_read.h"
#include "games/games.h"
#include "heap/heap.h"
#include "kit/action_request.h"
#include "work/work.h"

#include <stdlib.h>
#include <sys/queue.h>

enum { DEPTH = 32, MESSAGE = 1024 };

struct frame { // received, and not passed on to the agent yet
    STAILQ_ENTRY(frame) next;
    enum relay_frame kind;
    struct uuid session, request;
    int64_t timeout_ms;
};

struct mcp_remote_match {
    const struct mcp_remote_match_owner *owner;
    void *client; // NULL: closed
    struct hub_conn *conn;
    struct uuid agent;
    STAILQ_HEAD(, frame) frames;
    bool reading; // a job reads the log and passes frames on
    bool over;    // the match is
    struct uuid session;
    struct store_match match; // of that session; its seats are 0: not read yet
    int seat;
    struct text log;
};

// --- frames from the host

static void read_question(struct span frame, struct frame *x)
{
    struct json_reader r = json_reader_of(frame, DEPTH);
    struct json_string key;
    char id[UUID_TEXT + 1] = "";
    for (json_enter_object(&r); json_next_key(&r, &key);) {
        if (!json_string_is(key, "data")) {
            json_skip(&r);
            continue;
        }
        for (json_enter_object(&r); json_next_key(&r, &key);)
            if (json_string_is(key, "request_id"))
                json_string_copy(json_read_string(&r), id, sizeof id);
            else if (json_string_is(key, "timeout_ms"))
                x->timeout_ms = (int64_t)json_read_real(&r);
            else
                json_skip(&r);
    }
    if (!uuid_parse(&x->request, span_of(id)))
        x->request = (struct uuid){0};
}

static void on_frame(void *client, enum relay_frame kind, struct uuid session, struct span frame)
{
    struct mcp_remote_match *remote = client;
    struct frame *x = calloc(1, sizeof *x);
    if (!x)
        abort();
    *x = (struct frame){.kind = kind, .session = session};
    if (kind == RELAY_ASK)
        read_question(frame, x);
    STAILQ_INSERT_TAIL(&remote->frames, x, next);
    loop_end_turn(remote->owner->loop);
}

static void on_gone(void *client, enum lobby_gone why)
{
    struct mcp_remote_match *remote = client;
    remote->owner->on_gone(remote->client, why);
}

static const struct relay_client_handler front = {.on_frame = on_frame, .on_gone = on_gone};

// --- the log in the store

static bool add_piece(void *owner, int64_t at_ms, struct span log, struct span note)
{
    struct text *t = owner;
    (void)at_ms, (void)note;
    text_put(t, log);
    return !t->full;
}

// Returns false if the store did not answer.
static bool read_match(struct mcp_remote_match *remote, struct uuid session, bool *known)
{
    struct store *s = lobby_store(remote->owner->lobby);
    uint64_t unanswered = store_unanswered(s);
    struct store_match m;
    int seat;
    *known = remote->match.seats && uuid_equals(remote->session, session);
    if (!*known && store_find_session(s, session, &m, &seat) && uuid_equals(m.seat[seat].agent, remote->agent) &&
        remote->client && remote->owner->is_own(remote->client, &m, session)) {
        *known = true;
        remote->match = m;
        remote->seat = seat;
        remote->session = session;
    }
    remote->log.size = 0;
    if (*known)
        *known = store_read_log(s, remote->match.id, add_piece, &remote->log) == OK && !remote->log.full;
    return store_unanswered(s) == unanswered;
}

static void deliver_frame(struct mcp_remote_match *remote, const struct frame *x)
{
    struct env_arena_update n = {.log = text_span(&remote->log),
                                 .key = remote->match.key,
                                 .seat = remote->seat,
                                 .asked = x->kind == RELAY_ASK,
                                 .timeout_ms = x->timeout_ms,
                                 .over = x->kind == RELAY_OVER};
    if (!remote->over)
        remote->owner->on_news(remote->client, &n, x->kind == RELAY_ASK ? &x->request : NULL);
    remote->over |= n.over; // it may be reported again
    if (remote->client)
        relay_client_confirm(remote->conn, x->kind, x->session);
}

static void free_match(struct mcp_remote_match *remote)
{
    for (struct frame *x; (x = STAILQ_FIRST(&remote->frames));) {
        STAILQ_REMOVE_HEAD(&remote->frames, next);
        free(x);
    }
    free(remote->log.at);
    free(remote);
}

// Delivers all frames of one match with one read of its log. Returns false if the store did not answer.
static bool deliver_match(struct mcp_remote_match *remote)
{
    bool known;
    struct frame *x = STAILQ_FIRST(&remote->frames);
    const struct frame *last = x, *at;
    struct uuid session = x->session;
    STAILQ_FOREACH(at, &remote->frames, next)
    last = at; // the log that is read now may lack what later frames are about
    if (!read_match(remote, session, &known))
        return false;
    for (bool more = true;
         more && remote->client && (x = STAILQ_FIRST(&remote->frames)) && uuid_equals(x->session, session);) {
        more = x != last;
        STAILQ_REMOVE_HEAD(&remote->frames, next);
        if (known)
            deliver_frame(remote, x);
        free(x);
    }
    return true;
}

static void deliver_frames(void *arg)
{
    struct mcp_remote_match *remote = arg;
    while (remote->client && !STAILQ_EMPTY(&remote->frames) && deliver_match(remote))
        ;
    remote->reading = false;
    if (!remote->client)
        free_match(remote);
}

void mcp_remote_match_flush(struct mcp_remote_match *remote)
{
    if (remote->reading || STAILQ_EMPTY(&remote->frames) || store_is_away(lobby_store(remote->owner->lobby)))
        return;
    remote->reading = true;
    work_start(loop_work(remote->owner->loop), deliver_frames, remote);
}

// --- actions of the agent

bool mcp_remote_match_answer(struct mcp_remote_match *remote, struct uuid request, struct game_action a)
{
    char bytes[MESSAGE];
    const struct game_kit *k = games_find(remote->match.game);
    struct action_request asked = {.seat = remote->seat, .seats = remote->match.seats};
    struct text t = text_on(bytes, sizeof bytes);
    if (!k || !remote->match.seats)
        return false;
    json_begin_object(&t);
    json_put_text(&t, "type", "action");
    uuid_put(&t, "match_id", remote->session);
    uuid_put(&t, "request_id", request);
    json_key(&t, "data");
    action_request_answer(k, &t, &asked, a);
    json_end_object(&t);
    loop_end_turn(remote->owner->loop);
    return !t.full && relay_client_send(remote->conn, remote->session, text_span(&t));
}

void mcp_remote_match_end(struct mcp_remote_match *remote, struct uuid session)
{
    on_frame(remote, RELAY_OVER, session, (struct span){0});
}

// --- opening and closing

struct mcp_remote_match *mcp_remote_match_open(const struct mcp_remote_match_owner *o, struct lobby_agent *a,
                                               const struct store_arrival *arrival, void *client)
{
    struct mcp_remote_match *remote = calloc(1, sizeof *remote);
    if (!remote)
        return NULL;
    *remote = (struct mcp_remote_match){.owner = o, .client = client, .agent = lobby_agent_record(a)->id};
    remote->log.grow = heap_text_grow;
    STAILQ_INIT(&remote->frames);
    remote->conn = relay_client_open(o->relay, a, arrival, &front, remote);
    if (remote->conn)
        return remote;
    free(remote);
    return NULL;
}

void mcp_remote_match_close(struct mcp_remote_match *remote)
{
    relay_client_close(remote->conn);
    remote->client = NULL;
    if (!remote->reading)
        free_match(remote);
}
