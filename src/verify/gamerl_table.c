// test_table: rules of agon's tables that hold for every game (C134-C144).
#include "verify/gamerl_games.h"
#include "verify/gamerl_internal.h"

#include <stdio.h>
#include <string.h>

static struct rpc *connect_master(struct gr_agent *a, struct gr_agent *master, struct gamerl *g)
{
    struct rpc *r = gr_connect(g);
    gr_player(a, g, r, "player", 0, NULL);
    gr_systemic(master, g, r, "master", "GameMaster", NULL);
    gr_reset(a, 1, NULL);
    return r;
}

// --- requests

static void tolerant(struct gamerl *g)
{
    struct gr_agent a;
    gr_ready(&a, g, "tolerant", NULL);
    json_t *step = gr_must(g, a.at, "sim_step", "{s:s,s:{s:s},s:i,s:{s:i}}", "AgentId", a.id, "Action", "Type", "wait",
                           "Ticks", 2, "nobody_knows_this", "a", 1);
    gr_check(g, gr_int(step, "tick") == gr_int(a.step, "tick") + 2, "Ticks of 2 led from tick %lld to %lld",
             (long long)gr_int(a.step, "tick"), (long long)gr_int(step, "tick"));
}

static void in_order(struct gamerl *g)
{
    enum { QUESTIONS = 4 };
    struct gr_agent a;
    int64_t id[QUESTIONS];
    gr_ready(&a, g, "order", NULL);
    if (!gr_goes_on(g))
        return;
    for (int i = 0; i < QUESTIONS; i++)
        id[i] = i % 2 ? rpc_send(a.at, "ping", NULL)
                      : gr_send(g, a.at, "sim_step", "{s:s,s:{s:s}}", "agent_id", a.id, "action", "type", "wait");
    for (int i = 0; i < QUESTIONS && gr_goes_on(g); i++) {
        json_t *next = gr_keep(g, rpc_read(a.at, RPC_WAIT_MS));
        gr_check(g, gr_int(next, "id") == id[i], "answer %d is of request %lld, not %lld", i + 1,
                 (long long)gr_int(next, "id"), (long long)id[i]);
    }
}

static void bad_arguments(struct gamerl *g)
{
    struct gr_agent a, b;
    struct rpc *r = gr_connect(g);
    gr_player(&a, g, r, "first", 0, NULL);
    gr_second(&b, g, r, "second", NULL);
    gr_reset(&a, 1, NULL);
    gr_refused(g, r, -32602, "batch_step", "{s:[{s:s,s:{s:s},s:i},{s:s,s:{s:s},s:i}]}", "steps", "agent_id", a.id,
               "action", "type", "wait", "ticks", 1, "agent_id", b.id, "action", "type", "wait", "ticks", 2);
    gr_refused(g, r, -32000, "send_message", "{s:s,s:{}}", "from_agent", "nobody", "content");
    gr_refused(g, r, -32602, "configure_streams", "{s:s,s:s,s:{s:[]}}", "agent_id", a.id, "profile", "policy_fast",
               "custom", "streams");
    gr_refused(g, r, -32602, "reset", "{s:s}", "scope", "agent");
}

// --- turns and episodes

static bool offers_wait(json_t *step)
{
    size_t i;
    json_t *item;
    json_array_foreach(json_object_get(step, "available_actions"), i, item)
    {
        if (strcmp(gr_text(item, "type"), "wait") == 0)
            return true;
    }
    return false;
}

static void waiting(struct gamerl *g)
{
    struct gr_agent a;
    gr_ready(&a, g, "waits", NULL);
    json_t *first = gr_get(gr_resource(g, a.at, "game://actions"), "actions.0");
    gr_check(g, strcmp(gr_text(first, "type"), "wait") == 0, "index 0 of game://actions is '%.30s'",
             gr_text(first, "type"));
    const struct game *known = gr_find_game(g->game);
    if (known && known->tick_ms) // in a real-time game it is an action like others
        return;
    gr_check(g, offers_wait(a.step) == !gr_true(a.step, "observation.your_turn"),
             "your_turn is %s, and available_actions %s wait",
             gr_true(a.step, "observation.your_turn") ? "true" : "false", offers_wait(a.step) ? "has" : "lacks");
    json_t *turn = gr_get(a.step, "observation.turn"), *asked = gr_get(a.step, "observation.to_act");
    gr_step(&a, gr_wait_action(&a), 1);
    gr_check(g,
             gr_same(turn, gr_get(a.step, "observation.turn")) && gr_same(asked, gr_get(a.step, "observation.to_act")),
             "wait decided something: turn or to_act changed");
}

static void all_active(struct gamerl *g)
{
    struct gr_agent a, b;
    struct rpc *r = gr_connect(g);
    size_t i;
    json_t *agent;
    gr_player(&a, g, r, "caller", 0, NULL);
    gr_systemic(&b, g, r, "beside", gr_systemic_type(g), NULL);
    gr_reset(&a, 1, NULL);
    gr_check(g, gr_get(a.step, "observations.beside"), "reset does not tell the observation of the other agent");
    json_array_foreach(json_object_get(gr_resource(g, r, "game://agents"), "agents"), i, agent)
    {
        gr_check(g, strcmp(gr_text(agent, "status"), "active") == 0, "%s is %s after a global reset",
                 gr_text(agent, "agent_id"), gr_text(agent, "status"));
    }
}

static void check_events(struct gamerl *g, json_t *step)
{
    size_t i;
    json_t *event;
    json_array_foreach(json_object_get(step, "events"), i, event)
    {
        int64_t severity = gr_int(event, "severity");
        gr_check(g, json_is_integer(gr_get(event, "severity")) && severity >= 0 && severity <= 3,
                 "the severity of %s is %lld", gr_text(event, "type"), (long long)severity);
        gr_check(g, json_is_object(gr_get(event, "details")), "%s has no details", gr_text(event, "type"));
        gr_check(g, gr_int(event, "tick") <= gr_int(step, "tick"), "%s is of tick %lld, in the future",
                 gr_text(event, "type"), (long long)gr_int(event, "tick"));
    }
}

static void sent_events(struct gamerl *g)
{
    struct gr_agent a;
    gr_ready(&a, g, "events", NULL);
    gr_check(g, strcmp(gr_text(a.step, "events.0.type"), "episode_started") == 0, "the first event is '%.30s'",
             gr_text(a.step, "events.0.type"));
    gr_check(g,
             gr_same(gr_get(a.step, "events.0.details.episode"), gr_get(a.step, "episode")) &&
                 gr_same(gr_get(a.step, "events.0.details.scenario"), gr_get(a.step, "scenario")),
             "episode_started tells another episode or scenario than the reset");
    for (int i = 0; i < 30 && !gr_is_over(&a); i++) {
        check_events(g, a.step);
        gr_step(&a, gr_ending_action(&a), 1);
    }
}

static void paused(struct gamerl *g)
{
    struct gr_agent a, master;
    struct rpc *r = connect_master(&a, &master, g);
    json_t *action = gr_keep(g, gr_ending_action(&a));
    gr_step(&master, json_pack("{s:s}", "type", "pause"), 1);
    json_t *world = gr_resource(g, r, "game://world");
    gr_check(g, gr_true(world, "paused"), "game://world is not paused after pause");
    if (!gr_goes_on(g))
        return;
    json_t *answer = gr_call(g, r, "sim_step", "{s:s,s:O}", "agent_id", a.id, "action", action);
    gr_check(g, gr_code(answer) == -32001 && strcmp(gr_text(answer, "error.data.reason"), "paused") == 0,
             "an action while paused: %d '%.30s', not -32001 paused", gr_code(answer),
             gr_text(answer, "error.data.reason"));
    gr_check(g, gr_int(gr_resource(g, r, "game://world"), "tick") == gr_int(world, "tick"), "time passes while paused");
    gr_step(&master, json_pack("{s:s}", "type", "resume"), 1);
    gr_step(&a, json_incref(action), 1);
}

// --- agents

static void declared_types(struct gamerl *g)
{
    static const char *const types[] = {"EntityBehavior", "GameMaster",    "WorldSimulation",
                                        "ColonyManager",  "DialogueAgent", "CombatDirector"};
    struct rpc *r = gr_connect(g);
    for (int i = 0; i < 6 && gr_goes_on(g); i++) {
        int code = gr_code(gr_call(g, r, "register_agent", "{s:s,s:s}", "agent_id", types[i], "agent_type", types[i]));
        bool has = gr_has_type(g, types[i]);
        gr_check(g, code == (has ? 0 : -32602), "%s is %s agent_types, registering it is %d", types[i],
                 has ? "in" : "not in", code);
        if (code == 0)
            gr_must(g, r, "deregister_agent", "{s:s}", "agent_id", types[i]);
    }
}

static void no_rewards(struct gamerl *g)
{
    struct gr_agent a, master;
    connect_master(&a, &master, g);
    for (int i = 0; i < 5 && !gr_is_over(&a); i++) {
        gr_step(&a, gr_ending_action(&a), 1);
        gr_step(&master, gr_wait_action(&master), 1);
        gr_check(g, gr_real(master.step, "reward") == 0, "the reward of a GameMaster is %g",
                 gr_real(master.step, "reward"));
        gr_check(g, json_object_size(gr_get(master.step, "reward_components")) == 0,
                 "a GameMaster has reward_components");
    }
}

// --- observations

static const struct game *game_of(struct gamerl *g)
{
    static const struct game unknown = {0};
    const struct game *found = gr_find_game(g->game);
    if (!found)
        gr_skip(g, "nothing is known of this game");
    return found ? found : &unknown;
}

static void profiles(struct gamerl *g)
{
    static const char *const common[] = {"game",      "scenario", "phase",           "turn",      "to_act",
                                         "your_turn", "seat",     "turn_ticks_left", "legal_mask"};
    struct gr_agent full, compact, vector;
    const struct game *want = game_of(g);
    gr_ready(&full, g, "full", NULL);
    void *at = json_object_iter(gr_get(full.step, "observation"));
    for (int i = 0; i < 9 && at; i++, at = json_object_iter_next(gr_get(full.step, "observation"), at))
        gr_check(g, strcmp(json_object_iter_key(at), common[i]) == 0, "key %d of an observation is %s, not %s", i,
                 json_object_iter_key(at), common[i]);
    gr_check(g, gr_get(full.step, "observation.text"), "the profile full has no text");
    gr_check(g, gr_int(full.spaces, "action_space.n") == want->flat_size, "action_space.n is %lld, not %u",
             (long long)gr_int(full.spaces, "action_space.n"), want->flat_size);
    gr_ready(&compact, g, "compact", json_pack("{s:s}", "observation_profile", "compact"));
    gr_check(g, !gr_goes_on(g) || !gr_get(compact.step, "observation.text"), "the profile compact has a text");
    gr_ready(&vector, g, "vector", json_pack("{s:s}", "observation_profile", "vector"));
    json_t *seen = gr_get(vector.step, "observation");
    gr_check(g, json_array_size(gr_get(seen, "vector")) == want->vector_size, "the vector has %zu numbers, not %u",
             json_array_size(gr_get(seen, "vector")), want->vector_size);
    gr_check(g,
             json_object_size(seen) == 4 && gr_get(seen, "legal_mask") && gr_get(seen, "your_turn") &&
                 gr_get(seen, "phase"),
             "the profile vector has other keys than vector, legal_mask, your_turn and phase");
}

static void streams_removed(struct gamerl *g)
{
    struct gr_agent a;
    gr_ready(&a, g, "streams", NULL);
    gr_must(g, a.at, "configure_streams", "{s:s,s:s}", "agent_id", a.id, "profile", "policy_fast");
    gr_step(&a, gr_legal_action(&a), 1);
    gr_check(g, json_object_size(gr_get(a.step, "frame_ids")) == 1, "a step has no frame_ids of its stream");
    json_t *result = gr_must(g, a.at, "configure_streams", "{s:s,s:{s:[]}}", "agent_id", a.id, "custom", "streams");
    gr_check(g, json_array_size(gr_get(result, "streams")) == 0, "an empty list leaves streams");
    if (gr_is_over(&a))
        return;
    gr_step(&a, gr_wait_action(&a), 1);
    gr_check(g, !gr_get(a.step, "frame_ids"), "frame_ids without a stream");
}

const struct gamerl_gate gamerl_table[] = {
    {"C134", 0, false, "G2.7 G4.6", "unknown members are ignored, PascalCase names are taken", tolerant},
    {"C135", 0, false, "G2.8", "requests are answered in their order", in_order},
    {"C136", 0, false, "G12.7 G22.7", "index 0 is wait, which decides nothing and is offered to those not asked",
     waiting},
    {"C137", 0, false, "G14.2 G14.3", "a global reset makes every agent active and tells its observation", all_active},
    {"C138", 0, false, "G14.5 G15.4 G16.1 G20.1",
     "unequal ticks, unknown senders, profile beside custom, agent scope without agent are refused", bad_arguments},
    {"C139", 0, false, "G22.4 G22.6 G24.2 G24.5 G25.2 G25.4 G26.1 G26.3 G27.1 G27.4 G28.1 G28.3",
     "profiles have their keys; index space and vector have the size of the game", profiles},
    {"C140", 0, false, "G16.4 G22.11", "episode_started comes first; events have details, severity and a past tick",
     sent_events},
    {"C141", 0, false, "G23.1", "the types of agent_types can be registered and no others", declared_types},
    {"C142", 0, false, "G23.8", "an overseer has reward 0 and no components", no_rewards},
    {"C143", 0, false, "G12.14 G23.2", "pause stops time and seats, resume ends it", paused},
    {"C144", 0, false, "G20.1 G13.2", "an empty list removes streams and frame_ids", streams_removed},
    {0},
};
