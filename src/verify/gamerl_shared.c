// Two connections at one table of a shared host (C76-C79, C82, C84, C85).
#include "verify/gamerl_shared.h"
#include "net/loop.h"
#include "verify/gamerl_internal.h"

#include <stdio.h>
#include <string.h>

enum {
    DEADLINE_MS = 65000, // twice the default of --step-deadline, and some time to answer
    LIVE_MS = 2000,
    ABSENCE_MS = 300, // wait for what must not come
    END_MS = 2000,
};

struct table {
    char name[32];
    struct rpc *first, *second;
    struct gr_agent a, b;
};

static json_t *clock_mode(const char *mode)
{
    return json_pack("{s:s}", "clock_mode", mode);
}

static void join_two(struct table *t, struct gamerl *g)
{
    gr_new_table(g, t->name);
    t->first = gr_connect_at(g, t->name);
    t->second = gr_connect_at(g, t->name);
    gr_player(&t->a, g, t->first, "alice", 0, NULL);
    gr_second(&t->b, g, t->second, "bob", NULL);
    gr_reset(&t->a, GR_NO_SEED, NULL);
}

static int64_t send_step(struct gr_agent *a)
{
    return gr_send(a->g, a->at, "sim_step", "{s:s,s:o}", "agent_id", a->id, "action", gr_wait_action(a));
}

// Alice's step is not answered before Bob's: the reply to a ping sent after it comes first.
void gamerl_barrier(struct gamerl *g)
{
    struct table t;
    join_two(&t, g);
    int64_t before = gr_int(t.a.step, "tick"), step = send_step(&t.a);
    int64_t ping = t.first && gr_goes_on(g) ? rpc_send(t.first, "ping", NULL) : 0;
    json_t *next = t.first ? gr_keep(g, rpc_answer(t.first, ping, RPC_WAIT_MS)) : NULL;
    size_t i;
    json_t *early;
    gr_check(g, next, "no answer to a ping behind a waiting step");
    json_array_foreach(t.first ? t.first->notes : NULL, i, early)
    {
        gr_check(g, gr_int(early, "id") != step, "the step was answered before the other connection had stepped");
    }
    int64_t other = send_step(&t.b);
    json_t *answer = gr_content(g, gr_answer(g, t.first, step, RPC_WAIT_MS));
    json_t *theirs = gr_content(g, gr_answer(g, t.second, other, RPC_WAIT_MS));
    gr_check(g, gr_int(answer, "tick") == before + 1 && gr_int(theirs, "tick") == before + 1,
             "the table went from tick %lld to %lld and %lld", (long long)before, (long long)gr_int(answer, "tick"),
             (long long)gr_int(theirs, "tick"));
}

void gamerl_deadline(struct gamerl *g)
{
    struct table t;
    join_two(&t, g);
    json_t *before = gr_hash(g, t.first);
    json_t *answer = gr_answer(g, t.first, send_step(&t.a), DEADLINE_MS);
    gr_check(g, gr_code(answer) == -32003, "the other one silent: %d, not -32003", gr_code(answer));
    gr_check(g, gr_same(before, gr_hash(g, t.first)), "the table advanced all the same");
    int64_t step = send_step(&t.a), other = send_step(&t.b);
    gr_check(g, gr_code(gr_answer(g, t.second, other, RPC_WAIT_MS)) == 0, "the retry of the other was refused");
    gr_check(g, gr_code(gr_answer(g, t.first, step, RPC_WAIT_MS)) == 0, "the retry was refused");
}

// --- clocks

static double tick_ms(struct gamerl *g)
{
    double exact = gr_real(g->manifest, "agon.tick_ms"), rate = gr_real(g->manifest, "tick_rate");
    return exact > 0 ? exact : rate > 0 ? 1000 / rate : 100;
}

static int64_t world_tick(struct gamerl *g, struct rpc *r)
{
    return gr_int(gr_resource(g, r, "game://world"), "tick");
}

// Waits a little and keeps everything received.
static void receive_for(struct rpc *r, int ms)
{
    if (r)
        json_decref(rpc_find_note(r, "nothing of this name", ms));
}

void gamerl_clock_stops(struct gamerl *g)
{
    struct gr_agent a, b;
    char name[32];
    gr_new_table(g, name);
    struct rpc *first = gr_connect_at(g, name), *second = gr_connect_at(g, name);
    gr_player(&a, g, first, "live", 0, clock_mode("live"));
    int64_t start = world_tick(g, first);
    for (int i = 0; i < 20 && gr_goes_on(g) && world_tick(g, first) == start; i++)
        receive_for(first, ABSENCE_MS);
    gr_check(g, world_tick(g, first) > start, "the live clock does not run");
    gr_second(&b, g, second, "training", clock_mode("training"));
    int64_t stopped = world_tick(g, second);
    receive_for(second, 5 * ABSENCE_MS);
    gr_check(g, world_tick(g, second) == stopped, "time went on beside a training agent");
}

void gamerl_clock_runs(struct gamerl *g)
{
    struct gr_agent a;
    char name[32];
    gr_new_table(g, name);
    struct rpc *r = gr_connect_at(g, name);
    gr_player(&a, g, r, "live", 0, clock_mode("live"));
    a.step = NULL;
    gr_step(&a, json_pack("{s:s}", "type", "wait"), 1);
    int64_t from = gr_int(a.step, "tick"), begin = loop_now_ms(), now = begin;
    while (gr_goes_on(g) && !gr_is_over(&a) && now - begin < LIVE_MS) {
        gr_step(&a, json_pack("{s:s}", "type", "wait"), (int)(LIVE_MS / tick_ms(g)));
        now = loop_now_ms();
    }
    double played = (double)(gr_int(a.step, "tick") - from) * tick_ms(g), passed = (double)(now - begin);
    gr_check(g, played > 0.9 * passed - tick_ms(g) && played < 1.1 * passed + tick_ms(g), "%.0f ms of ticks in %.0f ms",
             played, passed);
}

// --- events

static void check_event(struct gamerl *g, json_t *note)
{
    static const char *const detailed[] = {"entity_died", "entity_spawned", "agent_connected", "agent_disconnected"};
    gr_shape(g, "event", note);
    for (unsigned i = 0; i < sizeof detailed / sizeof *detailed; i++)
        if (strcmp(gr_text(note, "params.event_type"), detailed[i]) == 0)
            gr_shape(g, detailed[i], gr_get(note, "params.details"));
}

static bool may_see(json_t *note, const char *type)
{
    size_t i;
    json_t *name;
    json_t *list = gr_get(note, "params.visibility");
    json_array_foreach(list, i, name)
    {
        if (strcmp(json_string_value(name), type) == 0)
            return true;
    }
    return !list;
}

static bool drain_events(struct gamerl *g, struct rpc *r, const char *type, const char *wanted)
{
    bool found = false;
    for (json_t *note; r && gr_goes_on(g) && (note = rpc_find_note(r, "notifications/event", ABSENCE_MS));) {
        gr_keep(g, note);
        check_event(g, note);
        gr_check(g, may_see(note, type), "%s reached a connection of %s", gr_text(note, "params.event_type"), type);
        found |= strcmp(gr_text(note, "params.event_type"), wanted) == 0;
    }
    return found;
}

static void in_private(struct gamerl *g)
{
    struct gr_agent master, a;
    if (!g->o.command)
        return;
    g->at_socket = false;
    struct rpc *r = gr_connect(g);
    gr_systemic(&master, g, r, "alone", "GameMaster", NULL);
    gr_player(&a, g, r, "player", 0, NULL);
    json_t *note = r ? gr_keep(g, rpc_find_note(r, "notifications/event", ABSENCE_MS)) : NULL;
    gr_check(g, !note, "an exclusive session broadcasts");
}

void gamerl_broadcasts(struct gamerl *g)
{
    struct gr_agent master, a;
    char name[32];
    gr_new_table(g, name);
    struct rpc *first = gr_connect_at(g, name), *second = gr_connect_at(g, name);
    gr_systemic(&master, g, first, "master", "GameMaster", NULL);
    gr_player(&a, g, second, "player", 0, NULL);
    gr_check(g, drain_events(g, first, "GameMaster", "agent_connected"),
             "agent_connected did not reach the GameMaster");
    gr_reset(&a, GR_NO_SEED, NULL);
    int64_t step = send_step(&master), other = send_step(&a);
    gr_answer(g, first, step, RPC_WAIT_MS);
    gr_answer(g, second, other, RPC_WAIT_MS);
    gr_must(g, second, "deregister_agent", "{s:s}", "agent_id", a.id);
    gr_check(g, drain_events(g, first, "GameMaster", "agent_disconnected"),
             "agent_disconnected did not reach the GameMaster");
    drain_events(g, second, "EntityBehavior", "");
    in_private(g);
}

// --- foreign connections

void gamerl_foreign(struct gamerl *g)
{
    struct table t;
    char uri[96];
    join_two(&t, g);
    gr_refused(g, t.second, -32000, "sim_step", "{s:s,s:i}", "agent_id", t.a.id, "action", 0);
    gr_refused(g, t.second, -32000, "deregister_agent", "{s:s}", "agent_id", t.a.id);
    snprintf(uri, sizeof uri, "game://agents/%s/observation", t.a.id);
    gr_check(g, gr_code(gr_ask(g, t.second, "resources/read", json_pack("{s:s}", "uri", uri))),
             "the observation of another connection's agent can be read");
    gr_check(g, gr_code(gr_ask(g, t.first, "resources/read", json_pack("{s:s}", "uri", uri))) == 0,
             "the own observation cannot be read");
}

static bool is_listed(struct gamerl *g, struct rpc *r, const char *id)
{
    size_t i;
    json_t *agent;
    json_array_foreach(json_object_get(gr_resource(g, r, "game://agents"), "agents"), i, agent)
    {
        if (strcmp(gr_text(agent, "agent_id"), id) == 0)
            return true;
    }
    return false;
}

static struct rpc *start_connector(struct gamerl *g, const char *table)
{
    const char *const command[] = {"/proc/self/exe", "mcp", "--connect",  g->o.socket,
                                   "--table",        table, "--no-spawn", g->game[0] ? "--game" : NULL,
                                   g->game,          NULL};
    struct rpc *r = &g->open[g->open_count];
    if (!gr_goes_on(g) || !gr_check(g, rpc_spawn(r, command), "the connector cannot be started"))
        return NULL;
    r->patience = g->o.patience;
    g->open_count++;
    json_t *answer = gr_initialize(g, r, "2025-11-25", NULL);
    gr_check(g, answer && !gr_code(answer), "initialize through the connector was refused");
    rpc_notify(r, "notifications/initialized", NULL);
    return r;
}

void gamerl_connector(struct gamerl *g)
{
    struct gr_agent a, b;
    char name[32];
    gr_new_table(g, name);
    struct rpc *first = gr_connect_at(g, name), *relayed = start_connector(g, name);
    gr_player(&a, g, first, "stays", 0, NULL);
    gr_second(&b, g, relayed, "leaves", NULL);
    gr_check(g, is_listed(g, first, b.id), "the relayed agent is not at the table");
    gr_reset(&a, GR_NO_SEED, NULL);
    if (!relayed || !gr_goes_on(g))
        return;
    rpc_end_input(relayed);
    int status = rpc_exit_status(relayed, END_MS);
    gr_check(g, status == 0, "the connector ended with %d", status);
    gr_check(g, !is_listed(g, first, b.id), "the relayed agent is still at the table");
    gr_step(&a, gr_wait_action(&a), 1);
}
