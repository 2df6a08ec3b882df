#include "app/mcp_far.h"

#include "base/json_read.h"
#include "games/games.h"
#include "heap/heap.h"
#include "kit/action_request.h"
#include "work/work.h"

#include <stdlib.h>
#include <sys/queue.h>

enum { DEPTH = 32, MESSAGE = 1024 };

struct frame { // that has come, and that the agent has not heard of
    STAILQ_ENTRY(frame) next;
    enum relay_frame kind;
    struct uuid session, request;
    int64_t timeout_ms;
};
STAILQ_HEAD(frames, frame);

struct mcp_far {
    const struct mcp_far_owner *owner;
    void *client; // NULL: closed
    struct hub_conn *conn;
    struct uuid agent;
    struct frames frames;
    bool reading; // a job tells what has come
    bool over;    // the match is
    struct uuid session;
    struct store_match match; // of that session; its seats are 0: not read yet
    int seat;
    struct text log;
};

// --- what the host says

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
    struct mcp_far *f = client;
    struct frame *x = calloc(1, sizeof *x);
    if (!x)
        abort();
    *x = (struct frame){.kind = kind, .session = session};
    if (kind == RELAY_ASK)
        read_question(frame, x);
    STAILQ_INSERT_TAIL(&f->frames, x, next);
    loop_end_turn(f->owner->loop);
}

static void on_gone(void *client, enum lobby_gone why)
{
    struct mcp_far *f = client;
    f->owner->on_gone(f->client, why);
}

static const struct relay_client_handler front = {.on_frame = on_frame, .on_gone = on_gone};

// --- what has happened

static bool add_piece(void *owner, int64_t at_ms, struct span log, struct span note)
{
    struct text *t = owner;
    (void)at_ms, (void)note;
    text_put(t, log);
    return !t->full;
}

// False: the store did not answer.
static bool read_match(struct mcp_far *f, struct uuid session, bool *known)
{
    struct store *s = lobby_store(f->owner->lobby);
    uint64_t unanswered = store_unanswered(s);
    struct store_match m;
    int seat;
    *known = f->match.seats && uuid_equals(f->session, session);
    if (!*known && store_find_session(s, session, &m, &seat) && uuid_equals(m.seat[seat].agent, f->agent) &&
        f->client && f->owner->is_own(f->client, &m, session)) {
        *known = true;
        f->match = m;
        f->seat = seat;
        f->session = session;
    }
    f->log.size = 0;
    if (*known)
        *known = store_read_log(s, f->match.id, add_piece, &f->log) == OK && !f->log.full;
    return store_unanswered(s) == unanswered;
}

static void notify(struct mcp_far *f, const struct frame *x)
{
    struct env_arena_news n = {.log = text_span(&f->log),
                               .key = f->match.key,
                               .seat = f->seat,
                               .asked = x->kind == RELAY_ASK,
                               .timeout_ms = x->timeout_ms,
                               .over = x->kind == RELAY_OVER};
    if (!f->over)
        f->owner->tell(f->client, &n, x->kind == RELAY_ASK ? &x->request : NULL);
    f->over |= n.over; // it may be reported again
    if (f->client)
        relay_client_confirm(f->conn, x->kind, x->session);
}

static void drop_frames(struct frames *list)
{
    for (struct frame *x; (x = STAILQ_FIRST(list));) {
        STAILQ_REMOVE_HEAD(list, next);
        free(x);
    }
}

static void free_far(struct mcp_far *f)
{
    drop_frames(&f->frames);
    free(f->log.at);
    free(f);
}

// All that has come of one match, by one look at its log. False: the store has to be asked again.
static bool tell_some(struct mcp_far *f)
{
    bool known;
    struct frame *x = STAILQ_FIRST(&f->frames);
    const struct frame *last = x, *at;
    struct uuid session = x->session;
    STAILQ_FOREACH(at, &f->frames, next)
    last = at; // the log that is read now may lack what later frames are about
    if (!read_match(f, session, &known))
        return false;
    for (bool more = true; more && f->client && (x = STAILQ_FIRST(&f->frames)) && uuid_equals(x->session, session);) {
        more = x != last;
        STAILQ_REMOVE_HEAD(&f->frames, next);
        if (known)
            notify(f, x);
        free(x);
    }
    return true;
}

static void follow(void *arg)
{
    struct mcp_far *f = arg;
    while (f->client && !STAILQ_EMPTY(&f->frames) && tell_some(f))
        ;
    f->reading = false;
    if (!f->client)
        free_far(f);
}

void mcp_far_flush(struct mcp_far *f)
{
    if (f->reading || STAILQ_EMPTY(&f->frames) || store_is_away(lobby_store(f->owner->lobby)))
        return;
    f->reading = true;
    work_start(loop_work(f->owner->loop), follow, f);
}

// --- what the agent says

bool mcp_far_answer(struct mcp_far *f, struct uuid request, struct game_action a)
{
    char bytes[MESSAGE];
    const struct game_kit *k = games_find(f->match.game);
    struct action_request asked = {.seat = f->seat, .seats = f->match.seats};
    struct text t = text_on(bytes, sizeof bytes);
    if (!k || !f->match.seats)
        return false;
    json_begin_object(&t);
    json_put_text(&t, "type", "action");
    uuid_put(&t, "match_id", f->session);
    uuid_put(&t, "request_id", request);
    json_key(&t, "data");
    action_request_answer(k, &t, &asked, a);
    json_end_object(&t);
    loop_end_turn(f->owner->loop);
    return !t.full && relay_client_send(f->conn, f->session, text_span(&t));
}

void mcp_far_end(struct mcp_far *f, struct uuid session)
{
    on_frame(f, RELAY_OVER, session, (struct span){0});
}

// --- coming and going

struct mcp_far *mcp_far_open(const struct mcp_far_owner *o, struct lobby_agent *a, const struct store_arrival *arrival,
                             void *client)
{
    struct mcp_far *f = calloc(1, sizeof *f);
    if (!f)
        return NULL;
    *f = (struct mcp_far){.owner = o, .client = client, .agent = lobby_agent_record(a)->id};
    f->log.grow = heap_text_grow;
    STAILQ_INIT(&f->frames);
    f->conn = relay_client_open(o->relay, a, arrival, &front, f);
    if (f->conn)
        return f;
    free(f);
    return NULL;
}

void mcp_far_close(struct mcp_far *f)
{
    relay_client_close(f->conn);
    f->client = NULL;
    if (!f->reading)
        free_far(f);
}
