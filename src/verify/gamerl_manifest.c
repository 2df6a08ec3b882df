// test_manifest: the server's description of itself (C19-C31).
#include "verify/gamerl_internal.h"

#include <stdio.h>
#include <string.h>

static json_t *find_entry(json_t *list, const char *key, const char *value)
{
    size_t i;
    json_t *item;
    json_array_foreach(list, i, item)
    {
        if (strcmp(gr_text(item, key), value) == 0)
            return item;
    }
    return NULL;
}

static void listed(struct gamerl *g)
{
    struct rpc *r = gr_connect(g);
    json_t *list = gr_get(gr_ask(g, r, "resources/list", NULL), "result.resources");
    json_t *entry = find_entry(list, "uri", "game://manifest");
    gr_check(g, strcmp(gr_text(entry, "mimeType"), "application/json") == 0, "game://manifest is not listed as JSON");
    json_t *answer = gr_ask(g, r, "resources/read", json_pack("{s:s}", "uri", "game://manifest"));
    gr_check(g, json_array_size(gr_get(answer, "result.contents")) == 1, "it is not read as one content");
    json_t *read = gr_keep(g, json_loads(gr_text(answer, "result.contents.0.text"), 0, NULL));
    gr_check(g, json_is_object(read), "its text is no JSON object");
}

static void valid(struct gamerl *g)
{
    gr_shape(g, "manifest", gr_resource(g, gr_connect(g), "game://manifest"));
}

// The tools of a level include those of the levels below (G4.1).
static void all_tools(struct gamerl *g)
{
    static const struct {
        const char *name;
        int level;
    } tools[] = {{"register_agent", 1}, {"deregister_agent", 1}, {"sim_step", 1},        {"reset", 1},
                 {"get_state_hash", 2}, {"save_trajectory", 2},  {"load_trajectory", 2}, {"configure_streams", 2},
                 {"batch_step", 3},     {"send_message", 3}};
    json_t *list = gr_get(gr_ask(g, gr_connect(g), "tools/list", NULL), "result.tools");
    for (unsigned i = 0; i < sizeof tools / sizeof *tools; i++)
        if (tools[i].level <= g->claimed)
            gr_check(g, find_entry(list, "name", tools[i].name), "level %d is claimed, %s is not listed", g->claimed,
                     tools[i].name);
}

static void check_schema(struct gamerl *g, const char *tool, const char *which, json_t *schema)
{
    struct schema_fault fault;
    gr_check(g, strcmp(gr_text(schema, "type"), "object") == 0, "%s: the type of its %s is not object", tool, which);
    gr_check(g, !gr_goes_on(g) || schema_is_sound(schema, &fault), "%s: %s: %s", tool, which, fault.why);
}

static void sound_schemas(struct gamerl *g)
{
    size_t i;
    json_t *tool, *list = gr_get(gr_ask(g, gr_connect(g), "tools/list", NULL), "result.tools");
    gr_check(g, json_array_size(list) > 0, "no tools are listed");
    json_array_foreach(list, i, tool)
    {
        check_schema(g, gr_text(tool, "name"), "inputSchema", json_object_get(tool, "inputSchema"));
        if (json_object_get(tool, "outputSchema"))
            check_schema(g, gr_text(tool, "name"), "outputSchema", json_object_get(tool, "outputSchema"));
    }
}

static void slots(struct gamerl *g)
{
    struct rpc *r = gr_connect(g);
    struct gr_agent a;
    gr_player(&a, g, r, "slots", 0, NULL);
    json_t *agents = gr_resource(g, r, "game://agents");
    int64_t most = gr_int(g->manifest, "capabilities.max_agents"), here = gr_int(agents, "limits.max_agents");
    int64_t used = (int64_t)json_array_size(json_object_get(agents, "agents"));
    gr_check(g, most == here, "max_agents is %lld in the manifest, %lld in game://agents", (long long)most,
             (long long)here);
    gr_check(g, gr_int(agents, "limits.available_slots") == here - used, "available_slots does not fit %lld agents",
             (long long)used);
}

static void level_2(struct gamerl *g)
{
    json_t *m = gr_resource(g, gr_connect(g), "game://manifest");
    gr_check(g, gr_int(m, "capabilities.max_agents") >= 4, "max_agents is below 4");
    gr_check(g, json_object_size(json_object_get(m, "stream_profiles")) > 0, "no stream profile is declared");
}

static void level_3(struct gamerl *g)
{
    json_t *m = gr_resource(g, gr_connect(g), "game://manifest");
    gr_check(g, gr_true(m, "capabilities.domain_randomization"), "domain_randomization is not true");
    gr_check(g, gr_true(m, "capabilities.headless"), "headless is not true");
}

static void check_components(struct gamerl *g, json_t *step)
{
    json_t *declared = json_object_get(g->manifest, "reward_components"), *value, *got;
    const char *name;
    got = json_object_get(step, "reward_components");
    gr_check(g, json_object_size(got) == json_array_size(declared),
             "a step has %zu reward components, %zu are declared", json_object_size(got), json_array_size(declared));
    json_object_foreach(got, name, value)
    {
        json_t *entry = find_entry(declared, "name", name), *range = json_object_get(entry, "range");
        gr_check(g, entry, "the component %s is not declared", name);
        gr_check(g,
                 !range || (json_number_value(value) >= gr_real(range, "0") - 1e-6 &&
                            json_number_value(value) <= gr_real(range, "1") + 1e-6),
                 "%s is %g, outside its range", name, json_number_value(value));
    }
}

static void components(struct gamerl *g)
{
    struct rpc *r = gr_connect(g);
    struct gr_agent a;
    gr_player(&a, g, r, "components", 0, NULL);
    gr_reset(&a, 5, NULL);
    size_t mark = gr_mark(g);
    for (int i = 0; i < 300 && gr_goes_on(g); i++) {
        if (gr_is_over(&a))
            gr_reset(&a, 5 + i, NULL);
        gr_step(&a, i % 2 ? gr_ending_action(&a) : gr_legal_action(&a), 1);
        check_components(g, a.step);
        if (gr_goes_on(g))
            gr_trim(g, mark, a.step);
    }
}

static void scenarios(struct gamerl *g)
{
    struct rpc *r = gr_connect(g);
    struct gr_agent a;
    size_t i;
    json_t *scenario;
    gr_player(&a, g, r, "scenarios", 0, NULL);
    json_array_foreach(json_object_get(g->manifest, "scenarios"), i, scenario)
    {
        gr_reset(&a, 1, json_pack("{s:s}", "scenario", gr_text(scenario, "name")));
        gr_check(g, gr_goes_on(g), "scenario %s", gr_text(scenario, "name"));
    }
    gr_refused(g, r, -32602, "reset", "{s:s,s:{s:s}}", "agent_id", a.id, "config", "scenario", "no_such_scenario");
}

static void members(struct gamerl *g)
{
    static const char *const of_agent[] = {"agent_id",      "agent_type", "status",
                                           "registered_at", "last_step",  "total_reward"};
    static const char *const of_world[] = {"tick",           "episode",          "real_time_seconds",
                                           "entities.total", "entities.by_type", "state_hash"};
    struct rpc *r = gr_connect(g);
    struct gr_agent a;
    gr_player(&a, g, r, "members", 0, NULL);
    gr_reset(&a, 1, NULL);
    json_t *agent = json_array_get(json_object_get(gr_resource(g, r, "game://agents"), "agents"), 0);
    json_t *world = gr_resource(g, r, "game://world");
    for (int i = 0; i < 6; i++) {
        gr_check(g, gr_get(agent, of_agent[i]), "an agent of game://agents lacks %s", of_agent[i]);
        gr_check(g, gr_get(world, of_world[i]), "game://world lacks %s", of_world[i]);
    }
}

static void unknown_uri(struct gamerl *g)
{
    struct rpc *r = gr_connect(g);
    gr_check(g, gr_code(gr_ask(g, r, "resources/read", json_pack("{s:s}", "uri", "game://nowhere"))),
             "an unknown uri was read");
    gr_check(g, gr_code(gr_ask(g, r, "resources/subscribe", json_pack("{s:s}", "uri", "game://nowhere"))),
             "an unknown uri was subscribed to");
}

// Whether the text has an object {"type":NAME...} that is a valid action with the declared parameters.
static bool has_example(struct gamerl *g, const char *text, json_t *action, struct schema_fault *fault)
{
    for (const char *at = text; (at = strstr(at, "{\"type\":")); at++) {
        json_t *example = json_loads(at, JSON_DISABLE_EOF_CHECK, NULL), *schema, *rule;
        const char *name;
        bool right = strcmp(gr_text(example, "type"), gr_text(action, "name")) == 0 &&
                     schema_holds(g->schema, schema_at(g->schema, "#/$defs/action"), example, fault);
        json_object_foreach(json_object_get(action, "params"), name, rule)
        {
            schema = gr_get(example, "params");
            json_t *value = json_object_get(schema, name);
            right = right && (!value || schema_holds(rule, rule, value, fault));
        }
        json_decref(example);
        if (right)
            return true;
    }
    return false;
}

static void prompt(struct gamerl *g)
{
    char name[48];
    size_t i;
    json_t *action;
    struct schema_fault fault;
    snprintf(name, sizeof name, "play_%s", g->game);
    json_t *answer = gr_ask(g, gr_connect(g), "prompts/get", json_pack("{s:s}", "name", name));
    const char *text = gr_text(answer, "result.messages.0.content.text");
    gr_check(g, text[0], "no prompt %s", name);
    json_array_foreach(gr_get(g->manifest, "default_action_space.actions"), i, action)
    {
        gr_check(g, !gr_goes_on(g) || has_example(g, text, action, &fault), "%s has no valid example of %s", name,
                 gr_text(action, "name"));
    }
}

static void actions(struct gamerl *g)
{
    json_t *space = gr_resource(g, gr_connect(g), "game://actions"), *list = json_object_get(space, "actions"), *entry;
    int64_t n = gr_int(g->manifest, "default_action_space.n");
    size_t i;
    gr_check(g, gr_int(space, "n") == n && (int64_t)json_array_size(list) == n, "it has %zu entries, not %lld",
             json_array_size(list), (long long)n);
    json_array_foreach(list, i, entry)
    {
        gr_check(g, gr_int(entry, "index") == (int64_t)i, "index %lld stands at place %zu",
                 (long long)gr_int(entry, "index"), i);
    }
}

const struct gamerl_gate gamerl_manifest[] = {
    {"C19", 1, false, "G5.1 G5.2",
     "game://manifest is listed with application/json and read as one content with a JSON object as text", listed},
    {"C20", 1, false, "G5.3", "game://manifest validates against its schema", valid},
    {"C21", 1, false, "G4.1", "all tools of the claimed level are listed", all_tools},
    {"C22", 1, false, "G4.2", "every tool schema is a valid 2020-12 object schema without foreign references",
     sound_schemas},
    {"C23", 1, false, "G5.4", "max_agents equals limits.max_agents of game://agents; available_slots fits", slots},
    {"C24", 2, false, "G5.3", "max_agents at least 4; at least one stream profile", level_2},
    {"C25", 3, false, "G5.3", "domain_randomization and headless are true", level_3},
    {"C26", 1, false, "G13.2", "component names equal the keys in steps; values keep their ranges at one tick",
     components},
    {"C27", 1, false, "G14.6", "every scenario can be reset; an unknown one is -32602", scenarios},
    {"C28", 1, false, "G5.4 G5.5", "game://agents and game://world have their members", members},
    {"C29", 1, false, "G5.2 G5.7", "reading or subscribing to an unknown uri is an error", unknown_uri},
    {"C30", 0, false, "G6.2", "the game's prompt has a schema-valid example of every seat action", prompt},
    {"C31", 0, false, "G5.6", "game://actions has n entries, index i at place i", actions},
    {0},
};
