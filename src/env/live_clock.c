// The live clock: automatic boundaries, turn limits, the pace of house bots (G12.12-G12.14).
#include "env/live_clock.h"
#include "env/actions.h"
#include "env/advance.h"
#include "env/arena_seat.h"
#include "env/host.h"
#include "env/new_episode.h"
#include "env/pending.h"
#include "env/record.h"
#include "env/replay.h"
#include "env/step.h"
#include "env/vision.h"

#include <stdio.h>
#include <stdlib.h>

enum { CATCH_UP = 64 }; // boundaries in one call; beyond them time is skipped, not caught up

static int64_t tick_us(const struct env_table *t)
{
    return (int64_t)t->kit->tick_ms * 1000;
}

static bool has_active(const struct env_table *t)
{
    for (struct env_agent *a = t->agents; a; a = a->next_at_table)
        if (a->state == ENV_ACTIVE)
            return true;
    return false;
}

static bool has_streams(const struct env_table *t)
{
    for (const struct env_agent *a = t->agents; a; a = a->next_at_table)
        if (a->streams)
            return true;
    return false;
}

static int count_embodied(const struct env_table *t)
{
    int n = 0;
    for (struct env_agent *a = t->agents; a; a = a->next_at_table)
        n += a->scope == ENV_EMBODIED;
    return n;
}

static bool should_begin(const struct env_table *t, int64_t now_us)
{
    const struct env_options *o = &t->group->env->o;
    if (t->running || env_clock_of(t) != ENV_LIVE || count_embodied(t) < o->min_agents || count_embodied(t) == 0)
        return false;
    return !t->episode || (o->auto_restart_s >= 0 && now_us >= t->idle_us + (int64_t)o->auto_restart_s * 1000000);
}

static void begin_episode(struct env_table *t)
{
    struct env_reset_request request = {0};
    struct env_result r;
    char scenario[sizeof t->scenario_name + 2]; // as JSON
    if (t->episode) {                           // the same once more
        snprintf(scenario, sizeof scenario, "\"%s\"", t->scenario_name);
        request.scenario = span_of(scenario);
        request.seats = t->group->pinned ? t->group->env->o.seats : 0;
    }
    env_begin_new_episode(t, &request, &r);
}

void env_live_clock_update(struct env_table *t, int64_t now_us)
{
    if (t->group->shadow)
        return;
    if (!t->group->arena_seat && should_begin(t, now_us))
        begin_episode(t);
    bool runs = env_clock_of(t) == ENV_LIVE && t->running && !t->paused && has_active(t) &&
                !env_replay_is_pending(t); // G19.7: its episode is being replaced
    if (!runs)
        t->due_us = 0;
    else if (!t->due_us)
        t->due_us = now_us + tick_us(t);
}

// --- one boundary

// The oldest waiting action of each agent.
static int take_items(struct env_table *t, struct env_item **items)
{
    int count = 0;
    for (struct env_pending *p = t->group->pending; p; p = p->next) {
        bool first = env_pending_table(p) == t && !p->applied;
        for (struct env_pending *q = t->group->pending; first && q != p; q = q->next)
            first = env_pending_actor(q) != env_pending_actor(p);
        for (int i = 0; first && i < p->count && count < ENV_MAX_BATCH; i++)
            if (!p->item[i].notice && !p->item[i].answer_size && (p->sync != ENV_SEQUENTIAL || i == p->turn))
                items[count++] = &p->item[i];
        p->applied |= first;
    }
    return count;
}

// G12.5: a decision of a house bot takes its time.
static void play_house(struct env_table *t)
{
    if (t->row->game->tick_ms)
        return;
    struct game_turn turn = t->row->game->turn(&t->match.state);
    bool house = false;
    for (int s = 0; s < t->match.seats && turn.kind != TURN_OVER; s++) {
        const struct env_agent *a = env_agent_at(t, s);
        house |= turn.seats & SEAT(s) && (!a || a->state != ENV_ACTIVE);
    }
    if (!house) {
        t->house_wait = 0;
        return;
    }
    if ((int64_t)++t->house_wait * t->kit->tick_ms < t->group->bot_delay_ms)
        return;
    t->house_wait = 0;
    env_play_house_once(t);
}

// G12.4 (c): a seat that had to act and did not gets older; at the limit the fallback is played.
static void age_turns(struct env_table *t)
{
    int64_t limit = (int64_t)t->group->turn_limit_s * 1000 / t->kit->tick_ms;
    for (int s = 0; s < t->match.seats && t->running; s++) {
        const struct env_agent *a = env_agent_at(t, s);
        if (!env_is_asked(t, s) || !a || a->state != ENV_ACTIVE || t->row->game->tick_ms) {
            t->age[s] = 0;
            continue;
        }
        if (++t->age[s] < limit)
            continue;
        t->age[s] = 0;
        if (match_play_fallback(&t->match, s, &t->happened) == OK)
            env_process_events(t);
    }
}

// G12.12: a waiting call is woken by a question that no reply has shown yet, even if it was asked before the call.
static bool is_newly_asked(struct env_agent *a)
{
    bool asked = a->seat >= 0 && !a->table->row->game->tick_ms && env_is_asked(a->table, a->seat);
    a->unseen = asked && (a->unseen || !a->was_to_act);
    a->was_to_act = asked;
    return a->unseen;
}

static bool is_served(struct env_pending *p, int64_t now_us)
{
    struct env_agent *a = env_pending_actor(p);
    int64_t most = (int64_t)a->table->group->env->o.poll_max_ms * 1000;
    if (env_arena_is_unconfirmed(a->table->group)) // the effect of its action is not known yet
        return a->state != ENV_ACTIVE || now_us >= p->since_us + most;
    return !p->left || a->state != ENV_ACTIVE || a->woken || p->ready || now_us >= p->since_us + most;
}

static void answer_served(struct env_table *t, int64_t now_us)
{
    for (struct env_pending *p = t->group->pending, *next; p; p = next) {
        next = p->next;
        if (env_pending_table(p) != t || !p->applied || !is_served(p, now_us))
            continue;
        env_pending_actor(p)->woken = false;
        if (!env_sequence_continue(p))
            env_pending_answer(t->group, p);
    }
}

void env_live_clock_tick(struct env_table *t, struct env_item **items, int count)
{
    uint64_t episode = t->episode;
    env_apply_items(t, items, count);
    if (!t->running || t->paused || t->episode != episode) // after a restart, tick 0 is reported
        return;
    if (!t->group->arena_seat) { // the arena has its own clocks, and nobody plays for a seat
        play_house(t);
        env_tick_game(t);
        age_turns(t);
    }
    env_end_tick(t);
}

// G6.7: how long waiting calls have waited, in ticks.
static void notify_waiting(struct env_table *t)
{
    for (struct env_pending *p = t->group->pending; p; p = p->next)
        if (env_pending_table(p) == t && p->applied && p->progress && p->left <= p->ticks &&
            p->conn->hooks->on_progress)
            p->conn->hooks->on_progress(p->conn->owner, p->call, p->ticks - p->left, p->ticks);
}

static void mark_asked(struct env_table *t)
{
    for (struct env_agent *a = t->agents; a; a = a->next_at_table) {
        if (!is_newly_asked(a))
            continue;
        for (struct env_pending *p = t->group->pending; p; p = p->next)
            p->ready |= p->applied && env_pending_actor(p) == a;
    }
}

void env_live_clock_answer(struct env_table *t, int64_t now_us)
{
    struct env *env = t->group->env;
    if (env->o.work && !env->job && (t->group->held || has_streams(t))) { // pictures are drawn by a job
        t->group->answers_due = true;
        return;
    }
    mark_asked(t);
    for (struct env_pending *p = t->group->pending; p; p = p->next) // no boundary will come for these
        p->applied |= env_pending_actor(p)->state != ENV_ACTIVE;
    env_vision_tick(t);
    answer_served(t, now_us);
    env_notify_observations(t);
}

static void run_boundary(struct env_table *t, int64_t now_us)
{
    struct env_item *items[ENV_MAX_BATCH];
    int count = take_items(t, items);
    t->group->step_id++;
    env_live_clock_tick(t, items, count);
    env_record_step(t, items, count, 1, ENV_LIVE_TICK);
    env_pending_answer_deferred(t);
    mark_asked(t);
    for (struct env_pending *p = t->group->pending; p; p = p->next)
        if (env_pending_table(p) == t && p->applied && p->left)
            p->left--;
    env_vision_tick(t);
    answer_served(t, now_us);
    notify_waiting(t);
    env_notify_observations(t);
    env_try_advance_soon(t->group); // a sequence may have reached a table without a clock
}

int64_t env_live_clock_run(struct env_table *t, int64_t now_us)
{
    int64_t next = INT64_MAX;
    env_live_clock_update(t, now_us);
    for (int i = 0; i < CATCH_UP && t->due_us && t->due_us <= now_us; i++) {
        t->due_us += tick_us(t);
        run_boundary(t, now_us);
        env_live_clock_update(t, now_us);
    }
    if (t->due_us && t->due_us <= now_us)
        t->due_us = now_us + tick_us(t);
    if (env_clock_of(t) != ENV_LIVE)
        return INT64_MAX;
    // A table whose clock is stopped answers what has waited long enough, and accepts actions of overseers.
    for (struct env_pending *p = t->group->pending; p && !t->due_us; p = p->next)
        if (env_pending_table(p) == t && env_pending_actor(p)->scope == ENV_SYSTEMIC && !p->applied) {
            run_boundary(t, now_us);
            break;
        }
    if (!t->due_us) {
        for (struct env_pending *p = t->group->pending; p; p = p->next)
            if (env_pending_table(p) == t && now_us >= p->since_us + (int64_t)t->group->env->o.poll_max_ms * 1000)
                p->applied = true;
        answer_served(t, now_us);
    }
    for (struct env_pending *p = t->group->pending; p; p = p->next) {
        int64_t late = p->since_us + (int64_t)t->group->env->o.poll_max_ms * 1000;
        if (env_pending_table(p) == t && late < next)
            next = late;
    }
    if (t->due_us && t->due_us < next)
        next = t->due_us;
    const struct env_options *o = &t->group->env->o;
    if (!t->running && t->episode && o->auto_restart_s >= 0 && count_embodied(t) >= o->min_agents) {
        int64_t again = t->idle_us + (int64_t)o->auto_restart_s * 1000000;
        next = again < next ? again : next;
    }
    return next;
}
