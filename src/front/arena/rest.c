// A request from its route to its reply: limits and keys, the handler (perhaps in a job), and waiting until what the
// reply reports is durable.
#include "front/arena/rest.h"

#include "crypto/crypto.h"
#include "front/arena/analyses.h"
#include "front/arena/embedded.h"
#include "front/arena/rest_internal.h"
#include "heap/heap.h"
#include "net/log.h"
#include "work/work.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

const char arena_rest_json[] = "application/json; charset=utf-8";

// --- opening and closing

void arena_rest_defaults(struct arena_rest_options *o)
{
    *o = (struct arena_rest_options){
        .now_ms = loop_unix_ms,
        .address = "127.0.0.1:8080",
        .rename_cooldown_ms = 60000,
        .terms_version = "1",
        .privacy_version = "1",
        .bridge_minimum = "0.0.0",
        .bridge_recommended = "0.0.0",
        .bridge_latest = "0.0.0",
    };
}

static void on_match_end(void *owner, const struct store_match *m)
{
    char id[UUID_TEXT + 1];
    const char *forfeit = lobby_forfeit_name(m->forfeit_reason);
    struct log_line l;
    uuid_format(id, m->id);
    if (!m->finished_ms) { // the store has refused it
        log_begin(&l, LOG_LEVEL_INFO, "match.refused");
        log_put_text(&l, "id", id);
        log_end(&l);
        return;
    }
    log_begin(&l, LOG_LEVEL_INFO, m->status == STORE_CANCELLED ? "match.cancelled" : "match.finished");
    log_put_text(&l, "id", id);
    log_put_text(&l, "game", m->game);
    log_put_text(&l, "mode", m->mode);
    log_put_int(&l, "seats", m->seats);
    log_put_int(&l, "duration_ms", m->finished_ms - m->started_ms);
    if (forfeit)
        log_put_text(&l, "forfeit", forfeit);
    rest_end_line(owner, &l);
}

static void set_token(struct arena_rest *rest, const char *token)
{
    if (token && token[0])
        crypto_sha256(rest->admin_hash, token, strlen(token));
}

// The same for all nodes of an arena, which report heavy clients to each other (S46). The arena's id is secret.
static uint64_t make_salt(const struct store *s)
{
    struct uuid arena = store_arena_id(s);
    uint8_t hash[32];
    uint64_t salt;
    if (!store_is_shared(s))
        crypto_random(hash, sizeof hash);
    else
        crypto_sha256(hash, arena.byte, sizeof arena.byte);
    memcpy(&salt, hash, sizeof salt);
    return salt;
}

struct arena_rest *arena_rest_open(const struct arena_rest_options *o)
{
    struct arena_rest *rest = calloc(1, sizeof *rest);
    if (!rest)
        abort(); // while the server starts, so there is nothing to save yet
    rest->options = *o;
    rest->lobby = o->lobby;
    rest->store = lobby_store(o->lobby);
    rest->challenges = challenges_open(o->lobby, o->now_ms());
    rest->rematches = rematches_open(o->lobby);
    rest->openapi.grow = heap_text_grow;
    lobby_on_match_end(o->lobby, on_match_end, rest);
    limits_init(&rest->limits, make_salt(rest->store));
    crypto_random(&rest->id_salt, sizeof rest->id_salt);
    TAILQ_INIT(&rest->waiting);
    STAILQ_INIT(&rest->lines);
    LIST_INIT(&rest->streams);
    rest_follow_tournaments(rest);
    TAILQ_INIT(&rest->early);
    TAILQ_INIT(&rest->tournament_jobs);
    set_token(rest, o->admin_token);
    LIST_INIT(&rest->jobs);
    rest->heavy_ms = INT64_MAX;
    return rest;
}

void arena_rest_reload(struct arena_rest *rest, const struct arena_rest_options *o)
{
    struct arena_rest_options *now = &rest->options;
    set_token(rest, o->admin_token);
    now->admin_token = o->admin_token;
    now->admin_anywhere = o->admin_anywhere;
    now->limit_loopback = o->limit_loopback;
    now->god_view = o->god_view;
    now->no_device_binding = o->no_device_binding;
    now->rename_cooldown_ms = o->rename_cooldown_ms;
    now->terms_version = o->terms_version;
    now->privacy_version = o->privacy_version;
    now->bridge_minimum = o->bridge_minimum;
    now->bridge_recommended = o->bridge_recommended;
    now->bridge_latest = o->bridge_latest;
    now->bridge_update = o->bridge_update;
}

static void forget_line(struct arena_rest *rest)
{
    struct rest_line *line = STAILQ_FIRST(&rest->lines);
    STAILQ_REMOVE_HEAD(&rest->lines, link);
    free(line);
}

static void forget_held(struct arena_rest *rest, struct rest_waiting *list, struct rest_held *held)
{
    TAILQ_REMOVE(list, held, link);
    rest->waiting_now--;
    free(held->body.at);
    free(held);
}

void arena_rest_close(struct arena_rest *rest)
{
    if (!rest)
        return;
    struct rest_waiting *const lists[] = {&rest->waiting, &rest->early, &rest->tournament_jobs};
    for (int i = 0; i < (int)(sizeof lists / sizeof *lists); i++)
        for (struct rest_held *held; (held = TAILQ_FIRST(lists[i]));)
            forget_held(rest, lists[i], held);
    while (!STAILQ_EMPTY(&rest->lines))
        forget_line(rest);
    lobby_on_match_end(rest->lobby, NULL, rest);
    rest_drop_cached(rest);
    analyses_destroy(rest->analyses);
    rest_drop_streams(rest);
    challenges_close(rest->challenges);
    rematches_close(rest->rematches);
    free(rest->openapi.at);
    free(rest);
}

void arena_rest_tick(struct arena_rest *rest, int64_t now_ms)
{
    challenges_tick(rest->challenges, now_ms);
    if (rest->heavy_ms <= now_ms)
        rest_publish_heavy(rest, now_ms);
}

int64_t arena_rest_next_due(const struct arena_rest *rest)
{
    int64_t due_ms = challenges_next_due(rest->challenges);
    return due_ms < rest->heavy_ms ? due_ms : rest->heavy_ms;
}

// --- replies

static void count_answer(struct arena_rest *rest, int status)
{
    rest->answers[status / 100 < 6 ? status / 100 : 0]++;
}

static void hold_reply(struct rest_call *c, store_ticket ticket)
{
    struct arena_rest *rest = c->rest;
    struct rest_held *held = malloc(sizeof *held);
    if (!held) {
        http_reply(c->r, 503, arena_rest_json, SPAN("{\"error\":\"the server has no memory left; try again\"}"));
        free(c->out.at);
        return;
    }
    *held = (struct rest_held){
        .r = c->r, .ticket = ticket, .since_us = loop_now_us(), .status = c->status, .type = c->type, .body = c->out};
    TAILQ_INSERT_TAIL(&rest->waiting, held, link);
    rest->waiting_now++;
}

// Right after the start of a large store its boards are still being loaded: only requests for them wait.
static bool hold_early(struct arena_rest *rest, const struct rest_route *route, struct http_request *r)
{
    bool shows =
        route->handle == rest_leaderboard || route->handle == rest_leaderboard_game || route->handle == rest_profile;
    if (!shows || store_has_boards(rest->store))
        return false;
    struct rest_held *held = malloc(sizeof *held);
    if (!held)
        return false; // without memory: it is handled at once, and all clients wait for the boards
    *held = (struct rest_held){.r = r};
    TAILQ_INSERT_TAIL(&rest->early, held, link);
    rest->waiting_now++;
    return true;
}

static void release_early(struct arena_rest *rest)
{
    if (TAILQ_EMPTY(&rest->early) || !store_has_boards(rest->store))
        return;
    for (struct rest_held *held; (held = TAILQ_FIRST(&rest->early));) {
        struct http_request *r = held->r;
        forget_held(rest, &rest->early, held);
        arena_rest_request(rest, r);
    }
}

static void add_time(struct rest_times *t, int64_t us)
{
    double seconds = (double)us / 1e6;
    int i = 0;
    while (i < REST_BUCKETS && seconds > rest_time_bounds[i])
        i++;
    t->at[i]++;
    t->count++;
    t->seconds += seconds;
}

void arena_rest_release(struct arena_rest *rest, store_ticket durable)
{
    rest->durable = durable;
    for (struct rest_line *line; (line = STAILQ_FIRST(&rest->lines)) && line->ticket <= durable; forget_line(rest))
        log_end(&line->line);
    for (struct rest_held *held; (held = TAILQ_FIRST(&rest->waiting)) && held->ticket <= durable;) {
        struct http_request *r = held->r;
        add_time(&rest->waits, loop_now_us() - held->since_us);
        http_reply(r, held->status, held->type, text_span(&held->body));
        forget_held(rest, &rest->waiting, held);
    }
    release_early(rest);
    if (rest->changed && rest->changed <= durable)
        rest_publish_changes(rest);
}

void arena_rest_set_bus_away(struct arena_rest *rest, bool away)
{
    rest->bus_away = away;
}

void arena_rest_set_unready(struct arena_rest *rest, const char *why)
{
    rest->unready = why;
}

void arena_rest_note_commit(struct arena_rest *rest, int64_t us)
{
    add_time(&rest->commits, us);
}

void arena_rest_disconnected(struct arena_rest *rest, struct http_request *r)
{
    struct rest_waiting *const lists[] = {&rest->waiting, &rest->early, &rest->tournament_jobs};
    struct rest_call *job;
    if (rest_leave_stream(rest, r))
        return;
    LIST_FOREACH(job, &rest->jobs, link)
        if (job->r == r)
            job->gone = true;
    for (int i = 0; i < (int)(sizeof lists / sizeof *lists); i++) {
        struct rest_held *held = TAILQ_FIRST(lists[i]);
        while (held && held->r != r)
            held = TAILQ_NEXT(held, link);
        if (held)
            forget_held(rest, lists[i], held);
    }
}

void rest_fail(struct rest_call *c, int status, const char *format, ...)
{
    char why[512];
    va_list list;
    va_start(list, format);
    vsnprintf(why, sizeof why, format, list);
    va_end(list);
    c->status = status;
    c->type = arena_rest_json;
    c->out.size = 0;
    c->out.full = false;
    json_begin_object(&c->out);
    json_put_text(&c->out, "error", why);
    json_end_object(&c->out);
}

static void add_headers(struct rest_call *c)
{
    // Texts of players are in many replies: a browser must not take JSON for a page.
    http_add_header(c->r, "X-Content-Type-Options", "nosniff");
    http_add_header(c->r, "X-Agon-Build", embedded_build); // shows an open page that the program has changed
    if (c->route->auth == REST_PUBLIC && strcmp(c->route->method, "GET") == 0)
        http_add_header(c->r, "Access-Control-Allow-Origin", "*"); // F5.1
}

void rest_begin_stream(struct rest_call *c, const char *type)
{
    c->streams = true;
    count_answer(c->rest, c->status);
    add_headers(c);
    http_stream_begin(c->r, c->status, type);
}

void rest_wait_for(struct rest_call *c, uint64_t job)
{
    struct rest_held *held = malloc(sizeof *held);
    if (!held) {
        rest_fail(c, 503, "the server has no memory left; check whether the request took effect");
        return;
    }
    *held = (struct rest_held){.r = c->r, .route = c->route, .ticket = job};
    TAILQ_INSERT_TAIL(&c->rest->tournament_jobs, held, link);
    c->rest->waiting_now++;
    http_add_header(c->r, "Cache-Control", "no-store");
    add_headers(c);
    c->streams = true;
}

static struct rest_held *find_waiting(struct arena_rest *rest, uint64_t job)
{
    struct rest_held *held;
    TAILQ_FOREACH(held, &rest->tournament_jobs, link)
        if (held->ticket == job)
            return held;
    return NULL;
}

void rest_answer_job(struct arena_rest *rest, uint64_t job, int status, struct text *body)
{
    for (struct rest_held *held; (held = find_waiting(rest, job));) { // a client may have asked twice
        struct http_request *r = held->r;
        count_answer(rest, status);
        if (status >= 400)
            rest_name_error(rest, r, held->route, status);
        forget_held(rest, &rest->tournament_jobs, held);
        http_reply(r, status, arena_rest_json, text_span(body));
    }
    free(body->at);
}

static void send_reply(struct rest_call *c)
{
    store_ticket ticket = lobby_ticket(c->rest->lobby);
    if (c->streams) {
        free(c->out.at);
        return;
    }
    if (c->out.full)
        rest_fail(c, 500, "the response does not fit into memory");
    count_answer(c->rest, c->status);
    if (c->status >= 400)
        rest_name_error(c->rest, c->r, c->route, c->status);
    http_add_header(c->r, "Cache-Control", c->cache && c->status < 400 ? c->cache : "no-store");
    add_headers(c);
    // A reply that says that the store does not answer must not wait for it.
    if (!c->route->settled && !c->unanswered && ticket > c->rest->durable) {
        hold_reply(c, ticket);
        return;
    }
    http_reply(c->r, c->status, c->type, text_span(&c->out));
    free(c->out.at);
}

// --- routing

// {id} in a pattern matches one segment that is not empty.
static bool matches_path(const char *pattern, struct span path, struct span *id)
{
    size_t at = 0;
    for (; *pattern; pattern++) {
        if (*pattern == '{') {
            size_t from = at;
            while (at < path.size && path.at[at] != '/')
                at++;
            *id = (struct span){path.at + from, at - from};
            if (id->size == 0)
                return false;
            pattern = strchr(pattern, '}');
        } else if (at == path.size || path.at[at++] != *pattern) {
            return false;
        }
    }
    return at == path.size;
}

static bool accepts_method(const struct rest_route *route, const char *method)
{
    return strcmp(route->method, method) == 0 || (strcmp(route->method, "GET") == 0 && strcmp(method, "HEAD") == 0);
}

static void add_allowed(struct text *allow, const char *method)
{
    if (allow->size && memmem(allow->at, allow->size, method, strlen(method)))
        return;
    if (allow->size)
        text_puts(allow, ", ");
    text_puts(allow, method);
    if (strcmp(method, "GET") == 0)
        text_puts(allow, ", HEAD");
}

// The first route for path and method. `near` is a route for the path; `allow` gets the methods of all such routes.
static const struct rest_route *find_route(struct http_request *r, struct span *id, const struct rest_route **near,
                                           struct text *allow)
{
    for (const struct rest_route *route = rest_routes; route->method; route++) {
        struct span found = {0};
        if (!matches_path(route->path, http_path(r), &found))
            continue;
        if (accepts_method(route, http_method(r))) {
            *id = found;
            return route;
        }
        if (!*near)
            *near = route;
        add_allowed(allow, route->method);
    }
    return NULL;
}

// A known path with another method: replies 405, or to a browser's preflight request.
static void refuse_method(struct rest_call *c, const char *allow)
{
    assert(c->route);
    http_add_header(c->r, "Allow", allow);
    if (strcmp(http_method(c->r), "OPTIONS") == 0) {
        if (c->route->auth == REST_PUBLIC) {
            http_add_header(c->r, "Access-Control-Allow-Methods", allow);
            http_add_header(c->r, "Access-Control-Allow-Headers", "Content-Type, X-AIFight-Capabilities");
        }
        c->status = 204;
        c->type = NULL;
        return;
    }
    rest_fail(c, 405, "method not allowed; allowed: %s", allow);
}

// --- authentication

bool rest_is_local(const struct rest_call *c)
{
    return c->client.loopback && !c->rest->options.limit_loopback;
}

static void send_limited(struct rest_call *c, int seconds)
{
    char wait[16];
    c->rest->limited++;
    snprintf(wait, sizeof wait, "%d", seconds);
    http_add_header(c->r, "Retry-After", wait);
    rest_fail(c, 429, "too many requests; try again in %d s", seconds);
}

static bool is_limited(struct rest_call *c, enum limit_class limit, struct span who)
{
    int64_t each_ms, burst;
    int seconds = rest_is_local(c) ? 0 : limits_take(&c->rest->limits, limit, who, c->now_ms);
    // Only calls that this node itself would allow cost the store a question.
    if (!rest_is_local(c) && !seconds && limits_is_shared(limit, &each_ms, &burst))
        seconds = store_take_call(c->rest->store, (int)limit, who, each_ms, burst); // S46
    if (seconds < 0)
        return true; // no answer from the store: the reply will say so
    if (seconds)
        send_limited(c, seconds);
    return seconds > 0;
}

static bool check_key(struct rest_call *c)
{
    struct span key = http_header(c->r, "X-API-Key");
    if (key.size == 0) {
        rest_fail(c, 401, "missing X-API-Key header");
        return false;
    }
    c->agent = lobby_agent_by_key(c->rest->lobby, key);
    if (!c->agent) {
        // So that keys can be guessed no faster than public pages can be read.
        if (!is_limited(c, LIMIT_READ, span_of(c->client.address)))
            rest_fail(c, 401, "invalid api key");
        return false;
    }
    const struct store_agent *record = lobby_agent_record(c->agent);
    if (record->disabled) {
        rest_fail(c, 403, "agent disabled");
        return false;
    }
    return !is_limited(c, LIMIT_KEYED, (struct span){(const char *)record->id.byte, UUID_BYTES});
}

static struct span operator_token(const struct http_request *r)
{
    struct span token = http_header(r, "X-Agon-Admin"), bearer = http_header(r, "Authorization");
    if (token.size == 0 && bearer.size > 7 && memcmp(bearer.at, "Bearer ", 7) == 0)
        return (struct span){bearer.at + 7, bearer.size - 7}; // Prometheus can send this
    return token;
}

static bool is_operator(const struct arena_rest *rest, struct span token)
{
    uint8_t hash[STORE_HASH];
    crypto_sha256(hash, token.at, token.size);
    return crypto_equal(hash, rest->admin_hash, sizeof hash);
}

// Wrong tokens are limited for all clients, even on this machine and its sockets: any local user could guess.
static bool check_token(struct rest_call *c, struct span token)
{
    struct span who = span_of(c->client.address);
    int seconds = limits_wait(&c->rest->limits, LIMIT_GUESS, who, c->now_ms);
    if (seconds) {
        send_limited(c, seconds);
        return false;
    }
    if (is_operator(c->rest, token))
        return true;
    // Only wrong tokens are counted: an operator's own scripts are never limited by it.
    limits_take(&c->rest->limits, LIMIT_GUESS, who, c->now_ms);
    rest_fail(c, 401, "invalid operator token");
    return false;
}

static bool check_operator(struct rest_call *c)
{
    const struct arena_rest_options *o = &c->rest->options;
    struct span token = operator_token(c->r);
    // A scraper on this machine needs no token; from elsewhere it needs one, but no --admin-anywhere.
    if (c->route->auth == REST_METRICS && c->client.loopback)
        return true;
    if (!o->admin_token || !o->admin_token[0])
        rest_fail(c, 403, "operator requests are disabled; start the server with --admin-token");
    else if (!c->client.loopback && !o->admin_anywhere && c->route->auth == REST_ADMIN)
        rest_fail(c, 403, "operator requests are accepted only from this machine");
    else if (token.size == 0)
        rest_fail(c, 401, "missing X-Agon-Admin header");
    else if (is_limited(c, LIMIT_READ, span_of(c->client.address)))
        return false;
    else
        return check_token(c, token);
    return false;
}

static bool check_access(struct rest_call *c)
{
    if (c->route->auth == REST_KEY)
        return check_key(c);
    if (c->route->auth != REST_PUBLIC)
        return check_operator(c);
    return !is_limited(c, c->route->limit, span_of(c->client.address));
}

// Whether the request may use the operator's reserve. The token is not enough: from other machines it counts only if
// operator requests are allowed there. In the reserve a wrong token is judged only here, so it counts as a guess here.
static bool has_valid_token(struct arena_rest *rest, const struct http_request *r)
{
    struct client_address client;
    struct span token = operator_token(r);
    if (!token.size || !rest->options.admin_token || !rest->options.admin_token[0])
        return false;
    client_address_find(&client, r);
    struct span who = span_of(client.address);
    int64_t now_ms = rest->options.now_ms();
    if ((!client.loopback && !rest->options.admin_anywhere) || limits_wait(&rest->limits, LIMIT_GUESS, who, now_ms))
        return false;
    bool right = is_operator(rest, token);
    if (!right && http_is_reserved(r))
        limits_take(&rest->limits, LIMIT_GUESS, who, now_ms);
    return right;
}

void arena_rest_head(struct arena_rest *rest, const struct http_request *r, struct http_terms *t)
{
    const char *method = http_method(r);
    t->max_body = strcmp(method, "GET") == 0 || strcmp(method, "HEAD") == 0 ? 0 : REST_MAX_BODY;
    t->is_operator = has_valid_token(rest, r);
}

// Between begin and end no other job reads from the store, so that damage is counted for the request that met it.
static void begin_reading(struct rest_call *c)
{
    c->damages = store_damages(c->rest->store);
    c->misses = store_unanswered(c->rest->store);
}

static void end_reading(struct rest_call *c)
{
    c->damaged |= store_damages(c->rest->store) != c->damages;
    c->unanswered |= store_unanswered(c->rest->store) != c->misses;
}

static void on_switch(void *arg, bool enters)
{
    struct rest_call *c = arg;
    if (!enters) {
        end_reading(c);
        return;
    }
    begin_reading(c);
    c->now_ms = c->rest->options.now_ms(); // the lobby's time must not go back
}

static bool admit_call(struct rest_call *c)
{
    begin_reading(c);
    bool may = check_access(c);
    end_reading(c);
    return may;
}

// Nothing is accepted while the store is away: a request that changes something waits for it first.
static void handle_call(struct rest_call *c)
{
    bool reads = strcmp(c->route->method, "GET") == 0;
    begin_reading(c);
    if (reads || store_reach(c->rest->store))
        c->route->handle(c);
    end_reading(c);
    if (!reads && (c->route->auth == REST_ADMIN || c->route->handle == rest_pair))
        rest_note_change(c);
}

static void finish_call(struct rest_call *c)
{
    if (c->damaged && !c->streams) { // unreadable data looks missing, so a reply made from it would be wrong
        rest_fail(c, 500, "the data of this server is damaged (%s); its operator must restore a backup",
                  store_damage(c->rest->store));
    } else if (c->unanswered && !c->damaged && !c->streams) {
        http_add_header(c->r, "Retry-After", "2");
        rest_fail(c, 503, "the server cannot reach its store; try again in a few seconds");
    }
    add_time(&c->rest->handling, loop_now_us() - c->began_us);
    if (!c->is_job || http_release(c->r))
        send_reply(c);
    else
        free(c->out.at);
}

static void run_job(void *arg)
{
    struct rest_call *c = arg;
    work_watch(c->rest->options.work, on_switch, c);
    if (!c->admitted && admit_call(c)) {
        c->admitted = true;
        c->status = c->route->ok;
        if (c->agent)
            lobby_agent_hold(c->agent);
    }
    if (c->admitted && !c->gone)
        handle_call(c);
    if (c->agent && c->admitted)
        lobby_agent_release(c->agent);
    LIST_REMOVE(c, link);
    finish_call(c);
    free(c);
}

// Its cost grows with the length of a match, or it lets a bot think.
static bool is_long(const struct rest_route *route)
{
    static void (*const handlers[])(struct rest_call *) = {rest_replay,    rest_frames,      rest_whole_replay,
                                                           rest_decisions, rest_replay_file, rest_analysis,
                                                           rest_preview,   rest_hint};
    for (size_t i = 0; i < sizeof handlers / sizeof *handlers; i++)
        if (route->handle == handlers[i])
            return true;
    return false;
}

// Streams its reply, or replies when a job of tournaments/ is done: not kept for a job.
static bool is_stream(const struct rest_route *route)
{
    bool looks =
        route->handle == rest_tournaments || route->handle == rest_tournament || route->handle == rest_tournament_games;
    return !looks && memmem(route->path, strlen(route->path), "/tournaments", 12);
}

// Returns false without memory, or if there is no work object.
static bool start_job(const struct rest_call *c, bool admitted)
{
    struct work *work = c->rest->options.work;
    struct rest_call *job = work ? malloc(sizeof *job) : NULL;
    if (!job)
        return false;
    // From the stack of arena_rest_request to the heap; `r` stays valid by http_retain.
    *job = *c;
    job->is_job = true;
    job->admitted = admitted;
    if (job->agent)
        lobby_agent_hold(job->agent);
    http_retain(job->r);
    LIST_INSERT_HEAD(&c->rest->jobs, job, link);
    work_start(work, run_job, job);
    return true;
}

bool arena_rest_request(struct arena_rest *rest, struct http_request *r)
{
    char methods[64];
    struct text allow = text_on(methods, sizeof methods - 1);
    const struct rest_route *near = NULL;
    struct rest_call c = {.rest = rest, .r = r, .type = arena_rest_json, .out = {.grow = heap_text_grow}};
    c.route = find_route(r, &c.id, &near, &allow);
    if (!c.route && !near)
        return false;
    if (c.route && hold_early(rest, c.route, r))
        return true;
    c.began_us = loop_now_us();
    work_count(rest->options.work, REST_COST);
    c.now_ms = rest->options.now_ms();
    client_address_find(&c.client, c.r);
    if (!c.route) {
        c.route = near;
        methods[allow.size] = 0;
        refuse_method(&c, methods);
    } else if (store_may_wait(rest->store) && !is_stream(c.route) && start_job(&c, false)) {
        // Not yet admitted: looking up a key may have to wait for the store.
        return true;
    } else if (admit_call(&c)) {
        c.status = c.route->ok;
        if (is_long(c.route) && start_job(&c, true))
            return true;
        handle_call(&c);
    }
    finish_call(&c);
    return true;
}

void arena_rest_missing(struct arena_rest *rest, struct http_request *r)
{
    static const struct rest_route nowhere = {"GET",        "/{nowhere}", REST_PUBLIC, LIMIT_READ, true, 404,
                                              rest_missing, NULL,         NULL,        NULL,       NULL, ""};
    struct rest_call c = {
        .rest = rest, .r = r, .route = &nowhere, .type = arena_rest_json, .out = {.grow = heap_text_grow}};
    c.began_us = loop_now_us();
    c.now_ms = rest->options.now_ms();
    client_address_find(&c.client, c.r);
    if (admit_call(&c)) {
        c.status = nowhere.ok;
        nowhere.handle(&c);
    }
    finish_call(&c);
}

// --- durations

const double rest_time_bounds[REST_BUCKETS] = {0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005,
                                               0.01,   0.025,   0.05,   0.1,   0.25,   1};
