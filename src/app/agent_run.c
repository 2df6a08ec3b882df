#include "app/agent_run.h"

#include "app/agent_decider.h"
#include "app/agent_history.h"
#include "app/app.h"
#include "app/arena_games.h"
#include "crypto/crypto.h"
#include "heap/heap.h"
#include "net/tls.h"

#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum {
    KEY = 64,
    MAX_MESSAGE = 2 << 20, // bytes from the server
    AGAIN_MS = 500,        // before another try to connect
    // F1.14: excess messages are dropped; a second later there is room for twenty. All are dropped while the server
    // cannot reach its store.
    FLOOD_MS = 1000,
    JOIN_US = 50000,  // between two joins, so that the server's default limit is kept
    DENIED_MS = 1000, // before a join that was denied is tried again
    FRAME = 65536,
    DEPTH = 32,
    CROWD = 256, // with more agents the loop rests between turns (pause_a_moment)
    PAUSE_US = 1000,
    POLL_MS = 2000 // how often to check whether a tournament is over
};

struct run;

struct agent {
    struct run *run;
    struct ws *ws;
    struct agent_decider *decider;
    struct agent_memory *memory; // of a house bot; NULL: none
    struct agent_history *past;  // NULL: no records
    struct event *timer;         // for thinking and reconnecting
    struct text answer;          // to be sent after thinking
    struct text last_sent;       // the last message sent
    struct rng dice;
    int64_t acted_us;  // when it sent an action whose effects it has not seen yet; 0: none
    int64_t joined_us; // when it last sent join_queue
    int number, left;  // games
    bool idle, done, in_match, was_limited;
    bool join_waits; // waits for the timer
    char key[KEY], match[ACTION_REQUEST_ID + 1], request[ACTION_REQUEST_ID + 1];
    char session[ACTION_REQUEST_ID + 1]; // of the last match that the server announced
    char pid[16];                        // of this agent in that match
};

struct run {
    const struct agent_options *o;
    struct agent_report *report;
    struct loop loop;
    struct tls *tls;
    struct http_client *http;
    struct agent *agents;
    struct agent_deciders *deciders;
    int64_t measure_us; // times count from here on
    struct event *look; // checks the tournament
    int next, opening, left;
    bool away; // every attempt to connect has failed since the last success
};

// --- steps of an agent's life

static void open_next_agents(struct run *r);
static void connect_agent(struct agent *a);
static void enter_arena(struct agent *a);
static void send_text(struct agent *a, const char *text);

static void end_agent(struct agent *a)
{
    if (a->done)
        return;
    a->done = true;
    if (a->ws)
        ws_end(a->ws, WS_NORMAL, "");
    if (--a->run->left == 0)
        loop_stop(&a->run->loop);
}

static void report_reply(struct run *r, const char *what, int status, struct span body)
{
    r->report->faults++;
    agent_report_set_reply(r->report, &r->o->server, what, status, body);
}

static void add_time(const struct run *r, uint64_t times[AGENT_TIMES], int64_t us)
{
    if (loop_now_us() >= r->measure_us)
        agent_report_add_time(times, us);
}

static void wait_ms(struct agent *a, int ms)
{
    event_add(a->timer, &(struct timeval){ms / 1000, ms % 1000 * 1000});
}

// For a person who watches one agent at a terminal.
static void __attribute__((format(printf, 2, 3))) print_progress(const struct agent *a, const char *format, ...)
{
    va_list rest;
    if (a->run->o->agents > 1 || !isatty(STDERR_FILENO))
        return;
    va_start(rest, format);
    vfprintf(stderr, format, rest);
    va_end(rest);
    fputc('\n', stderr);
}

static void send_join_queue(struct agent *a)
{
    char text[256];
    a->join_waits = false;
    a->joined_us = loop_now_us();
    snprintf(text, sizeof text,
             "{\"type\":\"join_queue\",\"data\":{\"game\":\"%s\",\"mode\":\"%s\",\"one_shot\":true}}",
             a->run->o->game->game->name, a->run->o->mode);
    send_text(a, text);
    print_progress(a, "waiting for a match of %s", a->run->o->game->game->name);
}

static void join_later(struct agent *a, int ms)
{
    a->join_waits = true;
    wait_ms(a, ms);
}

// Games may be shorter than the server's minimum time between two joins. A tournament seats its agents itself.
static void join_queue(struct agent *a)
{
    if (a->run->o->tournament)
        return;
    int64_t left_us = a->joined_us ? a->joined_us + JOIN_US - loop_now_us() : 0;
    if (left_us <= 0)
        send_join_queue(a);
    else
        join_later(a, (int)(left_us / 1000) + 1);
}

static void send_bytes(struct agent *a, struct span text)
{
    ws_send(a->ws, text);
    a->run->report->messages_out++;
    a->was_limited = false;
    a->last_sent.size = 0;
    text_put(&a->last_sent, text);
}

static void send_text(struct agent *a, const char *text)
{
    if (a->ws)
        send_bytes(a, span_of(text));
}

static void send_answer(struct agent *a)
{
    char head[512];
    int size =
        snprintf(head, sizeof head,
                 "{\"type\":\"action\",\"match_id\":\"%s\",\"request_id\":\"%s\",\"data\":", a->match, a->request);
    if (!a->ws || !a->answer.size)
        return;
    struct text t = text_on((char[FRAME]){0}, FRAME);
    text_put(&t, (struct span){head, (size_t)size});
    text_put(&t, text_span(&a->answer));
    text_puts(&t, "}");
    if (!t.full)
        agent_history_answered(a->past, span_of(a->match), a->request, text_span(&a->answer));
    a->answer.size = 0;
    if (t.full)
        return;
    send_bytes(a, text_span(&t));
    a->acted_us = loop_now_us();
    a->run->report->actions++;
}

static void on_timer(evutil_socket_t fd, short what, void *arg)
{
    (void)fd, (void)what;
    struct agent *a = arg;
    if (a->done)
        return;
    if (!a->ws) {
        connect_agent(a);
        return;
    }
    if (a->join_waits)
        send_join_queue(a);
    if (!a->was_limited) {
        send_answer(a);
        return;
    }
    a->was_limited = false;
    ws_send(a->ws, text_span(&a->last_sent));
    a->run->report->messages_out++;
}

// --- messages from the server

static void read_action_request(struct agent *a, struct span data)
{
    static struct action_request t;
    const struct agent_options *o = a->run->o;
    int64_t happened_us = agent_report_newest_event_us(data);
    if (happened_us)
        add_time(a->run, a->run->report->ask_delay, loop_unix_ms() * 1000 - happened_us);
    if (action_request_read(o->game, data, &t) != OK) {
        agent_report_add_fault(a->run->report, "unreadable request");
        return;
    }
    memcpy(a->match, t.match, sizeof a->match);
    memcpy(a->request, t.request, sizeof a->request);
    agent_history_events(a->past, span_of(a->match), json_member(data, "event_history"));
    agent_history_events(a->past, span_of(a->match), json_member(data, "new_events"));
    agent_history_asked(a->past, span_of(a->match), a->request);
    a->answer.size = 0;
    a->was_limited = false; // it was received after all
    if (a->decider) {
        agent_decider_ask(a->decider, &t, data);
        return;
    }
    agent_memory_update(a->memory, &t, data);
    agent_decider_choose(o->game, o->bot, a->memory, &t, &a->dice, &a->answer);
    if (o->think_ms)
        wait_ms(a, o->think_ms / 2 + (int)rng_below(&a->dice, (uint32_t)o->think_ms + 1));
    else
        send_answer(a);
}

static void on_gone(void *owner, const char *why)
{
    struct agent *a = owner;
    agent_report_add_fault(a->run->report, why);
    end_agent(a);
}

static void on_decision(void *owner, struct span json, const char *fault)
{
    struct agent *a = owner;
    if (fault) {
        a->run->report->errors++;
        snprintf(a->run->report->last_error, sizeof a->run->report->last_error, "%s", fault);
        fprintf(stderr, "agon agent: %s; the fallback is played\n", fault);
    }
    a->answer.size = 0;
    text_put(&a->answer, json);
    send_answer(a);
}

static const struct agent_decider_handler decider_handler = {.on_action = on_decision, .on_gone = on_gone};

static void start_match(struct agent *a, struct span data)
{
    if (a->decider)
        agent_decider_start(a->decider, data);
    agent_memory_start(a->memory, data);
    struct span session = agent_report_unquote(json_member(data, "match_id"));
    agent_history_start(a->past, session);
    a->join_waits = false;
    snprintf(a->session, sizeof a->session, "%.*s", (int)session.size, session.at);
    struct span pid = agent_report_unquote(json_member(data, "your_player_id"));
    snprintf(a->pid, sizeof a->pid, "%.*s", (int)pid.size, pid.at ? pid.at : "");
    a->run->report->started++;
    a->in_match = true;
    print_progress(a, "the match has begun");
}

// game_over is repeated until the server knows that it arrived (F4.22), also for a match of an earlier process. It must
// not count while the agent waits for or plays another match, or it would leave too soon. Older servers do not name the
// match.
static void finish_match(struct agent *a, struct span data)
{
    struct run *r = a->run;
    struct span session = agent_report_unquote(json_member(data, "session_id"));
    agent_history_over(a->past, session, agent_report_unquote(json_member(data, "match_id")));
    if (session.size && (!a->in_match || !span_is(session, a->session)))
        return;
    r->report->finished++;
    const char *result = agent_report_add_result(r->report, data, a->pid);
    if (result)
        print_progress(a, "%s %s", result, r->report->last_replay);
    if (a->decider)
        agent_decider_end(a->decider);
    a->in_match = false;
    a->acted_us = 0;
    if (r->o->games && --a->left <= 0)
        end_agent(a);
    else
        join_queue(a);
}

static void confirm_match(struct agent *a, struct span data)
{
    char text[192];
    struct span id = json_member(data, "confirm_id");
    snprintf(text, sizeof text, "{\"type\":\"match_confirm\",\"data\":{\"confirm_id\":%.*s}}", (int)id.size, id.at);
    send_text(a, text);
}

static void answer_readiness_check(struct agent *a, struct span data)
{
    char text[256];
    struct span id = json_member(data, "request_id");
    snprintf(text, sizeof text,
             "{\"type\":\"runtime_status\",\"data\":{\"request_id\":%.*s,\"ready\":true,\"runtime_type\":\"mock\","
             "\"checked_at\":\"1970-01-01T00:00:00.000Z\"}}",
             (int)id.size, id.at);
    send_text(a, text);
}

static void read_match_cancelled(struct agent *a, struct span data)
{
    struct span action = json_member(data, "action");
    if (!span_is(action, "\"re_queued\""))
        join_queue(a);
}

static void read_match_feed(struct agent *a, struct span data)
{
    agent_history_events(a->past, agent_report_unquote(json_member(data, "match_id")), json_member(data, "events"));
    if (a->acted_us)
        add_time(a->run, a->run->report->echo_delay, loop_now_us() - a->acted_us);
    a->acted_us = 0;
}

static bool has_word(struct span text, const char *word)
{
    return memmem(text.at, text.size, word, strlen(word)) != NULL;
}

static void read_error(struct agent *a, struct span data)
{
    struct span why = agent_report_unquote(json_member(data, "message"));
    struct agent_report *r = a->run->report;
    bool is_final = has_word(why, "unknown game") || has_word(why, "unknown mode"); // it will be the same for ever
    // The server does not say when the agent may join, or when its operator has claimed it.
    bool is_denied = has_word(why, "matchmaking gate denied") || has_word(why, "not claimed");
    r->errors++;
    snprintf(r->last_error, sizeof r->last_error, "%.*s", (int)why.size, why.at);
    if (!a->in_match && !a->idle && has_word(why, "cooldown"))
        end_agent(a);
    else if (!a->in_match && is_final)
        r->faults++, end_agent(a);
    else if (!a->in_match && is_denied)
        join_later(a, DENIED_MS);
    bool was_dropped = span_is(why, "rate limit") || has_word(why, "cannot reach its store");
    if (!a->done && a->last_sent.size && was_dropped) {
        a->was_limited = true;
        wait_ms(a, FLOOD_MS);
    }
}

static void read_action_stale(struct agent *a, struct span data)
{
    (void)data;
    a->run->report->stale++;
}

static void read_welcome(struct agent *a, struct span data)
{
    (void)data;
    if (!a->idle && !a->in_match)
        join_queue(a);
}

static const struct {
    const char *type;
    void (*take)(struct agent *a, struct span data);
} words[] = {
    {"action_request", read_action_request},
    {"match_feed", read_match_feed},
    {"game_start", start_match},
    {"game_over", finish_match},
    {"welcome", read_welcome},
    {"match_confirm_request", confirm_match},
    {"readiness_check", answer_readiness_check},
    {"match_cancelled", read_match_cancelled},
    {"error", read_error},
    {"action_stale", read_action_stale},
};

static void on_message(void *client, struct span text)
{
    struct agent *a = client;
    struct json_reader r = json_reader_of(text, DEPTH);
    struct json_string key, type = {0};
    struct span data = {0};
    a->run->report->messages_in++;
    a->run->report->bytes_in += text.size;
    for (json_enter_object(&r); json_next_key(&r, &key);)
        if (json_string_is(key, "type"))
            type = json_read_string(&r);
        else if (json_string_is(key, "data"))
            data = json_read_raw(&r);
        else
            json_skip(&r);
    if (json_finish(&r) != OK) {
        agent_report_add_fault(a->run->report, "a frame that is not JSON");
        return;
    }
    for (size_t i = 0; i < sizeof words / sizeof *words && !a->done; i++)
        if (json_string_is(type, words[i].type)) {
            words[i].take(a, data);
            return;
        }
}

static void on_close(void *client)
{
    struct agent *a = client;
    a->ws = NULL;
    if (a->done)
        return;
    a->run->report->reconnects++;
    a->answer.size = 0;
    a->was_limited = a->join_waits = false;
    wait_ms(a, AGAIN_MS);
}

static const struct ws_handler handler = {.on_message = on_message, .on_close = on_close};

// --- connecting

static void stop_opening(struct run *r)
{
    r->opening--;
    open_next_agents(r);
}

static void on_open(void *client, struct ws *w)
{
    struct agent *a = client;
    a->ws = w;
    if (!ws_watch(w, &a->run->loop, a->run->o->silence * 1000))
        app_die("no memory");
    a->run->away = false;
    a->run->report->connected++;
    agent_history_connected(a->past);
    if (a->run->opening)
        stop_opening(a->run);
}

static void on_refused(void *client, int status, struct span body)
{
    struct agent *a = client;
    if (a->done)
        return;
    a->run->report->refused++;
    if (status == 401 || status == 403) {
        report_reply(a->run, "refused", status, body);
        end_agent(a);
        return;
    }
    if (!a->run->away) { // once, however many wait, and for how long
        agent_report_set_reply(a->run->report, &a->run->o->server, "cannot connect", status, body);
        fprintf(stderr, "agon agent: %s (retrying)\n", a->run->report->last_error);
        a->run->away = true;
    }
    wait_ms(a, AGAIN_MS);
}

static struct http_ask new_request(struct agent *a, const char *method, const char *path, const char *lines,
                                   void (*on_answer)(void *client, int status, struct span body))
{
    const struct agent_options *o = a->run->o;
    return (struct http_ask){.address = o->address,
                             .port = o->server.port,
                             .host = o->server.host,
                             .method = method,
                             .path = path,
                             .lines = lines,
                             .client = a,
                             .timeout_ms = o->silence * 1000,
                             .on_answer = on_answer};
}

static void connect_agent(struct agent *a)
{
    const struct agent_options *o = a->run->o;
    char lines[512];
    snprintf(lines, sizeof lines,
             "X-API-Key: %s\r\nX-AIFight-Protocol-Version: v1.2.0\r\nX-AIFight-Instance: agon-%d-%d\r\n"
             "X-AIFight-Capabilities: %s%s\r\nX-AIFight-Bridge-Capabilities: replaced-close-code\r\n",
             a->key, (int)getpid(), a->number, o->feed ? "match_feed," : "", arena_games_gated());
    struct http_ask ask = new_request(a, "GET", "/api/ws", lines, on_refused);
    ask.on_open = on_open;
    ask.handler = &handler;
    ask.max_message = MAX_MESSAGE;
    if (http_client_ask(a->run->http, &ask) != 0)
        wait_ms(a, AGAIN_MS);
}

// --- a tournament

static void on_entered(void *client, int status, struct span body)
{
    struct agent *a = client;
    if (a->done)
        return;
    if (status == 200) {
        connect_agent(a);
        return;
    }
    report_reply(a->run, "cannot enter the tournament", status, body);
    end_agent(a);
    stop_opening(a->run);
}

static bool ask_tournament(struct agent *a, const char *method, const char *path,
                           void (*on_answer)(void *client, int status, struct span body))
{
    const struct agent_options *o = a->run->o;
    char whole[128], lines[128];
    snprintf(whole, sizeof whole, "/api/tournaments/%s%s", o->tournament, path);
    snprintf(lines, sizeof lines, "X-API-Key: %s\r\n", a->key);
    struct http_ask ask = new_request(a, method, whole, lines, on_answer);
    return http_client_ask(a->run->http, &ask) == 0;
}

static void enter_arena(struct agent *a)
{
    if (!a->run->o->tournament || a->idle)
        connect_agent(a);
    else if (!ask_tournament(a, "POST", "/entry", on_entered))
        app_die("cannot open a connection");
}

// A tournament that the server does not know any more is over too.
static void on_seen(void *client, int status, struct span body)
{
    struct run *r = ((struct agent *)client)->run;
    struct span now = json_member(json_member(body, "tournament"), "status");
    bool over = span_is(now, "\"finished\"") || span_is(now, "\"cancelled\"");
    for (int i = 0; (over || status == 404) && i < r->o->agents; i++)
        if (!r->agents[i].in_match)
            end_agent(&r->agents[i]);
}

static void on_look(evutil_socket_t fd, short what, void *arg)
{
    (void)fd, (void)what;
    struct run *r = arg;
    ask_tournament(&r->agents[0], "GET", "", on_seen);
}

static void on_registered(void *client, int status, struct span body)
{
    struct agent *a = client;
    struct span key = json_member(json_member(body, "agent"), "api_key");
    if (a->done)
        return;
    if (status != 201 || key.size < 3 || key.size - 2 >= sizeof a->key) {
        report_reply(a->run, "cannot register", status, body);
        end_agent(a);
        stop_opening(a->run);
        return;
    }
    memcpy(a->key, key.at + 1, key.size - 2);
    a->key[key.size - 2] = 0;
    a->run->report->registered++;
    enter_arena(a);
}

static void register_agent(struct agent *a)
{
    const struct agent_options *o = a->run->o;
    char bytes[256];
    struct text body = text_on(bytes, sizeof bytes);
    char name[64];
    if (o->key) {
        snprintf(a->key, sizeof a->key, "%s", o->key);
        enter_arena(a);
        return;
    }
    snprintf(name, sizeof name, o->agents > 1 ? "%.40s %d" : "%.40s", o->name, a->number + 1);
    json_begin_object(&body);
    json_put_text(&body, "name", name);
    json_end_object(&body);
    struct http_ask ask =
        new_request(a, "POST", "/api/agents/register", "Content-Type: application/json\r\n", on_registered);
    ask.body = text_span(&body);
    if (http_client_ask(a->run->http, &ask) != 0)
        app_die("cannot open a connection");
}

static void open_next_agents(struct run *r)
{
    while (r->opening < r->o->opening && r->next < r->o->agents) {
        r->opening++;
        register_agent(&r->agents[r->next++]);
    }
}

// --- the run

// Many agents are handled once per millisecond. If each woke up on its own, a server on the same machine, which is to
// be measured, would pay for that with every message it sends.
static void pause_a_moment(void *owner)
{
    struct run *r = owner;
    loop_pause_until(&r->loop, loop_now_us() + PAUSE_US, -1, NULL, NULL);
}

static void on_stop(evutil_socket_t fd, short what, void *arg)
{
    (void)fd, (void)what;
    loop_stop(arg);
}

static void make_agents(struct run *r)
{
    const struct agent_options *o = r->o;
    uint8_t key[CRYPTO_KEY_BYTES];
    crypto_seed_key(key, o->game->game->name, o->seed);
    struct rng root = rng_from_key(key);
    r->agents = calloc((size_t)o->agents, sizeof *r->agents);
    if (!r->agents)
        app_die("no memory");
    for (int i = 0; i < o->agents; i++) {
        struct agent *a = &r->agents[i];
        *a = (struct agent){
            .run = r, .number = i, .left = o->games, .answer.grow = heap_text_grow, .last_sent.grow = heap_text_grow};
        a->dice = rng_split(&root, (uint64_t)i);
        a->idle = i >= o->agents - o->idle;
        a->timer = event_new(r->loop.base, -1, 0, on_timer, a);
        if (o->history && !(a->past = agent_history_open(o->history, i + 1)))
            app_die("cannot write agent-%d.jsonl in %s: %s", i + 1, o->history,
                    errno == EWOULDBLOCK ? "another process writes it; give each its own folder" : strerror(errno));
        if (r->deciders && !a->idle)
            a->decider = agent_decider_open(r->deciders, &decider_handler, a);
        else if (!a->idle)
            a->memory = agent_memory_open(o->game, o->bot);
    }
    r->left = o->agents - o->idle;
}

static void release_agents(struct run *r)
{
    for (int i = 0; i < r->o->agents; i++) {
        event_free(r->agents[i].timer);
        agent_decider_close(r->agents[i].decider);
        agent_memory_close(r->agents[i].memory);
        agent_history_close(r->agents[i].past);
        free(r->agents[i].answer.at);
        free(r->agents[i].last_sent.at);
    }
    free(r->agents);
}

int agent_run(const struct agent_options *o, struct agent_report *report)
{
    struct run r = {.o = o, .report = report};
    char why[256];
    loop_init(&r.loop);
    signal(SIGPIPE, SIG_IGN);
    if (o->server.secure && !(r.tls = tls_open_client(o->trust_anyone, why, sizeof why)))
        app_die("%s", why);
    r.http = http_client_open(&r.loop, r.tls, o->agents + o->opening + 64);
    if (!r.http)
        app_die("no memory");
    if (o->decider)
        r.deciders = agent_deciders_open(&r.loop, o->decider, o->game, o->agents, &o->llm);
    make_agents(&r);
    struct event *end = event_new(r.loop.base, -1, 0, on_stop, &r.loop);
    loop_stop_on_signals(&r.loop);
    if (o->seconds)
        event_add(end, &(struct timeval){o->seconds, 0});
    r.look = event_new(r.loop.base, -1, EV_PERSIST, on_look, &r);
    if (o->tournament)
        event_add(r.look, &(struct timeval){POLL_MS / 1000, POLL_MS % 1000 * 1000});
    int64_t begin_us = loop_now_us();
    r.measure_us = begin_us + (int64_t)o->warm_up * 1000000;
    open_next_agents(&r);
    if (o->agents > CROWD)
        loop_add_hook(&r.loop, pause_a_moment, &r);
    loop_run(&r.loop);
    report->elapsed_us = loop_now_us() - begin_us;
    for (int i = 0; i < o->agents; i++)
        r.agents[i].done = true;
    http_client_close(r.http);
    release_agents(&r);
    int status = agent_deciders_close(r.deciders);
    event_free(end);
    event_free(r.look);
    tls_close(r.tls);
    loop_release(&r.loop);
    if (status != APP_DONE)
        return status;
    bool failed = report->faults || !report->connected;
    return failed && !report->finished ? APP_FAILED : APP_DONE;
}
