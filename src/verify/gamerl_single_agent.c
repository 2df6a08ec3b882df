// test_single_agent: one agent registers, acts and is refused (C32-C55). Matches and legality are in gamerl_play.c.
#include "verify/gamerl_internal.h"
#include "verify/gamerl_play.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void embodied(struct gamerl *g)
{
    struct gr_agent a;
    gr_player(&a, g, gr_connect(g), "embodied", 0, NULL);
    gr_shape(g, "registered_embodied", a.spaces);
    gr_check(g, strcmp(gr_text(a.spaces, "agent_id"), a.id) == 0, "the answer names another agent");
}

static void systemic(struct gamerl *g)
{
    struct gr_agent a;
    gr_systemic(&a, g, gr_connect(g), "systemic", gr_systemic_type(g), NULL);
    gr_shape(g, "registered_systemic", a.spaces);
}

static void bad_registration(struct gamerl *g)
{
    static const char *const ids[] = {"", "with space", "semi;colon", "Ünicode"};
    struct rpc *r = gr_connect(g);
    for (int i = 0; i < 4; i++)
        gr_refused(g, r, -32602, "register_agent", "{s:s,s:s}", "agent_id", ids[i], "agent_type", "EntityBehavior");
    gr_refused(g, r, -32602, "register_agent", "{s:s,s:s}", "agent_id", "good", "agent_type", "Wizard");
}

static void no_avatar(struct gamerl *g)
{
    gr_refused(g, gr_connect(g), -32602, "register_agent", "{s:s,s:s,s:s}", "agent_id", "bodiless", "agent_type",
               "EntityBehavior", "scope", "embodied");
}

static void unregistered(struct gamerl *g)
{
    gr_refused(g, gr_connect(g), -32000, "sim_step", "{s:s,s:i}", "agent_id", "nobody", "action", 0);
}

static void before_reset(struct gamerl *g)
{
    struct gr_agent a;
    struct rpc *r = gr_connect(g);
    gr_player(&a, g, r, "early", 0, NULL);
    gr_check(g, gr_code(gr_call(g, r, "sim_step", "{s:s,s:o}", "agent_id", a.id, "action", gr_wait_action(&a))),
             "a step before the first reset was taken");
}

static void first_observation(struct gamerl *g)
{
    struct gr_agent a;
    gr_player(&a, g, gr_connect(g), "reset", 0, NULL);
    json_t *step = gr_reset(&a, 1, NULL);
    gr_check(g, step && gr_real(step, "reward") == 0, "the reward after a reset is %g", gr_real(step, "reward"));
    gr_check(g, json_is_false(gr_get(step, "done")), "done is not false after a reset");
}

static void equal_text(struct gamerl *g)
{
    struct gr_agent a;
    struct rpc *r = gr_connect(g);
    gr_player(&a, g, r, "twice", 0, NULL);
    gr_reset(&a, 1, NULL);
    json_t *answer = gr_call(g, r, "sim_step", "{s:s,s:o}", "agent_id", a.id, "action", gr_legal_action(&a));
    json_t *structured = gr_get(answer, "result.structuredContent");
    gr_shape(g, "step", structured);
    json_t *text = gr_keep(g, json_loads(gr_text(answer, "result.content.0.text"), 0, NULL));
    gr_check(g, gr_same(text, structured), "the text is not the structured content");
}

static void counters(struct gamerl *g)
{
    static const int ticks[] = {1, 2, 1, 3, 5};
    struct gr_agent a;
    gr_player(&a, g, gr_connect(g), "counters", 0, NULL);
    gr_reset(&a, 1, NULL);
    for (unsigned i = 0; i < sizeof ticks / sizeof *ticks && !gr_is_over(&a); i++) {
        int64_t step = gr_int(a.step, "step_id"), tick = gr_int(a.step, "tick");
        gr_step(&a, gr_wait_action(&a), ticks[i]);
        if (gr_is_over(&a))
            return;
        gr_check(g, gr_int(a.step, "step_id") == step + 1, "step_id went from %lld to %lld", (long long)step,
                 (long long)gr_int(a.step, "step_id"));
        gr_check(g, gr_int(a.step, "tick") == tick + ticks[i], "tick went from %lld to %lld by %d", (long long)tick,
                 (long long)gr_int(a.step, "tick"), ticks[i]);
    }
}

static void bad_ticks(struct gamerl *g)
{
    struct gr_agent a;
    gr_ready(&a, g, "ticks", NULL);
    gr_refused(g, a.at, -32602, "sim_step", "{s:s,s:o,s:i}", "agent_id", a.id, "action", gr_wait_action(&a), "ticks",
               0);
    gr_refused(g, a.at, -32602, "sim_step", "{s:s,s:o,s:i}", "agent_id", a.id, "action", gr_wait_action(&a), "ticks",
               -1);
    gr_refused(g, a.at, -32602, "sim_step", "{s:s,s:o,s:f}", "agent_id", a.id, "action", gr_wait_action(&a), "ticks",
               1.5);
}

// Must be refused with one of two codes, without any change.
static void refuse_unmoved(struct gr_agent *a, json_t *action, int code, int other)
{
    struct gamerl *g = a->g;
    json_t *before = gr_hash(g, a->at);
    char *said = json_dumps(action, JSON_COMPACT | JSON_ENCODE_ANY);
    int got = gr_code(gr_call(g, a->at, "sim_step", "{s:s,s:o}", "agent_id", a->id, "action", action));
    gr_check(g, got == code || got == other, "the action %.60s: %d, not %d", said, got, code);
    json_t *after = gr_hash(g, a->at);
    gr_check(g, !before || gr_same(before, after), "the refused action %.60s changed the state", said);
    free(said);
}

static void bad_index(struct gamerl *g)
{
    struct gr_agent a;
    gr_ready(&a, g, "index", NULL);
    int64_t n = gr_int(a.spaces, "action_space.n");
    if (n <= 0)
        gr_skip(g, "the action space is not discrete");
    refuse_unmoved(&a, json_integer(n), -32001, -32602);
    refuse_unmoved(&a, json_integer(-1), -32001, -32602);
}

static void bad_vector(struct gamerl *g)
{
    struct gr_agent a, world;
    gr_ready(&a, g, "vector", NULL);
    size_t size = json_array_size(gr_get(a.spaces, "action_space.low"));
    json_t *vector = json_array();
    for (size_t i = 0; i < size + 1; i++)
        json_array_append_new(vector, json_real(0.5));
    refuse_unmoved(&a, vector, -32602, -32001);
    if (!gr_has_type(g, "WorldSimulation"))
        return;
    gr_systemic(&world, g, a.at, "world", "WorldSimulation", NULL);
    gr_reset(&a, 1, NULL);
    refuse_unmoved(&world, json_pack("[f,f,f,f,f,f,f]", 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0), -32602, -32001);
}

static void denied(struct gamerl *g)
{
    struct gr_agent a;
    gr_ready(&a, g, "denied", NULL);
    refuse_unmoved(&a, json_pack("{s:s,s:{s:s}}", "type", "spawn_entity", "params", "entity_type", "dragon"), -32001,
                   -32001);
}

static void undeclared(struct gamerl *g)
{
    struct gr_agent a;
    gr_ready(&a, g, "undeclared", NULL);
    refuse_unmoved(&a, json_pack("{s:s,s:{}}", "type", "frobnicate_the_table", "params"), -32001, -32001);
}

// The first legal action other than the one that is always allowed.
static json_t *other_than_wait(struct gr_agent *a)
{
    size_t i;
    json_t *action;
    json_array_foreach(json_object_get(a->step, "available_actions"), i, action)
    {
        if (strcmp(gr_text(action, "type"), "wait") != 0)
            return action;
    }
    return NULL;
}

static void masked(struct gamerl *g)
{
    struct gr_agent a;
    struct rpc *r = gr_connect(g);
    const char *avatar = gr_avatar(g, 0);
    json_t *arguments = json_pack("{s:s,s:s,s:{s:[s]}}", "agent_id", "fool", "agent_type", "EntityBehavior", "config",
                                  "action_mask", "frobnicate_the_table");
    if (avatar)
        json_object_set_new(json_object_get(arguments, "config"), "avatar_id", json_string(avatar));
    gr_refused(g, r, -32602, "register_agent", "o", arguments);
    gr_player(&a, g, r, "free", 0, NULL);
    gr_reset(&a, 1, NULL);
    json_t *action = other_than_wait(&a);
    if (!action)
        gr_skip(g, "nothing but wait is legal");
    gr_must(g, r, "deregister_agent", "{s:s}", "agent_id", a.id);
    gr_player(&a, g, r, "masked", 0, json_pack("{s:[s]}", "action_mask", "wait"));
    gr_reset(&a, 1, NULL);
    refuse_unmoved(&a, json_incref(action), -32001, -32001);
    gr_must(g, r, "deregister_agent", "{s:s}", "agent_id", a.id);
    gr_player(&a, g, r, "allowed", 0, json_pack("{s:[s]}", "action_mask", gr_text(action, "type")));
    gr_reset(&a, 1, NULL);
    gr_step(&a, json_incref(action), 1);
}

static void out_of_scope(struct gamerl *g)
{
    struct gr_agent a;
    gr_systemic(&a, g, gr_connect(g), "mover", gr_systemic_type(g), NULL);
    gr_reset(&a, 1, NULL);
    refuse_unmoved(&a, json_pack("{s:s,s:{s:s}}", "type", "move", "params", "direction", "left"), -32001, -32001);
}

// --- rewards and observations

static double weighted_sum(json_t *step, json_t *weights)
{
    const char *name;
    json_t *value;
    double sum = 0;
    json_object_foreach(json_object_get(step, "reward_components"), name, value)
    {
        json_t *weight = json_object_get(weights, name);
        sum += json_number_value(value) * (weight ? json_number_value(weight) : 1);
    }
    return sum;
}

static double play_weighted(struct gr_agent *a, json_t *weights)
{
    size_t mark = gr_mark(a->g);
    double moved = 0;
    gr_reset(a, 3, NULL);
    for (int i = 0; i < 400 && !gr_is_over(a); i++) {
        gr_step(a, gr_ending_action(a), 1);
        double sum = weighted_sum(a->step, weights), reward = gr_real(a->step, "reward");
        gr_check(a->g, fabs(sum - reward) <= 1e-5 * (1 + fabs(sum)), "reward %g, weighted components %g", reward, sum);
        moved += fabs(reward);
        if (gr_goes_on(a->g))
            gr_trim(a->g, mark, a->step);
    }
    return moved;
}

static void reward_sum(struct gamerl *g)
{
    struct gr_agent a;
    struct rpc *r = gr_connect(g);
    size_t i;
    json_t *component, *weights = gr_pack(g, "{}");
    gr_player(&a, g, r, "plain", 0, NULL);
    gr_check(g, play_weighted(&a, NULL) > 0, "no reward in a whole match");
    gr_must(g, r, "deregister_agent", "{s:s}", "agent_id", a.id);
    json_array_foreach(json_object_get(g->manifest, "reward_components"), i, component)
    {
        json_object_set_new(weights, gr_text(component, "name"), json_real(i % 2 ? -0.5 : 2.5));
    }
    gr_player(&a, g, r, "shaped", 0, json_pack("{s:{s:O}}", "reward_shaping", "weights", weights));
    play_weighted(&a, weights);
}

static void same_keys(struct gamerl *g, json_t *observation, json_t *spaces)
{
    void *at = json_object_iter(observation), *wanted = json_object_iter(spaces);
    for (; at && wanted; at = json_object_iter_next(observation, at), wanted = json_object_iter_next(spaces, wanted))
        gr_check(g, strcmp(json_object_iter_key(at), json_object_iter_key(wanted)) == 0,
                 "the observation has %s where %s is declared", json_object_iter_key(at), json_object_iter_key(wanted));
    gr_check(g, !at && !wanted, "the observation has %s keys than declared", at ? "more" : "fewer");
}

static void declared_keys(struct gamerl *g)
{
    struct gr_agent a;
    gr_ready(&a, g, "keys", NULL);
    json_t *spaces = gr_get(a.spaces, "observation_space.spaces");
    if (!spaces)
        gr_skip(g, "the observation space is no dict");
    for (int i = 0; i < 20 && !gr_is_over(&a); i++) {
        same_keys(g, json_object_get(a.step, "observation"), spaces);
        gr_step(&a, gr_legal_action(&a), 1);
    }
}

const struct gamerl_gate gamerl_single_agent[] = {
    {"C32", 1, false, "G10.6", "embodied registration response validates", embodied},
    {"C33", 1, false, "G10.6", "systemic registration response validates", systemic},
    {"C34", 1, false, "G10.1", "bad agent_id and unknown agent_type: -32602", bad_registration},
    {"C35", 1, false, "G10.3", "explicit embodied scope without avatar_id: -32602", no_avatar},
    {"C36", 1, false, "G9.1", "step of an unregistered agent: -32000", unregistered},
    {"C37", 1, false, "G10.8", "step before the first reset is refused", before_reset},
    {"C38", 1, false, "G14.3", "reset returns a valid step object, reward 0, done false", first_observation},
    {"C39", 1, false, "G4.3", "a step validates; structuredContent equals the text", equal_text},
    {"C40", 1, false, "G12.2 G12.6", "step_id grows by 1 per step, tick by ticks", counters},
    {"C41", 1, false, "G13.1", "ticks 0, -1, 1.5: -32602", bad_ticks},
    {"C42", 1, false, "G11.5", "index n and -1 refused with -32001 or -32602, hash unchanged", bad_index},
    {"C43", 1, false, "G11.5", "array of wrong length or for a discrete space refused", bad_vector},
    {"C44", 1, false, "G11.2 G9.3", "EntityBehavior spawn_entity: -32001; hash and tick unchanged", denied},
    {"C45", 1, false, "G11.1", "a name nobody declared: -32001", undeclared},
    {"C46", 1, false, "G10.1", "action_mask is enforced; an unknown name in it is refused", masked},
    {"C47", 1, false, "G11.3", "systemic move: -32001", out_of_scope},
    {"C48", 1, false, "G13.2", "reward equals the weighted sum of components, with and without shaping", reward_sum},
    {"C49", 1, false, "G10.7", "observation keys are those declared", declared_keys},
    {"C50", 1, false, "G10.8", "after done the next step is -32002; reset revives", gamerl_after_done},
    {"C51", 1, false, "G13.4", "at the tick limit: truncated true, done false, reason timeout", gamerl_tick_limit},
    {"C52", 0, false, "G22.8", "every item of available_actions is accepted as sent", gamerl_available},
    {"C53", 0, false, "G22.8",
     "for i above 0, legal_mask[i] is 1 exactly if index i is accepted, on 50 states replayed from the seed",
     gamerl_mask},
    {"C54", 0, false, "G22.2", "one agent alone finishes a match of every scenario against house bots",
     gamerl_all_scenarios},
    {"C55", 0, false, "G13.6", "observe changes neither hash nor tick and equals the last observation", gamerl_observe},
    {0},
};
