// The calls that play a whole vec or a group: reset, step, send and receive.
#include "vec/internal.h"

// ---- Reset ----------------------------------------------------------------------------------------------------------

// The first episode of all is that of config.seed + i.
static void reset_lane(const struct agon_vec *v, uint32_t env, const uint64_t *seeds)
{
    struct lane *l = lane_at(v, env);
    uint64_t own = l->seed;
    if (v->logs && l->end == LANE_RUNNING)
        lane_log_break(v, l);
    lane_begin(v, l, seeds ? &seeds[env] : l->end == LANE_BLANK ? &own : NULL);
}

static int check_bound(const struct agon_vec *v)
{
    for (uint32_t i = 0; i < v->group_count; i++)
        if (!v->groups[i].is_bound)
            return vec_refuse(AGON_NOT_BOUND, "group %u has no buffers; call bind first", i);
    return AGON_OK;
}

int agon_reset(agon_vec *v, const uint8_t *which, const uint64_t *seeds)
{
    int err = vec_check_idle(v);
    if (!err)
        err = check_bound(v);
    if (err)
        return err;
    bool all = true;
    for (uint32_t i = 0; i < v->config.num_envs; i++) {
        if (!which || which[i]) {
            const struct group *g = &v->groups[i / v->groups[0].envs];
            reset_lane(v, i, seeds);
            step_stand_still(v, g, i - g->first, lane_at(v, i), 0);
        }
        all &= lane_at(v, i)->end != LANE_BLANK;
    }
    v->is_reset = all;
    return AGON_OK;
}

// ---- Step -----------------------------------------------------------------------------------------------------------

static int check_ready(const struct agon_vec *v, const struct group *g)
{
    if (!g->is_bound)
        return vec_refuse(AGON_NOT_BOUND, "group %u has no buffers; call bind first", (unsigned)(g - v->groups));
    if (!v->is_reset)
        return vec_refuse(AGON_NOT_BOUND, "not every environment has an episode; call reset first");
    return AGON_OK;
}

static uint32_t step_alone(const struct agon_vec *v, struct group *g)
{
    uint32_t errors = 0;
    for (uint32_t run = 0; run < g->runs; run++)
        errors += vec_step_run(v, g, run);
    return errors;
}

int agon_step(agon_vec *v)
{
    int err = vec_check_idle(v);
    if (err)
        return err;
    for (uint32_t i = 0; i < v->group_count; i++)
        if ((err = check_ready(v, &v->groups[i])))
            return err;
    uint32_t errors = 0;
    if (!v->workers) {
        for (uint32_t i = 0; i < v->group_count; i++)
            errors += step_alone(v, &v->groups[i]);
        return (int)errors;
    }
    for (uint32_t i = 0; i < v->group_count; i++)
        workers_send(v, &v->groups[i]);
    workers_wake(v, WORKERS_HELP);
    for (uint32_t i = 0; i < v->group_count; i++)
        errors += workers_finish(v, &v->groups[i]);
    return (int)errors;
}

int agon_send(agon_vec *v, uint32_t group)
{
    int err = vec_check_group(v, group);
    if (!err)
        err = check_ready(v, &v->groups[group]);
    if (err)
        return err;
    struct group *g = &v->groups[group];
    g->is_sent = true;
    if (v->workers) {
        workers_send(v, g);
        workers_wake(v, WORKERS_ALL);
    } else {
        atomic_store_explicit(&g->errors, step_alone(v, g), memory_order_relaxed);
    }
    return AGON_OK;
}

static int check_sent(const struct agon_vec *v, uint32_t group)
{
    int err = vec_check(v);
    if (err)
        return err;
    if (group >= v->group_count)
        return vec_refuse(AGON_RANGE, "group %u is not one of 0 to %u", group, v->group_count - 1);
    return v->groups[group].is_sent ? AGON_OK : vec_refuse(AGON_IDLE, "group %u was not sent", group);
}

int agon_receive(agon_vec *v, uint32_t group)
{
    int err = check_sent(v, group);
    if (err)
        return err;
    struct group *g = &v->groups[group];
    g->is_sent = false;
    return (int)(v->workers ? workers_finish(v, g) : atomic_load_explicit(&g->errors, memory_order_relaxed));
}

int agon_ready(agon_vec *v, uint32_t group)
{
    int err = check_sent(v, group);
    return err ? err : atomic_load_explicit(&v->groups[group].left, memory_order_acquire) == 0;
}

int agon_refresh(agon_vec *v, uint32_t group)
{
    int err = vec_check_group(v, group);
    if (!err)
        err = check_ready(v, &v->groups[group]);
    for (uint32_t i = 0; !err && i < v->groups[group].envs; i++)
        row_write(v, lane_at(v, v->groups[group].first + i), &v->groups[group], i);
    return err;
}
