// The host: its connections, their groups of tables, and the dispatch of tool calls.
#include "env/host.h"
#include "env/access.h"
#include "env/actions.h"
#include "env/hash.h"
#include "env/job.h"
#include "env/pending.h"
#include "env/recording.h"
#include "env/replay.h"
#include "env/save.h"
#include "env/schema.h"
#include "env/step.h"
#include "env/step_result.h"
#include "env/tools.h"
#include "env/vision.h"

#include "heap/heap.h"
#include "house/mind_memory.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

enum { TEXT_CEILING = 64 << 20, TEXT_FIRST = 4096 };

bool env_text_grow(struct text *t, size_t more)
{
    return heap_text_grow_within(t, more, TEXT_FIRST, TEXT_CEILING);
}

// --- refusals (G9)

struct env_result env_refuse(struct env *env, int code, const char *name, const char *message)
{
    env->error.size = 0;
    env->error.full = false;
    snprintf(env->message, sizeof env->message, "%s", message);
    return (struct env_result){.code = code, .name = name, .message = env->message, .body = SPAN("")};
}

struct env_result env_refuse_because(struct env *env, int code, const char *name, const char *format, ...)
{
    char message[512];
    va_list args;
    va_start(args, format);
    vsnprintf(message, sizeof message, format, args);
    va_end(args);
    return env_refuse(env, code, name, message);
}

void env_refusal_put(struct env *env, struct env_result *r, const char *key, const char *value)
{
    json_put_text(&env->error, key, value);
    r->body = text_span(&env->error);
}

void env_refusal_int(struct env *env, struct env_result *r, const char *key, int64_t value)
{
    json_put_int(&env->error, key, value);
    r->body = text_span(&env->error);
}

void env_refusal_raw(struct env *env, struct env_result *r, const char *key, struct span json)
{
    json_put_raw(&env->error, key, json);
    r->body = text_span(&env->error);
}

struct env_result env_bad(struct env *env, const char *path, const char *expected, const char *reason)
{
    struct env_result r = env_refuse_because(env, -32602, "InvalidParams", "%s is not acceptable; expected: %s.",
                                             path[0] ? path : "the argument object", expected);
    env_refusal_put(env, &r, "path", path);
    env_refusal_put(env, &r, "expected", expected);
    if (reason)
        env_refusal_put(env, &r, "reason", reason);
    return r;
}

void env_known_add(struct env_known *k, const char *word)
{
    struct text t = {.at = k->text, .size = strlen(k->text), .room = sizeof k->text - 1};
    text_puts(&t, t.size ? ", " : "one of ");
    text_puts(&t, word);
    assert(!t.full); // our own tables
    t.at[t.size] = 0;
}

bool env_answer(struct env *env, struct env_result *r)
{
    *r = (struct env_result){.body = text_span(&env->out)};
    if (env->out.full)
        *r = env_refuse(env, -32004, "ResponseTooLarge", "The answer is larger than the server can hold.");
    return true;
}

// --- lookups

const struct env_game *env_find_game(const struct env *env, const char *name)
{
    for (const struct env_game *g = env->o.games; g->game; g++)
        if (strcmp(g->game->name, name) == 0)
            return g;
    return NULL;
}

struct env_agent *env_find_agent(const struct env_group *g, struct json_string id)
{
    for (struct env_agent *a = g->agents; a; a = a->next)
        if (id.escaped ? json_string_is(id, a->id) : span_equals(id.raw, (struct span){a->id, a->id_size}))
            return a;
    return NULL;
}

struct env_agent *env_own_agent(struct env_conn *c, struct json_string id, struct env_result *r)
{
    struct env_agent *a = env_find_agent(c->group, id);
    if (a && a->conn == c)
        return a;
    char name[ENV_ID_ROOM] = "";
    json_string_copy(id, name, sizeof name);
    *r = a ? env_refuse_because(c->env, -32000, "AgentNotRegistered", "Agent %s belongs to another connection.", name)
           : env_refuse_because(c->env, -32000, "AgentNotRegistered", "There is no agent %s; register it first.", name);
    env_refusal_put(c->env, r, "agent_id", name);
    env_refusal_put(c->env, r, "reason", a ? "foreign" : "unknown");
    return NULL;
}

struct env_agent *env_agent_at(const struct env_table *t, int seat)
{
    for (struct env_agent *a = t->agents; a; a = a->next_at_table) {
        if (a->type == ENV_ENTITY && a->seat == seat)
            return a;
        if (a->type == ENV_COLONY && seat % 2 == a->team)
            return a;
    }
    return NULL;
}

bool env_has(const struct env_conn *c, enum env_capability what)
{
    for (struct env_agent *a = c->group->agents; a; a = a->next)
        if (a->conn == c && a->capabilities & what)
            return true;
    return false;
}

bool env_is_known_seed(const struct env_table *t, const struct env_conn *c)
{
    return t->has_seed && (!t->group->shared || (env_is_owner(c) && env_has(c, ENV_ADMIN)));
}

int env_max_agents(const struct env_group *g)
{
    return g->env->o.max_agents * g->count;
}

enum env_clock env_clock_of(const struct env_table *t)
{
    for (struct env_agent *a = t->agents; a; a = a->next_at_table)
        if (a->clock == ENV_TRAINING)
            return ENV_TRAINING;
    return t->agents || t->group->shared ? ENV_LIVE : ENV_TRAINING;
}

void env_notify_changed(struct env_table *t, const char *what)
{
    for (struct env_conn *c = t->group->env->conns; c; c = c->next)
        if (c->group == t->group && !c->gone && c->hooks->on_changed && env_is_admitted(c))
            c->hooks->on_changed(c->owner, what);
}

// --- groups

void env_seat_table(struct env_table *t, const struct env_game *row)
{
    if (t->row != row)
        env_schemas_compile(&t->group->env->schemas, row);
    t->row = row;
    t->kit = env_facts_of(row);
    t->running = t->paused = false;
    t->episode = 0;
    t->tick = 0;
    t->past_count = 0;
    t->scenario = 0;
    t->has_seed = t->seeded = t->had_debug = false;
    t->hash_version = t->group->shared ? 2 : 1;
    snprintf(t->scenario_name, sizeof t->scenario_name, "%s", row->game->scenarios[0]);
    for (int s = 0; s < GAME_MAX_SEATS; s++) {
        t->level[s] = (uint8_t)t->group->env->o.bot_level;
        t->aggro[s] = 0.5f;
    }
}

static struct env_group *group_create(struct env *env, const char *name, const struct env_game *row, bool pinned,
                                      int count)
{
    struct env_group *g = calloc(1, sizeof *g + (size_t)count * sizeof g->table[0]);
    if (!g)
        abort();
    g->env = env;
    g->shared = name != NULL;
    g->pinned = pinned;
    g->bot_delay_ms = env->o.bot_delay_ms;
    g->turn_limit_s = env->o.turn_limit_s;
    g->count = count;
    if (name) {
        snprintf(g->name, sizeof g->name, "%s", name);
        g->client = env->client;
    }
    for (int i = 0; i < count; i++) {
        struct env_table *t = &g->table[i];
        t->group = g;
        t->number = i;
        t->hour = 12;
        t->past = calloc(ENV_PAST, sizeof *t->past);
        t->digests = env_digests_create();
        if (!t->past || !t->digests)
            abort();
        env_seat_table(t, row);
    }
    g->next = env->groups;
    env->groups = g;
    return g;
}

static void group_destroy(struct env_group *g)
{
    struct env_group **at = &g->env->groups;
    while (*at != g)
        at = &(*at)->next;
    *at = g->next;
    env_access_release(g);
    env_job_lose(g);
    for (int i = 0; i < g->count; i++) {
        env_recording_release(&g->table[i]);
        free(g->table[i].past);
        mind_memory_free(g->table[i].minds);
        free(g->table[i].digests);
        free(g->table[i].drawn);
        for (int k = 0; k < g->table[i].conversation_count; k++)
            free(g->table[i].conversation[k]);
    }
    free(g);
}

static bool is_name_good(const char *name)
{
    size_t n = strlen(name);
    if (n < 1 || n >= ENV_NAME_ROOM)
        return false;
    for (; *name; name++)
        if (!(*name >= 'a' && *name <= 'z') && !(*name >= 'A' && *name <= 'Z') && !(*name >= '0' && *name <= '9') &&
            !strchr("_:-", *name))
            return false;
    return true;
}

// Named tables of this client, or of all (0); `oldest` is the one that was abandoned first, NULL: none was.
static int count_tables(const struct env *env, uint64_t client, struct env_group **oldest)
{
    int count = 0;
    *oldest = NULL;
    for (struct env_group *g = env->groups; g; g = g->next) {
        if (!g->shared || (client && g->client != client))
            continue;
        count++;
        if (g->refs == 0 && !g->held && (!*oldest || g->left_us < (*oldest)->left_us))
            *oldest = g;
    }
    return count;
}

int env_count_tables(const struct env *env)
{
    struct env_group *oldest;
    return count_tables(env, 0, &oldest);
}

uint64_t env_count_refused(const struct env *env)
{
    return env->tables_refused;
}

static bool has_room(struct env *env, uint64_t client, int most, const char *why, struct env_result *r)
{
    struct env_group *oldest;
    if (count_tables(env, client, &oldest) < most)
        return true;
    if (oldest) {
        group_destroy(oldest);
        return true;
    }
    env->tables_refused++;
    *r = env_refuse(env, -32004, "ResourceExhausted", why);
    env_refusal_int(env, r, "limit", most);
    return false;
}

// Clients may invent names, so there is a limit. At the limit the table that was abandoned first is closed, if there is
// one (G1.3: --linger).
static bool make_room(struct env *env, struct env_result *r)
{
    int most = env->o.tables_per_client;
    if (env->client && most &&
        !has_room(env, env->client, most, "Your address has made as many tables as it may; join one of them.", r))
        return false;
    return has_room(env, 0, ENV_MAX_TABLES, "This server has no room for another table; join one that is there.", r);
}

static struct env_group *group_named(struct env *env, const char *name, const char *game, bool *made,
                                     struct env_result *r)
{
    const struct env_game *row = env->o.pinned ? env_find_game(env, env->o.pinned) : env->o.games;
    *made = false;
    if (name && !is_name_good(name)) {
        *r = env_bad(env, "/table", "1 to 64 letters, digits, _ : -", NULL);
        return NULL;
    }
    if (game && env->o.pinned && strcmp(game, env->o.pinned) != 0) {
        *r = env_bad(env, "/game", env->o.pinned, "pinned");
        return NULL;
    }
    if (game && !(row = env_find_game(env, game))) {
        *r = env_bad(env, "/game", "a game of this server", "unknown");
        return NULL;
    }
    assert(row); // there is at least one game, and the pinned one is among them
    for (struct env_group *g = env->groups; name && g; g = g->next)
        if (g->shared && strcmp(g->name, name) == 0)
            return g;
    if (name && !make_room(env, r))
        return NULL;
    *made = true;
    return group_create(env, name, row, env->o.pinned || game, name ? 1 : env->o.tables);
}

void env_group_leave(struct env_group *g, int64_t now_us)
{
    if (--g->refs > 0)
        return;
    g->left_us = now_us;
    if (!g->shared || (!g->used && !g->table[0].episode)) // nothing has happened there, so there is nothing to own
        group_destroy(g);
}

static uint64_t client_of(const struct env_hooks *hooks, void *owner)
{
    return hooks->client ? hooks->client(owner) : 0;
}

bool env_move(struct env_conn *c, const char *table, struct env_result *r)
{
    c->env->client = client_of(c->hooks, c->owner);
    if (c->group->shared && strcmp(c->group->name, table) == 0)
        return true;
    if (c->agent_count) {
        *r = env_bad(c->env, "/config/table", "the table where this connection has its agents", "elsewhere");
        return false;
    }
    bool made;
    struct env_group *g = group_named(c->env, table, NULL, &made, r);
    while (g && env_wait_for(g))
        g = group_named(c->env, table, NULL, &made, r); // it may be gone meanwhile
    if (!g)
        return false;
    g->refs++;
    env_group_leave(c->group, c->env->now_us);
    c->group = g;
    if (made)
        env_access_make_owner(c);
    return true;
}

struct env_table *env_move_apart(struct env_conn *c, const struct env_game *row)
{
    struct env_group *g = group_create(c->env, NULL, row, false, 1);
    g->refs++;
    env_group_leave(c->group, c->env->now_us);
    c->group = g;
    return &g->table[0];
}

// A table that was created for the refused call is closed again.
void env_move_back(struct env_conn *c, struct env_group *before)
{
    struct env_group *g = c->group;
    if (g == before)
        return;
    before->refs++;
    c->group = before;
    env_access_leave(g, c);
    if (--g->refs == 0 && !g->table[0].episode && g->left_us == 0)
        group_destroy(g);
}

// An unlisted table, for trajectories.
struct env_group *env_shadow_create(struct env *env, const struct env_game *row)
{
    struct env_group *g = group_create(env, NULL, row, false, 1);
    env->groups = g->next;
    g->shadow = true;
    return g;
}

void env_shadow_destroy(struct env_group *g)
{
    g->next = g->env->groups;
    g->env->groups = g;
    group_destroy(g);
}

// --- life

void env_defaults(struct env_options *o)
{
    *o = (struct env_options){.bot_level = 2,
                              .metrics = true,
                              .tables = 1,
                              .min_agents = 1,
                              .turn_limit_s = 120,
                              .bot_delay_ms = 1000,
                              .auto_restart_s = -1,
                              .step_deadline_ms = 30000,
                              .poll_max_ms = 25000,
                              .max_agents = ENV_AGENTS,
                              .linger_s = 300,
                              .data_dir = ".",
                              .vision_memory_mib = 256,
                              .record_bytes = (size_t)64 << 20,
                              .record_steps = 1000000,
                              .version = "0.0.0"};
}

struct env *env_create(const struct env_options *o)
{
    struct env *env = calloc(1, sizeof *env);
    if (!env)
        abort();
    env->o = *o;
    env_buffers_init(&env->buffers);
    env->waiting_end = &env->waiting;
    env_schemas_init(&env->schemas);
    for (const struct env_game *g = o->games; g->game; g++) // those that are played here: no client waits for it
        if (!o->pinned || strcmp(o->pinned, g->game->name) == 0)
            env_schemas_compile(&env->schemas, g);
    env_numbers_init(env);
    env_vision_sweep(env);
    return env;
}

void env_destroy(struct env *env)
{
    env_finish_jobs(env);
    for (struct env_conn *c = env->conns, *next; c; c = next) {
        next = c->next;
        env_disconnect(c, env->now_us);
    }
    for (struct env_group *g = env->groups, *next; g; g = next) {
        next = g->next;
        group_destroy(g);
    }
    env_buffers_release(&env->buffers);
    for (int i = 0; i < env->buffer_set_count; i++)
        env_buffers_release(&env->buffer_sets[i]);
    free(env->buffer_sets);
    env_schemas_release(&env->schemas);
    env_numbers_release(env);
    traj_save_folder_destroy(env->save_folder);
    traj_pool_destroy(env->recordings);
    free(env);
}

struct env_conn *env_connect(struct env *env, const struct env_hooks *hooks, void *owner, const char *table,
                             const char *game, struct env_result *refused)
{
    bool made;
    env->client = client_of(hooks, owner);
    struct env_group *g = group_named(env, table, game, &made, refused);
    if (!g)
        return NULL;
    struct env_conn *c = calloc(1, sizeof *c);
    if (!c)
        abort();
    *c = (struct env_conn){
        .next = env->conns, .env = env, .group = g, .hooks = hooks, .owner = owner, .caller = TRAJ_LOCAL};
    g->refs++;
    env->conns = c;
    if (made)
        env_access_make_owner(c);
    return c;
}

void env_name_caller(struct env_conn *c, const char *caller)
{
    snprintf(c->caller, sizeof c->caller, "%s", caller);
}

void env_disconnect(struct env_conn *c, int64_t now_us)
{
    struct env *env = c->env;
    struct env_group *g = c->group, *home = c->home;
    env->now_us = now_us;
    c->gone = true;
    env_drop_waiting(env, c);
    if (env_leave_later(c))
        return;
    env_replay_leave(c);
    env_save_leave(c);
    env_pending_drop(g, NULL, c);
    for (struct env_agent *a = g->agents, *next; a; a = next) {
        next = a->next;
        if (a->conn == c)
            env_unregister(a, "normal");
    }
    struct env_conn **at = &env->conns;
    while (*at != c)
        at = &(*at)->next;
    *at = c->next;
    env_access_leave(g, c);
    if (home)
        env_access_leave(home, c);
    free(c);
    if (g->refs > 1 && !env->ending)
        env_try_advance_soon(g);
    env_group_leave(g, now_us);
    if (home)
        env_group_leave(home, now_us);
}

int64_t env_advance(struct env *env, int64_t now_us)
{
    env->now_us = now_us;
    int64_t next = env_run_saving(env, now_us);
    env_run_waiting(env);
    for (struct env_group *g = env->groups, *after; g; g = after) {
        after = g->next;
        if (g->refs == 0 && env->o.linger_s > 0 && !g->held) {
            int64_t end = g->left_us + (int64_t)env->o.linger_s * 1000000;
            if (now_us >= end) {
                group_destroy(g);
                continue;
            }
            next = end < next ? end : next;
        }
        int64_t due = env_run_group(g, now_us);
        next = due < next ? due : next;
    }
    return next;
}

// --- calls

static const struct {
    const char *name;
    env_tool_run *run;
} runs[] = {
    {"register_agent", env_register},
    {"deregister_agent", env_deregister},
    {"sim_step", env_step},
    {"reset", env_reset},
    {"get_state_hash", env_state_hash},
    {"configure_streams", env_configure_streams},
    {"save_trajectory", env_save_trajectory},
    {"load_trajectory", env_load_trajectory},
    {"batch_step", env_batch},
    {"send_message", env_message},
    {"observe", env_observe},
    {"join", env_join},
    {"act", env_act},
    {"look", env_look},
    {"leave", env_leave},
};

static int find_tool(struct span name)
{
    const struct env_tool *const lists[] = {env_tools, env_player_tools};
    for (int k = 0; k < 2; k++)
        for (const struct env_tool *t = lists[k]; t->name; t++)
            if (span_is(name, t->name))
                return (int)(t - env_tools);
    return -1;
}

static struct env_result refuse_tool(struct env *env, struct span tool)
{
    struct env_result r = env_refuse_because(env, -32601, "UnknownTool", "There is no tool %.*s; see known.",
                                             (int)(tool.size < 64 ? tool.size : 64), tool.at);
    json_begin_array_at(&env->error, "known");
    for (int i = 0; env_tools[i].name; i++)
        json_write_text(&env->error, env_tools[i].name);
    json_end_array(&env->error);
    r.body = text_span(&env->error);
    return r;
}

bool env_call(struct env_conn *c, uint64_t call, struct span tool, struct span arguments, bool progress, int64_t now_us,
              struct env_result *r)
{
    struct env *env = c->env;
    int i = find_tool(tool);
    env->now_us = now_us;
    if (i < 0) {
        *r = refuse_tool(env, tool);
        return true;
    }
    if (env->o.work && env_may_be_long(c, i, arguments))
        return env_call_as_job(c, call, i, arguments, progress, r);
    work_count(env->o.work, ENV_COST_CALL);
    return env_call_now(c, call, i, arguments, progress, r);
}

static bool is_object(struct span value)
{
    size_t i = 0;
    while (i < value.size && strchr(" \t\n\r", value.at[i]))
        i++;
    return i < value.size && value.at[i] == '{';
}

bool env_call_now(struct env_conn *c, uint64_t call, int i, struct span arguments, bool progress, struct env_result *r)
{
    struct env *env = c->env;
    struct env_fault fault;
    struct env_arguments given;
    env->call_us = env->o.stopwatch_us ? env->o.stopwatch_us() : 0;
    env->out.size = 0;
    env->out.full = false;
    if (!arguments.size)
        arguments = SPAN("{}");
    if (!is_object(arguments)) {
        *r = env_bad(env, "", "an object of arguments", NULL);
        return true;
    }
    arguments = env_resolve_aliases(env, arguments);
    if (!env_arguments_read(env, &env_tools[i], arguments, &given, &fault)) {
        *r = env_bad(env, fault.path, fault.expected, NULL);
        return true;
    }
    if (!env_is_admitted(c) && strcmp(env_tools[i].name, "register_agent") != 0 &&
        strcmp(env_tools[i].name, "join") != 0) {
        env_refuse_without_secret(env, r);
        return true;
    }
    // The buffer of merged actions must not move while a call is read: each member is copied at most three times.
    env->merged.size = 0;
    if (env->merged.room < 4 * arguments.size + 4096 && !env_text_grow(&env->merged, 4 * arguments.size + 4096)) {
        *r = env_refuse(env, -32004, "ResourceExhausted", "The arguments are too large.");
        return true;
    }
    struct env_pending *p = env->call;
    struct text answers = p->answers;
    *p = (struct env_pending){
        .conn = c, .call = call, .progress = progress, .since_us = env->now_us, .answers = answers};
    p->answers.size = 0;
    p->answers.full = false;
    for (size_t k = 0; k < sizeof runs / sizeof *runs; k++)
        if (strcmp(runs[k].name, env_tools[i].name) == 0)
            return runs[k].run(c, p, &given, r);
    assert(0 && "every tool has a function");
    return true;
}

void env_cancel(struct env_conn *c, uint64_t call)
{
    if (env_cancel_job(c, call) || env_replay_cancel(c, call) || env_save_cancel(c, call))
        return;
    for (struct env_pending **at = &c->group->pending; *at; at = &(*at)->next)
        if ((*at)->conn == c && (*at)->call == call) {
            struct env_pending *p = *at;
            p->dropped = true;
            if (!c->group->held)
                env_pending_sweep(c->group);
            return;
        }
}

// --- what a session asks

const struct env_facts *env_facts_of(const struct env_game *g)
{
    return g->environment ? g->environment : kit_environment(g->kit);
}

const struct env_game *env_game_of(const struct env_conn *c)
{
    return c->group->table[0].row;
}

const struct env_game *env_pinned_game(const struct env *env)
{
    return env->o.pinned ? env_find_game(env, env->o.pinned) : NULL;
}

bool env_is_pinned(const struct env_conn *c)
{
    return c->group->pinned;
}

bool env_is_exclusive(const struct env_conn *c)
{
    return !c->group->shared;
}

bool env_has_agents(const struct env_conn *c)
{
    return c->agent_count > 0;
}

void env_complete_agents(const struct env_conn *c, struct span prefix, struct text *out, int most)
{
    for (struct env_agent *a = c->group->agents; a && most > 0; a = a->next)
        if (a->conn == c && strlen(a->id) >= prefix.size && memcmp(a->id, prefix.at, prefix.size) == 0) {
            json_write_text(out, a->id);
            most--;
        }
}
