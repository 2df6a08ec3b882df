// Upgrade requests: who may connect, and in which profile (F1.1 to F1.6).
#include "front/arena/client_address.h"
#include "front/arena/hub_internal.h"
#include "lobby/identity.h"
#include "net/http_grammar.h"
#include "work/work.h"

#include <stdio.h>
#include <stdlib.h>

enum {
    LIST = 512,
    VERSION = 32,
    ADMIT_US = 10000,     // interval at which waiting connections are admitted
    ADMIT_BURST = 10,     // S71: a tenth of a second's connections are admitted at once
    ADMIT_WAITING = 4096, // S71: most connections that wait; further ones get 503
};

enum profile { PROFILE_N, PROFILE_L, PROFILE_NONE };

static void send_refusal(struct hub *h, struct http_request *r, int status, const char *type, const char *body)
{
    h->figures.refused++;
    http_close_after(r);
    http_reply(r, status, type, span_of(body));
}

void hub_refuse(struct hub *h, struct http_request *r, int status, const char *body)
{
    send_refusal(h, r, status, "text/plain; charset=utf-8", body);
}

// A header, else a query parameter, because browsers cannot set headers.
void hub_copy_value(const struct http_request *r, const char *header, const char *query, char *out, size_t room)
{
    struct span value = http_header(r, header);
    out[0] = 0;
    if (value.at && value.size < room) {
        memcpy(out, value.at, value.size);
        out[value.size] = 0;
    } else if (!value.at && query && !http_query(r, query, out, room)) {
        out[0] = 0;
    }
}

// --- the version (F1.5)

static bool read_number(const char **at, int *out)
{
    int digits = 0;
    for (*out = 0; **at >= '0' && **at <= '9' && digits < 6; (*at)++, digits++)
        *out = *out * 10 + (**at - '0');
    return digits > 0;
}

// v?MAJOR.MINOR(.PATCH)?
static bool read_version(const char *text, int *major, int *minor)
{
    int patch;
    text += *text == 'v';
    if (!read_number(&text, major) || *text++ != '.' || !read_number(&text, minor))
        return false;
    if (*text == '.' && (text++, !read_number(&text, &patch)))
        return false;
    return *text == 0;
}

static enum profile choose_profile(const struct hub *h, const char *version)
{
    int major = 1, minor = 0;
    if (*version && !read_version(version, &major, &minor))
        return PROFILE_NONE;
    if (major != 1)
        return PROFILE_NONE;
    if (minor >= 2)
        return PROFILE_N;
    return h->options.require_protocol_1_2 ? PROFILE_NONE : PROFILE_L;
}

// --- authentication (F1.2, F1.4)

// Checks the agent's device and client. Returns true, or refuses.
static bool is_bound_here(struct hub *h, struct http_request *r, struct lobby_agent *a)
{
    const char *bound = NULL;
    char body[96];
    struct span device = http_header(r, "X-Device-Id"), kind = http_header(r, "X-AIFight-Client-Kind");
    if (h->options.no_device_binding)
        return true;
    int status = identity_bind(h->lobby, a, device, kind, &bound);
    if (status == OK)
        return true;
    if (bound)
        snprintf(body, sizeof body, "{\"error\":\"client_mismatch\",\"bound_client\":\"%s\"}", bound);
    else
        snprintf(body, sizeof body, "{\"error\":\"device_mismatch\"}");
    send_refusal(h, r, 403, "application/json", body);
    return false;
}

// A browser cannot set headers, and a key in a URL ends up in logs: so it may offer the subprotocols agon and
// agon.key.KEY, of which agon is selected. Returns false if there is no key.
static bool copy_key(const struct http_request *r, char key[HUB_KEY], const char **protocol)
{
    static const char prefix[] = "agon.key.";
    const size_t skip = sizeof prefix - 1;
    char offered[LIST];
    hub_copy_value(r, "X-API-Key", "api_key", key, HUB_KEY);
    hub_copy_value(r, "Sec-WebSocket-Protocol", NULL, offered, sizeof offered);
    *protocol = http_list_has(span_of(offered), "agon") ? "agon" : NULL;
    if (key[0] || http_header(r, "X-API-Key").size)
        return true;
    for (const char *at = offered; *at;) {
        at += strspn(at, ", \t");
        size_t size = strcspn(at, ", \t");
        if (size > skip && size - skip < HUB_KEY && strncmp(at, prefix, skip) == 0) {
            memcpy(key, at + skip, size - skip);
            key[size - skip] = 0;
            return true;
        }
        at += size;
    }
    return false;
}

// An upgrade request, and what is read from the store for it: in a job with a remote store, else at once.
struct upgrade {
    struct hub *hub;
    struct http_request *r;
    bool has_key, unanswered, damaged;
    const char *protocol;
    char key[HUB_KEY];
    // Known is not enough to get in: check_agent decides.
    struct lobby_agent *agent; // NULL: unknown
    struct store_arrival arrival;
    // Otherwise run_upgrade takes back what store_arrive has recorded.
    bool came; // in, so that its arrival holds
    struct upgrade *next;
};

static void copy_instance(const struct http_request *r, char out[HUB_INSTANCE]);

// S26, for several nodes. A refusal comes from the record, not from here.
static void record_arrival(struct upgrade *v, struct store *s)
{
    char instance[HUB_INSTANCE];
    struct lobby_agent *a = v->agent;
    if (!store_is_shared(s) || lobby_agent_record(a)->disabled)
        return;
    copy_instance(v->r, instance);
    lobby_agent_hold(a);
    if (store_arrive(s, lobby_agent_record(a)->id, instance, 0, !v->hub->options.relays, &v->arrival))
        lobby_agent_arrived(v->hub->lobby, a, &v->arrival);
    else
        v->unanswered = true;
    lobby_agent_release(a);
}

static void look_up_agent(struct upgrade *v)
{
    struct hub *h = v->hub;
    struct store *s = lobby_store(h->lobby);
    // Counters, compared afterwards: a key that could not be looked up must not be answered as a wrong one, because the
    // public client takes that as final (F1.4).
    uint64_t damages = store_damages(s), misses = store_unanswered(s);
    v->has_key = copy_key(v->r, v->key, &v->protocol);
    v->agent = v->has_key ? lobby_agent_by_key(h->lobby, span_of(v->key)) : NULL;
    if (v->agent)
        record_arrival(v, s);
    if (v->agent)
        lobby_agent_load(h->lobby, v->agent, h->options.now_ms());
    v->damaged = store_damages(s) != damages;
    v->unanswered |= store_unanswered(s) != misses;
}

// The agent that may connect, or NULL after a refusal.
static struct lobby_agent *check_agent(const struct upgrade *v)
{
    struct hub *h = v->hub;
    struct http_request *r = v->r;
    if (!v->has_key) {
        hub_refuse(h, r, 401, "missing api_key");
        return NULL;
    }
    if (v->damaged || v->unanswered) { // which does not mean that the key is wrong
        http_add_header(r, "Retry-After", "2");
        hub_refuse(h, r, 503, "server unavailable");
        return NULL;
    }
    if (!v->agent) {
        hub_refuse(h, r, 401, "invalid api key");
        return NULL;
    }
    if (lobby_agent_record(v->agent)->disabled) {
        hub_refuse(h, r, 403, "agent disabled");
        return NULL;
    }
    if (!http_is_origin_allowed(r, h->options.origins)) {
        hub_refuse(h, r, 403, "origin not allowed");
        return NULL;
    }
    return is_bound_here(h, r, v->agent) ? v->agent : NULL; // last, so that a refused client binds nothing
}

bool hub_is_open_to(struct hub *h, struct http_request *r)
{
    if (!ws_is_upgrade(r)) {
        http_add_header(r, "Upgrade", "websocket");
        hub_refuse(h, r, 426, "this path accepts only WebSocket connections");
        return false;
    }
    if (!h->stopping && !h->closed && !store_is_away(lobby_store(h->lobby)))
        return true;
    http_add_header(r, "Retry-After", h->stopping ? "5" : "2");
    hub_refuse(h, r, 503, "server unavailable");
    return false;
}

// --- coming in

// Gated games that were declared (F6.B1).
static uint32_t read_capabilities(const struct hub *h, const char *list)
{
    uint32_t set = 0;
    for (const struct lobby_game *g = lobby_options_of(h->lobby)->games; g->codec; g++)
        if (g->gated && http_list_has(span_of(list), g->codec->game->name))
            set |= 1u << lobby_game_index(h->lobby, g);
    return set;
}

// A header that is too long is truncated, as it always was.
static void copy_instance(const struct http_request *r, char out[HUB_INSTANCE])
{
    struct span instance = http_header(r, "X-AIFight-Instance");
    if (!instance.size) {
        hub_copy_value(r, "X-AIFight-Instance", "instance", out, HUB_INSTANCE);
        return;
    }
    if (instance.size >= HUB_INSTANCE)
        instance.size = HUB_INSTANCE - 1;
    memcpy(out, instance.at, instance.size);
    out[instance.size] = 0;
}

static struct hub_conn *make_conn(struct hub *h, const struct http_request *r, bool old, char list[LIST])
{
    struct hub_conn *c = hub_add(h);
    if (!c)
        return NULL;
    copy_instance(r, c->instance);
    hub_copy_value(r, "X-AIFight-Capabilities", "capabilities", list, LIST);
    c->has_feed = http_list_has(span_of(list), "match_feed");
    c->has_states = http_list_has(span_of(list), "game_state");
    char bridge[LIST];
    hub_copy_value(r, "X-AIFight-Bridge-Capabilities", "bridge_capabilities", bridge, sizeof bridge);
    c->has_close_code = http_list_has(span_of(bridge), "replaced-close-code");
    c->old = old;
    return c;
}

// F1.3: kept for status pages.
static void note_bridge(struct hub *h, struct lobby_agent *a, const struct http_request *r)
{
    char version[sizeof lobby_agent_record(a)->bridge_version];
    hub_copy_value(r, "X-AIFight-Bridge-Version", NULL, version, sizeof version);
    if (!version[0] || strcmp(version, lobby_agent_record(a)->bridge_version) == 0)
        return;
    snprintf(lobby_agent_edit(a)->bridge_version, sizeof version, "%s", version);
    lobby_agent_save(h->lobby, a);
}

static void connect_agent(struct hub_conn *c, struct lobby_agent *a, const char *address, uint32_t capabilities,
                          uint64_t number)
{
    struct hub *h = c->hub;
    int64_t now_ms = h->options.now_ms();
    struct lobby_presence p = {.link = &hub_link,
                               .client = c,
                               .instance = c->instance,
                               .capabilities = capabilities,
                               .address = address,
                               .conn = number,
                               .claims = !h->options.relays};
    if (h->options.transcripts)
        c->transcript = transcript_open(h->options.transcripts, lobby_agent_record(a)->id, now_ms, h->files++);
    c->agent = a;
    lobby_connect(h->lobby, a, &p, now_ms);
    hub_send_welcome(c, capabilities);
    conn_flush(ws_conn(c->ws)); // the upgrade, before anything can follow it
}

// F1.5: the reason is sent once, in a frame.
static void reject_version(struct hub_conn *c)
{
    static const char frame[] = "{\"type\":\"error\",\"data\":{\"message\":\"protocol version v1.2.0 is required\"}}";
    ws_send(c->ws, (struct span){frame, sizeof frame - 1});
    ws_end(c->ws, WS_POLICY, "protocol version v1.2.0 is required");
}

// The agent's match continues at another node, where other players of it are, and nothing is relayed.
static void send_elsewhere(struct hub_conn *c, const struct store_arrival *arrival)
{
    int at = 0;
    while (at < arrival->matches - 1 && !arrival->match[at].busy)
        at++;
    const struct store_hosted *m = &arrival->match[at];
    // JSON writes a byte in six at most.
    char say[64 + STORE_NODE_NAME + STORE_ADDRESS], frame[sizeof say * 6 + 64];
    struct text t = text_on(frame, sizeof frame);
    snprintf(say, sizeof say, "your match is played at node %s%s%s", m->node, m->address[0] ? "; connect to " : "",
             m->address);
    json_begin_object(&t);
    json_put_text(&t, "type", "error");
    json_begin_object_at(&t, "data");
    json_put_text(&t, "message", say);
    json_end_object(&t);
    json_end_object(&t);
    ws_send(c->ws, text_span(&t));
    ws_end(c->ws, WS_RESTART, "");
}

static void accept_upgrade(struct upgrade *v)
{
    struct hub *h = v->hub;
    struct http_request *r = v->r;
    char version[VERSION], list[LIST];
    struct client_address client;
    struct lobby_agent *a = check_agent(v);
    if (!a)
        return;
    hub_copy_value(r, "X-AIFight-Protocol-Version", "protocol", version, sizeof version);
    if (http_header(r, "X-AIFight-Protocol-Version").size >= sizeof version)
        memcpy(version, "?", 2); // too long for a version, so unparseable, and refused (F1.5)
    enum profile profile = choose_profile(h, version);
    struct hub_conn *c = make_conn(h, r, profile == PROFILE_L, list);
    if (!c) {
        hub_refuse(h, r, 503, "no memory");
        return;
    }
    note_bridge(h, a, r);
    client_address_find(&client, r);
    c->ws = ws_accept(r, &hub_ws_handler, c, HUB_MAX_MESSAGE, v->protocol);
    if (!c->ws) {
        hub_remove(c);
        return;
    }
    hub_enter(c);
    // While this job waited for the store, a newer connection of the agent came in (F1.12).
    bool outrun = lobby_is_outrun(a, v->arrival.conn);
    bool elsewhere = store_is_shared(lobby_store(h->lobby)) && !v->arrival.conn;
    v->came = profile != PROFILE_NONE && !elsewhere && !outrun;
    if (profile == PROFILE_NONE)
        reject_version(c);
    else if (outrun)
        hub_link.on_gone(c, LOBBY_REPLACED);
    else if (!v->came)
        send_elsewhere(c, &v->arrival);
    else
        connect_agent(c, a, client.loopback && !h->options.limit_loopback ? "" : client.address,
                      read_capabilities(h, list), v->arrival.conn);
    if (v->came && h->relay && v->arrival.conn && c->agent)
        relay_note_arrival(c, &v->arrival);
    loop_end_turn(h->options.loop);
}

static void run_upgrade(void *arg)
{
    struct upgrade *v = arg;
    // A client that left in the queue must not replace another connection.
    if (!http_release(v->r) || !hub_is_open_to(v->hub, v->r)) {
        free(v);
        return;
    }
    http_retain(v->r);
    look_up_agent(v);
    if (http_release(v->r) && hub_is_open_to(v->hub, v->r))
        accept_upgrade(v);
    if (v->arrival.conn && !v->came) {
        store_depart(lobby_store(v->hub->lobby), lobby_agent_record(v->agent)->id, v->arrival.conn);
        loop_end_turn(v->hub->options.loop);
    }
    free(v);
}

// --- connections that wait to be admitted (S71)

struct hub_waiting_room {
    struct event *timer;
    struct upgrade *first, **end;
    int64_t counted_us; // up to when `left` is
    // Microseconds times visits a second, so no fraction is lost.
    int64_t left; // in millionths of a visit
};

static bool may_enter(const struct hub *h, struct hub_waiting_room *d)
{
    const int64_t visit = 1000000;
    int64_t rate = h->options.connects_per_second, now_us = loop_now_us(), most = rate * visit / ADMIT_BURST;
    if (!rate)
        return true;
    d->left += (now_us - d->counted_us) * rate;
    most = most < visit ? visit : most;
    d->left = d->left < most ? d->left : most;
    d->counted_us = now_us;
    if (d->left < visit)
        return false;
    d->left -= visit;
    return true;
}

static void start_upgrade(struct hub *h, struct upgrade *v)
{
    work_start(loop_work(h->options.loop), run_upgrade, v);
}

static void admit_waiting(struct hub *h)
{
    struct hub_waiting_room *d = h->waiting_room;
    // When the hub stops, all go on at once, to be refused.
    for (struct upgrade *v; (v = d->first) && (h->stopping || may_enter(h, d));) {
        d->first = v->next;
        d->end = d->first ? d->end : &d->first;
        h->figures.at_door--;
        start_upgrade(h, v);
    }
    if (d->first)
        event_add(d->timer, &(struct timeval){.tv_usec = ADMIT_US});
    loop_end_turn(h->options.loop);
}

static void on_admit_timer(evutil_socket_t fd, short what, void *arg)
{
    (void)fd, (void)what;
    admit_waiting(arg);
}

static struct hub_waiting_room *open_waiting_room(struct hub *h)
{
    struct hub_waiting_room *d = h->waiting_room ? h->waiting_room : calloc(1, sizeof *d);
    if (!d || h->waiting_room)
        return d;
    d->timer = evtimer_new(h->options.loop->base, on_admit_timer, h);
    d->end = &d->first;
    d->counted_us = loop_now_us();
    // Full: may_enter reduces it to the burst.
    d->left = INT32_MAX;
    return h->waiting_room = d;
}

void hub_refuse_waiting(struct hub *h)
{
    if (!h->waiting_room)
        return;
    admit_waiting(h);
    event_free(h->waiting_room->timer);
    free(h->waiting_room);
    h->waiting_room = NULL;
}

// When all clients reconnect at once, connecting is most of what the store has to read and write.
static void queue_upgrade(struct hub *h, struct upgrade *v)
{
    struct hub_waiting_room *d = open_waiting_room(h);
    // A new connection does not overtake those that wait.
    if (!d || (!d->first && may_enter(h, d))) {
        start_upgrade(h, v);
        return;
    }
    v->next = NULL;
    *d->end = v;
    d->end = &v->next;
    h->figures.at_door++;
    h->figures.delayed++;
    if (!event_pending(d->timer, EV_TIMEOUT, NULL))
        event_add(d->timer, &(struct timeval){.tv_usec = ADMIT_US});
}

void hub_agent_request(struct hub *h, struct http_request *r)
{
    if (!hub_is_open_to(h, r))
        return;
    if (h->figures.at_door >= ADMIT_WAITING) {
        http_add_header(r, "Retry-After", "5");
        hub_refuse(h, r, 503, "too many clients are connecting; try again in a few seconds");
        return;
    }
    struct upgrade *later = store_may_wait(lobby_store(h->lobby)) ? malloc(sizeof *later) : NULL;
    if (later) {
        // Outlives the request if its client leaves, which http_release reports.
        *later = (struct upgrade){.hub = h, .r = r};
        http_retain(r);
        queue_upgrade(h, later);
        return;
    }
    struct upgrade v = {.hub = h, .r = r};
    look_up_agent(&v);
    accept_upgrade(&v);
}
