// A client of the Game-RL layer: tool calls as text, answers as trees.
#pragma once

// jansson names its types as base/json_read.h does
#define JSON_NULL   JANSSON_NULL
#define JSON_STRING JANSSON_STRING
#define JSON_ARRAY  JANSSON_ARRAY
#define JSON_OBJECT JANSSON_OBJECT
#define JSON_REAL   JANSSON_REAL
#include <jansson.h>
#undef JSON_NULL
#undef JSON_STRING
#undef JSON_ARRAY
#undef JSON_OBJECT
#undef JSON_REAL

#include "env/env.h"
#include "games/belote/bots/bots.h"
#include "games/belote/codec.h"
#include "games/belote/kit.h"
#include "games/coup/bots/bots.h"
#include "games/coup/codec.h"
#include "games/coup/kit.h"
#include "games/liars_dice/bots/bots.h"
#include "games/liars_dice/codec.h"
#include "games/liars_dice/kit.h"
#include "games/tetris/bots/bots.h"
#include "games/tetris/codec.h"
#include "games/tetris/kit.h"
#include "games/texas_holdem/bots/bots.h"
#include "games/texas_holdem/codec.h"
#include "games/texas_holdem/kit.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
// clang-format off
#include <cmocka.h>
// clang-format on

extern const struct game tetris_game, texas_holdem_game, liars_dice_game, coup_game, belote_game;

// Levels 2 and 3 are both the plain bot, so that no test waits for a search.
#define GAME(name)                                                                                                     \
    {                                                                                                                  \
        .game = &name##_game, .codec = &name##_codec, .environment = &name##_environment, .picture = &name##_picture,  \
        .bots = {                                                                                                      \
            &bot_random,                                                                                               \
            &bot_fallback,                                                                                             \
            &name##_rules_bot,                                                                                         \
            &name##_rules_bot                                                                                          \
        }                                                                                                              \
    }

static const struct env_game client_games[] = {
    GAME(tetris), GAME(texas_holdem), GAME(liars_dice), GAME(coup), GAME(belote), {0},
};

struct client {
    struct env *env;
    struct env_conn *conn;
    uint64_t calls;
    int64_t now_us;
    int code;     // of the last answer
    json_t *data; // of the last refusal
    json_t *late; // the last answer that had been parked, or NULL
    int late_code;
    uint64_t late_call;
    int notified;
    char notice[64];
    json_t *events; // all that was broadcast to it
    int changed;
    int progress;
};

static json_t *client_parse(struct span s)
{
    json_error_t error;
    json_t *j = json_loadb(s.at, s.size, JSON_REJECT_DUPLICATES, &error);
    if (!j)
        fail_msg("not JSON: %s at %d: %.*s", error.text, error.position, (int)s.size, s.at);
    return j;
}

static json_t *client_parse_data(const struct env_result *r)
{
    char *text = malloc(r->body.size + 3);
    int size = snprintf(text, r->body.size + 3, "{%.*s}", (int)r->body.size, r->body.at);
    json_t *j = client_parse((struct span){text, (size_t)size});
    free(text);
    json_object_set_new(j, "name", json_string(r->name));
    json_object_set_new(j, "message", json_string(r->message));
    return j;
}

static void client_on_answer(void *owner, uint64_t call, const struct env_result *r)
{
    struct client *c = owner;
    json_decref(c->late);
    c->late = r->code ? client_parse_data(r) : client_parse(r->body);
    c->late_code = r->code;
    c->late_call = call;
}

static void client_on_notify(void *owner, const char *method, struct span params)
{
    struct client *c = owner;
    json_t *p = client_parse(params);
    assert_string_equal(method, "notifications/event");
    snprintf(c->notice, sizeof c->notice, "%s", json_string_value(json_object_get(p, "event_type")));
    json_array_append_new(c->events, p);
    c->notified++;
}

static void client_on_changed(void *owner, const char *uri)
{
    (void)uri;
    ((struct client *)owner)->changed++;
}

static void client_on_progress(void *owner, uint64_t call, uint64_t progress, uint64_t total)
{
    (void)call;
    assert_true(progress <= total);
    ((struct client *)owner)->progress++;
}

static const struct env_hooks client_hooks = {.on_answer = client_on_answer,
                                              .on_notify = client_on_notify,
                                              .on_changed = client_on_changed,
                                              .on_progress = client_on_progress};

static struct env *client_host(const char *game)
{
    struct env_options o;
    env_defaults(&o);
    o.games = client_games;
    o.pinned = game;
    o.version = "1.2.3";
    o.metrics = false;
    return env_create(&o);
}

static void client_open(struct client *c, struct env *env, const char *table)
{
    struct env_result refused;
    *c = (struct client){.env = env, .events = json_array()};
    c->conn = env_connect(env, &client_hooks, c, table, NULL, &refused);
    assert_non_null(c->conn);
}

// A host of its own with one connection.
__attribute__((unused)) static void client_start(struct client *c, const char *game)
{
    client_open(c, client_host(game), NULL);
}

static void client_close(struct client *c)
{
    json_decref(c->data);
    json_decref(c->late);
    c->data = c->late = NULL;
    if (c->conn)
        env_disconnect(c->conn, c->now_us);
    json_decref(c->events);
    c->events = NULL;
    c->conn = NULL;
}

__attribute__((unused)) static void client_stop(struct client *c)
{
    client_close(c);
    env_destroy(c->env);
}

static json_t *client_send(struct client *c, const char *tool, const char *arguments)
{
    struct env_result r = {0};
    c->now_us += 1000;
    json_decref(c->data);
    c->data = NULL;
    if (!env_call(c->conn, ++c->calls, span_of(tool), span_of(arguments), true, c->now_us, &r)) {
        c->code = 1; // parked
        return NULL;
    }
    c->code = r.code;
    if (!r.code)
        return client_parse(r.body);
    c->data = client_parse_data(&r);
    return NULL;
}

// Single quotes stand for double ones.
__attribute__((format(printf, 3, 4))) static json_t *client_call(struct client *c, const char *tool, const char *format,
                                                                 ...)
{
    static char text[65536];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    for (char *p = text; *p; p++)
        if (*p == '\'')
            *p = '"';
    return client_send(c, tool, text);
}

#define client_do(c, tool, ...)                                                                                        \
    do {                                                                                                               \
        json_t *done_ = client_call(c, tool, __VA_ARGS__);                                                             \
        if (!done_)                                                                                                    \
            fail_msg("%s: %d %s", tool, (c)->code, client_why(c));                                                     \
        json_decref(done_);                                                                                            \
    } while (0)

static const char *client_why(const struct client *c)
{
    static char text[4096];
    char *dump = c->data ? json_dumps(c->data, 0) : NULL;
    snprintf(text, sizeof text, "%s", dump ? dump : "");
    free(dump);
    return text;
}

__attribute__((unused)) static const char *get_text(const json_t *j, const char *key)
{
    const char *s = json_string_value(json_object_get(j, key));
    return s ? s : "";
}

__attribute__((unused)) static json_int_t get_int(const json_t *j, const char *key)
{
    return json_integer_value(json_object_get(j, key));
}

static inline double get_number(const json_t *j, const char *key)
{
    return json_number_value(json_object_get(j, key));
}

__attribute__((unused)) static bool get_bool(const json_t *j, const char *key)
{
    return json_is_true(json_object_get(j, key));
}
