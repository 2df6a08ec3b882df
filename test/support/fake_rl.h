// A Game-RL of a few lines, for tests of the MCP side: it has two tools. `register_agent` echoes its arguments as
// {"echo":...}; `sim_step` does what its arguments ask: "park", "progress", "notify", "change", "fail", "big".
// A program that includes this has it instead of the real one.
#pragma once

#include "env/env.h"

#include <stdio.h>
#include <stdlib.h>

enum { FAKE_CALLS = 64 };

struct env {
    const struct env_options *options;
    struct env_conn *all;
};

struct env_conn {
    struct env *env;
    const struct env_hooks *hooks;
    void *owner;
    char table[65], game[65];
    uint64_t parked[FAKE_CALLS]; // 0: free
    struct env_conn *next;
};

static struct {
    int connected, cancelled, calls;
    char table[65], game[65]; // of the last connection; "-": none
    char *big;
} fake_rl;

const struct env_tool env_tools[] = {
    {"register_agent", "Register", "{\"agent_id\":\"me\"}", "{\"type\":\"object\"}", "{\"type\":\"object\"}", false,
     false, true, NULL},
    {"sim_step", "Step", "{\"agent_id\":\"me\"}", "{\"type\":\"object\"}", "{\"type\":\"object\"}", false, true, false,
     NULL},
    {0},
};

static const struct env_tool no_tools[] = {{0}};
const struct env_tool *const env_player_tools = no_tools;

void env_write_input(const struct env *env, const struct env_tool *tool, struct text *t)
{
    (void)env;
    text_puts(t, tool->input);
}

void env_name_seat(struct env_conn *c, const char *handle)
{
    (void)c, (void)handle;
}

bool env_is_argument(const struct env *env, const struct env_tool *tool, struct json_string key)
{
    (void)env, (void)tool, (void)key;
    return true;
}

const struct env_game *env_pinned_game(const struct env *env)
{
    (void)env;
    return NULL;
}

const struct env_resource env_resources[] = {
    {"game://manifest", "manifest", "what the environment is", "application/json"},
    {"game://world", "world", "where it stands", "application/json"},
    {"game://rules", "rules", "how it is played", "text/markdown"},
    {"game://agents/{agent_id}", "agent", "one agent", "application/json"},
    {0},
};

void env_defaults(struct env_options *o)
{
    *o = (struct env_options){.tables = 1, .bot_level = 2};
}

struct env *env_create(const struct env_options *o)
{
    struct env *env = calloc(1, sizeof *env);
    env->options = o;
    return env;
}

void env_destroy(struct env *env)
{
    free(fake_rl.big);
    fake_rl.big = NULL;
    free(env);
}

int64_t env_advance(struct env *env, int64_t now_us)
{
    (void)env, (void)now_us;
    return INT64_MAX;
}

struct env_conn *env_connect(struct env *env, const struct env_hooks *hooks, void *owner, const char *table,
                             const char *game, struct env_result *refused)
{
    snprintf(fake_rl.table, sizeof fake_rl.table, "%s", table ? table : "-");
    snprintf(fake_rl.game, sizeof fake_rl.game, "%s", game ? game : "-");
    if (game && env->options->pinned && strcmp(game, env->options->pinned) != 0) {
        *refused =
            (struct env_result){-32602, "InvalidParams", "this host plays another game", SPAN("\"reason\":\"game\"")};
        return NULL;
    }
    struct env_conn *c = calloc(1, sizeof *c);
    c->env = env;
    c->hooks = hooks;
    c->owner = owner;
    c->next = env->all;
    env->all = c;
    fake_rl.connected++;
    return c;
}

void env_name_caller(struct env_conn *c, const char *caller)
{
    (void)c, (void)caller;
}

void env_disconnect(struct env_conn *c, int64_t now_us)
{
    (void)now_us;
    struct env_conn **at = &c->env->all;
    while (*at != c)
        at = &(*at)->next;
    *at = c->next;
    for (struct env_conn *other = c->env->all; other; other = other->next)
        other->hooks->on_notify(other->owner, "notifications/event", SPAN("{\"event_type\":\"agent_disconnected\"}"));
    free(c);
    fake_rl.connected--;
}

static bool fake_asks(struct span arguments, const char *word)
{
    return memmem(arguments.at, arguments.size, word, strlen(word)) != NULL;
}

static bool fake_park(struct env_conn *c, uint64_t call)
{
    int i = 0;
    while (i < FAKE_CALLS && c->parked[i])
        i++;
    if (i < FAKE_CALLS)
        c->parked[i] = call;
    return false;
}

// Answers all that is parked, newest first.
static inline void fake_answer_all(struct env *env)
{
    for (struct env_conn *c = env->all; c; c = c->next)
        for (int i = FAKE_CALLS - 1; i >= 0; i--)
            if (c->parked[i]) {
                struct env_result r = {.body = SPAN("{\"late\":true}")};
                uint64_t call = c->parked[i];
                c->parked[i] = 0;
                c->hooks->on_answer(c->owner, call, &r);
            }
}

bool env_call(struct env_conn *c, uint64_t call, struct span tool, struct span arguments, bool progress, int64_t now_us,
              struct env_result *r)
{
    static char body[1 << 16];
    (void)now_us;
    fake_rl.calls++;
    if (fake_asks(arguments, "\"fail\"")) {
        *r = (struct env_result){-32001, "InvalidAction", "not now", SPAN("\"reason\":\"turn\"")};
        if (fake_asks(arguments, "\"lines\"")) // as a refused action that was written over several lines
            r->body = SPAN("\"action\":{\n\"type\":\r\n\"x\"}");
        return true;
    }
    if (fake_asks(arguments, "\"notify\""))
        c->hooks->on_notify(c->owner, "notifications/event", SPAN("{\"event_type\":\"time_changed\"}"));
    if (fake_asks(arguments, "\"log\""))
        c->hooks->on_log(c->owner, "warning", "watch out");
    if (fake_asks(arguments, "\"change\""))
        c->hooks->on_changed(c->owner, "game://world");
    if (progress && fake_asks(arguments, "\"progress\""))
        for (uint64_t i = 1; i <= 3; i++)
            c->hooks->on_progress(c->owner, call, i, 3);
    if (fake_asks(arguments, "\"park\""))
        return fake_park(c, call);
    if (fake_asks(arguments, "\"big\"")) {
        enum { BIG = 9 << 20 };
        free(fake_rl.big);
        fake_rl.big = malloc(BIG);
        memset(fake_rl.big, ' ', BIG);
        fake_rl.big[0] = '{';
        fake_rl.big[BIG - 1] = '}';
        *r = (struct env_result){.body = {fake_rl.big, BIG}};
        return true;
    }
    struct text t = text_on(body, sizeof body);
    text_puts(&t, "{\"tool\":\"");
    text_put(&t, tool);
    text_puts(&t, "\",\"call\":1,\"echo\":");
    text_put(&t, arguments);
    text_puts(&t, "}");
    *r = (struct env_result){.body = text_span(&t)};
    return true;
}

void env_cancel(struct env_conn *c, uint64_t call)
{
    for (int i = 0; i < FAKE_CALLS; i++)
        if (c->parked[i] == call) {
            c->parked[i] = 0;
            fake_rl.cancelled++;
        }
}

bool env_read(struct env_conn *c, struct span uri, struct text *out, const char **mime)
{
    (void)c;
    bool rules = span_is(uri, "game://rules");
    if (!rules && !span_is(uri, "game://manifest") && !span_is(uri, "game://world") &&
        !(uri.size > 14 && memcmp(uri.at, "game://agents/", 14) == 0))
        return false;
    *mime = rules ? "text/markdown" : "application/json";
    text_puts(out, rules ? "# \"Rules\"\n" : "{\"name\":\"fake\"}");
    return true;
}

const struct env_game *env_game_of(const struct env_conn *c)
{
    const struct env_game *g = c->env->options->games;
    while (g->game && c->env->options->pinned && strcmp(g->game->name, c->env->options->pinned) != 0)
        g++;
    return g;
}

bool env_is_pinned(const struct env_conn *c)
{
    return c->env->options->pinned != NULL;
}

bool env_is_exclusive(const struct env_conn *c)
{
    (void)c;
    return true;
}

bool env_is_busy(const struct env_conn *c)
{
    (void)c;
    return false;
}

bool env_has_agents(const struct env_conn *c)
{
    (void)c;
    return false;
}

void env_write_guide(struct text *out, const struct env_game *g, const struct env_guide *of)
{
    text_puts(out, g->game->name);
    text_puts(out, ": ");
    text_puts(out, of->agent_id ? of->agent_id : "-");
    text_puts(out, " ");
    text_puts(out, of->scenario ? of->scenario : "-");
    text_puts(out, " ");
    text_puts(out, of->seat ? of->seat : "-");
}

void env_complete_agents(const struct env_conn *c, struct span prefix, struct text *out, int most)
{
    (void)c, (void)most;
    if (prefix.size <= 5 && memcmp("alice", prefix.at, prefix.size) == 0)
        json_write_text(out, "alice");
}
