// The host: its games, its clock, its end.
#include "front/openenv/openenv_internal.h"

#include "heap/heap.h"

#include <stdio.h>
#include <stdlib.h>

enum {
    SWEEP_US = 250000,
    TURN_AWAY_US = 5000000, // O28
    // O34. A half-open connection would otherwise keep its session for ever.
    PING_US = 30000000, // without a sign of life a socket is asked for one,
    GONE_US = 75000000, // and closed
};

void openenv_defaults(struct openenv_options *o)
{
    *o = (struct openenv_options){.access = {.host = "127.0.0.1"},
                                  .version = "",
                                  .max_sessions = 4096,
                                  .idle_s = 1800,
                                  .http_idle_s = 300,
                                  .wait_s = 20,
                                  .turn_limit_s = 120};
}

// --- time

// O54
static bool is_late(const struct session *s, int64_t now_us)
{
    const struct table *b = s->table;
    int64_t limit = (int64_t)s->host->options.turn_limit_s * 1000000;
    return b && b->players > 1 && b->begun && !b->busy && !s->waiting && now_us - b->asked_us >= limit &&
           episode_asked(&b->episode) & SEAT(s->seat);
}

static void pass_turn(struct session *s)
{
    int64_t active = s->active_us;
    session_add(s, ON_CLOCK, SPAN(""));
    s->active_us = active; // it has said nothing
    session_run(s);
}

static void end_idle(struct session *s)
{
    char why[64];
    snprintf(why, sizeof why, "session idle for %d s", s->host->options.idle_s);
    if (!s->ws) {
        session_end(s);
        return;
    }
    s->channel = ON_WS;
    reply_error(s, "SESSION_ERROR", why);
    s->owned = true;
    openenv_ws_refuse(s);
}

static void watch_socket(struct session *s, int64_t now_us)
{
    if (now_us - s->heard_us >= GONE_US) {
        conn_drop(ws_conn(s->ws));
    } else if (now_us - s->heard_us >= PING_US && now_us - s->pinged_us >= PING_US) {
        s->pinged_us = now_us;
        ws_ping(s->ws, SPAN(""));
    }
}

static void sweep_session(struct session *s, int64_t now_us)
{
    const struct openenv_options *o = &s->host->options;
    int64_t idle_us = (int64_t)(s->ws ? o->idle_s : o->http_idle_s) * 1000000;
    if (s->at_work || s->doomed || s->ending)
        return;
    if (s->closing && s->ws) {
        if (now_us - s->pending_us >= TURN_AWAY_US)
            openenv_ws_close(s, WS_NORMAL, "");
        return;
    }
    if (s->pending != NOTHING && now_us - s->pending_us >= (int64_t)(session_wait_s(s) * 1e6) && !s->table->busy) {
        reply_now(s, s->pending); // O52: others have not acted in time
        session_run(s);
    } else if (is_late(s, now_us))
        pass_turn(s);
    else if (s->pending == NOTHING && now_us - s->active_us >= idle_us)
        end_idle(s);
    else if (s->ws)
        watch_socket(s, now_us);
}

static void sweep_sessions(struct openenv *o, int64_t now_us)
{
    for (int i = 0; i < BUCKETS; i++) {
        struct session *s, *next;
        for (s = LIST_FIRST(&o->sessions[i]); s; s = next) {
            next = LIST_NEXT(s, all);
            sweep_session(s, now_us);
        }
    }
}

static bool has_sessions(const struct openenv *o)
{
    if (o->figures.sessions)
        return true;
    for (int i = 0; i < BUCKETS; i++)
        if (!LIST_EMPTY(&o->sessions[i]))
            return true;
    return false;
}

static void on_turn_end(void *owner)
{
    struct openenv *o = owner;
    // The timer runs only while there are sessions: an idle server does not wake up.
    if (!has_sessions(o) || event_pending(o->timer, EV_TIMEOUT, NULL))
        return;
    event_add(o->timer, &(struct timeval){0, SWEEP_US});
}

static void on_timer(evutil_socket_t fd, short what, void *arg)
{
    (void)fd, (void)what;
    struct openenv *o = arg;
    sweep_sessions(o, loop_now_us());
    loop_end_turn(o->options.loop);
}

// --- life

static const struct bot *usual_bot(const struct game_kit *k, const char *name)
{
    const struct bot *bot = name ? kit_find_bot(k, name) : NULL;
    if (!bot)
        bot = kit_find_bot(k, "rules");
    for (const struct bot *const *b = kit_bots(k); !bot && *b; b++)
        if (!(*b)->thinks)
            bot = *b;
    return bot;
}

static void open_game(struct openenv *o, struct served *g, const struct game_kit *k)
{
    g->kit = k;
    g->facts = kit_environment(k);
    g->bot = usual_bot(k, o->options.bots);
    g->param_count = openenv_list_params(g->facts, g->params);
    g->schemas.grow = heap_text_grow;
    openenv_write_schemas(&g->schemas, k);
    LIST_INIT(&g->tables);
}

struct openenv *openenv_create(const struct openenv_options *options)
{
    struct openenv *o = calloc(1, sizeof *o);
    int count = 0;
    while (options->kits[count])
        count++;
    if (!o || !(o->games = calloc((size_t)count + 1, sizeof *o->games))) {
        free(o);
        return NULL;
    }
    o->options = *options;
    o->work = loop_work(options->loop);
    o->game_count = count;
    episode_scratch_init(&o->episode_scratch, o->work);
    o->out.grow = o->scratch.grow = o->extra.grow = heap_text_grow;
    for (int i = 0; i < count; i++)
        open_game(o, &o->games[i], options->kits[i]);
    o->timer = event_new(options->loop->base, -1, 0, on_timer, o);
    loop_add_hook(options->loop, on_turn_end, o);
    return o;
}

void openenv_stop(struct openenv *o)
{
    o->stopping = true;
    for (int i = 0; i < BUCKETS; i++) {
        struct session *s;
        LIST_FOREACH(s, &o->sessions[i], all)
            if (s->ws && !s->ending)
                openenv_ws_close(s, WS_GOING_AWAY, "the server is shutting down");
    }
    work_drain(o->work); // decisions under way
}

void openenv_destroy(struct openenv *o)
{
    o->stopping = true;
    work_drain(o->work);
    for (int i = 0; i < BUCKETS; i++)
        for (struct session *s; (s = LIST_FIRST(&o->sessions[i]));)
            session_destroy(s);
    loop_remove_hook(o->options.loop, o);
    event_free(o->timer);
    for (int i = 0; i < o->game_count; i++)
        free(o->games[i].schemas.at);
    episode_scratch_release(&o->episode_scratch);
    free(o->games);
    free(o->out.at);
    free(o->scratch.at);
    free(o->extra.at);
    free(o);
}

void openenv_disconnected(struct openenv *o, struct http_request *r)
{
    struct http_request **slot = http_data(r);
    (void)o;
    if (slot)
        *slot = NULL; // its request continues: one with the same request_id gets the answer (O17)
}

void openenv_figures(const struct openenv *o, struct openenv_figures *f)
{
    *f = o->figures;
}
