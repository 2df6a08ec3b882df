// test_multi_agent: several agents of one connection (C68-C75, C80-C86). Several connections are in gamerl_shared.c.
#include "verify/gamerl_internal.h"
#include "verify/gamerl_shared.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum {
    MANY = 300,       // a server that allows more agents is not filled
    ABSENCE_MS = 200, // how long to wait for what must not come
};

static int register_one(struct gamerl *g, struct rpc *r, int number)
{
    char id[24];
    const char *systemic = gr_systemic_type(g), *avatar = number ? NULL : gr_avatar(g, 0);
    snprintf(id, sizeof id, "agent-%d", number);
    json_t *arguments = json_pack("{s:s,s:s,s:{s:s*}}", "agent_id", id, "agent_type",
                                  number && systemic ? systemic : "EntityBehavior", "config", "avatar_id", avatar);
    return gr_code(gr_call(g, r, "register_agent", "o", arguments));
}

static int64_t register_until_full(struct gamerl *g, struct rpc *r)
{
    int64_t most = gr_int(g->manifest, "capabilities.max_agents");
    if (most > MANY)
        gr_skip(g, "max_agents is out of reach");
    for (int i = 0; i < most && gr_goes_on(g); i++) {
        int code = register_one(g, r, i);
        gr_check(g, code == 0, "agent %d of %lld was refused: %d", i + 1, (long long)most, code);
    }
    return most;
}

static void many_agents(struct gamerl *g)
{
    struct rpc *r = gr_connect(g);
    int64_t most = register_until_full(g, r);
    gr_check(g, most >= 4, "max_agents is below 4");
    int code = register_one(g, r, (int)most);
    gr_check(g, code == -32004, "an agent beyond max_agents: %d, not -32004", code);
}

static void registered_again(struct gamerl *g)
{
    struct rpc *r = gr_connect(g);
    struct gr_agent a, again;
    gr_player(&a, g, r, "agent-0", 0, NULL);
    gr_player(&again, g, r, "agent-0", 0, NULL);
    gr_check(g, gr_same(gr_get(a.spaces, "action_space"), gr_get(again.spaces, "action_space")),
             "the same registration has another action space");
    register_until_full(g, r);
    gr_player(&again, g, r, "agent-0", 0, NULL);
    const char *systemic = gr_systemic_type(g);
    if (systemic)
        gr_refused(g, r, -32602, "register_agent", "{s:s,s:s}", "agent_id", "agent-0", "agent_type", systemic);
}

static void gone(struct gamerl *g)
{
    struct rpc *r = gr_connect(g);
    struct gr_agent a;
    gr_player(&a, g, r, "leaver", 0, NULL);
    gr_reset(&a, 1, NULL);
    int64_t before = gr_int(gr_resource(g, r, "game://agents"), "limits.available_slots");
    gr_must(g, r, "deregister_agent", "{s:s}", "agent_id", a.id);
    int64_t after = gr_int(gr_resource(g, r, "game://agents"), "limits.available_slots");
    gr_check(g, after == before + 1, "available_slots went from %lld to %lld", (long long)before, (long long)after);
    gr_refused(g, r, -32000, "sim_step", "{s:s,s:o}", "agent_id", a.id, "action", gr_wait_action(&a));
    gr_player(&a, g, r, "follower", 0, NULL);
}

// --- batches

static void register_two(struct gr_agent *a, struct gr_agent *b, struct gamerl *g)
{
    struct rpc *r = gr_connect(g);
    gr_offers(g, "batch_step");
    gr_player(a, g, r, "first", 0, NULL);
    gr_second(b, g, r, "second", NULL);
    gr_reset(a, 3, NULL);
}

static json_t *batch_item(struct gr_agent *a, json_t *action)
{
    return json_pack("{s:s,s:o}", "agent_id", a->id, "action", action);
}

static void barrier(struct gamerl *g)
{
    struct gr_agent a, b;
    register_two(&a, &b, g);
    int64_t step = gr_int(a.step, "step_id"), tick = gr_int(a.step, "tick");
    json_t *result = gr_must(g, a.at, "batch_step", "{s:[o,o],s:s}", "steps", batch_item(&a, gr_wait_action(&a)),
                             batch_item(&b, gr_wait_action(&b)), "sync_mode", "barrier");
    gr_check(g, json_array_size(json_object_get(result, "results")) == 2, "two items, %zu results",
             json_array_size(json_object_get(result, "results")));
    gr_check(g, strcmp(gr_text(result, "results.0.agent_id"), a.id) == 0, "the results are not in request order");
    for (int i = 0; i < 2; i++) {
        json_t *one = json_array_get(json_object_get(result, "results"), (size_t)i);
        gr_shape(g, "step", one);
        gr_check(g, gr_int(one, "step_id") == step + 1 && gr_int(one, "tick") == tick + 1,
                 "result %d has step_id %lld and tick %lld", i, (long long)gr_int(one, "step_id"),
                 (long long)gr_int(one, "tick"));
    }
}

static json_t *nonsense(void)
{
    return json_pack("{s:s,s:{}}", "type", "frobnicate_the_table", "params");
}

static void barrier_refused(struct gamerl *g)
{
    struct gr_agent a, b;
    register_two(&a, &b, g);
    json_t *before = gr_hash(g, a.at);
    json_t *answer = gr_call(g, a.at, "batch_step", "{s:[o,o]}", "steps", batch_item(&a, gr_wait_action(&a)),
                             batch_item(&b, nonsense()));
    gr_check(g, gr_code(answer) == -32001, "a bad item: %d, not -32001", gr_code(answer));
    gr_check(g, !gr_get(answer, "error") || strcmp(gr_text(answer, "error.data.agent_id"), b.id) == 0,
             "the error does not name the agent");
    gr_check(g, gr_same(before, gr_hash(g, a.at)), "the refused batch changed the state");
}

static void sequential(struct gamerl *g)
{
    struct gr_agent a, b;
    register_two(&a, &b, g);
    int64_t step = gr_int(a.step, "step_id");
    json_t *result =
        gr_must(g, a.at, "batch_step", "{s:[o,o],s:s,s:[s,s]}", "steps", batch_item(&a, gr_wait_action(&a)),
                batch_item(&b, gr_wait_action(&b)), "sync_mode", "sequential", "order", b.id, a.id);
    gr_check(g, strcmp(gr_text(result, "results.0.agent_id"), b.id) == 0, "the results are not in the given order");
    for (int i = 0; i < 2; i++) {
        json_t *one = json_array_get(json_object_get(result, "results"), (size_t)i);
        gr_check(g, gr_int(one, "step_id") == step + 1 + i, "item %d has step_id %lld, not %lld", i,
                 (long long)gr_int(one, "step_id"), (long long)step + 1 + i);
    }
}

static void asynchronous(struct gamerl *g)
{
    struct gr_agent a, b;
    register_two(&a, &b, g);
    int64_t tick = gr_int(a.step, "tick");
    json_t *result = gr_must(g, a.at, "batch_step", "{s:[o,o],s:s}", "steps", batch_item(&a, gr_wait_action(&a)),
                             batch_item(&b, nonsense()), "sync_mode", "async");
    gr_check(g, gr_int(result, "results.0.tick") == tick + 1, "the good item was not served");
    gr_check(g, gr_int(result, "results.1.error.code") == -32001, "the bad item has no error of its own");
}

static void bad_batches(struct gamerl *g)
{
    struct gr_agent a, b;
    register_two(&a, &b, g);
    gr_refused(g, a.at, -32602, "batch_step", "{s:[o],s:s}", "steps", batch_item(&a, gr_wait_action(&a)), "sync_mode",
               "whenever");
    gr_refused(g, a.at, -32602, "batch_step", "{s:[o,o],s:s,s:[s,s]}", "steps", batch_item(&a, gr_wait_action(&a)),
               batch_item(&b, gr_wait_action(&b)), "sync_mode", "sequential", "order", a.id, a.id);
    gr_refused(g, a.at, -32602, "batch_step", "{s:[o,o],s:s}", "steps", batch_item(&a, gr_wait_action(&a)),
               batch_item(&a, gr_wait_action(&a)), "sync_mode", "barrier");
}

// --- messages, secrets, subscriptions

static int messages_in(json_t *step)
{
    size_t i;
    json_t *event;
    int n = 0;
    json_array_foreach(json_object_get(step, "events"), i, event)
    {
        n += strcmp(gr_text(event, "type"), "message") == 0;
    }
    return n;
}

static void message(struct gamerl *g)
{
    struct gr_agent a, b;
    struct rpc *r = gr_connect(g);
    gr_offers(g, "send_message");
    gr_player(&a, g, r, "sender", 0, NULL);
    gr_systemic(&b, g, r, "receiver", gr_systemic_type(g), NULL);
    gr_reset(&a, 1, NULL);
    json_t *arguments = json_pack("{s:s,s:{s:s}}", "from_agent", a.id, "content", "text", "hello");
    if (!g->at_socket) // shared tables may allow talk to all only
        json_object_set_new(arguments, "to_agent", json_string(b.id));
    gr_check(g, gr_true(gr_must(g, r, "send_message", "o", arguments), "delivered"), "the message was not delivered");
    gr_check(g, messages_in(gr_step(&a, gr_wait_action(&a), 1)) == 0, "the sender got the message");
    gr_check(g, messages_in(gr_step(&b, gr_wait_action(&b), 1)) == 1, "the receiver did not get the message");
    gr_check(g, messages_in(gr_step(&b, gr_wait_action(&b), 1)) == 0, "the receiver got the message twice");
    gr_refused(g, r, -32000, "send_message", "{s:s,s:s,s:{}}", "from_agent", a.id, "to_agent", "nobody", "content");
}

// Members of another seat that an overseer with `debug` sees and one without does not.
static json_t *hidden_members(struct gamerl *g, json_t *with, json_t *without)
{
    const char *key;
    json_t *value, *hidden = gr_pack(g, "{}");
    json_object_foreach(gr_get(with, "observation.all_entities.1"), key, value)
    {
        if (!json_object_get(gr_get(without, "observation.all_entities.1"), key))
            json_object_set(hidden, key, value);
    }
    return hidden;
}

static void debug_sees_more(struct gamerl *g)
{
    struct gr_agent player, all, some;
    struct rpc *r = gr_connect(g);
    const char *key;
    json_t *value;
    if (!gr_has_type(g, "GameMaster"))
        gr_skip(g, "no GameMaster is declared");
    gr_player(&player, g, r, "player", 0, NULL);
    gr_systemic(&all, g, r, "sees-all", "GameMaster", json_pack("{s:[s]}", "capabilities", "debug"));
    gr_systemic(&some, g, r, "sees-some", "GameMaster", json_pack("{s:[s]}", "capabilities", "admin"));
    if (!json_array_size(gr_get(all.spaces, "capabilities")))
        gr_skip(g, "debug is not granted here");
    gr_reset(&player, 1, NULL);
    json_t *with = gr_step(&all, gr_wait_action(&all), 1), *without = gr_step(&some, gr_wait_action(&some), 1);
    if (!gr_get(with, "observation.all_entities.1"))
        gr_skip(g, "there is nobody else to look at");
    json_t *hidden = hidden_members(g, with, without);
    gr_check(g, json_object_size(hidden) > 0, "debug shows nothing that is hidden");
    gr_step(&player, gr_wait_action(&player), 1);
    char *text = json_dumps(gr_get(player.step, "observation.seats.1"), JSON_ENCODE_ANY);
    json_object_foreach(hidden, key, value)
    {
        char quoted[64];
        snprintf(quoted, sizeof quoted, "\"%.60s\"", key);
        gr_check(g, !text || !strstr(text, quoted), "a seat sees %s of another", key);
    }
    free(text);
}

static void subscription(struct gamerl *g)
{
    struct gr_agent a;
    struct rpc *r = gr_connect(g);
    gr_ask(g, r, "resources/subscribe", json_pack("{s:s}", "uri", "game://agents"));
    gr_player(&a, g, r, "noticed", 0, NULL);
    json_t *note = r ? gr_keep(g, rpc_find_note(r, "notifications/resources/updated", RPC_WAIT_MS)) : NULL;
    gr_check(g, strcmp(gr_text(note, "params.uri"), "game://agents") == 0, "a registration was not told");
    gr_ask(g, r, "resources/unsubscribe", json_pack("{s:s}", "uri", "game://agents"));
    gr_must(g, r, "deregister_agent", "{s:s}", "agent_id", a.id);
    note = r ? gr_keep(g, rpc_find_note(r, "notifications/resources/updated", ABSENCE_MS)) : NULL;
    gr_check(g, !note, "an update came after unsubscribing");
}

// G10.10: the episode ended between the agent's calls.
static void notice(struct gamerl *g)
{
    struct gr_agent a, master;
    struct rpc *r = gr_connect(g);
    double sum = 0;
    gr_player(&a, g, r, "victim", 0, NULL);
    gr_systemic(&master, g, r, "master", "GameMaster", NULL);
    gr_reset(&a, 4, NULL);
    for (int i = 0; i < 3 && !gr_is_over(&a); i++)
        sum += gr_real(gr_step(&a, gr_legal_action(&a), 1), "reward");
    if (gr_is_over(&a))
        gr_skip(g, "the match ended too soon");
    gr_step(&master,
            json_pack("{s:s,s:{s:s}}", "type", "kill_entity", "params", "entity_id", gr_text(a.spaces, "avatar.id")),
            1);
    for (int i = 0; i < 50 && gr_goes_on(g) && !gr_is_over(&a); i++) // it leaves when it is asked
        sum += gr_real(gr_step(&a, gr_wait_action(&a), 1), "reward");
    gr_check(g, gr_is_over(&a) && gr_text(a.step, "termination_reason")[0], "no terminal notice");
    gr_refused(g, r, -32002, "sim_step", "{s:s,s:o}", "agent_id", a.id, "action", gr_wait_action(&a));
    json_t *entry = gr_get(gr_resource(g, r, "game://agents"), "agents.0");
    gr_check(g, fabs(sum - gr_real(entry, "total_reward")) <= 1e-5, "rewards sum to %g, %g were credited", sum,
             gr_real(entry, "total_reward"));
}

const struct gamerl_gate gamerl_multi_agent[] = {
    {"C68", 2, false, "G10.5", "four agents register; beyond max_agents -32004", many_agents},
    {"C69", 2, false, "G10.4",
     "same registration twice is idempotent, also when full; other reuse of the id is refused", registered_again},
    {"C70", 2, false, "G10.12", "deregistration frees the slot; a later step is -32000", gone},
    {"C71", 3, false, "G15.2", "barrier batch: one advance, all results, same step_id and tick", barrier},
    {"C72", 3, false, "G15.2", "barrier batch with a bad item: error names the agent, hash unchanged", barrier_refused},
    {"C73", 3, false, "G15.3", "sequential: one advance per item, in order; order matters where it must", sequential},
    {"C74", 3, false, "G15.3", "async batch: bad item reported alone, the others served", asynchronous},
    {"C75", 3, false, "G15.1 G15.2", "unknown sync_mode, order not a permutation, duplicate in barrier: -32602",
     bad_batches},
    {"C76", 2, true, "G12.8", "two connections: the first step returns only after the second committed",
     gamerl_barrier},
    {"C77", 2, true, "G12.10", "the second silent: -32003 at the deadline, nothing advanced, retry works",
     gamerl_deadline},
    {"C78", 2, true, "G12.1", "a training agent beside live ones stops the real-time clock", gamerl_clock_stops},
    {"C79", 2, true, "G12.12 G12.3", "live alone: ticks follow the wall clock within 10 %", gamerl_clock_runs},
    {"C80", 3, false, "G16.2", "a message is in the recipient's next events only; unknown recipient -32000", message},
    {"C81", 2, false, "G11.7", "a seat does not see what a GameMaster with debug sees", debug_sees_more},
    {"C82", 2, true, "G16.5", "broadcasts validate and reach visible types only; none in exclusive sessions",
     gamerl_broadcasts},
    {"C83", 2, false, "G5.8", "subscribed game://agents: updated after a registration, none after unsubscribing",
     subscription},
    {"C84", 2, true, "G10.11 G5.6", "another connection's agent: -32000; its observation resource: not found",
     gamerl_foreign},
    {"C85", 2, true, "G18.3 G18.5", "the connector relays and deregisters at EOF; the table goes on", gamerl_connector},
    {"C86", 0, false, "G10.10 G13.3",
     "an agent whose match ended meanwhile gets one terminal notice, then -32002; what it earned while others acted is "
     "in its next answer; rewards add up",
     notice},
    {0},
};
