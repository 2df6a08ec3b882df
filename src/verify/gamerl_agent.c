// Agents that the suite registers, and how they play.
#include "verify/gamerl_internal.h"

#include <stdio.h>
#include <string.h>

const char *gr_avatar(struct gamerl *g, int seat)
{
    return json_string_value(json_array_get(gr_get(g->manifest, "agon.avatars"), (size_t)seat));
}

bool gr_has_type(struct gamerl *g, const char *type)
{
    size_t i;
    json_t *name;
    json_array_foreach(gr_get(g->manifest, "capabilities.agent_types"), i, name)
    {
        if (json_is_string(name) && strcmp(json_string_value(name), type) == 0)
            return true;
    }
    return false;
}

const char *gr_systemic_type(struct gamerl *g)
{
    static const char *const types[] = {"GameMaster", "WorldSimulation", "CombatDirector", "ColonyManager",
                                        "DialogueAgent"};
    for (unsigned i = 0; i < sizeof types / sizeof *types; i++)
        if (gr_has_type(g, types[i]))
            return types[i];
    return NULL;
}

static json_t *config_of(struct gamerl *g, json_t *config)
{
    if (!config)
        config = json_object();
    if (g->own && !json_object_get(config, "guide"))
        json_object_set_new(config, "guide", json_false());
    if (g->at_socket && !json_object_get(config, "clock_mode")) // there the clock is live by default
        json_object_set_new(config, "clock_mode", json_string("training"));
    return config;
}

static void register_agent(struct gr_agent *a, struct gamerl *g, struct rpc *r, const char *id, json_t *arguments,
                           json_t *config)
{
    *a = (struct gr_agent){.g = g, .at = r};
    snprintf(a->id, sizeof a->id, "%s", id);
    json_object_set_new(arguments, "agent_id", json_string(id));
    json_object_set_new(arguments, "config", config);
    a->spaces = gr_must(g, r, "register_agent", "o", arguments);
}

void gr_player(struct gr_agent *a, struct gamerl *g, struct rpc *r, const char *id, int seat, json_t *config)
{
    json_t *arguments = json_pack("{s:s}", "agent_type", "EntityBehavior");
    const char *avatar = gr_avatar(g, seat);
    config = config_of(g, config);
    if (avatar) {
        json_object_set_new(arguments, "scope", json_string("embodied"));
        json_object_set_new(config, "avatar_id", json_string(avatar));
    }
    register_agent(a, g, r, id, arguments, config);
}

void gr_systemic(struct gr_agent *a, struct gamerl *g, struct rpc *r, const char *id, const char *type, json_t *config)
{
    config = config_of(g, config);
    if (!type) {
        gr_skip(g, "no systemic agent type is declared");
        type = "";
    }
    register_agent(a, g, r, id, json_pack("{s:s,s:s}", "agent_type", type, "scope", "systemic"), config);
}

void gr_second(struct gr_agent *a, struct gamerl *g, struct rpc *r, const char *id, json_t *config)
{
    if (!g->own || gr_avatar(g, 1))
        gr_player(a, g, r, id, 1, config);
    else
        gr_systemic(a, g, r, id, gr_systemic_type(g), config);
}

void gr_ready(struct gr_agent *a, struct gamerl *g, const char *id, json_t *config)
{
    gr_player(a, g, gr_connect(g), id, 0, config);
    gr_reset(a, 1, NULL);
}

json_t *gr_reset(struct gr_agent *a, int64_t seed, json_t *config)
{
    json_t *arguments = json_pack("{s:s}", "agent_id", a->id);
    if (seed != GR_NO_SEED)
        json_object_set_new(arguments, "seed", json_integer(seed));
    if (config)
        json_object_set_new(arguments, "config", config);
    return a->step = gr_must(a->g, a->at, "reset", "o", arguments);
}

json_t *gr_step(struct gr_agent *a, json_t *action, int ticks)
{
    json_t *arguments = json_pack("{s:s,s:o}", "agent_id", a->id, "action", action);
    if (ticks != 1)
        json_object_set_new(arguments, "ticks", json_integer(ticks));
    return a->step = gr_must(a->g, a->at, "sim_step", "o", arguments);
}

bool gr_is_over(const struct gr_agent *a)
{
    return !gr_goes_on(a->g) || gr_true(a->step, "done") || gr_true(a->step, "truncated");
}

// --- choosing actions

json_t *gr_find_action(struct gr_agent *a, const char *name)
{
    size_t i;
    json_t *action;
    json_array_foreach(gr_get(a->spaces, "action_space.actions"), i, action)
    {
        if (!name || strcmp(gr_text(action, "name"), name) == 0)
            return action;
    }
    return NULL;
}

// A value that a parameter's schema may accept.
static json_t *invent_value(json_t *schema)
{
    const char *type = gr_text(schema, "type");
    json_t *first = json_array_get(json_object_get(schema, "enum"), 0);
    if (first)
        return json_incref(first);
    if (strcmp(type, "integer") == 0)
        return json_integer(gr_int(schema, "minimum"));
    if (strcmp(type, "number") == 0)
        return json_real(gr_real(schema, "minimum"));
    if (strcmp(type, "boolean") == 0)
        return json_false();
    if (strcmp(type, "array") == 0)
        return json_array();
    return strcmp(type, "object") == 0 ? json_object() : json_string("x");
}

static json_t *invent_action(json_t *action)
{
    const char *name;
    json_t *schema, *params = json_object();
    json_object_foreach(json_object_get(action, "params"), name, schema)
    {
        json_object_set_new(params, name, invent_value(schema));
    }
    return json_pack("{s:s,s:o}", "type", gr_text(action, "name"), "params", params);
}

static json_t *middle_of(json_t *space)
{
    json_t *low = json_object_get(space, "low"), *high = json_object_get(space, "high"), *vector = json_array();
    for (size_t i = 0; i < json_array_size(low); i++)
        json_array_append_new(
            vector,
            json_real((json_number_value(json_array_get(low, i)) + json_number_value(json_array_get(high, i))) / 2));
    return vector;
}

json_t *gr_legal_action(struct gr_agent *a)
{
    json_t *first = json_array_get(json_object_get(a->step, "available_actions"), 0);
    json_t *space = json_object_get(a->spaces, "action_space");
    if (first)
        return json_incref(first);
    if (gr_find_action(a, "wait"))
        return json_pack("{s:s}", "type", "wait");
    if (gr_int(space, "n") > 0)
        return json_integer(0);
    return json_is_array(json_object_get(space, "low")) ? middle_of(space) : invent_action(gr_find_action(a, NULL));
}

json_t *gr_wait_action(struct gr_agent *a)
{
    return gr_find_action(a, "wait") ? json_pack("{s:s}", "type", "wait") : gr_legal_action(a);
}

// Dropping, betting or challenging ends a game sooner than the first action of the list.
json_t *gr_ending_action(struct gr_agent *a)
{
    json_t *list = json_object_get(a->step, "available_actions");
    json_t *last = json_array_get(list, json_array_size(list) - 1);
    return json_array_size(list) ? json_incref(last) : gr_legal_action(a);
}

bool gr_finish(struct gr_agent *a, int most)
{
    size_t mark = gr_mark(a->g);
    for (int i = 0; i < most && !gr_is_over(a); i++) {
        gr_step(a, gr_ending_action(a), 1);
        if (gr_goes_on(a->g))
            gr_trim(a->g, mark, a->step);
    }
    return gr_is_over(a);
}

json_t *gr_hash(struct gamerl *g, struct rpc *r)
{
    if (!json_object_get(g->tools, "get_state_hash"))
        return NULL;
    return gr_must(g, r, "get_state_hash", "{}");
}
