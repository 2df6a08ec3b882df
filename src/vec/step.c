// A step of a run of neighbouring environments. Nothing here depends on another environment, on threads or on time
// (V24).
#include "vec/internal.h"

bool step_has_extras(const struct agon_buffers *to)
{
    return to->truncated || to->errors || to->ticks || to->components || to->own_reward;
}

static void write_flags(const struct group *g, uint32_t i, const struct lane *l, int error, uint32_t ticks)
{
    const struct agon_buffers *to = &g->to;
    if (to->terminated)
        to->terminated[i] = l->end == LANE_TERMINATED;
    if (!g->has_step_extras)
        return;
    if (to->truncated)
        to->truncated[i] = l->end == LANE_TRUNCATED;
    if (to->errors)
        to->errors[i] = error;
    if (to->ticks)
        to->ticks[i] = ticks;
}

// A step in which nothing was earned.
static void write_nothing(const struct agon_vec *v, const struct agon_buffers *to, uint32_t i, const struct lane *l)
{
    size_t row = (size_t)i * v->seats;
    if (to->rewards)
        memset(to->rewards + row, 0, v->seats * sizeof *to->rewards);
    if (to->components)
        memset(to->components + row * v->components, 0, v->seats * v->components * sizeof *to->components);
    if (to->unpaid)
        memcpy(to->unpaid + row, l->unpaid, v->seats * sizeof *to->unpaid);
    if (to->own_reward)
        to->own_reward[i] = 0;
}

static __attribute__((noinline)) void write_components(const struct agon_vec *v, float *out,
                                                       const struct lane_step *step)
{
    for (uint32_t s = 0; s < v->seats; s++, out += v->components)
        memcpy(out, step->rewards.at[s], v->components * sizeof *out);
}

static void write_earned(const struct agon_vec *v, const struct agon_buffers *to, uint32_t i, const struct lane *l,
                         const struct lane_step *step)
{
    if (to->components)
        write_components(v, to->components + (size_t)i * v->seats * v->components, step);
    if (to->own_reward)
        to->own_reward[i] = l->unpaid[l->asked == AGON_NOBODY ? l->last : l->asked];
}

// Environments whose next episode begins in this step. They wait for each other: making their keys is most of the work,
// and several are made in little more time than one. No more than four wait, so that they are still in the cache.
struct due {
    uint32_t count;
    uint32_t at[LANES_TOGETHER];    // in the group
    bool had_ended[LANES_TOGETHER]; // before this step (V9)
};

// The returns and length of an episode that has ended, and by the mode its last row (V9-V11).
static void write_end(const struct agon_vec *v, const struct agon_buffers *to, uint32_t i, const struct lane *l)
{
    if (to->returns)
        memcpy(to->returns + (size_t)i * v->seats, l->returns, v->seats * sizeof *to->returns);
    if (to->lengths)
        to->lengths[i] = l->length;
    if (v->logs)
        lane_log_end(v, l);
    if (v->config.autoreset == AGON_SAME_STEP)
        row_write_final(v, l, to, i);
}

void step_stand_still(const struct agon_vec *v, const struct group *g, uint32_t i, const struct lane *l, int error)
{
    write_flags(g, i, l, error, 0);
    write_nothing(v, &g->to, i, l);
    row_write(v, l, g, i);
}

static __attribute__((noinline)) void begin_due(const struct agon_vec *v, const struct group *g, struct due *due)
{
    struct lane *l[LANES_TOGETHER];
    for (uint32_t i = 0; i < due->count; i++)
        l[i] = lane_at(v, g->first + due->at[i]);
    lane_begin_next(v, l, due->count);
    for (uint32_t i = 0; i < due->count; i++)
        if (due->had_ended[i])
            step_stand_still(v, g, due->at[i], l[i], 0);
        else
            row_write(v, l[i], g, due->at[i]);
    due->count = 0;
}

static void add_due(const struct agon_vec *v, const struct group *g, struct due *due, uint32_t i, bool had_ended)
{
    due->at[due->count] = i;
    due->had_ended[due->count++] = had_ended;
    if (due->count == LANES_TOGETHER)
        begin_due(v, g, due);
}

static int step_running(const struct agon_vec *v, const struct group *g, uint32_t i, struct lane *l,
                        struct lane_step *step, struct due *due)
{
    const struct agon_buffers *to = &g->to;
    int error = lane_answer(v, l, to->actions + (size_t)i * v->rows_of_env, step);
    if (error && v->config.illegal == AGON_REFUSE) {
        step_stand_still(v, g, i, l, error);
        return error;
    }
    size_t earned = (size_t)i * v->seats;
    lane_close_step(v, l, step, to->rewards ? to->rewards + earned : NULL, to->unpaid ? to->unpaid + earned : NULL);
    write_flags(g, i, l, error, step->ticks);
    if (g->has_step_extras)
        write_earned(v, to, i, l, step);
    if (l->end != LANE_RUNNING)
        write_end(v, to, i, l);
    if (l->end != LANE_RUNNING && v->config.autoreset == AGON_SAME_STEP)
        add_due(v, g, due, i, false);
    else
        row_write(v, l, g, i);
    return error;
}

// The next environment is on its way into the cache while this one is stepped.
static void prefetch_lane(const struct agon_vec *v, const struct lane *l)
{
    const char *end = (const char *)l + v->streams_at;
    __builtin_prefetch(l);
    __builtin_prefetch((const char *)l + VEC_CACHE_LINE);
    for (const char *at = (const char *)l + v->state_at; at < end; at += VEC_CACHE_LINE)
        __builtin_prefetch(at);
}

// Flattened: a step makes a dozen calls of a few instructions each, and inlining all of them saves 3 to 8 % of it.
static __attribute__((flatten)) uint32_t step_lanes(const struct agon_vec *v, struct group *g, uint32_t run,
                                                    struct game_events *events, struct due *due)
{
    uint32_t errors = 0, end = (run + 1) * VEC_RUN < g->envs ? (run + 1) * VEC_RUN : g->envs;
    for (uint32_t i = run * VEC_RUN; i < end; i++) {
        struct lane *l = lane_at(v, g->first + i);
        struct lane_step step;
        if (v->is_large)
            prefetch_lane(v, lane_at(v, g->first + i + 1)); // behind the last one there is the scratch block
        step.events = events;
        step.plays = step.ticks = 0;
        if (l->end == LANE_RUNNING)
            errors += step_running(v, g, i, l, &step, due) != 0;
        else if (v->config.autoreset == AGON_NO_RESET)
            step_stand_still(v, g, i, l, 0);
        else
            add_due(v, g, due, i, true);
    }
    return errors;
}

// Not inlined: events take 16 KB of stack.
static __attribute__((noinline)) uint32_t step_listening(const struct agon_vec *v, struct group *g, uint32_t run,
                                                         struct due *due)
{
    struct game_events events;
    events.count = events.ticks = 0;
    return step_lanes(v, g, run, &events, due);
}

uint32_t vec_step_run(const struct agon_vec *v, struct group *g, uint32_t run)
{
    struct due due;
    due.count = 0;
    uint32_t errors = v->listens ? step_listening(v, g, run, &due) : step_lanes(v, g, run, NULL, &due);
    if (due.count)
        begin_due(v, g, &due);
    return errors;
}
