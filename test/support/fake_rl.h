// A Game-RL of a few lines, for tests of the MCP side: it has two tools. `register_agent` echoes its arguments as
// {"echo":...}; `sim_step` does what its arguments ask: "park", "progress", "notify", "change", "fail", "big".
// A program that includes this has it instead of the real one.
#pragma once

#include "env/env.h"

#include <stdio.h>
#include <stdlib.h>

enum { FAKE_CALLS = 64 };

struct rl {
    const struct rl_options *options;
    struct rl_conn *all;
};

struct rl_conn {
    struct rl *rl;
    const struct rl_hooks *hooks;
    void *owner;
    char table[65], game[65];
    uint64_t parked[FAKE_CALLS]; // 0: free
    struct rl_conn *next;
};

static struct {
    int connected, cancelled, calls;
    char table[65], game[65]; // of the last connection; "-": none
    char *big;
} fake_rl;

const struct rl_tool rl_tools[] = {
    {"register_agent", "Register", "{\"agent_id\":\"me\"}", "{\"type\":\"object\"}", "{\"type\":\"object\"}", false,
     false, true},
    {"sim_step", "Step", "{\"agent_id\":\"me\"}", "{\"type\":\"object\"}", "{\"type\":\"object\"}", false, true, false},
    {0},
};

const struct rl_resource rl_resources[] = {
    {"game://manifest", "manifest", "what the environment is", "application/json"},
    {"game://world", "world", "where it stands", "application/json"},
    {"game://rules", "rules", "how it is played", "text/markdown"},
    {"game://agents/{agent_id}", "agent", "one agent", "application/json"},
    {0},
};

void rl_defaults(struct rl_options *o)
{
    *o = (struct rl_options){.tables = 1, .bot_level = 2};
}

struct rl *rl_create(const struct rl_options *o)
{
    struct rl *rl = calloc(1, sizeof *rl);
    rl->options = o;
    return rl;
}

void rl_destroy(struct rl *rl)
{
    free(fake_rl.big);
    fake_rl.big = NULL;
    free(rl);
}

int64_t rl_advance(struct rl *rl, int64_t now_us)
{
    (void)rl, (void)now_us;
    return INT64_MAX;
}

struct rl_conn *rl_connect(struct rl *rl, const struct rl_hooks *hooks, void *owner, const char *table,
                           const char *game, struct rl_result *refused)
{
    snprintf(fake_rl.table, sizeof fake_rl.table, "%s", table ? table : "-");
    snprintf(fake_rl.game, sizeof fake_rl.game, "%s", game ? game : "-");
    if (game && rl->options->pinned && strcmp(game, rl->options->pinned) != 0) {
        *refused =
            (struct rl_result){-32602, "InvalidParams", "this host plays another game", SPAN("\"reason\":\"game\"")};
        return NULL;
    }
    struct rl_conn *c = calloc(1, sizeof *c);
    c->rl = rl;
    c->hooks = hooks;
    c->owner = owner;
    c->next = rl->all;
    rl->all = c;
    fake_rl.connected++;
    return c;
}

void rl_name_caller(struct rl_conn *c, const char *caller)
{
    (void)c, (void)caller;
}

void rl_disconnect(struct rl_conn *c, int64_t now_us)
{
    (void)now_us;
    struct rl_conn **at = &c->rl->all;
    while (*at != c)
        at = &(*at)->next;
    *at = c->next;
    for (struct rl_conn *other = c->rl->all; other; other = other->next)
        other->hooks->on_notify(other->owner, "notifications/event", SPAN("{\"event_type\":\"agent_disconnected\"}"));
    free(c);
    fake_rl.connected--;
}

static bool fake_asks(struct span arguments, const char *word)
{
    return memmem(arguments.at, arguments.size, word, strlen(word)) != NULL;
}

static bool fake_park(struct rl_conn *c, uint64_t call)
{
    int i = 0;
    while (i < FAKE_CALLS && c->parked[i])
        i++;
    if (i < FAKE_CALLS)
        c->parked[i] = call;
    return false;
}

// Answers all that is parked, newest first.
static inline void fake_answer_all(struct rl *rl)
{
    for (struct rl_conn *c = rl->all; c; c = c->next)
        for (int i = FAKE_CALLS - 1; i >= 0; i--)
            if (c->parked[i]) {
                struct rl_result r = {.body = SPAN("{\"late\":true}")};
                uint64_t call = c->parked[i];
                c->parked[i] = 0;
                c->hooks->on_answer(c->owner, call, &r);
            }
}

bool rl_call(struct rl_conn *c, uint64_t call, struct span tool, struct span arguments, bool progress, int64_t now_us,
             struct rl_result *r)
{
    static char body[1 << 16];
    (void)now_us;
    fake_rl.calls++;
    if (fake_asks(arguments, "\"fail\"")) {
        *r = (struct rl_result){-32001, "InvalidAction", "not now", SPAN("\"reason\":\"turn\"")};
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
        *r = (struct rl_result){.body = {fake_rl.big, BIG}};
        return true;
    }
    struct text t = text_on(body, sizeof body);
    text_puts(&t, "{\"tool\":\"");
    text_put(&t, tool);
    text_puts(&t, "\",\"call\":1,\"echo\":");
    text_put(&t, arguments);
    text_puts(&t, "}");
    *r = (struct rl_result){.body = text_span(&t)};
    return true;
}

void rl_cancel(struct rl_conn *c, uint64_t call)
{
    for (int i = 0; i < FAKE_CALLS; i++)
        if (c->parked[i] == call) {
            c->parked[i] = 0;
            fake_rl.cancelled++;
        }
}

bool rl_read(struct rl_conn *c, struct span uri, struct text *out, const char **mime)
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

const struct rl_game *rl_game_of(const struct rl_conn *c)
{
    const struct rl_game *g = c->rl->options->games;
    while (g->game && c->rl->options->pinned && strcmp(g->game->name, c->rl->options->pinned) != 0)
        g++;
    return g;
}

bool rl_is_pinned(const struct rl_conn *c)
{
    return c->rl->options->pinned != NULL;
}

bool rl_is_exclusive(const struct rl_conn *c)
{
    (void)c;
    return true;
}

bool rl_is_busy(const struct rl_conn *c)
{
    (void)c;
    return false;
}

bool rl_has_agents(const struct rl_conn *c)
{
    (void)c;
    return false;
}

void rl_write_guide(struct text *out, const struct rl_game *g, const struct rl_guide *of)
{
    text_puts(out, g->game->name);
    text_puts(out, ": ");
    text_puts(out, of->agent_id ? of->agent_id : "-");
    text_puts(out, " ");
    text_puts(out, of->scenario ? of->scenario : "-");
    text_puts(out, " ");
    text_puts(out, of->seat ? of->seat : "-");
}

void rl_complete_agents(const struct rl_conn *c, struct span prefix, struct text *out, int most)
{
    (void)c, (void)most;
    if (prefix.size <= 5 && memcmp("alice", prefix.at, prefix.size) == 0)
        json_write_text(out, "alice");
}
