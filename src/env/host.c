// The host: its connections, the groups of tables they sit at, and the way of a tool call to its function.
#include "env/host.h"
#include "env/hash.h"
#include "env/job.h"
#include "env/owner.h"
#include "env/record.h"
#include "env/replay.h"
#include "env/schema.h"
#include "env/step.h"
#include "env/tools.h"
#include "env/vision.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

enum { TEXT_CEILING = 64 << 20, TEXT_FIRST = 4096 };

bool rl_text_grow(struct text *t, size_t more)
{
    size_t room = t->room ? t->room : TEXT_FIRST;
    while (room - t->size < more && room < TEXT_CEILING)
        room *= 2;
    if (room - t->size < more)
        return false;
    char *at = realloc(t->at, room);
    if (!at)
        return false;
    t->at = at;
    t->room = room;
    return true;
}

// --- refusals (G9)

struct rl_result rl_refuse(struct rl *rl, int code, const char *name, const char *message)
{
    rl->error.size = 0;
    rl->error.full = false;
    snprintf(rl->message, sizeof rl->message, "%s", message);
    return (struct rl_result){.code = code, .name = name, .message = rl->message, .body = SPAN("")};
}

struct rl_result rl_refuse_say(struct rl *rl, int code, const char *name, const char *format, ...)
{
    char message[512];
    va_list args;
    va_start(args, format);
    vsnprintf(message, sizeof message, format, args);
    va_end(args);
    return rl_refuse(rl, code, name, message);
}

void rl_refusal_put(struct rl *rl, struct rl_result *r, const char *key, const char *value)
{
    json_put_text(&rl->error, key, value);
    r->body = text_span(&rl->error);
}

void rl_refusal_int(struct rl *rl, struct rl_result *r, const char *key, int64_t value)
{
    json_put_int(&rl->error, key, value);
    r->body = text_span(&rl->error);
}

void rl_refusal_raw(struct rl *rl, struct rl_result *r, const char *key, struct span json)
{
    json_key(&rl->error, key);
    json_write_raw(&rl->error, json);
    r->body = text_span(&rl->error);
}

struct rl_result rl_bad(struct rl *rl, const char *path, const char *expected, const char *reason)
{
    struct rl_result r = rl_refuse_say(rl, -32602, "InvalidParams", "%s is not acceptable; expected: %s.",
                                       path[0] ? path : "the argument object", expected);
    rl_refusal_put(rl, &r, "path", path);
    rl_refusal_put(rl, &r, "expected", expected);
    if (reason)
        rl_refusal_put(rl, &r, "reason", reason);
    return r;
}

void rl_known_add(struct rl_known *k, const char *word)
{
    struct text t = {.at = k->text, .size = strlen(k->text), .room = sizeof k->text - 1};
    text_puts(&t, t.size ? ", " : "one of ");
    text_puts(&t, word);
    assert(!t.full); // tables of our own
    t.at[t.size] = 0;
}

bool rl_answer(struct rl *rl, struct rl_result *r)
{
    *r = (struct rl_result){.body = text_span(&rl->out)};
    if (rl->out.full)
        *r = rl_refuse(rl, -32004, "ResponseTooLarge", "The answer is larger than the server can hold.");
    return true;
}

// --- lookups

const struct rl_game *rl_find_game(const struct rl *rl, const char *name)
{
    for (const struct rl_game *g = rl->o.games; g->game; g++)
        if (strcmp(g->game->name, name) == 0)
            return g;
    return NULL;
}

struct rl_agent *rl_find_agent(const struct rl_group *g, struct json_string id)
{
    for (struct rl_agent *a = g->agents; a; a = a->next)
        if (id.escaped ? json_string_is(id, a->id) : span_equals(id.raw, (struct span){a->id, a->id_size}))
            return a;
    return NULL;
}

struct rl_agent *rl_own_agent(struct rl_conn *c, struct json_string id, struct rl_result *r)
{
    struct rl_agent *a = rl_find_agent(c->group, id);
    if (a && a->conn == c)
        return a;
    char name[RL_ID_ROOM] = "";
    json_string_copy(id, name, sizeof name);
    *r = a ? rl_refuse_say(c->rl, -32000, "AgentNotRegistered", "Agent %s belongs to another connection.", name)
           : rl_refuse_say(c->rl, -32000, "AgentNotRegistered", "There is no agent %s; register it first.", name);
    rl_refusal_put(c->rl, r, "agent_id", name);
    rl_refusal_put(c->rl, r, "reason", a ? "foreign" : "unknown");
    return NULL;
}

struct rl_agent *rl_agent_at(const struct rl_table *t, int seat)
{
    for (struct rl_agent *a = t->agents; a; a = a->beside) {
        if (a->type == RL_ENTITY && a->seat == seat)
            return a;
        if (a->type == RL_COLONY && seat % 2 == a->team)
            return a;
    }
    return NULL;
}

bool rl_has(const struct rl_conn *c, enum rl_capability what)
{
    for (struct rl_agent *a = c->group->agents; a; a = a->next)
        if (a->conn == c && a->capabilities & what)
            return true;
    return false;
}

bool rl_is_known_seed(const struct rl_table *t, const struct rl_conn *c)
{
    return t->has_seed && (!t->group->shared || (rl_is_owner(c) && rl_has(c, RL_ADMIN)));
}

int rl_max_agents(const struct rl_group *g)
{
    return g->rl->o.max_agents * g->count;
}

enum rl_clock rl_clock_of(const struct rl_table *t)
{
    for (struct rl_agent *a = t->agents; a; a = a->beside)
        if (a->clock == RL_TRAINING)
            return RL_TRAINING;
    return t->agents || t->group->shared ? RL_LIVE : RL_TRAINING;
}

void rl_tell_changed(struct rl_table *t, const char *what)
{
    for (struct rl_conn *c = t->group->rl->conns; c; c = c->next)
        if (c->group == t->group && !c->gone && c->hooks->on_changed && rl_is_admitted(c))
            c->hooks->on_changed(c->owner, what);
}

// --- groups

void rl_seat_table(struct rl_table *t, const struct rl_game *row)
{
    t->row = row;
    t->kit = row->environment;
    t->running = t->paused = false;
    t->episode = 0;
    t->tick = 0;
    t->past_count = 0;
    t->scenario = 0;
    t->has_seed = t->seeded = t->bared = false;
    t->hash_version = t->group->shared ? 2 : 1;
    snprintf(t->scenario_name, sizeof t->scenario_name, "%s", row->game->scenarios[0]);
    for (int s = 0; s < GAME_MAX_SEATS; s++) {
        t->level[s] = (uint8_t)t->group->rl->o.bot_level;
        t->aggro[s] = 0.5f;
    }
}

static struct rl_group *group_create(struct rl *rl, const char *name, const struct rl_game *row, bool pinned, int count)
{
    struct rl_group *g = calloc(1, sizeof *g + (size_t)count * sizeof g->table[0]);
    if (!g)
        abort();
    g->rl = rl;
    g->shared = name != NULL;
    g->pinned = pinned;
    g->bot_delay_ms = rl->o.bot_delay_ms;
    g->turn_limit_s = rl->o.turn_limit_s;
    g->count = count;
    if (name) {
        snprintf(g->name, sizeof g->name, "%s", name);
        g->client = rl->client;
    }
    for (int i = 0; i < count; i++) {
        struct rl_table *t = &g->table[i];
        t->group = g;
        t->number = i;
        t->hour = 12;
        t->past = calloc(RL_PAST, sizeof *t->past);
        t->digests = rl_digests_create();
        if (!t->past || !t->digests)
            abort();
        rl_seat_table(t, row);
    }
    g->next = rl->groups;
    rl->groups = g;
    return g;
}

static void group_destroy(struct rl_group *g)
{
    struct rl_group **at = &g->rl->groups;
    while (*at != g)
        at = &(*at)->next;
    *at = g->next;
    rl_owner_release(g);
    rl_job_lose(g);
    for (int i = 0; i < g->count; i++) {
        rl_traj_release(&g->table[i]);
        free(g->table[i].past);
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
    if (n < 1 || n >= RL_NAME_ROOM)
        return false;
    for (; *name; name++)
        if (!(*name >= 'a' && *name <= 'z') && !(*name >= 'A' && *name <= 'Z') && !(*name >= '0' && *name <= '9') &&
            !strchr("_:-", *name))
            return false;
    return true;
}

// Named tables of this client, or of all (0); `oldest` is the one of these that was left first, NULL: none was.
static int count_tables(const struct rl *rl, uint64_t client, struct rl_group **oldest)
{
    int count = 0;
    *oldest = NULL;
    for (struct rl_group *g = rl->groups; g; g = g->next) {
        if (!g->shared || (client && g->client != client))
            continue;
        count++;
        if (g->refs == 0 && !g->held && (!*oldest || g->left_us < (*oldest)->left_us))
            *oldest = g;
    }
    return count;
}

int rl_count_tables(const struct rl *rl)
{
    struct rl_group *oldest;
    return count_tables(rl, 0, &oldest);
}

uint64_t rl_count_refused(const struct rl *rl)
{
    return rl->tables_refused;
}

static bool has_room(struct rl *rl, uint64_t client, int most, const char *say, struct rl_result *r)
{
    struct rl_group *oldest;
    if (count_tables(rl, client, &oldest) < most)
        return true;
    if (oldest) {
        group_destroy(oldest);
        return true;
    }
    rl->tables_refused++;
    *r = rl_refuse(rl, -32004, "ResourceExhausted", say);
    rl_refusal_int(rl, r, "limit", most);
    return false;
}

// Names are the clients' to invent: beyond a limit the table goes that was left first (G1.3: --linger), if any was.
static bool make_room(struct rl *rl, struct rl_result *r)
{
    int most = rl->o.tables_per_client;
    if (rl->client && most &&
        !has_room(rl, rl->client, most, "Your address has made as many tables as it may; join one of them.", r))
        return false;
    return has_room(rl, 0, RL_MAX_TABLES, "This server has no room for another table; join one that is there.", r);
}

static struct rl_group *group_named(struct rl *rl, const char *name, const char *game, bool *made, struct rl_result *r)
{
    const struct rl_game *row = rl->o.pinned ? rl_find_game(rl, rl->o.pinned) : rl->o.games;
    *made = false;
    if (name && !is_name_good(name)) {
        *r = rl_bad(rl, "/table", "1 to 64 letters, digits, _ : -", NULL);
        return NULL;
    }
    if (game && rl->o.pinned && strcmp(game, rl->o.pinned) != 0) {
        *r = rl_bad(rl, "/game", rl->o.pinned, "pinned");
        return NULL;
    }
    if (game && !(row = rl_find_game(rl, game))) {
        *r = rl_bad(rl, "/game", "a game of this server", "unknown");
        return NULL;
    }
    for (struct rl_group *g = rl->groups; name && g; g = g->next)
        if (g->shared && strcmp(g->name, name) == 0)
            return g;
    if (name && !make_room(rl, r))
        return NULL;
    *made = true;
    return group_create(rl, name, row, rl->o.pinned || game, name ? 1 : rl->o.tables);
}

void rl_group_leave(struct rl_group *g, int64_t now_us)
{
    if (--g->refs > 0)
        return;
    g->left_us = now_us;
    if (!g->shared || (!g->used && !g->table[0].episode)) // nothing has happened there, so there is nothing to own
        group_destroy(g);
}

static uint64_t client_of(const struct rl_hooks *hooks, void *owner)
{
    return hooks->client ? hooks->client(owner) : 0;
}

bool rl_move(struct rl_conn *c, const char *table, struct rl_result *r)
{
    c->rl->client = client_of(c->hooks, c->owner);
    if (c->group->shared && strcmp(c->group->name, table) == 0)
        return true;
    if (c->agent_count) {
        *r = rl_bad(c->rl, "/config/table", "the table where this connection has its agents", "elsewhere");
        return false;
    }
    bool made;
    struct rl_group *g = group_named(c->rl, table, NULL, &made, r);
    while (g && rl_wait_for(g))
        g = group_named(c->rl, table, NULL, &made, r); // it may have gone meanwhile
    if (!g)
        return false;
    g->refs++;
    rl_group_leave(c->group, c->rl->now_us);
    c->group = g;
    if (made)
        rl_owner_create(c);
    return true;
}

struct rl_table *rl_move_apart(struct rl_conn *c, const struct rl_game *row)
{
    struct rl_group *g = group_create(c->rl, NULL, row, false, 1);
    g->refs++;
    rl_group_leave(c->group, c->rl->now_us);
    c->group = g;
    return &g->table[0];
}

// A table that was made for the refused call goes with it.
void rl_move_back(struct rl_conn *c, struct rl_group *before)
{
    struct rl_group *g = c->group;
    if (g == before)
        return;
    before->refs++;
    c->group = before;
    rl_owner_leave(g, c);
    if (--g->refs == 0 && !g->table[0].episode && g->left_us == 0)
        group_destroy(g);
}

// A table that no host lists, for trajectories.
struct rl_group *rl_shadow_create(struct rl *rl, const struct rl_game *row)
{
    struct rl_group *g = group_create(rl, NULL, row, false, 1);
    rl->groups = g->next;
    g->shadow = true;
    return g;
}

void rl_shadow_destroy(struct rl_group *g)
{
    g->next = g->rl->groups;
    g->rl->groups = g;
    group_destroy(g);
}

// --- life

void rl_defaults(struct rl_options *o)
{
    *o = (struct rl_options){.bot_level = 2,
                             .metrics = true,
                             .tables = 1,
                             .min_agents = 1,
                             .turn_limit_s = 120,
                             .bot_delay_ms = 1000,
                             .auto_restart_s = -1,
                             .step_deadline_ms = 30000,
                             .poll_max_ms = 25000,
                             .max_agents = RL_AGENTS,
                             .linger_s = 300,
                             .data_dir = ".",
                             .vision_memory_mib = 256,
                             .record_bytes = (size_t)64 << 20,
                             .record_steps = 1000000,
                             .version = "0.0.0"};
}

struct rl *rl_create(const struct rl_options *o)
{
    struct rl *rl = calloc(1, sizeof *rl);
    if (!rl)
        abort();
    rl->o = *o;
    rl_desk_init(&rl->desk);
    rl->waiting_end = &rl->waiting;
    rl_schemas_compile(&rl->schemas, o->games);
    rl_vision_sweep(rl);
    return rl;
}

void rl_destroy(struct rl *rl)
{
    rl_finish_jobs(rl);
    for (struct rl_conn *c = rl->conns, *next; c; c = next) {
        next = c->next;
        rl_disconnect(c, rl->now_us);
    }
    for (struct rl_group *g = rl->groups, *next; g; g = next) {
        next = g->next;
        group_destroy(g);
    }
    rl_desk_release(&rl->desk);
    for (int i = 0; i < rl->desk_count; i++)
        rl_desk_release(&rl->desks[i]);
    free(rl->desks);
    rl_schemas_release(&rl->schemas);
    traj_shelf_destroy(rl->shelf);
    traj_pool_destroy(rl->recordings);
    free(rl);
}

struct rl_conn *rl_connect(struct rl *rl, const struct rl_hooks *hooks, void *owner, const char *table,
                           const char *game, struct rl_result *refused)
{
    bool made;
    rl->client = client_of(hooks, owner);
    struct rl_group *g = group_named(rl, table, game, &made, refused);
    if (!g)
        return NULL;
    struct rl_conn *c = calloc(1, sizeof *c);
    if (!c)
        abort();
    *c =
        (struct rl_conn){.next = rl->conns, .rl = rl, .group = g, .hooks = hooks, .owner = owner, .caller = TRAJ_LOCAL};
    g->refs++;
    rl->conns = c;
    if (made)
        rl_owner_create(c);
    return c;
}

void rl_name_caller(struct rl_conn *c, const char *caller)
{
    snprintf(c->caller, sizeof c->caller, "%s", caller);
}

void rl_disconnect(struct rl_conn *c, int64_t now_us)
{
    struct rl *rl = c->rl;
    struct rl_group *g = c->group, *home = c->home;
    rl->now_us = now_us;
    c->gone = true;
    rl_drop_waiting(rl, c);
    if (rl_leave_later(c))
        return;
    rl_play_leave(c);
    rl_save_leave(c);
    rl_parked_drop(g, NULL, c);
    for (struct rl_agent *a = g->agents, *next; a; a = next) {
        next = a->next;
        if (a->conn == c)
            rl_unregister(a, "normal");
    }
    struct rl_conn **at = &rl->conns;
    while (*at != c)
        at = &(*at)->next;
    *at = c->next;
    rl_owner_leave(g, c);
    if (home)
        rl_owner_leave(home, c);
    free(c);
    if (g->refs > 1 && !rl->ending)
        rl_try_soon(g);
    rl_group_leave(g, now_us);
    if (home)
        rl_group_leave(home, now_us);
}

int64_t rl_advance(struct rl *rl, int64_t now_us)
{
    rl->now_us = now_us;
    int64_t next = rl_run_saving(rl, now_us);
    rl_run_waiting(rl);
    for (struct rl_group *g = rl->groups, *after; g; g = after) {
        after = g->next;
        if (g->refs == 0 && rl->o.linger_s > 0 && !g->held) {
            int64_t end = g->left_us + (int64_t)rl->o.linger_s * 1000000;
            if (now_us >= end) {
                group_destroy(g);
                continue;
            }
            next = end < next ? end : next;
        }
        int64_t due = rl_run_group(g, now_us);
        next = due < next ? due : next;
    }
    return next;
}

// --- calls

static const struct {
    const char *name;
    rl_tool_run *run;
} runs[] = {
    {"register_agent", rl_register},
    {"deregister_agent", rl_deregister},
    {"sim_step", rl_step},
    {"reset", rl_reset},
    {"get_state_hash", rl_state_hash},
    {"configure_streams", rl_configure_streams},
    {"save_trajectory", rl_save_trajectory},
    {"load_trajectory", rl_load_trajectory},
    {"batch_step", rl_batch},
    {"send_message", rl_message},
    {"observe", rl_observe},
};

static int find_tool(struct span name)
{
    for (int i = 0; rl_tools[i].name; i++)
        if (span_is(name, rl_tools[i].name))
            return i;
    return -1;
}

static struct rl_result refuse_tool(struct rl *rl, struct span tool)
{
    struct rl_result r = rl_refuse_say(rl, -32601, "UnknownTool", "There is no tool %.*s; see known.",
                                       (int)(tool.size < 64 ? tool.size : 64), tool.at);
    json_key(&rl->error, "known");
    json_begin_array(&rl->error);
    for (int i = 0; rl_tools[i].name; i++)
        json_write_text(&rl->error, rl_tools[i].name);
    json_end_array(&rl->error);
    r.body = text_span(&rl->error);
    return r;
}

// Whether a string that may be a key begins with a capital.
static bool may_have_alias(struct span arguments)
{
    for (size_t i = 0; i + 1 < arguments.size; i++)
        if (arguments.at[i] == '"' && arguments.at[i + 1] >= 'A' && arguments.at[i + 1] <= 'Z')
            return true;
    return false;
}

// G4.6: aliases come first, so that of two spellings snake_case, the later one, wins.
static struct span alias_arguments(struct rl *rl, struct span arguments)
{
    static const char *const pascal[] = {"AgentId", "AgentType", "Scope",    "Config",  "Action", "Ticks",
                                         "Mode",    "Seed",      "Scenario", "Profile", NULL};
    static const char *const snake[] = {"agent_id", "agent_type", "scope", "config",   "action",
                                        "ticks",    "mode",       "seed",  "scenario", "profile"};
    struct json_string key;
    if (rl->o.strict || !may_have_alias(arguments))
        return arguments;
    struct text *t = &rl->aliased;
    t->size = 0;
    t->full = false;
    json_begin_object(t);
    struct json_reader r = json_reader_of(arguments, 64);
    for (json_enter_object(&r); json_next_key(&r, &key);) {
        struct span value = json_read_raw(&r);
        int i = json_string_among(key, pascal);
        if (i < 0)
            continue;
        json_key(t, snake[i]);
        json_write_raw(t, value);
    }
    struct span rest = {arguments.at, arguments.size};
    while (rest.size && *rest.at != '{')
        rest.at++, rest.size--;
    struct json_reader one = json_reader_of(arguments, 64);
    json_enter_object(&one);
    if (json_next_key(&one, &key)) {
        if (t->at[t->size - 1] != '{')
            text_put_char(t, ',');
        text_put(t, (struct span){rest.at + 1, rest.size - 1});
    } else {
        json_end_object(t);
    }
    return text_span(t);
}

bool rl_call(struct rl_conn *c, uint64_t call, struct span tool, struct span arguments, bool progress, int64_t now_us,
             struct rl_result *r)
{
    struct rl *rl = c->rl;
    int i = find_tool(tool);
    rl->now_us = now_us;
    if (i < 0) {
        *r = refuse_tool(rl, tool);
        return true;
    }
    if (rl->o.work && rl_may_be_long(c, i, arguments))
        return rl_call_as_job(c, call, i, arguments, progress, r);
    work_count(rl->o.work, RL_COST_CALL);
    return rl_call_now(c, call, i, arguments, progress, r);
}

bool rl_call_now(struct rl_conn *c, uint64_t call, int i, struct span arguments, bool progress, struct rl_result *r)
{
    struct rl *rl = c->rl;
    struct rl_fault fault;
    rl->call_us = rl->o.stopwatch_us ? rl->o.stopwatch_us() : 0;
    rl->out.size = 0;
    rl->out.full = false;
    if (!arguments.size)
        arguments = SPAN("{}");
    if (!rl_json_is(arguments, JSON_OBJECT)) {
        *r = rl_bad(rl, "", "an object of arguments", NULL);
        return true;
    }
    arguments = alias_arguments(rl, arguments);
    if (!rl_schema_check(&rl->schemas, &rl_tools[i], arguments, "", &fault)) {
        *r = rl_bad(rl, fault.path, fault.expected, NULL);
        return true;
    }
    if (!rl_is_admitted(c) && strcmp(rl_tools[i].name, "register_agent") != 0) {
        rl_refuse_stranger(rl, r);
        return true;
    }
    // What actions are merged into must not move while a call is read: each member is copied at most three times.
    rl->merged.size = 0;
    if (rl->merged.room < 4 * arguments.size + 4096 && !rl_text_grow(&rl->merged, 4 * arguments.size + 4096)) {
        *r = rl_refuse(rl, -32004, "ResourceExhausted", "The arguments are too large.");
        return true;
    }
    struct rl_parked *p = rl->call;
    struct text told = p->told;
    *p = (struct rl_parked){.conn = c, .call = call, .progress = progress, .since_us = rl->now_us, .told = told};
    p->told.size = 0;
    p->told.full = false;
    for (size_t k = 0; k < sizeof runs / sizeof *runs; k++)
        if (strcmp(runs[k].name, rl_tools[i].name) == 0)
            return runs[k].run(c, p, arguments, r);
    assert(0 && "every tool has a function");
    return true;
}

void rl_cancel(struct rl_conn *c, uint64_t call)
{
    if (rl_cancel_job(c, call) || rl_play_cancel(c, call) || rl_save_cancel(c, call))
        return;
    for (struct rl_parked **at = &c->group->parked; *at; at = &(*at)->next)
        if ((*at)->conn == c && (*at)->call == call) {
            struct rl_parked *p = *at;
            p->dropped = true;
            if (!c->group->held)
                rl_parked_sweep(c->group);
            return;
        }
}

// --- what a session asks

const struct rl_game *rl_game_of(const struct rl_conn *c)
{
    return c->group->table[0].row;
}

bool rl_is_pinned(const struct rl_conn *c)
{
    return c->group->pinned;
}

bool rl_is_exclusive(const struct rl_conn *c)
{
    return !c->group->shared;
}

bool rl_has_agents(const struct rl_conn *c)
{
    return c->agent_count > 0;
}

void rl_complete_agents(const struct rl_conn *c, struct span prefix, struct text *out, int most)
{
    for (struct rl_agent *a = c->group->agents; a && most > 0; a = a->next)
        if (a->conn == c && strlen(a->id) >= prefix.size && memcmp(a->id, prefix.at, prefix.size) == 0) {
            json_write_text(out, a->id);
            most--;
        }
}
