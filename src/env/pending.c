// Calls that wait for others, and their replies (G12, G15).
#include "env/pending.h"
#include "env/hash.h"
#include "env/host.h"
#include "env/job.h"
#include "env/step_result.h"

#include <stdlib.h>

// --- calls that wait

void env_pending_free(struct env_pending *p)
{
    for (int i = 0; i < p->count; i++)
        p->item[i].agent->pending--;
    free(p->arguments);
    free(p->params);
    free(p->answers.at);
    free(p);
}

void env_pending_unlink(struct env_group *g, struct env_pending *p)
{
    for (struct env_pending **at = &g->pending; *at; at = &(*at)->next)
        if (*at == p) {
            *at = p->next;
            return;
        }
}

void env_pending_sweep(struct env_group *g)
{
    for (struct env_pending **at = &g->pending; *at;) {
        struct env_pending *p = *at;
        if (!p->dropped) {
            at = &p->next;
            continue;
        }
        *at = p->next;
        env_pending_free(p);
    }
}

static bool has_agent(const struct env_pending *p, const struct env_agent *a)
{
    for (int i = 0; i < p->count; i++)
        if (p->item[i].agent == a)
            return true;
    return false;
}

void env_pending_drop(struct env_group *g, const struct env_agent *a, const struct env_conn *c)
{
    for (struct env_pending *p = g->pending, *next; p; p = next) {
        next = p->next;
        if (p->conn != c && !(a && has_agent(p, a)))
            continue;
        env_pending_unlink(g, p);
        if (!p->conn->gone) {
            struct env_result r =
                env_refuse(g->env, -32000, "AgentNotRegistered", "The agent was deregistered meanwhile.");
            env_refusal_put(g->env, &r, "agent_id", p->item[0].agent->id);
            env_refusal_put(g->env, &r, "reason", "unknown");
            p->conn->hooks->on_answer(p->conn->owner, p->call, &r);
        }
        env_pending_free(p);
    }
}

static struct span copy_span(char **at, struct span s)
{
    if (s.size)
        memcpy(*at, s.at, s.size);
    struct span kept = {*at, s.size};
    *at += s.size;
    return kept;
}

// The call outlives its arguments, so what its items point to is copied.
struct env_pending *env_pending_add(struct env_group *g, const struct env_pending *call)
{
    size_t items = (size_t)call->count * sizeof call->item[0], bytes = 1;
    struct env_pending *p = calloc(1, sizeof *p + items), **end = &g->pending;
    for (int i = 0; i < call->count; i++)
        bytes += call->item[i].action.size + call->item[i].command.params.size;
    if (!p || !(p->arguments = malloc(bytes)))
        abort();
    char *room = p->arguments;
    memcpy(p, call, sizeof *p);
    memcpy(p->item, call->item, items);
    p->arguments = room;
    p->answers = (struct text){.grow = env_text_grow};
    text_put(&p->answers, text_span(&call->answers));
    for (int i = 0; i < p->count; i++) {
        p->item[i].action = copy_span(&room, call->item[i].action);
        p->item[i].command.params = copy_span(&room, call->item[i].command.params);
        p->item[i].agent->pending++;
    }
    p->next = NULL;
    while (*end)
        end = &(*end)->next;
    *end = p;
    return p;
}

// --- answers

struct env_agent *env_pending_actor(const struct env_pending *p)
{
    return p->item[p->turn < p->count ? p->turn : p->count - 1].agent;
}

struct env_table *env_pending_table(const struct env_pending *p)
{
    return env_pending_actor(p)->table;
}

void env_write_refusal(struct text *t, const char *id, const struct env_result *r)
{
    json_begin_object(t);
    json_put_text(t, "agent_id", id);
    json_begin_object_at(t, "error");
    json_put_int(t, "code", r->code);
    json_put_text(t, "message", r->message);
    json_begin_object_at(t, "data");
    json_put_text(t, "name", r->name);
    if (r->body.size) {
        text_put_char(t, ',');
        text_put(t, r->body);
    }
    json_end_object(t);
    json_end_object(t);
    json_end_object(t);
}

void env_pending_add_refusal(struct env_pending *p, struct env_item *item, const struct env_result *r)
{
    text_put_char(&p->answers, '\n'); // on a line of its own, so that no comma is inserted
    item->answer_at = p->answers.size;
    env_write_refusal(&p->answers, item->agent->id, r);
    item->answer_size = p->answers.size - item->answer_at;
}

void env_pending_add_step(struct env_pending *p, struct env_item *item)
{
    text_put_char(&p->answers, '\n'); // on a line of its own, so that no comma is inserted
    item->answer_at = p->answers.size;
    env_spend(p->conn->env, ENV_COST_STEP);
    if (item->notice)
        env_write_notice(&p->answers, item->agent);
    else
        env_write_step(&p->answers, item->agent, ENV_OBSERVE_STEP);
    item->answer_size = p->answers.size - item->answer_at;
}

static void write_item(struct text *t, struct env_pending *p, struct env_item *item)
{
    if (item->answer_size) {
        text_put(t, (struct span){p->answers.at + item->answer_at, item->answer_size});
        return;
    }
    env_spend(p->conn->env, ENV_COST_STEP);
    if (item->notice)
        env_write_notice(t, item->agent);
    else
        env_write_step(t, item->agent, ENV_OBSERVE_STEP);
}

static void write_foreign_refusals(struct text *t, const struct env_pending *p,
                                   const struct env_reply_part *foreign_refusals)
{
    if (foreign_refusals->size && t->at[t->size - 1] != '[')
        text_put_char(t, ',');
    text_put(t, (struct span){p->answers.at + foreign_refusals->at, foreign_refusals->size});
}

void env_pending_write_reply(struct env_pending *p, struct env_result *r)
{
    struct env_group *g = p->conn->group;
    const struct env_table *first = p->item[0].agent->table;
    struct text *t = &g->env->out;
    char hash[ENV_HASH_ROOM];
    t->size = 0;
    t->full = false;
    if (!p->batch) {
        write_item(t, p, &p->item[0]);
        env_answer(g->env, r);
        return;
    }
    json_begin_object(t);
    json_put_uint(t, "step_id", g->step_id);
    json_put_uint(t, "tick", first->tick);
    json_put_text(t, "sync_mode", env_sync_names[p->sync]);
    json_begin_array_at(t, "results");
    for (int i = 0; i < p->count; i++) {
        write_foreign_refusals(t, p, &p->item[i].foreign_refusals);
        if (t->at[t->size - 1] != '[')
            text_put_char(t, ',');
        write_item(t, p, &p->item[i]);
    }
    write_foreign_refusals(t, p, &p->foreign_refusals);
    json_end_array(t);
    env_hash_state(first, hash);
    json_put_text(t, "state_hash", hash);
    json_end_object(t);
    env_answer(g->env, r);
}

void env_pending_answer(struct env_group *g, struct env_pending *p)
{
    struct env_result r;
    env_pending_unlink(g, p);
    env_pending_write_reply(p, &r);
    p->conn->hooks->on_answer(p->conn->owner, p->call, &r);
    env_pending_free(p);
}

// The episode of these calls has ended: each gets its answer.
void env_pending_answer_all(struct env_table *t)
{
    if (t->acting) { // one of them has ended it, by a restart
        t->answers_deferred = true;
        return;
    }
    for (struct env_pending *p = t->group->pending, *next; p; p = next) {
        next = p->next;
        if (env_pending_table(p) != t)
            continue;
        for (int i = 0; i < p->count; i++)
            p->item[i].notice |= p->item[i].agent->notice.due;
        env_pending_answer(t->group, p);
    }
}

void env_pending_answer_deferred(struct env_table *t)
{
    if (!t->answers_deferred)
        return;
    t->answers_deferred = false;
    env_pending_answer_all(t);
}
