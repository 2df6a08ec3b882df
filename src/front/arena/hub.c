// Connections: their list, timeouts and end.
#include "front/arena/hub_internal.h"
#include "heap/heap.h"

#include <stdlib.h>

// Also bounds how late a spectator that has caught up gets its picture: F4.27 allows two seconds.
enum { SWEEP_MS = 1000 };

void hub_defaults(struct hub_options *o)
{
    *o = (struct hub_options){
        .gap_ms = 250,
        .reply_gap_ms = 25,
        .ping_ms = 30000,
        .silence_ms = 60000,
        .stall_ms = 10000,
        .max_waiting = 4 << 20,
        .messages_per_second = 20,
        .messages_in_burst = 60,
        .connects_per_second = 500,
    };
}

static int64_t now_of(const struct hub_conn *c)
{
    return c->hub->options.now_ms();
}

// --- one connection

struct hub_conn *hub_add(struct hub *h)
{
    struct hub_conn *c = calloc(1, sizeof *c);
    if (!c)
        return NULL;
    c->hub = h;
    c->out.grow = heap_text_grow;
    c->heard_ms = c->pinged_ms = c->moved_ms = c->phase_ms = c->flood_ms = h->options.now_ms();
    // Long ago, so that the first excess is logged; INT64_MIN itself would overflow when it is subtracted.
    c->flood_logged_ms = INT64_MIN / 2;
    c->flood_left = h->options.messages_in_burst * 1000;
    return c;
}

void hub_enter(struct hub_conn *c)
{
    TAILQ_INSERT_TAIL(&c->hub->all, c, all);
    c->hub->figures.opened++;
    *(c->spectator ? &c->hub->figures.spectators : &c->hub->figures.connections) += 1;
}

void hub_remove(struct hub_conn *c)
{
    struct hub *h = c->hub;
    if (c->ws) {
        TAILQ_REMOVE(&h->all, c, all);
        *(c->spectator ? &h->figures.spectators : &h->figures.connections) -= 1;
    }
    if (c->waiting)
        TAILQ_REMOVE(&h->wait, c, wait);
    if (c->in_gap)
        TAILQ_REMOVE(c->phase == HUB_SILENT ? &h->silent : &h->answering, c, gap);
    struct hub_late *x;
    LIST_FOREACH(x, &h->late, link)
        x->conn = x->conn == c ? NULL : x->conn;
    if (c->relay)
        relay_remove(c);
    transcript_close(c->transcript);
    hub_release_block(c);
    free(c->due);
    free(c);
}

// A token bucket in integers: thousandths of a message per millisecond are messages per second.
bool hub_is_flooded(struct hub_conn *c)
{
    const struct hub_options *o = &c->hub->options;
    if (relay_is_remote(c)) // counted where it is connected
        return false;
    int64_t now_ms = now_of(c), left = c->flood_left + (now_ms - c->flood_ms) * o->messages_per_second;
    int64_t most = (int64_t)o->messages_in_burst * 1000;
    c->flood_ms = now_ms;
    c->flood_left = (int32_t)(left < most ? left : most);
    if (c->flood_left >= 1000) {
        c->flood_left -= 1000;
        return false;
    }
    if (now_ms - c->flood_logged_ms >= 1000) {
        c->flood_logged_ms = now_ms;
        hub_send_error(c, "rate limit");
    }
    return true;
}

// Messages of spectators are ignored (F4.24), and so are those of a replaced connection (F1.12).
static bool is_heard(struct hub_conn *c)
{
    c->hub->figures.messages_in++;
    return c->agent != NULL;
}

// Sent at once, before anything that waits for the store.
static void refuse_message(struct hub_conn *c)
{
    if (hub_is_flooded(c))
        return;
    struct text *t = hub_begin(c->hub, "error");
    json_put_text(t, "message", "the server cannot reach its store; try again in a few seconds");
    json_end_object(t);
    json_end_object(t);
    ws_send(c->ws, text_span(t));
    c->hub->figures.messages_out++;
    loop_end_turn(c->hub->options.loop);
}

static void on_message(void *client, struct span text)
{
    struct hub_conn *c = client;
    c->hub->figures.bytes_in += text.size;
    if (!is_heard(c))
        return;
    if (c->hub->refusing) {
        refuse_message(c);
        return;
    }
    // Prefetched while the message is parsed.
    lobby_fetch(c->agent, 0);
    hub_read(c, text);
    loop_end_turn(c->hub->options.loop);
}

static void on_binary(void *client)
{
    if (is_heard(client) && !hub_is_flooded(client))
        hub_send_error(client, "invalid message format");
}

static void on_too_large(void *client)
{
    if (is_heard(client) && !hub_is_flooded(client))
        hub_send_error(client, "message too large");
}

static void on_heard(void *client)
{
    struct hub_conn *c = client;
    c->heard_ms = now_of(c);
}

static void on_pong(void *client, struct span payload)
{
    struct hub_conn *c = client;
    if (c->due_count)
        hub_receive_pong(c, payload);
}

static void on_close(void *client)
{
    struct hub_conn *c = client;
    struct hub *h = c->hub;
    if (c->agent)
        lobby_leave(h->lobby, c->agent, c, now_of(c));
    hub_close_boards(c);
    hub_remove(c);
    loop_end_turn(h->options.loop);
}

const struct ws_handler hub_ws_handler = {
    .on_message = on_message,
    .on_binary = on_binary,
    .on_too_large = on_too_large,
    .on_heard = on_heard,
    .on_pong = on_pong,
    .on_close = on_close,
};

// --- the gap (F1.10)

static void end_gap(struct hub_conn *c, int64_t now_ms)
{
    struct hub *h = c->hub;
    TAILQ_REMOVE(&h->answering, c, gap);
    c->in_gap = false;
    c->phase = HUB_OPEN;
    if (c->agent)
        lobby_sync(h->lobby, c->agent, now_ms);
}

// All stay equally long, so both lists are sorted and their heads are due first.
static int64_t next_gap_ms(const struct hub *h)
{
    const struct hub_conn *silent = TAILQ_FIRST(&h->silent), *answering = TAILQ_FIRST(&h->answering);
    int64_t due_ms = INT64_MAX;
    if (silent)
        due_ms = silent->phase_ms + h->options.reply_gap_ms;
    if (answering && answering->phase_ms + h->options.gap_ms < due_ms)
        due_ms = answering->phase_ms + h->options.gap_ms;
    return due_ms;
}

void hub_set_gap_timer(struct hub *h)
{
    int64_t due_ms = next_gap_ms(h), left_ms = due_ms - h->options.now_ms();
    if (due_ms == INT64_MAX || event_pending(h->gap_timer, EV_TIMEOUT, NULL))
        return;
    if (left_ms < 1)
        left_ms = 1;
    event_add(h->gap_timer, &(struct timeval){left_ms / 1000, left_ms % 1000 * 1000});
}

static void on_gap_timer(evutil_socket_t fd, short what, void *arg)
{
    (void)fd, (void)what;
    struct hub *h = arg;
    int64_t now_ms = h->options.now_ms();
    for (struct hub_conn *c; (c = TAILQ_FIRST(&h->silent)) && now_ms >= c->phase_ms + h->options.reply_gap_ms;) {
        TAILQ_REMOVE(&h->silent, c, gap);
        TAILQ_INSERT_TAIL(&h->answering, c, gap);
        c->phase = HUB_ANSWERING;
    }
    for (struct hub_conn *c; (c = TAILQ_FIRST(&h->answering)) && now_ms >= c->phase_ms + h->options.gap_ms;)
        end_gap(c, now_ms);
    h->sendable = true;
    hub_set_gap_timer(h);
    loop_end_turn(h->options.loop);
}

// --- silence and slowness (F1.11)

static bool is_stalled(struct hub_conn *c, int64_t now_ms)
{
    struct conn *conn = ws_conn(c->ws);
    if (conn_waiting(conn) == 0 || conn_sent(conn) != c->sent) {
        c->sent = conn_sent(conn);
        c->moved_ms = now_ms;
    }
    // Progress and not emptiness: a slow reader is kept as long as it reads.
    return now_ms - c->moved_ms >= c->hub->options.stall_ms;
}

static void on_sweep(evutil_socket_t fd, short what, void *arg)
{
    (void)fd, (void)what;
    struct hub *h = arg;
    int64_t now_ms = h->options.now_ms();
    struct hub_conn *c;
    TAILQ_FOREACH(c, &h->all, all) {
        if (now_ms - c->heard_ms >= h->options.silence_ms || is_stalled(c, now_ms)) {
            h->figures.dropped++;
            conn_drop(ws_conn(c->ws));
            continue;
        }
        if (c->behind || c->remote)
            hub_catch_up(c);
        if (now_ms - c->pinged_ms >= h->options.ping_ms) {
            c->pinged_ms = now_ms;
            ws_ping(c->ws, SPAN(""));
        }
    }
    event_add(h->sweep_timer, &(struct timeval){SWEEP_MS / 1000, 0});
}

// --- the store is away

static void set_listening(struct hub *h, bool on)
{
    struct hub_conn *c;
    TAILQ_FOREACH(c, &h->all, all)
        if (c->ws && !c->spectator)
            (on ? conn_resume : conn_pause)(ws_conn(c->ws));
}

static void on_away_timer(evutil_socket_t fd, short what, void *arg)
{
    (void)fd, (void)what;
    struct hub *h = arg;
    // The owner is late: its clock and this timer begin at the same time, but a timer that is set in a long turn is
    // counted from the beginning of that turn.
    if (h->options.lease_ms && h->options.lease_ms <= STORE_PATIENCE_MS) {
        hub_disconnect_all(h, WS_RESTART);
        return;
    }
    // From here on messages are read again and refused: a client gets the reason, and its socket does not fill up.
    h->refusing = true;
    set_listening(h, true);
    loop_end_turn(h->options.loop);
}

void hub_set_away(struct hub *h, bool away)
{
    if (h->away == away)
        return;
    h->away = away;
    if (away) {
        set_listening(h, false);
        event_add(h->away_timer, &(struct timeval){STORE_PATIENCE_MS / 1000, 0});
        return;
    }
    event_del(h->away_timer);
    if (!h->refusing)
        set_listening(h, true);
    h->refusing = false;
}

struct hub *hub_open(const struct hub_options *o)
{
    struct hub *h = calloc(1, sizeof *h);
    char *frame = malloc(HUB_MAX_FRAME);
    if (!h || !frame) {
        free(h);
        free(frame);
        return NULL;
    }
    h->options = *o;
    h->lobby = o->lobby;
    h->frame = text_on(frame, HUB_MAX_FRAME);
    TAILQ_INIT(&h->all);
    TAILQ_INIT(&h->wait);
    TAILQ_INIT(&h->silent);
    TAILQ_INIT(&h->answering);
    LIST_INIT(&h->late);
    h->gap_timer = evtimer_new(o->loop->base, on_gap_timer, h);
    h->sweep_timer = evtimer_new(o->loop->base, on_sweep, h);
    h->away_timer = evtimer_new(o->loop->base, on_away_timer, h);
    event_add(h->sweep_timer, &(struct timeval){SWEEP_MS / 1000, 0});
    return h;
}

void hub_reload(struct hub *h, const struct hub_options *o)
{
    h->options.no_device_binding = o->no_device_binding;
    h->options.limit_loopback = o->limit_loopback;
    h->options.messages_per_second = o->messages_per_second;
    h->options.messages_in_burst = o->messages_in_burst;
    h->options.connects_per_second = o->connects_per_second;
}

void hub_close(struct hub *h)
{
    event_free(h->gap_timer);
    event_free(h->sweep_timer);
    event_free(h->away_timer);
    while (h->spares > 0)
        free(h->spare[--h->spares]);
    free(h->frame.at);
    free(h);
}

// Hundreds may be waiting, and their memory was last used half a second ago: while one is drained, the next three are
// prefetched.
static void drain_all(struct hub *h)
{
    enum { AHEAD = 3 };
    h->sendable = false;
    struct hub_conn *at[AHEAD + 1] = {[AHEAD] = TAILQ_FIRST(&h->wait)};
    while (at[1] || at[2] || at[AHEAD]) {
        memmove(at, at + 1, AHEAD * sizeof *at);
        at[AHEAD] = at[AHEAD - 1] ? TAILQ_NEXT(at[AHEAD - 1], wait) : NULL;
        for (int i = 1; i <= AHEAD; i++)
            if (at[i])
                hub_prefetch(at[i], i);
        if (at[0])
            hub_send_waiting(at[0]);
    }
}

void hub_flush(struct hub *h)
{
    if (h->sendable)
        drain_all(h);
}

void hub_release(struct hub *h, store_ticket durable)
{
    h->sendable |= durable != h->durable;
    h->durable = durable;
    hub_flush(h);
}

void hub_disconnect_all(struct hub *h, int code)
{
    struct hub_conn *c;
    set_listening(h, true); // their close frames are read too
    TAILQ_FOREACH(c, &h->all, all) {
        ws_end(c->ws, (uint16_t)code, "");
        conn_flush(ws_conn(c->ws));
    }
}

void hub_disconnect_some(struct hub *h, int code, int most)
{
    struct hub_conn *c;
    TAILQ_FOREACH(c, &h->all, all) {
        if (most <= 0)
            return;
        if (c->ending) // this function is called repeatedly (S61)
            continue;
        c->ending = true;
        most--;
        ws_end(c->ws, (uint16_t)code, "");
        conn_flush(ws_conn(c->ws));
    }
}

void hub_set_closed(struct hub *h, bool closed)
{
    h->closed = closed;
}

void hub_stop(struct hub *h, int code)
{
    h->stopping = true;
    hub_refuse_waiting(h);
    hub_disconnect_all(h, code);
}

void hub_figures(const struct hub *h, struct hub_figures *out)
{
    *out = h->figures;
}
