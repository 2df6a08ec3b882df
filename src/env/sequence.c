// Sequences: one advance for each step of a batch, in order (G15.3), at once or as others commit and time passes.
#include "env/actions.h"
#include "env/advance.h"
#include "env/host.h"
#include "env/pending.h"
#include "env/record.h"
#include "env/step.h"

#include <stdlib.h>

// G12.14: at a paused table a wait returns at once and says why.
static bool is_paused_wait(const struct env_item *item)
{
    const struct env_table *t = item->agent->table;
    return t->paused && !item->command.row && env_clock_of(t) == ENV_TRAINING;
}

// Whether the step takes its tick now. Returns false if it was replied to.
static bool prepare_step(struct env_pending *p, struct env_item *item)
{
    struct env *env = p->conn->env;
    struct env_agent *a = item->agent;
    struct env_result r;
    if (item->answer_size)
        return false;
    item->notice = a->notice.due || (a->state == ENV_TERMINAL && !a->end_reported);
    if (item->notice) {
        env_pending_add_step(p, item);
        return false;
    }
    if (!env_check_state(env, a, &r) || !env_action_read(env, a, item->action, &item->command, &r)) {
        env_pending_add_refusal(p, item, &r);
        return false;
    }
    if (!is_paused_wait(item))
        return true;
    env_news_add(a, "paused", a->table->tick, 1, SPAN("{}"));
    env_pending_add_step(p, item);
    return false;
}

static uint32_t ticks_of(const struct env_pending *p, const struct env_item *item)
{
    return item->ticks ? item->ticks : p->ticks;
}

void env_sequence_run(struct env_pending *p)
{
    for (int i = 0; i < p->count; i++) {
        struct env_item *item = &p->item[i];
        struct env_table *t = item->agent->table;
        if (!prepare_step(p, item))
            continue;
        t->group->step_id++;
        uint32_t done = env_advance_table(t, &item, 1, ticks_of(p, item));
        env_record_step(t, &item, 1, done, ENV_SEQUENTIAL);
        env_pending_answer_deferred(t);
        env_pending_add_step(p, item);
    }
}

// The parameters must outlive the parser's buffer, which another call may use.
static bool prepare_and_keep(struct env_pending *p, struct env_item *item)
{
    struct env *env = p->conn->env;
    struct text merged = env->merged;
    env->merged = (struct text){.grow = env_text_grow};
    if (!env_text_grow(&env->merged, 4 * item->action.size + 4096))
        abort();
    bool ready = prepare_step(p, item);
    if (ready) {
        struct span params = item->command.params;
        char *kept = malloc(params.size + 1);
        if (!kept)
            abort();
        if (params.size)
            memcpy(kept, params.at, params.size);
        free(p->params);
        p->params = kept;
        item->command.params.at = kept;
    } else {
        item->command = (struct env_command){.seat = -1}; // what it pointed to is freed now
    }
    free(env->merged.at);
    env->merged = merged;
    return ready;
}

bool env_sequence_next(struct env_pending *p)
{
    for (; p->turn < p->count; p->turn++) {
        struct env_item *item = &p->item[p->turn];
        if (!prepare_and_keep(p, item))
            continue;
        p->applied = p->ready = false;
        p->left = ticks_of(p, item);
        p->since_us = p->conn->env->now_us;
        return true;
    }
    p->applied = true;
    p->left = 0;
    return false;
}

bool env_sequence_continue(struct env_pending *p)
{
    if (p->sync != ENV_SEQUENTIAL || p->turn == p->count)
        return false;
    env_pending_add_step(p, &p->item[p->turn++]);
    return env_sequence_next(p);
}
