// Steps and batches: from the call to the advance, and the barrier over connections between the two (G12, G13, G15).
#include "env/step.h"
#include "env/actions.h"
#include "env/advance.h"
#include "env/hash.h"
#include "env/host.h"
#include "env/job.h"
#include "env/live_clock.h"
#include "env/pending.h"
#include "env/record.h"
#include "env/schema.h"
#include "env/tools.h"

#include <stdlib.h>

// --- the barrier

static bool is_training(const struct env_agent *a)
{
    return a->state == ENV_ACTIVE && a->clock == ENV_TRAINING;
}

static bool has_committed(const struct env_table *t, const struct env_conn *c, const struct env_pending *now)
{
    if (now && now->conn == c && !now->outside)
        return true;
    for (struct env_pending *p = t->group->pending; p; p = p->next)
        if (p->conn == c && !p->outside && env_pending_table(p) == t)
            return true;
    return false;
}

static bool all_have_committed(const struct env_table *t, const struct env_pending *now)
{
    for (struct env_agent *a = t->agents; a; a = a->next_at_table)
        if (is_training(a) && !has_committed(t, a->conn, now))
            return false;
    return true;
}

static bool others_train(const struct env_table *t, const struct env_conn *c)
{
    for (struct env_agent *a = t->agents; a; a = a->next_at_table)
        if (a->conn != c && is_training(a))
            return true;
    return false;
}

// The items of a call that act in this advance.
static int collect_items(struct env_pending *p, const struct env_table *t, struct env_item **items, int count)
{
    for (int i = 0; i < p->count && !p->applied; i++) {
        struct env_item *item = &p->item[i];
        if (p->sync == ENV_SEQUENTIAL && i != p->turn)
            continue;
        if (item->agent->table == t && !item->notice && !item->answer_size && count < ENV_MAX_BATCH)
            items[count++] = item;
    }
    return count;
}

static void advance_call(struct env_pending *p, uint32_t done)
{
    p->applied = true;
    p->left = done < p->left ? p->left - done : 0;
    bool active = false;
    for (int i = 0; i < p->count; i++)
        if (p->sync != ENV_SEQUENTIAL || i == p->turn)
            active |= p->item[i].agent->state == ENV_ACTIVE;
    if (!env_pending_table(p)->running || !active)
        p->left = 0;
    if (p->left)
        p->since_us = p->conn->env->now_us; // the rest is committed again (G12.9)
    else
        env_sequence_continue(p);
}

// One advance of a table, by the ticks that the shortest committed call still needs.
static void advance_table(struct env_table *t, struct env_pending *now)
{
    struct env_item *items[ENV_MAX_BATCH];
    int count = 0;
    uint32_t ticks = ENV_MAX_TICKS;
    for (struct env_pending *p = t->group->pending; p; p = p->next)
        if (env_pending_table(p) == t) {
            count = collect_items(p, t, items, count);
            if (p->left && p->left < ticks)
                ticks = p->left;
        }
    if (now) {
        count = collect_items(now, t, items, count);
        if (now->left && now->left < ticks)
            ticks = now->left;
        t->watcher = now->progress && now->conn->hooks->on_progress ? now : NULL;
    }
    t->group->step_id++;
    uint32_t done = env_advance_table(t, items, count, ticks);
    t->watcher = NULL;
    env_record_step(t, items, count, done, ENV_BARRIER);
    if (now)
        advance_call(now, done);
    for (struct env_pending *p = t->group->pending; p; p = p->next)
        if (env_pending_table(p) == t)
            advance_call(p, p->outside ? p->left : done);
    env_pending_answer_deferred(t);
}

static void answer_served(struct env_table *t)
{
    for (struct env_pending *p = t->group->pending, *next; p; p = next) {
        next = p->next;
        if (env_pending_table(p) == t && p->applied && p->left == 0)
            env_pending_answer(t->group, p);
    }
}

static bool has_barrier_call(const struct env_table *t)
{
    for (struct env_pending *p = t->group->pending; p; p = p->next)
        if (env_pending_table(p) == t && !p->outside)
            return true;
    return false;
}

void env_try_advance(struct env_group *g)
{
    for (int i = 0; i < g->count; i++) {
        struct env_table *t = &g->table[i];
        while (env_clock_of(t) == ENV_TRAINING && has_barrier_call(t) && all_have_committed(t, NULL) &&
               !env_is_cut(g->env)) {
            advance_table(t, NULL);
            answer_served(t);
        }
    }
}

void env_try_advance_soon(struct env_group *g)
{
    if (!g->env->o.work || g->env->job)
        env_try_advance(g);
    else
        g->recheck = true;
}

// --- from a checked call to its answer

static bool is_all_sent(const struct env_pending *p)
{
    for (int i = 0; i < p->count; i++)
        if (!p->item[i].notice && !p->item[i].answer_size)
            return false;
    return true;
}

// G12.14: at a paused table a wait returns at once and says why.
static bool is_paused_wait(const struct env_pending *p)
{
    for (int i = 0; i < p->count; i++)
        if (!p->item[i].agent->table->paused || p->item[i].command.row)
            return false;
    for (int i = 0; i < p->count; i++)
        env_news_add(p->item[i].agent, "paused", p->item[i].agent->table->tick, 1, SPAN("{}"));
    return true;
}

static bool finish_call(struct env_pending *p, struct env_result *r)
{
    struct env_group *g = p->conn->group;
    env_pending_write_reply(p, r);
    for (int i = 0; i < g->count; i++)
        env_notify_observations(&g->table[i]);
    return true;
}

// Tables of one connection only: every named table advances, all in one step.
static bool run_own(struct env_pending *p, struct env_result *r)
{
    struct env_group *g = p->conn->group;
    struct env_item *items[ENV_MAX_BATCH];
    uint64_t step = g->step_id + 1;
    for (int k = 0; k < g->count; k++) {
        struct env_table *t = &g->table[k];
        int count = collect_items(p, t, items, 0);
        if (!count)
            continue;
        g->step_id = step;
        t->watcher = p->progress && p->conn->hooks->on_progress ? p : NULL;
        uint32_t done = env_advance_table(t, items, count, p->ticks);
        t->watcher = NULL;
        env_record_step(t, items, count, done, (enum env_sync)p->sync);
        env_pending_answer_deferred(t);
    }
    return finish_call(p, r);
}

static bool is_all_training(const struct env_pending *p)
{
    for (int i = 0; i < p->count; i++)
        if (env_clock_of(p->item[i].agent->table) == ENV_LIVE)
            return false;
    return true;
}

// G15.3: with a barrier or the live clock, each step has to wait for its advance.
static bool submit_sequence(struct env_pending *p, struct env_result *r)
{
    struct env_group *g = p->conn->group;
    bool others = others_train(env_pending_table(p), p->conn);
    if (!others && !g->pending && is_all_training(p)) {
        env_sequence_run(p);
        return finish_call(p, r);
    }
    p->outside = others && p->item[0].agent->clock == ENV_LIVE;
    if (!env_sequence_next(p))
        return finish_call(p, r);
    env_pending_add(g, p);
    env_live_clock_update(env_pending_table(p), g->env->now_us);
    env_try_advance(g); // which replies to it, if all have committed
    return false;
}

static bool submit_call(struct env_pending *p, struct env_result *r)
{
    struct env_table *t = env_pending_table(p);
    struct env_group *g = t->group;
    if (is_all_sent(p))
        return finish_call(p, r);
    if (p->sync == ENV_SEQUENTIAL)
        return submit_sequence(p, r);
    if (env_clock_of(t) == ENV_LIVE) {
        env_pending_add(g, p);
        env_live_clock_update(t, g->env->now_us);
        return false;
    }
    if (is_paused_wait(p))
        return finish_call(p, r);
    bool others = others_train(t, p->conn);
    p->outside = others && (p->sync == ENV_ASYNC || p->item[0].agent->clock == ENV_LIVE);
    if (!others && !g->pending)
        return run_own(p, r);
    if (p->outside || !all_have_committed(t, p)) {
        env_pending_add(g, p);
        return false;
    }
    while (p->left && all_have_committed(t, p)) {
        advance_table(t, p);
        answer_served(t);
        if (env_is_cut(g->env))
            p->left = 0; // nobody waits for the rest
    }
    if (!p->left)
        return finish_call(p, r);
    env_pending_add(g, p);
    return false;
}

// --- the tools

// G9.1: who may step. A pending notice comes first.
bool env_check_state(struct env *env, const struct env_agent *a, struct env_result *r)
{
    if (a->state == ENV_ACTIVE)
        return true;
    if (a->table->group->arena_seat)
        *r = a->state == ENV_TERMINAL
                 ? env_refuse(env, -32002, "EpisodeTerminated",
                              "The match is over for this agent; deregister and register to play another.")
                 : env_refuse(env, -32002, "NotActive",
                              "The agent is in the queue; it is ACTIVE when its match starts.");
    else
        *r = a->state == ENV_TERMINAL
                 ? env_refuse(env, -32002, "EpisodeTerminated", "The episode of this agent is over; call reset.")
                 : env_refuse(env, -32002, "NotActive", "The agent is not in an episode yet; call reset.");
    env_refusal_put(env, r, "agent_id", a->id);
    env_refusal_put(env, r, "state", env_state_names[a->state]);
    return false;
}

// G12.15: with the training clock an agent has one step at a time, with the live clock a short queue.
static bool check_flight(struct env *env, const struct env_agent *a, struct env_result *r)
{
    if (!a->pending || env_clock_of(a->table) == ENV_LIVE)
        return true;
    *r = env_bad(env, "/agent_id", "an agent whose last step has been answered", "in_flight");
    return false;
}

static bool check_queue(struct env *env, const struct env_agent *a, struct env_result *r)
{
    if (a->pending < ENV_LIVE_QUEUE)
        return true;
    *r = env_refuse(env, -32004, "ResourceExhausted", "This agent has too many steps waiting already.");
    env_refusal_int(env, r, "limit", ENV_LIVE_QUEUE);
    return false;
}

// `input`: of its action, if already read; or NULL.
static bool check_item(struct env *env, struct env_item *item, const struct env_action_input *input,
                       struct env_result *r)
{
    struct env_agent *a = item->agent;
    item->notice = a->notice.due || (a->state == ENV_TERMINAL && !a->end_reported);
    if (item->notice)
        return true;
    return env_check_state(env, a, r) && check_flight(env, a, r) &&
           (input ? env_action_read_input(env, a, input, &item->command, r)
                  : env_action_read(env, a, item->action, &item->command, r)) &&
           check_queue(env, a, r);
}

// One pass over all members, because a list of steps may be long. Missing ones stay empty.
static void read_step_members(struct span object, const char *const *keys, struct span *given)
{
    struct json_reader r = json_reader_of(object, 64);
    struct json_string key;
    for (json_enter_object(&r); json_next_key(&r, &key);) {
        int i = json_string_among(key, keys);
        struct span value = json_read_raw(&r);
        if (i >= 0)
            given[i] = value;
    }
}

static uint32_t ticks_or(struct span given, uint32_t missing)
{
    return given.size ? (uint32_t)env_json_int(given) : missing;
}

bool env_step_agent(struct env_conn *c, struct env_pending *p, struct env_agent *a, struct span action,
                    const struct env_action_input *input, uint32_t ticks, struct env_result *r)
{
    p->count = 1;
    p->item[0] = (struct env_item){.agent = a, .action = action};
    p->ticks = p->left = ticks;
    if (!check_item(c->env, &p->item[0], input, r))
        return true;
    return submit_call(p, r);
}

bool env_step(struct env_conn *c, struct env_pending *p, const struct env_arguments *given, struct env_result *r)
{
    enum { AGENT_ID, ACTION, TICKS, MODE, ASYNC }; // in the order of the schema
    const struct json_value *value = given->value;
    struct env_agent *a = env_own_agent(c, json_value_string(value[AGENT_ID]), r);
    if (!a)
        return true;
    if (value[ASYNC].type && value[ASYNC].raw.at[0] == 't')
        p->sync = ENV_ASYNC;
    uint32_t ticks = value[TICKS].type ? (uint32_t)env_value_int(value[TICKS]) : 1;
    return env_step_agent(c, p, a, value[ACTION].raw, &given->input, ticks, r);
}

enum { AGENT_ID, ACTION, TICKS, STEP_MEMBERS };
static const char *const step_members[] = {"agent_id", "action", "ticks", NULL};
typedef struct span env_given[STEP_MEMBERS]; // a step of a batch, as received

static int read_steps(struct span steps, env_given *given)
{
    struct json_reader in = json_reader_of(steps, 64);
    int count = 0;
    for (json_enter_array(&in); json_next_item(&in); count++) {
        memset(given[count], 0, sizeof given[count]);
        read_step_members(json_read_raw(&in), step_members, given[count]);
    }
    return count;
}

// G15.3: a step for an unknown or foreign agent is refused, and the rest continues.
static void add_foreign_refusal(struct env_pending *p, struct env_reply_part *foreign_refusals, struct span id,
                                const struct env_result *r)
{
    char name[ENV_ID_ROOM] = "";
    json_string_copy(env_json_string(id), name, sizeof name);
    if (!foreign_refusals->size) {
        text_put_char(&p->answers, '\n'); // on a line of its own, so that no comma is inserted
        foreign_refusals->at = p->answers.size;
    }
    env_write_refusal(&p->answers, name, r);
    foreign_refusals->size = p->answers.size - foreign_refusals->at;
}

// Clients that step many agents usually name them in order of registration.
static struct env_agent *next_agent(struct env_conn *c, const struct env_pending *p, struct json_string id,
                                    struct env_result *r)
{
    struct env_agent *a = p->count ? p->item[p->count - 1].agent->next : NULL;
    bool is = a && a->conn == c && !id.escaped && span_equals(id.raw, (struct span){a->id, a->id_size});
    return is ? a : env_own_agent(c, id, r);
}

static bool read_items(struct env_conn *c, struct env_pending *p, env_given *given, int count, struct env_result *r)
{
    struct env_reply_part foreign_refusals = {0}; // before the next item
    for (int i = 0; i < count; i++) {
        struct env_agent *a = next_agent(c, p, env_json_string(given[i][AGENT_ID]), r);
        if (!a && p->sync == ENV_BARRIER)
            return false;
        if (!a) {
            add_foreign_refusal(p, &foreign_refusals, given[i][AGENT_ID], r);
            continue;
        }
        p->item[p->count++] = (struct env_item){.agent = a,
                                                .action = given[i][ACTION],
                                                .ticks = ticks_or(given[i][TICKS], 0),
                                                .foreign_refusals = foreign_refusals};
        foreign_refusals = (struct env_reply_part){0};
    }
    p->foreign_refusals = foreign_refusals;
    return p->count > 0; // nothing is done with foreign agents only
}

// G15.4
static bool check_ticks(struct env *env, struct env_pending *p, bool given, struct env_result *r)
{
    uint32_t ticks = given ? p->ticks : 0;
    for (int i = 0; i < p->count && p->sync != ENV_SEQUENTIAL; i++) {
        uint32_t own = p->item[i].ticks;
        if (own && ticks && own != ticks) {
            *r = env_bad(env, "/steps", "equal ticks in all steps", "ticks");
            return false;
        }
        ticks = own ? own : ticks;
    }
    p->ticks = p->left = ticks ? ticks : p->ticks;
    return true;
}

static bool check_duplicates(struct env *env, const struct env_pending *p, struct env_result *r)
{
    for (int i = 0; i < p->count && p->sync == ENV_BARRIER; i++)
        for (int k = 0; k < i; k++)
            if (p->item[i].agent == p->item[k].agent) {
                *r = env_bad(env, "/steps", "each agent once", "duplicate");
                env_refusal_put(env, r, "agent_id", p->item[i].agent->id);
                return false;
            }
    return true;
}

// G15.1: `order` is a permutation of the agents; sorts the steps accordingly.
static bool put_in_order(env_given *given, int count, struct span order)
{
    struct json_reader in = json_reader_of(order, 64);
    int n = 0;
    bool good = true;
    for (json_enter_array(&in); good && json_next_item(&in); n++) {
        struct span name = json_read_string(&in).raw;
        int k = n;
        while (k < count && !span_equals(name, env_json_string(given[k][AGENT_ID]).raw))
            k++;
        good = k < count;
        if (good) {
            env_given swap;
            memcpy(swap, given[k], sizeof swap);
            memmove(given[n + 1], given[n], (size_t)(k - n) * sizeof swap);
            memcpy(given[n], swap, sizeof swap);
        }
    }
    return good && n == count;
}

// A step of a sequence is parsed when its turn comes; whether there is room for it is checked now.
static bool check_step(struct env *env, struct env_pending *p, struct env_item *item, struct env_result *r)
{
    if (p->sync == ENV_SEQUENTIAL)
        return check_flight(env, item->agent, r) && check_queue(env, item->agent, r);
    return check_item(env, item, NULL, r);
}

static bool check_items(struct env *env, struct env_pending *p, struct env_result *r)
{
    for (int i = 0; i < p->count; i++) {
        if (check_step(env, p, &p->item[i], r))
            continue;
        if (p->sync == ENV_BARRIER) {
            static const char key[] = "\"agent_id\":"; // some refusals name the agent already
            if (!r->body.size || !memmem(r->body.at, r->body.size, key, sizeof key - 1))
                env_refusal_put(env, r, "agent_id", p->item[i].agent->id);
            return false;
        }
        env_pending_add_refusal(p, &p->item[i], r);
    }
    return true;
}

// G1.6: tables advance together only if no clock of their own and no waiting call moves them.
static bool check_tables(struct env *env, const struct env_pending *p, struct env_result *r)
{
    const struct env_group *g = p->conn->group;
    bool several = false;
    for (int i = 1; i < p->count; i++)
        several |= p->item[i].agent->table != p->item[0].agent->table;
    if (!several || p->sync == ENV_SEQUENTIAL || (!g->pending && is_all_training(p)))
        return true;
    *r = env_bad(env, "/steps", "agents of one table, or of tables with the training clock", "clock");
    return false;
}

bool env_batch(struct env_conn *c, struct env_pending *p, const struct env_arguments *arguments, struct env_result *r)
{
    struct span list = {0}, sync, ticks = {0}, order;
    env_given steps[ENV_MAX_BATCH];
    env_argument(arguments, "steps", &list);
    env_argument(arguments, "ticks", &ticks);
    int count = read_steps(list, steps);
    p->batch = true;
    p->ticks = ticks_or(ticks, 1);
    if (env_argument(arguments, "sync_mode", &sync))
        p->sync = (uint8_t)json_string_among(env_json_string(sync), env_sync_names);
    if (env_argument(arguments, "order", &order) && (p->sync != ENV_SEQUENTIAL || !put_in_order(steps, count, order))) {
        *r = env_bad(c->env, "/order", "a permutation of the agents, with sync_mode sequential", "order");
        return true;
    }
    if (!read_items(c, p, steps, count, r) || !check_duplicates(c->env, p, r) ||
        !check_ticks(c->env, p, ticks.size > 0, r) || !check_tables(c->env, p, r) || !check_items(c->env, p, r))
        return true;
    return submit_call(p, r);
}

// --- the deadline of the barrier (G12.10)

static void write_missing(struct text *t, const struct env_table *table)
{
    json_begin_array(t);
    for (struct env_agent *a = table->agents; a; a = a->next_at_table)
        if (is_training(a) && !has_committed(table, a->conn, NULL))
            json_write_text(t, a->id);
    json_end_array(t);
}

static struct env_result refuse_late(struct env *env, const struct env_pending *p, struct span missing)
{
    struct env_result r;
    if (p->applied) // G12.9: some of its ticks have passed
        r = env_refuse_because(
            env, -32003, "SyncTimeout",
            "Other agents did not commit in time; the last %u ticks have not passed, step again for them.", p->left);
    else
        r = env_refuse(env, -32003, "SyncTimeout",
                       "Other agents did not commit in time; nothing has advanced, try again.");
    env_refusal_raw(env, &r, "missing", missing);
    env_refusal_put(env, &r, "agent_id", env_pending_actor(p)->id);
    return r;
}

static void time_out_call(struct env_group *g, struct env_pending *p, struct span missing)
{
    struct env_result r = refuse_late(g->env, p, missing);
    if (p->turn) { // of a sequence: earlier steps have happened, and are reported
        for (int i = p->turn; i < p->count; i++)
            if (!p->item[i].answer_size)
                env_pending_add_refusal(p, &p->item[i], &r);
        env_pending_answer(g, p);
        return;
    }
    env_pending_unlink(g, p);
    p->conn->hooks->on_answer(p->conn->owner, p->call, &r);
    env_pending_free(p);
}

static void time_out(struct env_table *t)
{
    struct text missing = {.grow = env_text_grow};
    write_missing(&missing, t); // before the first of them is replied to
    for (struct env_pending *p = t->group->pending, *next; p; p = next) {
        next = p->next;
        if (env_pending_table(p) == t)
            time_out_call(t->group, p, text_span(&missing));
    }
    free(missing.at);
}

int64_t env_step_deadlines(struct env_group *g, int64_t now_us)
{
    int64_t next = INT64_MAX, limit = (int64_t)g->env->o.step_deadline_ms * 1000;
    for (int i = 0; i < g->count; i++) {
        struct env_table *t = &g->table[i];
        int64_t first = INT64_MAX;
        for (struct env_pending *p = g->pending; p; p = p->next)
            if (env_pending_table(p) == t && p->since_us < first)
                first = p->since_us;
        if (first == INT64_MAX || env_clock_of(t) == ENV_LIVE)
            continue;
        if (now_us >= first + limit)
            time_out(t);
        else if (first + limit < next)
            next = first + limit;
    }
    return next;
}
