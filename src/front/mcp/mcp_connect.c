#include "front/mcp/mcp_connect.h"

#include "base/json_write.h"
#include "front/mcp/mcp_modern.h"
#include "front/mcp/mcp_pipe.h"
#include "net/loop.h"

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/queue.h>
#include <unistd.h>

enum {
    MAX_AGENT_ID = 128, // G10.1
    MAX_WAITING = 16 << 20,
    GOODBYE_US = 500000, // G18.5
    MAX_TRIES = 16,      // for an agent id that nobody has
};

#define OWN_PREFIX "agon-connect:" // G18.4: of the ids of our own requests

// What a request would change in the list of agents, if the host reports success.
enum intent { OTHER, REGISTER, DEREGISTER };

// A request that the host has not answered.
struct open {
    struct mcp_id id;
    enum intent intent;
    bool own; // ours: its answer is not the client's
    char agent[MAX_AGENT_ID + 1];
    LIST_ENTRY(open) all;
};

// Registered through this connector and not deregistered: at the end the connector does it for its client (G18.5).
struct agent {
    char id[MAX_AGENT_ID + 1];
    LIST_ENTRY(agent) all;
};

struct bridge {
    const struct mcp_connect_options *o;
    struct mcp_pipe client, host;
    LIST_HEAD(, open) requests;
    LIST_HEAD(, agent) agents;
    char client_name[MAX_AGENT_ID + 1];
    int tries;    // of our own registration; 0: not begun
    int numbered; // our own requests so far
};

// --- what is remembered

static void remember_agent(struct bridge *b, const char *id)
{
    struct agent *a;
    LIST_FOREACH(a, &b->agents, all)
        if (strcmp(a->id, id) == 0)
            return;
    if (!(a = calloc(1, sizeof *a)))
        return;
    memcpy(a->id, id, strlen(id) + 1);
    LIST_INSERT_HEAD(&b->agents, a, all);
}

static void forget_agent(struct bridge *b, const char *id)
{
    struct agent *a;
    LIST_FOREACH(a, &b->agents, all)
        if (strcmp(a->id, id) == 0)
            break;
    if (!a)
        return;
    LIST_REMOVE(a, all);
    free(a);
}

static struct open *find_open(struct bridge *b, const struct mcp_id *id)
{
    struct open *r;
    LIST_FOREACH(r, &b->requests, all)
        if (mcp_id_equals(&r->id, id))
            return r;
    return NULL;
}

static struct open *remember_request(struct bridge *b, const struct mcp_id *id)
{
    struct open *r = calloc(1, sizeof *r);
    if (!r)
        return NULL;
    r->id.size = id->size;
    memcpy(r->id.at, id->at, id->size);
    LIST_INSERT_HEAD(&b->requests, r, all);
    return r;
}

static void forget_request(struct open *r)
{
    LIST_REMOVE(r, all);
    free(r);
}

// --- our own requests

static void send_call(struct bridge *b, const char *tool, const struct open *r)
{
    char bytes[1024];
    struct text t = text_on(bytes, sizeof bytes);
    json_begin_object(&t);
    json_put_text(&t, "jsonrpc", "2.0");
    json_put_raw(&t, "id", mcp_id_span(&r->id));
    json_put_text(&t, "method", "tools/call");
    json_begin_object_at(&t, "params");
    json_put_text(&t, "name", tool);
    json_begin_object_at(&t, "arguments");
    json_put_text(&t, "agent_id", r->agent);
    if (r->intent == REGISTER) {
        json_put_text(&t, "agent_type", b->o->role);
        json_begin_object_at(&t, "config");
        if (b->o->entity)
            json_put_text(&t, "avatar_id", b->o->entity);
        json_end_object(&t);
    }
    text_put(&t, SPAN("}}}"));
    if (!t.full)
        mcp_pipe_send(&b->host, text_span(&t));
}

static void call_own(struct bridge *b, enum intent intent, const char *agent)
{
    struct mcp_id id;
    id.size = (uint16_t)snprintf(id.at, sizeof id.at, "\"" OWN_PREFIX "%d\"", ++b->numbered);
    struct open *r = remember_request(b, &id);
    if (!r)
        return;
    r->own = true;
    r->intent = intent;
    memcpy(r->agent, agent, strlen(agent) + 1);
    send_call(b, intent == REGISTER ? "register_agent" : "deregister_agent", r);
}

// G18.4: <client name>:<role> in the characters of an id, with a number appended if another agent has this id.
static void register_own(struct bridge *b)
{
    char id[MAX_AGENT_ID + 1];
    const char *given = b->o->agent_id;
    b->tries++;
    if (given)
        snprintf(id, sizeof id, "%.*s", MAX_AGENT_ID, given);
    else if (b->tries == 1)
        snprintf(id, sizeof id, "%.80s:%.40s", b->client_name[0] ? b->client_name : "client", b->o->role);
    else
        snprintf(id, sizeof id, "%.70s:%.40s-%d", b->client_name[0] ? b->client_name : "client", b->o->role, b->tries);
    static const char alphabet[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_:-";
    for (char *at = id; !given && *(at += strspn(at, alphabet)); at++)
        *at = '-';
    if (!given && id[0] == '_') // reserved
        id[0] = '-';
    call_own(b, REGISTER, id);
}

// --- from the client

static void read_client_name(struct bridge *b, struct json_reader *r)
{
    struct json_string key;
    if (json_peek(r) != JSON_OBJECT) {
        json_skip(r);
        return;
    }
    for (json_enter_object(r); json_next_key(r, &key);)
        if (json_string_is(key, "name") && json_peek(r) == JSON_STRING)
            json_string_copy(json_read_string(r), b->client_name, sizeof b->client_name);
        else
            json_skip(r);
}

// Where in the line the members of _meta begin, and whether there is a _meta; NULL: the params take none.
static const char *find_meta(struct bridge *b, struct span params, bool *exists)
{
    struct json_reader r = json_reader_of(params, MCP_MAX_DEPTH);
    struct json_string key;
    const char *place = params.at;
    *exists = false;
    if (json_peek(&r) != JSON_OBJECT)
        return NULL;
    for (json_enter_object(&r); json_next_key(&r, &key);) {
        bool meta = json_string_is(key, "_meta");
        if (json_string_is(key, "clientInfo")) {
            read_client_name(b, &r);
            continue;
        }
        enum json_type type = json_peek(&r);
        struct span value = json_read_raw(&r);
        if (meta && type != JSON_OBJECT)
            return NULL;
        if (meta) {
            place = value.at;
            *exists = true;
        }
    }
    return place + 1;
}

// initialize, or any modern request, with the table and the game (G1.7, M33). What the client says itself comes later
// and wins.
static void send_greeting(struct bridge *b, struct span line, struct span params)
{
    bool exists;
    const char *place = find_meta(b, params, &exists);
    if (!place || (!b->o->table && !b->o->game)) {
        mcp_pipe_send(&b->host, line);
        return;
    }
    struct text t = {.at = malloc(line.size + 512), .room = line.size + 512};
    if (!t.at)
        return;
    size_t before = (size_t)(place - line.at);
    text_put(&t, (struct span){line.at, before});
    if (!exists)
        text_puts(&t, "\"_meta\":{");
    if (b->o->table)
        json_put_text(&t, "agon/table", b->o->table);
    if (b->o->game)
        json_put_text(&t, "agon/game", b->o->game);
    if (!exists)
        text_put_char(&t, '}');
    struct json_reader rest = json_reader_of((struct span){place, line.size - before}, MCP_MAX_DEPTH);
    if (json_peek(&rest) != JSON_NONE) // another member follows
        text_put_char(&t, ',');
    text_put(&t, (struct span){place, line.size - before});
    mcp_pipe_send(&b->host, t.full ? line : text_span(&t));
    free(t.at);
}

// Which tool is called, and for whom.
static void read_call(struct open *r, struct span params)
{
    struct json_reader p = json_reader_of(params, MCP_MAX_DEPTH);
    struct json_string key, inner;
    if (json_peek(&p) != JSON_OBJECT)
        return;
    for (json_enter_object(&p); json_next_key(&p, &key);)
        if (json_string_is(key, "name") && json_peek(&p) == JSON_STRING) {
            struct json_string name = json_read_string(&p);
            r->intent = json_string_is(name, "register_agent")     ? REGISTER
                        : json_string_is(name, "deregister_agent") ? DEREGISTER
                                                                   : OTHER;
        } else if (json_string_is(key, "arguments") && json_peek(&p) == JSON_OBJECT) {
            for (json_enter_object(&p); json_next_key(&p, &inner);)
                if ((json_string_is(inner, "agent_id") || json_string_is(inner, "AgentId")) &&
                    json_peek(&p) == JSON_STRING)
                    json_string_copy(json_read_string(&p), r->agent, sizeof r->agent);
                else
                    json_skip(&p);
        } else {
            json_skip(&p);
        }
}

// The messages of a line: one, or those of a batch.
static void each_message(struct bridge *b, struct span line, void (*note)(struct bridge *b, struct span message))
{
    struct json_reader r = json_reader_of(line, MCP_MAX_DEPTH);
    if (json_peek(&r) != JSON_ARRAY) {
        note(b, line);
        return;
    }
    for (json_enter_array(&r); json_next_item(&r);)
        note(b, json_read_raw(&r));
}

static void track_client_message(struct bridge *b, struct span message)
{
    struct mcp_message m;
    if (mcp_message_read(&m, message) != OK || m.kind != MCP_REQUEST)
        return;
    struct open *r = remember_request(b, &m.id);
    if (r && json_string_is(m.method, "tools/call"))
        read_call(r, m.params);
}

static void on_client_line(void *client, struct span line)
{
    struct bridge *b = client;
    struct mcp_message m;
    bool read = mcp_message_read(&m, line) == OK;
    each_message(b, line, track_client_message);
    if (read && m.kind == MCP_REQUEST && (json_string_is(m.method, "initialize") || mcp_has_claim(m.params))) { // M33
        send_greeting(b, line, m.params);
        return;
    }
    mcp_pipe_send(&b->host, line);
    if (read && m.kind == MCP_NOTIFICATION && json_string_is(m.method, "notifications/initialized") && b->o->role &&
        b->tries == 0)
        register_own(b);
}

static void answer_error(struct bridge *b, struct span id, int code, const char *name, const char *message)
{
    char bytes[MCP_ID_TEXT + 256];
    struct text t = text_on(bytes, sizeof bytes);
    json_begin_object(&t);
    json_put_text(&t, "jsonrpc", "2.0");
    json_put_raw(&t, "id", id);
    json_begin_object_at(&t, "error");
    json_put_int(&t, "code", code);
    json_put_text(&t, "message", message);
    json_begin_object_at(&t, "data");
    json_put_text(&t, "name", name);
    text_put(&t, SPAN("}}}"));
    mcp_pipe_send(&b->client, text_span(&t));
}

static void on_client_too_long(void *client)
{
    answer_error(client, SPAN("null"), MCP_PARSE_ERROR, "TooLarge", err_sentence(ERR_TOO_LONG));
}

// --- from the host

// Whether an answer reports success; its text when it does not.
static bool is_success(struct span message, char *why, size_t room)
{
    struct json_reader r = json_reader_of(message, MCP_MAX_DEPTH);
    struct json_string key;
    bool good = false;
    why[0] = 0;
    for (json_enter_object(&r); json_next_key(&r, &key);) {
        bool failed = json_string_is(key, "error"), result = json_string_is(key, "result");
        if ((!failed && !result) || json_peek(&r) != JSON_OBJECT) {
            json_skip(&r);
            continue;
        }
        good = result;
        for (json_enter_object(&r); json_next_key(&r, &key);)
            if (failed && json_string_is(key, "message") && json_peek(&r) == JSON_STRING)
                json_string_copy(json_read_string(&r), why, room);
            else if (result && json_string_is(key, "isError") && json_peek(&r) == JSON_BOOL)
                good = !json_read_bool(&r);
            else
                json_skip(&r);
    }
    return good;
}

static void handle_own_failure(struct bridge *b, const struct open *r, const char *why)
{
    if (r->intent != REGISTER)
        return;
    if (!b->o->agent_id && b->tries < MAX_TRIES)
        register_own(b);
    else
        fprintf(stderr, "agon mcp: cannot register %s as %s: %s\n", r->agent, b->o->role, why);
}

static void handle_host_message(struct bridge *b, struct span message)
{
    struct mcp_message m;
    char why[256];
    if (mcp_message_read(&m, message) != OK || m.kind != MCP_RESPONSE)
        return;
    struct open *r = m.id.size ? find_open(b, &m.id) : NULL;
    if (!r)
        return;
    bool good = is_success(message, why, sizeof why);
    if (good && r->intent == REGISTER && r->agent[0])
        remember_agent(b, r->agent);
    if (good && r->intent == DEREGISTER)
        forget_agent(b, r->agent);
    // handle_own_failure may register again, which adds to the list; r is freed before that.
    struct open copy = {.intent = r->intent, .own = r->own};
    memcpy(copy.agent, r->agent, sizeof copy.agent);
    forget_request(r);
    if (copy.own && !good)
        handle_own_failure(b, &copy, why);
}

static bool is_own(struct span line)
{
    struct mcp_message m;
    static const char prefix[] = "\"" OWN_PREFIX;
    return mcp_message_read(&m, line) == OK && m.kind == MCP_RESPONSE && m.id.size >= sizeof prefix &&
           memcmp(m.id.at, prefix, sizeof prefix - 1) == 0;
}

static void on_host_line(void *client, struct span line)
{
    struct bridge *b = client;
    bool own = is_own(line);
    each_message(b, line, handle_host_message);
    if (!own)
        mcp_pipe_send(&b->client, line);
}

static void on_host_too_long(void *client)
{
    (void)client; // our hosts never send such a line, and it is unknown which request it answered
}

// --- turns

static bool may_read_client(void *client)
{
    const struct bridge *b = client;
    return mcp_pipe_may_read(&b->host) && !b->client.broken;
}

static bool may_read_host(void *client)
{
    const struct bridge *b = client;
    return mcp_pipe_may_read(&b->client);
}

static void take_turn(struct bridge *b, int64_t wait_us, const sigset_t *awake)
{
    struct timespec limit = {wait_us / 1000000, wait_us % 1000000 * 1000};
    struct pollfd fds[4] = {
        {.fd = !b->client.ended && may_read_client(b) ? b->client.in : -1, .events = POLLIN},
        {.fd = mcp_pipe_waiting(&b->client) ? b->client.out : -1, .events = POLLOUT},
        {.fd = may_read_host(b) ? b->host.in : -1, .events = POLLIN},
        {.fd = mcp_pipe_waiting(&b->host) ? b->host.out : -1, .events = POLLOUT},
    };
    if (ppoll(fds, 4, wait_us < 0 ? NULL : &limit, awake) < 0)
        return;
    if (fds[0].revents)
        mcp_pipe_read(&b->client);
    if (fds[2].revents)
        mcp_pipe_read(&b->host);
    mcp_pipe_split(&b->client); // what one side held back while the other was full
    mcp_pipe_split(&b->host);
    mcp_pipe_write(&b->host);
    mcp_pipe_write(&b->client);
}

static bool is_host_lost(const struct bridge *b)
{
    return b->host.ended || b->host.broken;
}

// G18.5: deregisters the agents that the client has left; the table continues.
static void send_goodbye(struct bridge *b, const sigset_t *awake)
{
    struct agent *a;
    int64_t until = loop_now_us() + GOODBYE_US;
    LIST_FOREACH(a, &b->agents, all)
        call_own(b, DEREGISTER, a->id);
    mcp_pipe_write(&b->host);
    while (!LIST_EMPTY(&b->requests) && !is_host_lost(b) && loop_now_us() < until)
        take_turn(b, until - loop_now_us(), awake);
}

static void report_loss(struct bridge *b)
{
    struct open *r;
    LIST_FOREACH(r, &b->requests, all)
        if (!r->own)
            answer_error(b, mcp_id_span(&r->id), MCP_INTERNAL, "Internal", "the connection to the host is lost");
}

static void release_bridge(struct bridge *b)
{
    for (struct open *r; (r = LIST_FIRST(&b->requests));)
        forget_request(r);
    for (struct agent *a; (a = LIST_FIRST(&b->agents));)
        forget_agent(b, a->id);
    mcp_pipe_release(&b->client);
    mcp_pipe_release(&b->host);
    close(b->o->host);
}

bool mcp_connect_run(const struct mcp_connect_options *o)
{
    struct bridge b = {.o = o};
    sigset_t awake;
    struct mcp_lines from_client = {o->max_message, &b, on_client_line, on_client_too_long, may_read_client, false};
    struct mcp_lines from_host = {o->max_message, &b, on_host_line, on_host_too_long, may_read_host, false};
    mcp_pipe_init(&b.client, o->in, o->out, MAX_WAITING, &from_client);
    mcp_pipe_init(&b.host, o->host, o->host, MAX_WAITING, &from_host);
    mcp_stop_watch(&awake);
    while (!b.client.ended && !b.client.broken && !is_host_lost(&b) && !mcp_stop_requested())
        take_turn(&b, -1, &awake);
    bool lost = is_host_lost(&b);
    if (lost)
        report_loss(&b);
    else
        send_goodbye(&b, &awake);
    mcp_pipe_linger(&b.client, GOODBYE_US);
    release_bridge(&b);
    return !lost;
}
