// test_rules: rules of agon's own servers, which other servers may handle differently (C118-C127).
#include "verify/gamerl_internal.h"

#include <stdio.h>
#include <string.h>

// --- errors

struct question {
    const char *method, *params;
    int code;
    const char *name; // data.name of the error
};

static void refuse_all(struct gamerl *g, struct rpc *r, const struct question *list, size_t count)
{
    for (size_t i = 0; i < count && gr_goes_on(g); i++) {
        const struct question *q = &list[i];
        json_t *answer = gr_ask(g, r, q->method, json_loads(q->params, 0, NULL));
        gr_check(g, gr_code(answer) == q->code, "%s %.120s: %d, not %d", q->method, q->params, gr_code(answer),
                 q->code);
        gr_check(g, strcmp(gr_text(answer, "error.data.name"), q->name) == 0, "%s %.120s: data.name is '%.30s', not %s",
                 q->method, q->params, gr_text(answer, "error.data.name"), q->name);
    }
}

#define REFUSE(g, r, list) refuse_all(g, r, list, sizeof(list) / sizeof *(list))

static void error_names(struct gamerl *g)
{
    static const struct question before[] = {
        {"tools/list", "{}", -32600, "NotInitialized"},
    };
    static const struct question after[] = {
        {"no/such_method", "{}", -32601, "MethodNotFound"},
        {"tools/call", "{\"name\":\"no_such_tool\"}", -32601, "UnknownTool"},
        {"tools/call", "{\"name\":\"register_agent\",\"arguments\":{}}", -32602, "InvalidParams"},
        {"tools/call", "{\"name\":\"sim_step\",\"arguments\":{\"agent_id\":\"nobody\",\"action\":0}}", -32000,
         "AgentNotRegistered"},
        {"resources/read", "{\"uri\":\"game://nowhere\"}", -32002, "ResourceNotFound"},
        {"resources/subscribe", "{\"uri\":\"game://nowhere\"}", -32002, "ResourceNotFound"},
        {"tools/call", "{\"name\":\"sim_step\",\"arguments\":{\"agent_id\":\"names\",\"action\":0}}", -32002,
         "NotActive"},
    };
    static const struct question playing[] = {
        {"tools/call", "{\"name\":\"sim_step\",\"arguments\":{\"agent_id\":\"names\",\"action\":{\"type\":\"fly\"}}}",
         -32001, "InvalidAction"},
    };
    struct gr_agent a;
    struct rpc *fresh = gr_open(g);
    REFUSE(g, fresh, before);
    struct rpc *r = gr_connect(g);
    gr_player(&a, g, r, "names", 0, NULL);
    REFUSE(g, r, after);
    gr_reset(&a, 1, NULL);
    REFUSE(g, r, playing);
}

// A request with two errors is refused for the first (G9.2).
static void error_order(struct gamerl *g)
{
    static const struct question early[] = {
        {"tools/call",
         "{\"name\":\"sim_step\",\"arguments\":{\"agent_id\":\"nobody\",\"action\":{\"type\":\"fly\"},\"ticks\":0}}",
         -32602, "InvalidParams"},
        {"tools/call", "{\"name\":\"sim_step\",\"arguments\":{\"agent_id\":\"nobody\",\"action\":{\"type\":\"fly\"}}}",
         -32000, "AgentNotRegistered"},
        {"tools/call", "{\"name\":\"sim_step\",\"arguments\":{\"agent_id\":\"order\",\"action\":{\"type\":\"fly\"}}}",
         -32002, "NotActive"},
    };
    struct gr_agent a;
    struct rpc *r = gr_connect(g);
    gr_player(&a, g, r, "order", 0, NULL);
    REFUSE(g, r, early);
}

static void refused_requests(struct gamerl *g)
{
    static const char *const lines[] = {
        "{\"jsonrpc\":\"2.0\",\"id\":null,\"method\":\"ping\"}", "{\"jsonrpc\":\"2.0\",\"id\":1.5,\"method\":\"ping\"}",
        "{\"jsonrpc\":\"2.0\",\"id\":true,\"method\":\"ping\"}", "{\"jsonrpc\":\"2.0\",\"id\":{},\"method\":\"ping\"}",
        "[{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}]"};
    static const struct question again[] = {
        {"initialize", "{\"protocolVersion\":\"2025-11-25\",\"capabilities\":{},\"clientInfo\":{}}", -32600,
         "InvalidRequest"},
        {"prompts/get", "{\"name\":\"no_such_prompt\"}", -32602, "InvalidParams"},
        {"tools/list", "{\"cursor\":\"x\"}", -32602, "InvalidParams"},
        {"completion/complete",
         "{\"ref\":{\"type\":\"ref/"
         "prompt\",\"name\":\"no_such_prompt\"},\"argument\":{\"name\":\"seat\",\"value\":\"\"}}",
         -32602, "InvalidParams"},
    };
    struct rpc *r = gr_connect(g);
    for (unsigned i = 0; i < sizeof lines / sizeof *lines && gr_goes_on(g); i++) {
        rpc_send_line(r, lines[i]);
        json_t *answer = gr_keep(g, rpc_read(r, RPC_WAIT_MS));
        gr_check(g, gr_code(answer) == -32600, "%s: %d, not -32600", lines[i], gr_code(answer));
    }
    REFUSE(g, r, again);
}

// --- agents

static void refuse_agent(struct gamerl *g, struct rpc *r, const char *type, const char *scope, const char *avatar)
{
    json_t *arguments =
        json_pack("{s:s,s:s,s:{s:s*}}", "agent_id", "refused", "agent_type", type, "config", "avatar_id", avatar);
    if (scope)
        json_object_set_new(arguments, "scope", json_string(scope));
    gr_refused(g, r, -32602, "register_agent", "o", arguments);
}

static void scopes_and_seats(struct gamerl *g)
{
    struct gr_agent a;
    struct rpc *r = gr_connect(g);
    const char *seat = gr_avatar(g, 0);
    refuse_agent(g, r, "EntityBehavior", "systemic", NULL);
    refuse_agent(g, r, "GameMaster", "embodied", seat);
    refuse_agent(g, r, "EntityBehavior", "embodied", "no_such_seat");
    gr_player(&a, g, r, "holder", 0, NULL);
    refuse_agent(g, r, "EntityBehavior", "embodied", seat);
    json_t *agents = gr_resource(g, r, "game://agents");
    gr_check(g, json_array_size(json_object_get(agents, "agents")) == 1, "a refused registration is in game://agents");
}

// A declared action that needs a parameter: without it, and with one of a wrong type.
static void parameters(struct gamerl *g)
{
    struct gr_agent a;
    size_t i;
    json_t *action;
    int tried = 0;
    gr_player(&a, g, gr_connect(g), "params", 0, NULL);
    gr_reset(&a, 1, NULL);
    json_array_foreach(gr_get(a.spaces, "action_space.actions"), i, action)
    {
        const char *name = gr_text(action, "name"), *first = gr_text(action, "required.0");
        if (!first[0])
            continue;
        tried++;
        gr_refused(g, a.at, -32602, "sim_step", "{s:s,s:{s:s,s:{}}}", "agent_id", a.id, "action", "type", name,
                   "params");
        gr_refused(g, a.at, -32602, "sim_step", "{s:s,s:{s:s,s:{s:{}}}}", "agent_id", a.id, "action", "type", name,
                   "params", first);
    }
    gr_check(g, tried || !json_array_size(gr_get(a.spaces, "action_space.actions.1.required")),
             "no action has a required parameter");
}

// --- tools, resources, prompts

static void tool_hints(struct gamerl *g)
{
    static const struct {
        const char *name;
        bool reads, destroys, repeats;
    } tools[] = {{"register_agent", false, false, true},  {"deregister_agent", false, true, false},
                 {"sim_step", false, true, false},        {"reset", false, true, false},
                 {"get_state_hash", true, false, true},   {"save_trajectory", false, false, true},
                 {"load_trajectory", false, true, false}, {"configure_streams", false, false, true},
                 {"batch_step", false, true, false},      {"send_message", false, false, false},
                 {"observe", true, false, true}};
    json_t *list = gr_get(gr_ask(g, gr_connect(g), "tools/list", NULL), "result.tools");
    for (unsigned i = 0; i < sizeof tools / sizeof *tools && gr_goes_on(g); i++) {
        json_t *tool = json_array_get(list, i), *hints = json_object_get(tool, "annotations");
        gr_check(g, strcmp(gr_text(tool, "name"), tools[i].name) == 0, "tool %u is '%.40s', not %s", i,
                 gr_text(tool, "name"), tools[i].name);
        gr_check(g, gr_true(hints, "readOnlyHint") == tools[i].reads, "%s: readOnlyHint is wrong", tools[i].name);
        gr_check(g, gr_true(hints, "destructiveHint") == tools[i].destroys, "%s: destructiveHint is wrong",
                 tools[i].name);
        gr_check(g, gr_true(hints, "idempotentHint") == tools[i].repeats, "%s: idempotentHint is wrong", tools[i].name);
    }
}

// G3.4: an old client does not get what its revision does not have.
static void by_revision(struct gamerl *g)
{
    struct rpc *r = gr_open(g);
    gr_initialize(g, r, "2024-11-05", NULL);
    json_t *tool = gr_get(gr_ask(g, r, "tools/list", NULL), "result.tools.0");
    gr_check(g, tool && !gr_get(tool, "annotations"), "a tool has annotations on a session of 2024-11-05");
    gr_check(g, !gr_get(tool, "outputSchema"), "a tool has an outputSchema on a session of 2024-11-05");
    json_t *answer = gr_call(g, r, "register_agent", "{s:s,s:s}", "agent_id", "old", "agent_type", "EntityBehavior");
    gr_check(g, gr_code(answer) == 0 && !gr_get(answer, "result.structuredContent"),
             "structuredContent on a session of 2024-11-05");
    gr_check(g, gr_text(answer, "result.content.0.text")[0], "no text content on a session of 2024-11-05");
}

static void observation_resource(struct gamerl *g)
{
    struct gr_agent a;
    struct rpc *r = gr_connect(g);
    gr_player(&a, g, r, "resource", 0, NULL);
    gr_reset(&a, 1, NULL);
    gr_step(&a, gr_legal_action(&a), 1);
    json_t *seen = gr_must(g, r, "observe", "{s:s}", "agent_id", a.id);
    json_t *read = gr_resource(g, r, "game://agents/resource/observation");
    gr_check(g, gr_same(gr_get(seen, "observation"), gr_get(read, "observation")),
             "game://agents/resource/observation is not what observe shows");
}

static void guide(struct gamerl *g)
{
    struct gr_agent a, b;
    char name[48];
    struct rpc *r = gr_connect(g);
    snprintf(name, sizeof name, "play_%s", g->game);
    json_t *answer = gr_ask(
        g, r, "prompts/get",
        json_pack("{s:s,s:{s:s,s:s}}", "name", name, "arguments", "seat", gr_avatar(g, 0), "agent_id", "guided"));
    json_t *text = gr_get(answer, "result.messages.0.content.text");
    gr_player(&a, g, r, "guided", 0, json_pack("{s:b}", "guide", true));
    gr_check(g, gr_same(gr_get(a.spaces, "guide"), text), "guide of register_agent is not the text of %s", name);
    gr_must(g, r, "deregister_agent", "{s:s}", "agent_id", a.id);
    gr_player(&b, g, r, "unguided", 0, json_pack("{s:b}", "guide", false));
    gr_check(g, !gr_goes_on(g) || !gr_get(b.spaces, "guide"), "config.guide false has a guide");
}

static void agent_hash(struct gamerl *g)
{
    struct gr_agent a;
    struct rpc *r = gr_connect(g);
    gr_player(&a, g, r, "hashed", 0, NULL);
    gr_reset(&a, 1, NULL);
    json_t *own = gr_must(g, r, "get_state_hash", "{s:s}", "agent_id", a.id), *all = gr_hash(g, r);
    gr_check(g, gr_get(own, "components.observation") && json_object_size(gr_get(own, "components")) == 1,
             "the hash of an agent has other components than observation");
    gr_check(g, !gr_same(gr_get(own, "hash"), gr_get(all, "hash")), "the hash of an agent is that of the state");
    gr_refused(g, r, -32000, "get_state_hash", "{s:s}", "agent_id", "nobody");
}

const struct gamerl_gate gamerl_rules[] = {
    {"C118", 0, false, "G9.1 G2.5 G3.2 G5.2", "every error has its code and its data.name", error_names},
    {"C119", 0, false, "G9.2", "arguments are checked before the agent, the agent before its state", error_order},
    {"C120", 0, false, "G2.3 G2.6 G3.2 G6.1 G6.4 G6.6",
     "bad ids, batches, a second initialize, unknown prompts and cursors are refused", refused_requests},
    {"C121", 0, false, "G10.2 G10.3", "scopes of agent types, unknown and taken seats are refused", scopes_and_seats},
    {"C122", 0, false, "G11.1 G11.5", "a missing parameter and one of a wrong type are -32602", parameters},
    {"C123", 0, false, "G4.1", "tools are listed in order, with their hints", tool_hints},
    {"C124", 0, false, "G3.4", "a session of 2024-11-05 gets nothing newer", by_revision},
    {"C125", 0, false, "G5.6 G13.6", "the observation resource is what observe shows", observation_resource},
    {"C126", 0, false, "G6.3", "guide is the text of the prompt, and absent where it is not wanted", guide},
    {"C127", 0, false, "G13.5 G17.4", "the hash of an agent is over its observation alone", agent_hash},
    {0},
};
