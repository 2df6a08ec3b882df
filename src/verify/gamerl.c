#include "net/loop.h"
#include "verify/gamerl_internal.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

extern const char embedded_messages_schema_json[]; // cmake/embed.cmake

const struct gamerl_suite gamerl_suites[] = {
    {"test_connection", gamerl_connection},
    {"test_manifest", gamerl_manifest},
    {"test_single_agent", gamerl_single_agent},
    {"test_determinism", gamerl_determinism},
    {"test_multi_agent", gamerl_multi_agent},
    {"test_trajectory", gamerl_trajectory},
    {"test_vision", gamerl_vision},
    {"test_truth", gamerl_truth},
    {"test_rules", gamerl_rules},
    {"test_secrets", gamerl_secrets},
    {"test_table", gamerl_table},
    {0},
};

struct gamerl *gamerl_create(void)
{
    struct gamerl *g = calloc(1, sizeof *g);
    if (!g || !(g->schema = json_loads(embedded_messages_schema_json, 0, NULL)))
        abort();
    return g;
}

void gamerl_destroy(struct gamerl *g)
{
    json_decref(g->schema);
    json_decref(g->manifest);
    json_decref(g->tools);
    free(g);
}

const char *gamerl_why(const struct gamerl *g)
{
    return g->why;
}

// --- verdicts

bool gr_check(struct gamerl *g, bool holds, const char *format, ...)
{
    if (holds || !gr_goes_on(g))
        return holds;
    va_list args;
    va_start(args, format);
    vsnprintf(g->why, sizeof g->why, format, args);
    va_end(args);
    g->failed = true;
    return false;
}

void gr_skip(struct gamerl *g, const char *why)
{
    if (!gr_goes_on(g))
        return;
    snprintf(g->why, sizeof g->why, "%s", why);
    g->skipped = true;
}

bool gr_goes_on(const struct gamerl *g)
{
    return !g->failed && !g->skipped;
}

// --- one assertion

static void assertion_begin(struct gamerl *g)
{
    g->failed = g->skipped = false;
    g->why[0] = 0;
    g->pool = json_array();
    g->at_socket = !g->o.command;
}

// Adds the last messages to the reason of a failure. Nothing is sent after a failure, so they are its cause.
static void quote_wire(struct gamerl *g)
{
    const struct rpc *last = NULL;
    size_t size = strlen(g->why);
    for (int i = 0; i < g->open_count; i++)
        if (g->open[i].turn && (!last || g->open[i].turn > last->turn))
            last = &g->open[i];
    if (g->failed && last)
        snprintf(g->why + size, sizeof g->why - size, "; sent %s; received %s", last->sent, last->received);
}

static void assertion_end(struct gamerl *g)
{
    for (int i = 0; i < g->open_count; i++)
        if (g->open[i].from >= 0)
            rpc_close(&g->open[i]);
    g->open_count = 0;
    json_decref(g->pool);
    g->pool = NULL;
}

static const char *reason_to_skip(const struct gamerl *g, const struct gamerl_suite *suite,
                                  const struct gamerl_gate *gate)
{
    if ((g->o.suite && strcmp(g->o.suite, suite->name) != 0) || !gate_is_asked(g->o.only, gate->id))
        return "not asked for";
    if (gate->level == 0 && !g->own)
        return "for agon's own servers";
    if (gate->level > g->level)
        return "above the level";
    if (gate->shared && !g->o.socket)
        return "needs a shared host: --socket";
    return NULL;
}

static void run_gate(struct gamerl *g, const struct gamerl_suite *suite, const struct gamerl_gate *gate,
                     struct gate_result *r)
{
    const char *skip = reason_to_skip(g, suite, gate);
    int64_t start = loop_now_ms();
    assertion_begin(g);
    if (skip)
        gr_skip(g, skip);
    else
        gate->run(g);
    quote_wire(g);
    assertion_end(g);
    r->verdict = g->failed ? GATE_FAIL : g->skipped ? GATE_NOT_RUN : GATE_PASS;
    r->seconds = (double)(loop_now_ms() - start) / 1000;
    snprintf(r->why, sizeof r->why, "%s", g->why);
}

// --- the whole

static void read_tools(struct gamerl *g, struct rpc *r)
{
    size_t i;
    json_t *tool, *list = gr_get(gr_ask(g, r, "tools/list", NULL), "result.tools");
    g->tools = json_object();
    json_array_foreach(list, i, tool)
    {
        if (gr_text(tool, "name")[0])
            json_object_set(g->tools, gr_text(tool, "name"), tool);
    }
}

// Whether a server is there, and its manifest. Errors in it are left to the assertions.
static bool read_server(struct gamerl *g)
{
    struct rpc try;
    if (g->o.command ? !rpc_spawn(&try, g->o.command) : !rpc_connect(&try, g->o.socket)) {
        snprintf(g->why, sizeof g->why, "%s %.100s: %s", g->o.command ? "cannot start" : "cannot connect to",
                 g->o.command ? g->o.command[0] : g->o.socket, strerror(errno));
        return false;
    }
    try.patience = g->o.patience;
    enum { NOT_FOUND = 127 }; // exit status of a shell
    if (rpc_close(&try) == NOT_FOUND && g->o.command) {
        snprintf(g->why, sizeof g->why, "cannot start %.100s: it ended with status 127, no such program",
                 g->o.command[0]);
        return false;
    }
    assertion_begin(g);
    struct rpc *r = gr_connect(g);
    if (r) {
        g->manifest = json_incref(gr_resource(g, r, "game://manifest"));
        read_tools(g, r);
    }
    assertion_end(g);
    g->own = json_is_object(gr_get(g->manifest, "agon"));
    g->claimed = (int)gr_int(g->manifest, "game_rl_compliance.level");
    g->level = g->o.level ? g->o.level : g->claimed > 0 ? g->claimed : 1;
    snprintf(g->game, sizeof g->game, "%s", gr_text(g->manifest, "agon.game"));
    return true;
}

bool gamerl_run(const struct gamerl_options *o, struct gamerl *g, struct gate_result results[GAMERL_MAX_GATES])
{
    int n = 0;
    g->o = *o;
    if (!read_server(g))
        return false;
    for (const struct gamerl_suite *suite = gamerl_suites; suite->name; suite++)
        for (const struct gamerl_gate *gate = suite->gates; gate->id; gate++, n++) {
            run_gate(g, suite, gate, &results[n]);
            if (o->on_gate)
                o->on_gate(o->owner, gate, &results[n]);
        }
    return true;
}

bool gamerl_passed(const struct gate_result results[GAMERL_MAX_GATES])
{
    int n = 0;
    for (const struct gamerl_suite *suite = gamerl_suites; suite->name; suite++)
        for (const struct gamerl_gate *gate = suite->gates; gate->id; gate++, n++)
            if (results[n].verdict == GATE_FAIL)
                return false;
    return true;
}

// G30.2: a level is reached if none of its assertions and of the levels below failed; above the tested level nothing is
// known.
int gamerl_level(const struct gamerl *g, const struct gate_result results[GAMERL_MAX_GATES])
{
    int n = 0, reached = g->level;
    for (const struct gamerl_suite *suite = gamerl_suites; suite->name; suite++)
        for (const struct gamerl_gate *gate = suite->gates; gate->id; gate++, n++)
            if (gate->level && results[n].verdict == GATE_FAIL && gate->level <= reached)
                reached = gate->level - 1;
    return reached;
}
