// The loop of a learner in C: sample and step, with the buffers that the Python package binds. bench.py builds it as a
// shared library and runs it in turns with the same loop in Python.
#include <agon.h>

#include <stdlib.h>

struct loop {
    agon_vec *v;
    struct agon_buffers to;
    int32_t *actions;
    uint64_t draws;
};

static void *take(uint64_t bytes)
{
    return aligned_alloc(64, (bytes + 63) / 64 * 64);
}

struct loop *loop_open(const char *game, uint32_t envs);
int loop_run(struct loop *l, uint32_t steps);

struct loop *loop_open(const char *game, uint32_t envs)
{
    struct loop *l = calloc(1, sizeof *l);
    struct agon_config config = agon_default_config();
    struct agon_layout at = agon_no_layout();
    config.game = game, config.num_envs = envs, config.autoreset = AGON_SAME_STEP;
    if (!l || agon_create(&config, &l->v) != AGON_OK || agon_get_layout(l->v, &at) != AGON_OK)
        return NULL;
    l->to = agon_no_buffers();
    l->to.actions = l->actions = take(at.rows * sizeof *l->actions);
    l->to.observations = take(at.observations_bytes);
    l->to.final_observations = take(at.observations_bytes);
    l->to.masks = take(at.masks_bytes);
    l->to.rewards = take(at.rewards_bytes);
    l->to.unpaid = take(at.rewards_bytes);
    l->to.returns = take(at.rewards_bytes);
    l->to.own_reward = take(envs * sizeof(float));
    l->to.asked = take(envs);
    l->to.asked_set = take(envs * sizeof(uint16_t));
    l->to.terminated = take(envs);
    l->to.truncated = take(envs);
    l->to.lengths = take(envs * sizeof(uint32_t));
    l->to.errors = take(envs * sizeof(int32_t));
    l->to.ticks = take(envs * sizeof(uint32_t));
    return agon_bind(l->v, 0, &l->to) == AGON_OK && agon_reset(l->v, NULL, NULL) == AGON_OK ? l : NULL;
}

// How many actions were refused, which is none.
int loop_run(struct loop *l, uint32_t steps)
{
    int refused = 0;
    for (uint32_t i = 0; i < steps; i++) {
        agon_sample(l->v, 0, &l->draws, l->actions);
        refused += agon_step(l->v);
    }
    return refused;
}
