// Sequences: one advance for each step of a batch, in order (G15.3), at once or as the others commit and time passes.
#include "env/actions.h"
#include "env/advance.h"
#include "env/host.h"
#include "env/record.h"
#include "env/step.h"
#include "env/tools.h"

#include <stdlib.h>

// G12.14: at a paused table waiting comes back at once and says why.
static bool is_paused_wait(const struct rl_item *item)
{
    const struct rl_table *t = item->agent->table;
    return t->paused && !item->deed.row && rl_clock_of(t) == RL_TRAINING;
}

// Whether the step takes its tick now. False: it has been answered.
static bool prepare(struct rl_parked *p, struct rl_item *item)
{
    struct rl *rl = p->conn->rl;
    struct rl_agent *a = item->agent;
    struct rl_result r;
    if (item->told_size)
        return false;
    item->notice = a->notice.due || (a->state == RL_TERMINAL && !a->told);
    if (item->notice) {
        rl_keep_step(p, item);
        return false;
    }
    if (!rl_check_state(rl, a, &r) || !rl_action_read(rl, a, item->action, &item->deed, &r)) {
        rl_keep_refusal(p, item, &r);
        return false;
    }
    if (!is_paused_wait(item))
        return true;
    rl_news_add(a, "paused", a->table->tick, 1, SPAN("{}"));
    rl_keep_step(p, item);
    return false;
}

static uint32_t ticks_of(const struct rl_parked *p, const struct rl_item *item)
{
    return item->ticks ? item->ticks : p->ticks;
}

void rl_sequence_run(struct rl_parked *p)
{
    for (int i = 0; i < p->count; i++) {
        struct rl_item *item = &p->item[i];
        struct rl_table *t = item->agent->table;
        if (!prepare(p, item))
            continue;
        t->group->step_id++;
        uint32_t done = rl_advance_table(t, &item, 1, ticks_of(p, item));
        rl_record_step(t, &item, 1, done, RL_SEQUENTIAL);
        rl_settle_cut(t);
        rl_keep_step(p, item);
    }
}

// The parameters outlive the reading, which has a room of its own: another call may be under way.
static bool prepare_and_keep(struct rl_parked *p, struct rl_item *item)
{
    struct rl *rl = p->conn->rl;
    struct text merged = rl->merged;
    rl->merged = (struct text){.grow = rl_text_grow};
    if (!rl_text_grow(&rl->merged, 4 * item->action.size + 4096))
        abort();
    bool ready = prepare(p, item);
    if (ready) {
        struct span params = item->deed.params;
        char *kept = malloc(params.size + 1);
        if (!kept)
            abort();
        if (params.size)
            memcpy(kept, params.at, params.size);
        free(p->params);
        p->params = kept;
        item->deed.params.at = kept;
    } else {
        item->deed = (struct rl_deed){.seat = -1}; // what it pointed at goes now
    }
    free(rl->merged.at);
    rl->merged = merged;
    return ready;
}

bool rl_sequence_next(struct rl_parked *p)
{
    for (; p->turn < p->count; p->turn++) {
        struct rl_item *item = &p->item[p->turn];
        if (!prepare_and_keep(p, item))
            continue;
        p->applied = p->ready = false;
        p->left = ticks_of(p, item);
        p->since_us = p->conn->rl->now_us;
        return true;
    }
    p->applied = true;
    p->left = 0;
    return false;
}

bool rl_sequence_go_on(struct rl_parked *p)
{
    if (p->sync != RL_SEQUENTIAL || p->turn == p->count)
        return false;
    rl_keep_step(p, &p->item[p->turn++]);
    return rl_sequence_next(p);
}
