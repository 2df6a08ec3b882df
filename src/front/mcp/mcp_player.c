// Players (M52, M53): seats that are known by a handle, each a connection of its own.
#include "crypto/crypto.h"
#include "front/mcp/mcp_internal.h"

#include <stdio.h>
#include <stdlib.h>

enum { MOST_SEATS = 4096, OWN_SEATS = 64, SWEEP_US = 1000000 }; // M28

const struct env_tool *mcp_tools_of(const struct mcp_session *s)
{
    return s->player ? env_player_tools : env_tools;
}

// --- callbacks of env

static void on_answer(void *owner, uint64_t number, const struct env_result *r)
{
    struct mcp_seat *seat = owner;
    struct mcp_session *s;
    LIST_FOREACH(s, &seat->host->sessions, all) {
        struct mcp_call *c = mcp_call_find(s, number);
        if (!c)
            continue;
        struct mcp_request a = {.s = s,
                                .id = &c->id,
                                .batch = c->batch,
                                .tag = c->tag,
                                .unknown = c->unknown,
                                .modern = c->modern,
                                .ttl_ms = -1};
        mcp_write_player_result(&a, r);
        mcp_call_free(s, c);
        break;
    }
    seat->heard_us = seat->host->now_us;
}

static const struct env_hooks seat_hooks = {.on_answer = on_answer};

// --- seats

void mcp_make_handle(char out[MCP_HANDLE + 1])
{
    static const char alphabet[] = "0123456789abcdefghjkmnpqrstvwxyz"; // M22: without i l o u
    uint8_t random[MCP_HANDLE];
    crypto_random(random, sizeof random);
    for (int i = 0; i < MCP_HANDLE; i++)
        // 32 characters: five random bits choose each with the same probability.
        out[i] = alphabet[random[i] & 31];
    out[MCP_HANDLE] = 0;
}

static struct mcp_seat *find_seat(const struct mcp_host *h, const char *handle)
{
    struct mcp_seat *seat, *found = NULL;
    if (strlen(handle) != MCP_HANDLE)
        return NULL;
    // Compares all of them, each in constant time, so that the time does not reveal which handles exist.
    LIST_FOREACH(seat, &h->seats, all)
        if (crypto_equal(seat->handle, handle, MCP_HANDLE))
            found = seat;
    return found;
}

// M53: a session with exactly one seat need not name it.
static struct mcp_seat *only_seat(const struct mcp_session *s)
{
    struct mcp_seat *seat, *found = NULL;
    int count = 0;
    LIST_FOREACH(seat, &s->host->seats, all)
        if (seat->owner == s)
            found = seat, count++;
    return count == 1 ? found : NULL;
}

static void seat_destroy(struct mcp_seat *seat)
{
    LIST_REMOVE(seat, all);
    env_disconnect(seat->env, seat->host->now_us);
    free(seat);
}

static void refuse_player(const struct mcp_request *a, const char *name, const char *why)
{
    struct env_result r = {.code = MCP_INVALID_PARAMS, .name = name, .message = why, .body = SPAN("")};
    mcp_write_player_result(a, &r);
}

static bool has_room(const struct mcp_request *a)
{
    struct mcp_seat *seat;
    int all = 0, own = 0;
    LIST_FOREACH(seat, &a->s->host->seats, all) {
        all++;
        own += seat->owner == a->s;
    }
    if (all < MOST_SEATS && own < OWN_SEATS)
        return true;
    refuse_player(a, "ResourceExhausted",
                  own < OWN_SEATS ? "Not done: 4096 seats are taken here. Try again later."
                                  : "Not done: you have 64 seats. Call leave with one of them.");
    return false;
}

static struct env_conn *seat_create(const struct mcp_request *a, const char *table)
{
    struct mcp_host *h = a->s->host;
    struct env_result refused = {0};
    struct mcp_seat *seat = has_room(a) ? calloc(1, sizeof *seat) : NULL;
    if (!seat)
        return NULL;
    seat->env = env_connect(h->env, &seat_hooks, seat, table[0] ? table : NULL, NULL, &refused);
    if (!seat->env) {
        refuse_player(a, "ResourceExhausted",
                      refused.code ? refused.message : "Not done: there is no room for another table.");
        free(seat);
        return NULL;
    }
    if (a->s->caller[0])
        env_name_caller(seat->env, a->s->caller);
    seat->host = h;
    seat->owner = a->s;
    seat->heard_us = h->now_us;
    mcp_make_handle(seat->handle);
    env_name_seat(seat->env, seat->handle);
    LIST_INSERT_HEAD(&h->seats, seat, all);
    // The sweep is idle while there are no seats, and has to begin again.
    h->seats_us = 0;
    return seat->env;
}

static void read_arguments(struct span arguments, char handle[64], char table[MCP_MAX_NAME + 1])
{
    struct json_reader r = json_reader_of(arguments, MCP_MAX_DEPTH);
    struct json_string key;
    handle[0] = table[0] = 0;
    for (json_enter_object(&r); json_next_key(&r, &key);)
        if (json_string_is(key, "seat")) {
            if (!mcp_read_text(&r, handle, 64))
                // No handle has this character, so it is refused as unknown.
                memcpy(handle, "?", 2);
        } else if (json_string_is(key, "table")) {
            mcp_read_text(&r, table, MCP_MAX_NAME + 1);
        } else {
            json_skip(&r);
        }
}

struct env_conn *mcp_seat_find_conn(const struct mcp_request *a, const struct env_tool *tool, struct span arguments)
{
    char handle[64], table[MCP_MAX_NAME + 1];
    bool joins = strcmp(tool->name, "join") == 0;
    read_arguments(arguments, handle, table);
    if (joins && !handle[0])
        return seat_create(a, table);
    struct mcp_seat *seat = handle[0] ? find_seat(a->s->host, handle) : only_seat(a->s);
    if (!seat) {
        refuse_player(
            a, "AgentNotRegistered",
            handle[0] ? "Not done: this seat handle is unknown or has expired (after 30 minutes without a call). Call "
                        "join to get a new one."
                      : "Not done: pass the seat handle that join returned as \"seat\".");
        return NULL;
    }
    seat->heard_us = a->s->host->now_us;
    return seat->env;
}

void mcp_seat_end_call(struct mcp_host *h, struct env_conn *env, bool gone)
{
    struct mcp_seat *seat;
    LIST_FOREACH(seat, &h->seats, all)
        if (seat->env == env)
            break;
    if (seat && (gone || !env_has_agents(env)))
        seat_destroy(seat);
}

static bool is_waiting(const struct mcp_seat *seat)
{
    struct mcp_session *s;
    struct mcp_call *c;
    LIST_FOREACH(s, &seat->host->sessions, all)
        TAILQ_FOREACH(c, &s->calls, all)
            if (c->env == seat->env)
                return true;
    return false;
}

int64_t mcp_seats_advance(struct mcp_host *h, int64_t now_us)
{
    struct mcp_seat *seat, *next;
    if (LIST_EMPTY(&h->seats))
        return INT64_MAX;
    if (now_us < h->seats_us)
        return h->seats_us;
    for (seat = LIST_FIRST(&h->seats); seat; seat = next) {
        next = LIST_NEXT(seat, all);
        if (now_us - seat->heard_us >= (int64_t)h->options.idle_s * 1000000 && !is_waiting(seat))
            seat_destroy(seat);
    }
    return h->seats_us = now_us + SWEEP_US;
}

void mcp_seats_end_session(struct mcp_host *h, const struct mcp_session *s)
{
    struct mcp_seat *seat;
    LIST_FOREACH(seat, &h->seats, all)
        if (seat->owner == s)
            seat->owner = NULL;
}

void mcp_seats_close(struct mcp_host *h)
{
    while (!LIST_EMPTY(&h->seats))
        seat_destroy(LIST_FIRST(&h->seats));
}
