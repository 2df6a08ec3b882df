// Steps and batches: from the call to the advance, and the barrier over connections between the two (G12, G13, G15).
#include "env/step.h"
#include "env/actions.h"
#include "env/advance.h"
#include "env/hash.h"
#include "env/host.h"
#include "env/job.h"
#include "env/live.h"
#include "env/observe.h"
#include "env/record.h"
#include "env/schema.h"
#include "env/tools.h"

#include <stdlib.h>

// --- calls that wait

static void parked_free(struct rl_parked *p)
{
    for (int i = 0; i < p->count; i++)
        p->item[i].agent->parked--;
    free(p->arguments);
    free(p->params);
    free(p->told.at);
    free(p);
}

static void unlink_call(struct rl_group *g, struct rl_parked *p)
{
    for (struct rl_parked **at = &g->parked; *at; at = &(*at)->next)
        if (*at == p) {
            *at = p->next;
            return;
        }
}

void rl_parked_sweep(struct rl_group *g)
{
    for (struct rl_parked **at = &g->parked; *at;) {
        struct rl_parked *p = *at;
        if (!p->dropped) {
            at = &p->next;
            continue;
        }
        *at = p->next;
        parked_free(p);
    }
}

static bool has_agent(const struct rl_parked *p, const struct rl_agent *a)
{
    for (int i = 0; i < p->count; i++)
        if (p->item[i].agent == a)
            return true;
    return false;
}

void rl_parked_drop(struct rl_group *g, const struct rl_agent *a, const struct rl_conn *c)
{
    for (struct rl_parked *p = g->parked, *next; p; p = next) {
        next = p->next;
        if (p->conn != c && !(a && has_agent(p, a)))
            continue;
        unlink_call(g, p);
        if (!p->conn->gone) {
            struct rl_result r =
                rl_refuse(g->rl, -32000, "AgentNotRegistered", "The agent was deregistered meanwhile.");
            rl_refusal_put(g->rl, &r, "agent_id", p->item[0].agent->id);
            rl_refusal_put(g->rl, &r, "reason", "unknown");
            p->conn->hooks->on_answer(p->conn->owner, p->call, &r);
        }
        parked_free(p);
    }
}

static struct span keep(char **at, struct span s)
{
    if (s.size)
        memcpy(*at, s.at, s.size);
    struct span kept = {*at, s.size};
    *at += s.size;
    return kept;
}

// The call outlives its arguments: what its items point at goes along.
static struct rl_parked *park(struct rl_group *g, const struct rl_parked *call)
{
    size_t items = (size_t)call->count * sizeof call->item[0], bytes = 1;
    struct rl_parked *p = calloc(1, sizeof *p + items), **end = &g->parked;
    for (int i = 0; i < call->count; i++)
        bytes += call->item[i].action.size + call->item[i].deed.params.size;
    if (!p || !(p->arguments = malloc(bytes)))
        abort();
    char *room = p->arguments;
    memcpy(p, call, sizeof *p);
    memcpy(p->item, call->item, items);
    p->arguments = room;
    p->told = (struct text){.grow = rl_text_grow};
    text_put(&p->told, text_span(&call->told));
    for (int i = 0; i < p->count; i++) {
        p->item[i].action = keep(&room, call->item[i].action);
        p->item[i].deed.params = keep(&room, call->item[i].deed.params);
        p->item[i].agent->parked++;
    }
    p->next = NULL;
    while (*end)
        end = &(*end)->next;
    *end = p;
    return p;
}

// --- answers

struct rl_agent *rl_actor_of(const struct rl_parked *p)
{
    return p->item[p->turn < p->count ? p->turn : p->count - 1].agent;
}

struct rl_table *rl_table_of(const struct rl_parked *p)
{
    return rl_actor_of(p)->table;
}

static void write_refusal(struct text *t, const char *id, const struct rl_result *r)
{
    json_begin_object(t);
    json_put_text(t, "agent_id", id);
    json_key(t, "error");
    json_begin_object(t);
    json_put_int(t, "code", r->code);
    json_put_text(t, "message", r->message);
    json_key(t, "data");
    json_begin_object(t);
    json_put_text(t, "name", r->name);
    if (r->body.size) {
        text_put_char(t, ',');
        text_put(t, r->body);
    }
    json_end_object(t);
    json_end_object(t);
    json_end_object(t);
}

void rl_keep_refusal(struct rl_parked *p, struct rl_item *item, const struct rl_result *r)
{
    text_put_char(&p->told, '\n'); // a line of its own: no comma comes before it
    item->told_at = p->told.size;
    write_refusal(&p->told, item->agent->id, r);
    item->told_size = p->told.size - item->told_at;
}

void rl_keep_step(struct rl_parked *p, struct rl_item *item)
{
    text_put_char(&p->told, '\n'); // a line of its own: no comma comes before it
    item->told_at = p->told.size;
    rl_spend(p->conn->rl, RL_COST_STEP);
    if (item->notice)
        rl_write_notice(&p->told, item->agent);
    else
        rl_write_step(&p->told, item->agent, RL_LOOK_STEP);
    item->told_size = p->told.size - item->told_at;
}

static void write_item(struct text *t, struct rl_parked *p, struct rl_item *item)
{
    if (item->told_size) {
        text_put(t, (struct span){p->told.at + item->told_at, item->told_size});
        return;
    }
    rl_spend(p->conn->rl, RL_COST_STEP);
    if (item->notice)
        rl_write_notice(t, item->agent);
    else
        rl_write_step(t, item->agent, RL_LOOK_STEP);
}

static void write_strangers(struct text *t, const struct rl_parked *p, const struct rl_told *strangers)
{
    if (strangers->size && t->at[t->size - 1] != '[')
        text_put_char(t, ',');
    text_put(t, (struct span){p->told.at + strangers->at, strangers->size});
}

static void finish_call(struct rl_parked *p, struct rl_result *r)
{
    struct rl_group *g = p->conn->group;
    const struct rl_table *first = p->item[0].agent->table;
    struct text *t = &g->rl->out;
    char hash[RL_HASH_ROOM];
    t->size = 0;
    t->full = false;
    if (!p->batch) {
        write_item(t, p, &p->item[0]);
        rl_answer(g->rl, r);
        return;
    }
    json_begin_object(t);
    json_put_uint(t, "step_id", g->step_id);
    json_put_uint(t, "tick", first->tick);
    json_put_text(t, "sync_mode", rl_sync_names[p->sync]);
    json_key(t, "results");
    json_begin_array(t);
    for (int i = 0; i < p->count; i++) {
        write_strangers(t, p, &p->item[i].strangers);
        if (t->at[t->size - 1] != '[')
            text_put_char(t, ',');
        write_item(t, p, &p->item[i]);
    }
    write_strangers(t, p, &p->strangers);
    json_end_array(t);
    rl_hash_state(first, hash);
    json_put_text(t, "state_hash", hash);
    json_end_object(t);
    rl_answer(g->rl, r);
}

void rl_answer_parked(struct rl_group *g, struct rl_parked *p)
{
    struct rl_result r;
    unlink_call(g, p);
    finish_call(p, &r);
    p->conn->hooks->on_answer(p->conn->owner, p->call, &r);
    parked_free(p);
}

// The episode has ended under these calls: each is told so.
void rl_answer_all(struct rl_table *t)
{
    if (t->acting) { // one of them has ended it, by a restart
        t->cut_off = true;
        return;
    }
    for (struct rl_parked *p = t->group->parked, *next; p; p = next) {
        next = p->next;
        if (rl_table_of(p) != t)
            continue;
        for (int i = 0; i < p->count; i++)
            p->item[i].notice |= p->item[i].agent->notice.due;
        rl_answer_parked(t->group, p);
    }
}

void rl_settle_cut(struct rl_table *t)
{
    if (!t->cut_off)
        return;
    t->cut_off = false;
    rl_answer_all(t);
}

// --- the barrier

static bool is_training(const struct rl_agent *a)
{
    return a->state == RL_ACTIVE && a->clock == RL_TRAINING;
}

static bool has_committed(const struct rl_table *t, const struct rl_conn *c, const struct rl_parked *now)
{
    if (now && now->conn == c && !now->outside)
        return true;
    for (struct rl_parked *p = t->group->parked; p; p = p->next)
        if (p->conn == c && !p->outside && rl_table_of(p) == t)
            return true;
    return false;
}

static bool all_have_committed(const struct rl_table *t, const struct rl_parked *now)
{
    for (struct rl_agent *a = t->agents; a; a = a->beside)
        if (is_training(a) && !has_committed(t, a->conn, now))
            return false;
    return true;
}

static bool others_train(const struct rl_table *t, const struct rl_conn *c)
{
    for (struct rl_agent *a = t->agents; a; a = a->beside)
        if (a->conn != c && is_training(a))
            return true;
    return false;
}

// The items of a call that act in this advance, into `items`.
static int take_items(struct rl_parked *p, const struct rl_table *t, struct rl_item **items, int count)
{
    for (int i = 0; i < p->count && !p->applied; i++) {
        struct rl_item *item = &p->item[i];
        if (p->sync == RL_SEQUENTIAL && i != p->turn)
            continue;
        if (item->agent->table == t && !item->notice && !item->told_size && count < RL_MAX_BATCH)
            items[count++] = item;
    }
    return count;
}

static void settle_call(struct rl_parked *p, uint32_t done)
{
    p->applied = true;
    p->left = done < p->left ? p->left - done : 0;
    bool active = false;
    for (int i = 0; i < p->count; i++)
        if (p->sync != RL_SEQUENTIAL || i == p->turn)
            active |= p->item[i].agent->state == RL_ACTIVE;
    if (!rl_table_of(p)->running || !active)
        p->left = 0;
    if (p->left)
        p->since_us = p->conn->rl->now_us; // the rest is committed anew (G12.9)
    else
        rl_sequence_go_on(p);
}

// One advance of a table by what the shortest of the committed calls still owes.
static void advance(struct rl_table *t, struct rl_parked *now)
{
    struct rl_item *items[RL_MAX_BATCH];
    int count = 0;
    uint32_t ticks = RL_MAX_TICKS;
    for (struct rl_parked *p = t->group->parked; p; p = p->next)
        if (rl_table_of(p) == t) {
            count = take_items(p, t, items, count);
            if (p->left && p->left < ticks)
                ticks = p->left;
        }
    if (now) {
        count = take_items(now, t, items, count);
        if (now->left && now->left < ticks)
            ticks = now->left;
        t->watcher = now->progress && now->conn->hooks->on_progress ? now : NULL;
    }
    t->group->step_id++;
    uint32_t done = rl_advance_table(t, items, count, ticks);
    t->watcher = NULL;
    rl_record_step(t, items, count, done, RL_BARRIER);
    if (now)
        settle_call(now, done);
    for (struct rl_parked *p = t->group->parked; p; p = p->next)
        if (rl_table_of(p) == t)
            settle_call(p, p->outside ? p->left : done);
    rl_settle_cut(t);
}

static void answer_served(struct rl_table *t)
{
    for (struct rl_parked *p = t->group->parked, *next; p; p = next) {
        next = p->next;
        if (rl_table_of(p) == t && p->applied && p->left == 0)
            rl_answer_parked(t->group, p);
    }
}

static bool has_barrier_call(const struct rl_table *t)
{
    for (struct rl_parked *p = t->group->parked; p; p = p->next)
        if (rl_table_of(p) == t && !p->outside)
            return true;
    return false;
}

void rl_try_advance(struct rl_group *g)
{
    for (int i = 0; i < g->count; i++) {
        struct rl_table *t = &g->table[i];
        while (rl_clock_of(t) == RL_TRAINING && has_barrier_call(t) && all_have_committed(t, NULL) &&
               !rl_is_cut(g->rl)) {
            advance(t, NULL);
            answer_served(t);
        }
    }
}

void rl_try_soon(struct rl_group *g)
{
    if (!g->rl->o.work || g->rl->job)
        rl_try_advance(g);
    else
        g->again = true;
}

// --- from a checked call to its answer

static bool is_all_told(const struct rl_parked *p)
{
    for (int i = 0; i < p->count; i++)
        if (!p->item[i].notice && !p->item[i].told_size)
            return false;
    return true;
}

// G12.14: at a paused table waiting comes back at once and says why.
static bool is_paused_wait(const struct rl_parked *p)
{
    for (int i = 0; i < p->count; i++)
        if (!p->item[i].agent->table->paused || p->item[i].deed.row)
            return false;
    for (int i = 0; i < p->count; i++)
        rl_news_add(p->item[i].agent, "paused", p->item[i].agent->table->tick, 1, SPAN("{}"));
    return true;
}

static bool finish(struct rl_parked *p, struct rl_result *r)
{
    struct rl_group *g = p->conn->group;
    finish_call(p, r);
    for (int i = 0; i < g->count; i++)
        rl_tell_observations(&g->table[i]);
    return true;
}

// Tables of one connection only: every table that is named advances, all in one step.
static bool run_own(struct rl_parked *p, struct rl_result *r)
{
    struct rl_group *g = p->conn->group;
    struct rl_item *items[RL_MAX_BATCH];
    uint64_t step = g->step_id + 1;
    for (int k = 0; k < g->count; k++) {
        struct rl_table *t = &g->table[k];
        int count = take_items(p, t, items, 0);
        if (!count)
            continue;
        g->step_id = step;
        t->watcher = p->progress && p->conn->hooks->on_progress ? p : NULL;
        uint32_t done = rl_advance_table(t, items, count, p->ticks);
        t->watcher = NULL;
        rl_record_step(t, items, count, done, (enum rl_sync)p->sync);
        rl_settle_cut(t);
    }
    return finish(p, r);
}

static bool is_all_training(const struct rl_parked *p)
{
    for (int i = 0; i < p->count; i++)
        if (rl_clock_of(p->item[i].agent->table) == RL_LIVE)
            return false;
    return true;
}

// G15.3: behind a barrier, or with the live clock, each step has to wait for its advance.
static bool submit_sequence(struct rl_parked *p, struct rl_result *r)
{
    struct rl_group *g = p->conn->group;
    bool others = others_train(rl_table_of(p), p->conn);
    if (!others && !g->parked && is_all_training(p)) {
        rl_sequence_run(p);
        return finish(p, r);
    }
    p->outside = others && p->item[0].agent->clock == RL_LIVE;
    if (!rl_sequence_next(p))
        return finish(p, r);
    park(g, p);
    rl_live_poke(rl_table_of(p), g->rl->now_us);
    rl_try_advance(g); // which answers it, if all have committed
    return false;
}

static bool submit(struct rl_parked *p, struct rl_result *r)
{
    struct rl_table *t = rl_table_of(p);
    struct rl_group *g = t->group;
    if (is_all_told(p))
        return finish(p, r);
    if (p->sync == RL_SEQUENTIAL)
        return submit_sequence(p, r);
    if (rl_clock_of(t) == RL_LIVE) {
        park(g, p);
        rl_live_poke(t, g->rl->now_us);
        return false;
    }
    if (is_paused_wait(p))
        return finish(p, r);
    bool others = others_train(t, p->conn);
    p->outside = others && (p->sync == RL_ASYNC || p->item[0].agent->clock == RL_LIVE);
    if (!others && !g->parked)
        return run_own(p, r);
    if (p->outside || !all_have_committed(t, p)) {
        park(g, p);
        return false;
    }
    while (p->left && all_have_committed(t, p)) {
        advance(t, p);
        answer_served(t);
        if (rl_is_cut(g->rl))
            p->left = 0; // nobody waits for the rest
    }
    if (!p->left)
        return finish(p, r);
    park(g, p);
    return false;
}

// --- the tools

// G9.1: who may step. A notice that is due goes before.
bool rl_check_state(struct rl *rl, const struct rl_agent *a, struct rl_result *r)
{
    if (a->state == RL_ACTIVE)
        return true;
    if (a->table->group->place)
        *r = a->state == RL_TERMINAL
                 ? rl_refuse(rl, -32002, "EpisodeTerminated",
                             "The match is over for this agent; deregister and register to play another.")
                 : rl_refuse(rl, -32002, "NotActive", "The agent is in the queue; it is ACTIVE when its match starts.");
    else
        *r = a->state == RL_TERMINAL
                 ? rl_refuse(rl, -32002, "EpisodeTerminated", "The episode of this agent is over; call reset.")
                 : rl_refuse(rl, -32002, "NotActive", "The agent is not in an episode yet; call reset.");
    rl_refusal_put(rl, r, "agent_id", a->id);
    rl_refusal_put(rl, r, "state", rl_state_names[a->state]);
    return false;
}

// G12.15: with the training clock an agent has one step at a time, with the live clock a short queue of them.
static bool check_flight(struct rl *rl, const struct rl_agent *a, struct rl_result *r)
{
    if (!a->parked || rl_clock_of(a->table) == RL_LIVE)
        return true;
    *r = rl_bad(rl, "/agent_id", "an agent whose last step has been answered", "in_flight");
    return false;
}

static bool check_queue(struct rl *rl, const struct rl_agent *a, struct rl_result *r)
{
    if (a->parked < RL_LIVE_QUEUE)
        return true;
    *r = rl_refuse(rl, -32004, "ResourceExhausted", "This agent has too many steps waiting already.");
    rl_refusal_int(rl, r, "limit", RL_LIVE_QUEUE);
    return false;
}

static bool check_item(struct rl *rl, struct rl_item *item, struct rl_result *r)
{
    struct rl_agent *a = item->agent;
    item->notice = a->notice.due || (a->state == RL_TERMINAL && !a->told);
    if (item->notice)
        return true;
    return rl_check_state(rl, a, r) && check_flight(rl, a, r) && rl_action_read(rl, a, item->action, &item->deed, r) &&
           check_queue(rl, a, r);
}

// Once over all members: a list of steps may be long. What is missing stays empty.
static void take_members(struct span object, const char *const *keys, struct span *given)
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

static uint32_t take_ticks(struct span given, uint32_t missing)
{
    return given.size ? (uint32_t)rl_json_int(given) : missing;
}

enum { AGENT_ID, ACTION, TICKS, ASYNC, STEP_MEMBERS };
static const char *const step_members[] = {"agent_id", "action", "ticks", "async", NULL};

bool rl_step(struct rl_conn *c, struct rl_parked *p, struct span arguments, struct rl_result *r)
{
    struct span given[STEP_MEMBERS] = {0};
    take_members(arguments, step_members, given);
    struct rl_agent *a = rl_own_agent(c, rl_json_string(given[AGENT_ID]), r);
    if (!a)
        return true;
    p->count = 1;
    p->item[0] = (struct rl_item){.agent = a, .action = given[ACTION]};
    p->ticks = p->left = take_ticks(given[TICKS], 1);
    if (given[ASYNC].size && given[ASYNC].at[0] == 't')
        p->sync = RL_ASYNC;
    if (!check_item(c->rl, &p->item[0], r))
        return true;
    return submit(p, r);
}

typedef struct span rl_given[STEP_MEMBERS]; // a step of a batch, as it came

static int take_steps(struct span steps, rl_given *given)
{
    struct json_reader in = json_reader_of(steps, 64);
    int count = 0;
    for (json_enter_array(&in); json_next_item(&in); count++) {
        memset(given[count], 0, sizeof given[count]);
        take_members(json_read_raw(&in), step_members, given[count]);
    }
    return count;
}

// G15.3: whose agent is not there, or another's, is told so, and the rest goes on.
static void keep_stranger(struct rl_parked *p, struct rl_told *strangers, struct span id, const struct rl_result *r)
{
    char name[RL_ID_ROOM] = "";
    json_string_copy(rl_json_string(id), name, sizeof name);
    if (!strangers->size) {
        text_put_char(&p->told, '\n'); // a line of its own: no comma comes before it
        strangers->at = p->told.size;
    }
    write_refusal(&p->told, name, r);
    strangers->size = p->told.size - strangers->at;
}

// Whoever steps many agents names them in the order of their registration, as a rule.
static struct rl_agent *next_agent(struct rl_conn *c, const struct rl_parked *p, struct json_string id,
                                   struct rl_result *r)
{
    struct rl_agent *a = p->count ? p->item[p->count - 1].agent->next : NULL;
    bool is = a && a->conn == c && !id.escaped && span_equals(id.raw, (struct span){a->id, a->id_size});
    return is ? a : rl_own_agent(c, id, r);
}

static bool read_items(struct rl_conn *c, struct rl_parked *p, rl_given *given, int count, struct rl_result *r)
{
    struct rl_told strangers = {0}; // before the next item
    for (int i = 0; i < count; i++) {
        struct rl_agent *a = next_agent(c, p, rl_json_string(given[i][AGENT_ID]), r);
        if (!a && p->sync == RL_BARRIER)
            return false;
        if (!a) {
            keep_stranger(p, &strangers, given[i][AGENT_ID], r);
            continue;
        }
        p->item[p->count++] = (struct rl_item){
            .agent = a, .action = given[i][ACTION], .ticks = take_ticks(given[i][TICKS], 0), .strangers = strangers};
        strangers = (struct rl_told){0};
    }
    p->strangers = strangers;
    return p->count > 0; // with strangers alone nothing goes on
}

// G15.4
static bool check_ticks(struct rl *rl, struct rl_parked *p, bool given, struct rl_result *r)
{
    uint32_t ticks = given ? p->ticks : 0;
    for (int i = 0; i < p->count && p->sync != RL_SEQUENTIAL; i++) {
        uint32_t own = p->item[i].ticks;
        if (own && ticks && own != ticks) {
            *r = rl_bad(rl, "/steps", "equal ticks in all steps", "ticks");
            return false;
        }
        ticks = own ? own : ticks;
    }
    p->ticks = p->left = ticks ? ticks : p->ticks;
    return true;
}

static bool check_duplicates(struct rl *rl, const struct rl_parked *p, struct rl_result *r)
{
    for (int i = 0; i < p->count && p->sync == RL_BARRIER; i++)
        for (int k = 0; k < i; k++)
            if (p->item[i].agent == p->item[k].agent) {
                *r = rl_bad(rl, "/steps", "each agent once", "duplicate");
                rl_refusal_put(rl, r, "agent_id", p->item[i].agent->id);
                return false;
            }
    return true;
}

// G15.1: `order` is a permutation of the agents; the steps are put into it.
static bool put_in_order(rl_given *given, int count, struct span order)
{
    struct json_reader in = json_reader_of(order, 64);
    int n = 0;
    bool good = true;
    for (json_enter_array(&in); good && json_next_item(&in); n++) {
        struct span name = json_read_string(&in).raw;
        int k = n;
        while (k < count && !span_equals(name, rl_json_string(given[k][AGENT_ID]).raw))
            k++;
        good = k < count;
        if (good) {
            rl_given swap;
            memcpy(swap, given[k], sizeof swap);
            memmove(given[n + 1], given[n], (size_t)(k - n) * sizeof swap);
            memcpy(given[n], swap, sizeof swap);
        }
    }
    return good && n == count;
}

// A step of a sequence is read when its turn comes; whether there is room for it is seen now.
static bool check_one(struct rl *rl, struct rl_parked *p, struct rl_item *item, struct rl_result *r)
{
    if (p->sync == RL_SEQUENTIAL)
        return check_flight(rl, item->agent, r) && check_queue(rl, item->agent, r);
    return check_item(rl, item, r);
}

static bool check_items(struct rl *rl, struct rl_parked *p, struct rl_result *r)
{
    for (int i = 0; i < p->count; i++) {
        if (check_one(rl, p, &p->item[i], r))
            continue;
        if (p->sync == RL_BARRIER) {
            static const char key[] = "\"agent_id\":"; // some refusals name the agent already
            if (!r->body.size || !memmem(r->body.at, r->body.size, key, sizeof key - 1))
                rl_refusal_put(rl, r, "agent_id", p->item[i].agent->id);
            return false;
        }
        rl_keep_refusal(p, &p->item[i], r);
    }
    return true;
}

// G1.6: tables advance together only where no clock of their own, and nobody who waits, moves them.
static bool check_tables(struct rl *rl, const struct rl_parked *p, struct rl_result *r)
{
    const struct rl_group *g = p->conn->group;
    bool several = false;
    for (int i = 1; i < p->count; i++)
        several |= p->item[i].agent->table != p->item[0].agent->table;
    if (!several || p->sync == RL_SEQUENTIAL || (!g->parked && is_all_training(p)))
        return true;
    *r = rl_bad(rl, "/steps", "agents of one table, or of tables with the training clock", "clock");
    return false;
}

bool rl_batch(struct rl_conn *c, struct rl_parked *p, struct span arguments, struct rl_result *r)
{
    enum { STEPS, SYNC_MODE, ALL_TICKS, ORDER, MEMBERS };
    static const char *const members[] = {"steps", "sync_mode", "ticks", "order", NULL};
    struct span given[MEMBERS] = {0};
    rl_given steps[RL_MAX_BATCH];
    take_members(arguments, members, given);
    int count = take_steps(given[STEPS], steps);
    p->batch = true;
    p->ticks = take_ticks(given[ALL_TICKS], 1);
    if (given[SYNC_MODE].size)
        p->sync = (uint8_t)json_string_among(rl_json_string(given[SYNC_MODE]), rl_sync_names);
    if (given[ORDER].size && (p->sync != RL_SEQUENTIAL || !put_in_order(steps, count, given[ORDER]))) {
        *r = rl_bad(c->rl, "/order", "a permutation of the agents, with sync_mode sequential", "order");
        return true;
    }
    if (!read_items(c, p, steps, count, r) || !check_duplicates(c->rl, p, r) ||
        !check_ticks(c->rl, p, given[ALL_TICKS].size > 0, r) || !check_tables(c->rl, p, r) || !check_items(c->rl, p, r))
        return true;
    return submit(p, r);
}

// --- the deadline of the barrier (G12.10)

static void write_missing(struct text *t, const struct rl_table *table)
{
    json_begin_array(t);
    for (struct rl_agent *a = table->agents; a; a = a->beside)
        if (is_training(a) && !has_committed(table, a->conn, NULL))
            json_write_text(t, a->id);
    json_end_array(t);
}

static struct rl_result refuse_late(struct rl *rl, const struct rl_parked *p, struct span missing)
{
    struct rl_result r;
    if (p->applied) // G12.9: some of its ticks have passed
        r = rl_refuse_say(
            rl, -32003, "SyncTimeout",
            "Other agents did not commit in time; the last %u ticks have not passed, step again for them.", p->left);
    else
        r = rl_refuse(rl, -32003, "SyncTimeout",
                      "Other agents did not commit in time; nothing has advanced, try again.");
    rl_refusal_raw(rl, &r, "missing", missing);
    rl_refusal_put(rl, &r, "agent_id", rl_actor_of(p)->id);
    return r;
}

static void time_out_call(struct rl_group *g, struct rl_parked *p, struct span missing)
{
    struct rl_result r = refuse_late(g->rl, p, missing);
    if (p->turn) { // of a sequence: what came before has happened, and is told
        for (int i = p->turn; i < p->count; i++)
            if (!p->item[i].told_size)
                rl_keep_refusal(p, &p->item[i], &r);
        rl_answer_parked(g, p);
        return;
    }
    unlink_call(g, p);
    p->conn->hooks->on_answer(p->conn->owner, p->call, &r);
    parked_free(p);
}

static void time_out(struct rl_table *t)
{
    struct text missing = {.grow = rl_text_grow};
    write_missing(&missing, t); // before the first of them is answered
    for (struct rl_parked *p = t->group->parked, *next; p; p = next) {
        next = p->next;
        if (rl_table_of(p) == t)
            time_out_call(t->group, p, text_span(&missing));
    }
    free(missing.at);
}

int64_t rl_step_deadlines(struct rl_group *g, int64_t now_us)
{
    int64_t next = INT64_MAX, limit = (int64_t)g->rl->o.step_deadline_ms * 1000;
    for (int i = 0; i < g->count; i++) {
        struct rl_table *t = &g->table[i];
        int64_t first = INT64_MAX;
        for (struct rl_parked *p = g->parked; p; p = p->next)
            if (rl_table_of(p) == t && p->since_us < first)
                first = p->since_us;
        if (first == INT64_MAX || rl_clock_of(t) == RL_LIVE)
            continue;
        if (now_us >= first + limit)
            time_out(t);
        else if (first + limit < next)
            next = first + limit;
    }
    return next;
}
