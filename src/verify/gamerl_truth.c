// test_truth: what a server says in two places must agree, and a refusal changes nothing (C101-C117).
#include "verify/gamerl_internal.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static void same_text(struct gamerl *g, const char *what, const char *a, const char *b)
{
    gr_check(g, strcmp(a, b) == 0, "%s: '%.40s' and '%.40s'", what, a, b);
}

// --- the server's description of itself

static void versions(struct gamerl *g)
{
    struct rpc *r = gr_open(g);
    json_t *said = gr_get(gr_initialize(g, r, "2025-11-25", NULL), "result"), *level;
    json_t *m = gr_resource(g, r, "game://manifest");
    same_text(g, "serverInfo.gameRlVersion and game_rl_version of the manifest",
              gr_text(said, "serverInfo.gameRlVersion"), gr_text(m, "game_rl_version"));
    same_text(g, "game_rl_version and game_rl_compliance.version", gr_text(m, "game_rl_version"),
              gr_text(m, "game_rl_compliance.version"));
    if ((level = gr_get(said, "capabilities.experimental.gameRl.level")))
        gr_check(g, gr_same(level, gr_get(m, "game_rl_compliance.level")),
                 "the level of experimental.gameRl is not that of the manifest");
    if (g->own)
        same_text(g, "version of serverInfo and of the manifest", gr_text(said, "serverInfo.version"),
                  gr_text(m, "version"));
}

static void default_spaces(struct gamerl *g)
{
    struct gr_agent a;
    gr_player(&a, g, gr_connect(g), "spaces", 0, NULL);
    gr_check(g, gr_same(gr_get(g->manifest, "default_action_space"), gr_get(a.spaces, "action_space")),
             "default_action_space of the manifest is not the action_space of a seat agent");
    gr_check(g, gr_same(gr_get(g->manifest, "default_observation_space"), gr_get(a.spaces, "observation_space")),
             "default_observation_space of the manifest is not the observation_space of a seat agent");
}

static void registered_as_asked(struct gamerl *g)
{
    struct gr_agent a;
    const char *avatar = gr_avatar(g, 0);
    gr_player(&a, g, gr_connect(g), "asked", 0, NULL);
    same_text(g, "agent_id asked and answered", "asked", gr_text(a.spaces, "agent_id"));
    gr_check(g, gr_true(a.spaces, "registered"), "registered is not true");
    if (!avatar)
        return;
    same_text(g, "scope asked and answered", "embodied", gr_text(a.spaces, "scope"));
    same_text(g, "avatar asked and answered", avatar, gr_text(a.spaces, "avatar.id"));
}

static void named_agent(struct gamerl *g)
{
    struct gr_agent a, b;
    struct rpc *r = gr_connect(g);
    gr_player(&a, g, r, "first", 0, NULL);
    gr_second(&b, g, r, "second", NULL);
    gr_reset(&b, 1, NULL);
    same_text(g, "reset for second is answered for another agent", "second", gr_text(b.step, "agent_id"));
    gr_step(&a, gr_wait_action(&a), 1);
    same_text(g, "a step of first is answered for another agent", "first", gr_text(a.step, "agent_id"));
    gr_step(&b, gr_wait_action(&b), 1);
    same_text(g, "a step of second is answered for another agent", "second", gr_text(b.step, "agent_id"));
}

// --- episodes

static void check_end(struct gamerl *g, json_t *step)
{
    static const char *const words[] = {"success", "failure", "timeout", "external"};
    const char *reason = gr_text(step, "termination_reason");
    bool done = gr_true(step, "done"), cut = gr_true(step, "truncated"), known = false;
    for (int i = 0; i < 4; i++)
        known |= strcmp(reason, words[i]) == 0;
    gr_check(g, !(done && cut), "done and truncated are both true");
    gr_check(g, done || cut || !gr_get(step, "termination_reason"), "a running episode has termination_reason '%.30s'",
             reason);
    gr_check(g, !(done || cut) || known, "the end has termination_reason '%.30s'", reason);
    gr_check(g, !cut || strcmp(reason, "timeout") == 0, "truncated for the reason '%.30s'", reason);
    gr_check(g, !g->own || !done || strcmp(reason, "timeout") != 0, "done for the reason timeout");
}

static void ends(struct gamerl *g)
{
    struct gr_agent a;
    gr_ready(&a, g, "ends", NULL);
    size_t mark = gr_mark(g);
    check_end(g, a.step);
    for (int i = 0; i < 20000 && !gr_is_over(&a); i++) {
        gr_step(&a, gr_ending_action(&a), 1);
        check_end(g, a.step);
        if (gr_goes_on(g))
            gr_trim(g, mark, a.step);
    }
}

static void over_resets(struct gamerl *g)
{
    struct gr_agent a;
    gr_ready(&a, g, "resets", NULL);
    for (int i = 0; i < 3 && gr_goes_on(g); i++) {
        for (int k = 0; k < 2 && !gr_is_over(&a); k++)
            gr_step(&a, gr_wait_action(&a), 1);
        int64_t before = gr_int(a.step, "step_id");
        gr_reset(&a, 2 + i, NULL);
        gr_check(g, gr_int(a.step, "step_id") == before, "step_id went from %lld to %lld by a reset", (long long)before,
                 (long long)gr_int(a.step, "step_id"));
        gr_check(g, gr_int(a.step, "tick") == 0, "an episode begins at tick %lld", (long long)gr_int(a.step, "tick"));
    }
}

// --- refusals

// Everything that a client can see of the state: world, agents, hash, observation.
static json_t *all_seen(struct gr_agent *a)
{
    struct gamerl *g = a->g;
    json_t *world = gr_resource(g, a->at, "game://world"), *hash = gr_hash(g, a->at);
    json_object_del(world, "real_time_seconds");
    return gr_pack(g, "{s:O*,s:O*,s:O*}", "world", world, "agents", gr_resource(g, a->at, "game://agents"), "hash",
                   hash);
}

static void refused_unmoved(struct gr_agent *a, const char *tool, const char *arguments)
{
    struct gamerl *g = a->g;
    if (!gr_goes_on(g) || !json_object_get(g->tools, tool))
        return;
    json_t *before = all_seen(a);
    int code = gr_code(gr_call(g, a->at, tool, "o", json_loads(arguments, 0, NULL)));
    if (code == 0) // other assertions check what must be refused
        return;
    json_t *after = all_seen(a);
    const char *key;
    json_t *value;
    json_object_foreach(before, key, value)
    {
        gr_check(g, gr_same(value, json_object_get(after, key)), "the refused %s %.120s changed the %s", tool,
                 arguments, key);
    }
}

static void unmoved(struct gamerl *g)
{
    static const char *const calls[][2] = {
        {"sim_step", "{\"agent_id\":\"still\",\"action\":{\"type\":\"wait\"},\"ticks\":0}"},
        {"sim_step", "{\"agent_id\":\"nobody\",\"action\":{\"type\":\"wait\"}}"},
        {"sim_step", "{\"agent_id\":\"still\",\"action\":{\"type\":\"frobnicate_the_table\"}}"},
        {"reset", "{\"agent_id\":\"still\",\"config\":{\"scenario\":\"no_such_scenario\"}}"},
        {"reset", "{\"agent_id\":\"still\",\"seed\":\"seven\"}"},
        {"reset", "{\"agent_id\":\"nobody\"}"},
        {"register_agent", "{\"agent_id\":\"new\",\"agent_type\":\"Wizard\"}"},
        {"deregister_agent", "{\"agent_id\":\"nobody\"}"},
        {"batch_step", "{\"steps\":[{\"agent_id\":\"still\",\"action\":{\"type\":\"wait\"}},{\"agent_id\":\"nobody\","
                       "\"action\":{\"type\":\"wait\"}}]}"},
        {"get_state_hash", "{\"agent_id\":\"nobody\"}"},
        {"configure_streams", "{\"agent_id\":\"still\",\"profile\":\"no_such_profile\"}"},
        {"load_trajectory", "{\"path\":\"no-such-trajectory.json\"}"},
        {"send_message", "{\"from_agent\":\"still\",\"to_agent\":\"nobody\",\"content\":{}}"},
    };
    struct gr_agent a;
    gr_ready(&a, g, "still", NULL);
    gr_step(&a, gr_wait_action(&a), 1);
    int64_t step = gr_int(a.step, "step_id"), tick = gr_int(a.step, "tick");
    for (unsigned i = 0; i < sizeof calls / sizeof *calls; i++)
        refused_unmoved(&a, calls[i][0], calls[i][1]);
    if (gr_is_over(&a))
        return;
    gr_step(&a, gr_wait_action(&a), 1);
    gr_check(g, gr_int(a.step, "step_id") == step + 1 && gr_int(a.step, "tick") == tick + 1,
             "after refused calls step_id went from %lld to %lld, tick from %lld to %lld", (long long)step,
             (long long)gr_int(a.step, "step_id"), (long long)tick, (long long)gr_int(a.step, "tick"));
}

// --- hashes, agents, the world

static void hash_follows(struct gamerl *g)
{
    struct gr_agent a;
    const char *name;
    json_t *digest;
    gr_offers(g, "get_state_hash");
    gr_ready(&a, g, "hash", NULL);
    json_t *start = gr_hash(g, a.at), *seen = gr_get(a.step, "observation");
    for (int i = 0; i < 20 && !gr_is_over(&a) && gr_same(seen, gr_get(a.step, "observation")); i++)
        gr_step(&a, gr_legal_action(&a), 1);
    json_t *later = gr_hash(g, a.at);
    gr_check(g, !gr_same(gr_get(start, "hash"), gr_get(later, "hash")), "another observation, the same hash %.20s...",
             gr_text(later, "hash"));
    gr_reset(&a, 2, NULL);
    gr_check(g, !gr_same(gr_get(start, "hash"), gr_get(gr_hash(g, a.at), "hash")), "seeds 1 and 2 have the same hash");
    json_object_foreach(json_object_get(later, "components"), name, digest)
    {
        const char *text = json_string_value(digest);
        gr_check(g, text && strncmp(text, "sha256:", 7) == 0 && strspn(text + 7, "0123456789abcdef") == 64 && !text[71],
                 "the component %s is no hash", name);
    }
}

static json_t *entry_of(struct gr_agent *a)
{
    size_t i;
    json_t *agent;
    json_array_foreach(json_object_get(gr_resource(a->g, a->at, "game://agents"), "agents"), i, agent)
    {
        if (strcmp(gr_text(agent, "agent_id"), a->id) == 0)
            return agent;
    }
    gr_check(a->g, false, "game://agents does not have %s", a->id);
    return NULL;
}

static void agents_true(struct gamerl *g)
{
    struct gr_agent a;
    double sum = 0;
    gr_player(&a, g, gr_connect(g), "entry", 0, NULL);
    json_t *entry = entry_of(&a);
    same_text(g, "agent_type registered and in game://agents", "EntityBehavior", gr_text(entry, "agent_type"));
    if (g->own) // elsewhere an agent may play at once
        same_text(g, "status before the first reset", "registered", gr_text(entry, "status"));
    gr_check(g, gr_int(entry, "last_step") == 0, "last_step is %lld before the first step",
             (long long)gr_int(entry, "last_step"));
    gr_reset(&a, 3, NULL);
    same_text(g, "status in an episode", "active", gr_text(entry_of(&a), "status"));
    size_t mark = gr_mark(g);
    for (int i = 0; i < 400 && !gr_is_over(&a); i++) {
        sum += gr_real(gr_step(&a, gr_ending_action(&a), 1), "reward");
        if (gr_goes_on(g))
            gr_trim(g, mark, a.step);
    }
    bool over = gr_is_over(&a);
    int64_t last = gr_int(a.step, "step_id");
    entry = entry_of(&a);
    same_text(g, "status after these steps", over ? "terminal" : "active", gr_text(entry, "status"));
    gr_check(g, gr_int(entry, "last_step") == last, "last_step is %lld, the last step_id was %lld",
             (long long)gr_int(entry, "last_step"), (long long)last);
    gr_check(g, fabs(sum - gr_real(entry, "total_reward")) <= 1e-5 * (1 + fabs(sum)),
             "total_reward is %g, the rewards sum to %g", gr_real(entry, "total_reward"), sum);
}

static void world_true(struct gamerl *g)
{
    struct gr_agent a;
    gr_ready(&a, g, "world", NULL);
    int64_t episode = gr_int(gr_resource(g, a.at, "game://world"), "episode");
    for (int i = 0; i < 5 && !gr_is_over(&a); i++) {
        gr_step(&a, gr_legal_action(&a), 1);
        json_t *world = gr_resource(g, a.at, "game://world");
        gr_check(g, gr_int(world, "tick") == gr_int(a.step, "tick"), "game://world is at tick %lld, the step at %lld",
                 (long long)gr_int(world, "tick"), (long long)gr_int(a.step, "tick"));
        gr_check(g, !gr_get(a.step, "state_hash") || gr_same(gr_get(world, "state_hash"), gr_get(a.step, "state_hash")),
                 "state_hash of game://world is not that of the step");
        gr_check(g, gr_int(world, "episode") == episode, "the episode went from %lld to %lld by a step",
                 (long long)episode, (long long)gr_int(world, "episode"));
    }
    gr_reset(&a, 2, NULL);
    int64_t next = gr_int(gr_resource(g, a.at, "game://world"), "episode");
    gr_check(g, next == episode + 1, "the episode went from %lld to %lld by a reset", (long long)episode,
             (long long)next);
}

// --- spaces

static void check_offer(struct gr_agent *a, json_t *item)
{
    struct gamerl *g = a->g;
    struct schema_fault fault;
    const char *name;
    json_t *rule, *action = gr_find_action(a, gr_text(item, "type"));
    gr_check(g, action, "available_actions has '%.40s', which action_space does not declare", gr_text(item, "type"));
    json_object_foreach(json_object_get(action, "params"), name, rule)
    {
        json_t *value = json_object_get(json_object_get(item, "params"), name);
        gr_check(g, !value || schema_holds(rule, rule, value, &fault), "%s of %s in available_actions: %s", name,
                 gr_text(item, "type"), fault.why);
    }
}

static void offers_declared(struct gamerl *g)
{
    struct gr_agent a;
    gr_ready(&a, g, "offers", NULL);
    if (!gr_get(a.step, "available_actions"))
        gr_skip(g, "there are no available_actions");
    for (int i = 0; i < 20 && !gr_is_over(&a); i++) {
        size_t k;
        json_t *item;
        json_array_foreach(json_object_get(a.step, "available_actions"), k, item)
        {
            check_offer(&a, item);
        }
        gr_step(&a, gr_ending_action(&a), 1);
    }
}

static void check_mask(struct gr_agent *a, json_t *table)
{
    struct gamerl *g = a->g;
    const char *mask = gr_text(a->step, "observation.legal_mask");
    int64_t n = gr_int(a->spaces, "action_space.n");
    size_t k;
    json_t *item;
    gr_check(g, (int64_t)strlen(mask) == n && strspn(mask, "01") == strlen(mask),
             "legal_mask has %zu characters, action_space.n is %lld", strlen(mask), (long long)n);
    json_array_foreach(json_object_get(a->step, "available_actions"), k, item)
    {
        int64_t index = json_is_integer(gr_get(item, "index")) ? gr_int(item, "index") : -1;
        gr_check(g, index < 0 || (index < (int64_t)strlen(mask) && mask[index] == '1'),
                 "%s of available_actions has index %lld, legal_mask does not", gr_text(item, "type"),
                 (long long)index);
        if (index >= 0)
            same_text(g, "type of available_actions and of game://actions at its index", gr_text(item, "type"),
                      gr_text(json_array_get(table, (size_t)index), "type"));
    }
}

static void mask_agrees(struct gamerl *g)
{
    struct gr_agent a;
    gr_ready(&a, g, "mask", NULL);
    json_t *table = json_object_get(gr_resource(g, a.at, "game://actions"), "actions");
    for (int i = 0; i < 20 && !gr_is_over(&a); i++) {
        check_mask(&a, table);
        gr_step(&a, gr_legal_action(&a), 1);
    }
}

static bool is_among(json_t *values, json_t *value)
{
    size_t i;
    json_t *one;
    json_array_foreach(values, i, one)
    {
        if (json_equal(one, value))
            return true;
    }
    return !values;
}

// A number, or rows of numbers, within its bounds.
static bool fits_box(json_t *space, json_t *value)
{
    json_t *low = json_object_get(space, "low"), *high = json_object_get(space, "high"), *item;
    size_t i;
    if (json_is_number(value))
        return (!json_is_number(low) || json_number_value(value) >= json_number_value(low) - 1e-6) &&
               (!json_is_number(high) || json_number_value(value) <= json_number_value(high) + 1e-6);
    if (!json_is_array(value) || json_array_size(json_object_get(space, "shape")) == 0)
        return false;
    json_array_foreach(value, i, item)
    {
        if (!json_is_null(item) && !json_is_number(item) && !json_is_array(item))
            return false;
    }
    return true;
}

static bool fits_dict(json_t *space, json_t *value)
{
    size_t i;
    json_t *key;
    json_array_foreach(json_object_get(space, "keys"), i, key)
    {
        if (!json_object_get(value, json_string_value(key)))
            return false;
    }
    return json_is_object(value);
}

static bool fits_space(json_t *space, json_t *value)
{
    const char *type = gr_text(space, "type");
    if (json_is_null(value))
        return true; // null: does not exist at present
    if (strcmp(type, "text") == 0)
        return json_is_string(value);
    if (strcmp(type, "discrete") == 0)
        return is_among(json_object_get(space, "values"), value);
    if (strcmp(type, "box") == 0)
        return fits_box(space, value);
    if (strcmp(type, "dict") == 0)
        return fits_dict(space, value);
    if (strcmp(type, "sequence") != 0)
        return true;
    size_t i;
    json_t *item, *of = json_object_get(space, "of");
    json_array_foreach(value, i, item)
    {
        if (of && !fits_space(of, item))
            return false;
    }
    return json_is_array(value);
}

static void observation_fits(struct gamerl *g)
{
    struct gr_agent a;
    const char *key;
    json_t *space;
    gr_ready(&a, g, "fits", NULL);
    for (int i = 0; i < 40 && !gr_is_over(&a); i++) {
        json_object_foreach(gr_get(a.spaces, "observation_space.spaces"), key, space)
        {
            json_t *value = json_object_get(json_object_get(a.step, "observation"), key);
            gr_check(g, value && fits_space(space, value), "%s of the observation is not of its declared space", key);
        }
        gr_step(&a, i % 2 ? gr_ending_action(&a) : gr_legal_action(&a), 1);
    }
}

// --- seeds

static void reset_echo(struct gamerl *g)
{
    static const int64_t seeds[] = {5, 0, -7, 9007199254740993};
    struct gr_agent a;
    gr_ready(&a, g, "echo", NULL);
    int64_t episode = gr_int(a.step, "episode");
    json_t *scenario = gr_get(g->manifest, "scenarios.1");
    for (int i = 0; i < 4 && gr_goes_on(g); i++) {
        const char *name = gr_text(scenario, "name");
        gr_reset(&a, seeds[i], name[0] ? json_pack("{s:s}", "scenario", name) : NULL);
        gr_check(g, gr_int(a.step, "episode") == episode + 1 + i, "the episode after %lld is %lld",
                 (long long)episode + i, (long long)gr_int(a.step, "episode"));
        gr_check(g, g->at_socket || gr_int(a.step, "seed") == seeds[i], "seed %lld is answered by seed %lld",
                 (long long)seeds[i], (long long)gr_int(a.step, "seed"));
        if (name[0] && !strchr(name, '/')) // qualified names are reported without their game
            same_text(g, "scenario asked and answered", name, gr_text(a.step, "scenario"));
    }
}

static void seed_goes_on(struct gamerl *g)
{
    struct gr_agent a[2];
    json_t *first[2] = {0}, *second[2] = {0};
    if (g->at_socket)
        gr_skip(g, "needs a command: shared tables draw fresh keys");
    for (int i = 0; i < 2 && gr_goes_on(g); i++) {
        gr_player(&a[i], g, gr_connect(g), "chain", 0, NULL);
        first[i] = gr_get(gr_reset(&a[i], 77, NULL), "state_hash");
        second[i] = gr_get(gr_reset(&a[i], GR_NO_SEED, NULL), "state_hash");
    }
    if (!gr_goes_on(g))
        return;
    gr_check(g, gr_same(second[0], second[1]), "after seed 77 a reset without seed differs between two processes");
    gr_check(g, !gr_same(first[0], second[0]), "a reset without seed repeats the episode before it");
}

// --- files

struct saved {
    struct gr_agent a;
    json_t *replies, *file; // the steps as replied; what save_trajectory wrote
    char name[64];
};

static void save_answers(struct saved *s, struct gamerl *g)
{
    *s = (struct saved){0};
    gr_offers(g, "save_trajectory");
    snprintf(s->name, sizeof s->name, "agon-verify-%d-%d.json", (int)getpid(), ++g->tables);
    gr_ready(&s->a, g, "teller", NULL);
    s->replies = gr_pack(g, "[]");
    for (int i = 0; i < 10 && !gr_is_over(&s->a); i++) {
        json_t *action = gr_keep(g, gr_legal_action(&s->a));
        gr_step(&s->a, json_incref(action), 1);
        if (gr_goes_on(g))
            json_array_append_new(s->replies, json_pack("{s:O,s:O}", "action", action, "step", s->a.step));
    }
    gr_must(g, s->a.at, "save_trajectory", "{s:s,s:s}", "path", s->name, "format", "json");
    if (!gr_goes_on(g))
        return;
    s->file = gr_keep(g, json_load_file(s->name, 0, NULL));
    if (!s->file)
        gr_skip(g, "the file is not in the current directory; run this in the server's data directory");
}

static void file_true(struct gamerl *g)
{
    static const char *const of_entry[] = {"reward", "reward_components", "done", "truncated", "observation"};
    struct saved s;
    save_answers(&s, g);
    size_t i;
    json_t *reply;
    json_array_foreach(s.replies, i, reply)
    {
        char path[64];
        snprintf(path, sizeof path, "episodes.0.steps.%zu", i);
        json_t *step = gr_get(s.file, path), *entry = gr_get(step, "entries.0");
        gr_check(g, gr_same(gr_get(step, "state_hash"), gr_get(reply, "step.state_hash")),
                 "step %zu of the file has another state_hash than the reply", i);
        same_text(g, "type of an action played and of that in the file", gr_text(reply, "action.type"),
                  gr_text(entry, "action.type"));
        for (int k = 0; k < 5; k++)
            gr_check(g, gr_same(gr_get(entry, of_entry[k]), gr_get(gr_get(reply, "step"), of_entry[k])),
                     "%s of step %zu in the file is not that of the reply", of_entry[k], i);
    }
    if (s.file)
        unlink(s.name);
}

static void load_true(struct gamerl *g)
{
    struct saved s;
    save_answers(&s, g);
    gr_reset(&s.a, 2, NULL);
    json_t *loaded = gr_must(g, s.a.at, "load_trajectory", "{s:s}", "path", s.name), *now = gr_hash(g, s.a.at);
    gr_check(g, gr_same(gr_get(loaded, "final_state_hash"), gr_get(now, "hash")),
             "after load_trajectory get_state_hash is not the final_state_hash of its reply");
    gr_check(g, gr_int(loaded, "final_tick") == gr_int(now, "tick"), "final_tick is %lld, the table is at tick %lld",
             (long long)gr_int(loaded, "final_tick"), (long long)gr_int(now, "tick"));
    gr_check(g, gr_int(loaded, "steps") == (int64_t)json_array_size(s.replies),
             "%lld steps were loaded, %zu were played", (long long)gr_int(loaded, "steps"), json_array_size(s.replies));
    if (s.file)
        unlink(s.name);
}

const struct gamerl_gate gamerl_truth[] = {
    {"C101", 1, false, "G3.3 G5.3", "initialize and manifest tell the same versions and level", versions},
    {"C102", 1, false, "G5.3 G10.7", "the manifest's default spaces are those that a seat agent gets", default_spaces},
    {"C103", 1, false, "G10.6", "a registration is answered for the agent, scope and avatar asked",
     registered_as_asked},
    {"C104", 1, false, "G13.2 G14.3", "a step object names the agent that asked", named_agent},
    {"C105", 1, false, "G13.2 G13.4", "done, truncated and termination_reason agree in every step of a match", ends},
    {"C106", 0, false, "G12.2", "a reset leaves step_id and begins at tick 0", over_resets},
    {"C107", 1, false, "G9.3", "a refused call of any tool changes neither world, agents nor hash", unmoved},
    {"C108", 2, false, "G17.1 G17.2", "the hash differs where the observation or the seed does", hash_follows},
    {"C109", 1, false, "G5.4", "game://agents has type, status, last_step and total_reward as they are", agents_true},
    {"C110", 1, false, "G5.5", "game://world has tick, episode and state_hash as they are", world_true},
    {"C111", 0, false, "G10.7 G22.8", "available_actions are declared, their params fit", offers_declared},
    {"C112", 0, false, "G22.8 G5.6", "legal_mask, available_actions and game://actions agree", mask_agrees},
    {"C113", 0, false, "G10.7", "every value of an observation fits its declared space", observation_fits},
    {"C114", 0, false, "G14.1 G14.3", "reset tells the seed and scenario asked, and the next episode", reset_echo},
    {"C115", 0, false, "G14.4", "a reset without seed follows from the seed before it", seed_goes_on},
    {"C116", 2, false, "G19.3 G19.4", "a saved trajectory has the actions, rewards and hashes of the replies",
     file_true},
    {"C117", 2, false, "G19.8 G19.9", "after load_trajectory the table is at the state of its reply", load_true},
    {0},
};
