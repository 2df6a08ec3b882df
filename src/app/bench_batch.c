// Batches as a learner steps them: 1,024 environments; observations, masks, rewards and ends are written; new episodes
// begin within the step; actions come from the library's sampler, which is part of the measurement.
#include "app/bench.h"

#include "agon.h"

#include <stdlib.h>

enum { ENVS = 1024, PARTS = 6 }; // environments of a batch, as trainers use; buffers that are bound

// The batch of the last measured case.
static struct {
    const struct bench_case *of;
    agon_vec *v;
    struct agon_buffers to;
    int32_t *actions;
    void *parts[PARTS];
} kept;

static void *allocate_part(int part, size_t size)
{
    kept.parts[part] = aligned_alloc(64, (size + 63) / 64 * 64);
    if (!kept.parts[part])
        app_die("no memory");
    return kept.parts[part];
}

static void open_batch(const struct bench_case *c)
{
    struct agon_config config = agon_default_config();
    struct agon_layout at = agon_no_layout();
    config.game = c->game->name, config.num_envs = ENVS, config.seats = (uint32_t)c->seats;
    config.vector = (uint32_t)c->batch.vector, config.dtype = c->batch.bytes ? AGON_U8 : AGON_F32;
    config.pace = c->batch.inputs ? AGON_INPUTS : AGON_PLACEMENTS, config.threads = (uint32_t)c->threads;
    config.autoreset = AGON_SAME_STEP;
    agon_destroy(kept.v);
    for (int i = 0; i < PARTS; i++)
        free(kept.parts[i]);
    memset(&kept, 0, sizeof kept);
    if (agon_create(&config, &kept.v) != AGON_OK || agon_get_layout(kept.v, &at) != AGON_OK)
        app_die("%s", agon_last_error());
    kept.to = agon_no_buffers();
    kept.to.actions = kept.actions = allocate_part(0, at.rows * sizeof *kept.actions);
    kept.to.observations = allocate_part(1, at.observations_bytes);
    kept.to.masks = allocate_part(2, at.masks_bytes);
    kept.to.rewards = allocate_part(3, at.rewards_bytes);
    kept.to.terminated = allocate_part(4, at.envs);
    kept.to.asked = allocate_part(5, at.envs);
    if (agon_bind(kept.v, 0, &kept.to) != AGON_OK || agon_reset(kept.v, NULL, NULL) != AGON_OK)
        app_die("%s", agon_last_error());
    kept.of = c;
}

uint64_t bench_step_batch(const struct bench_case *c, struct bench_dice *dice, uint64_t units)
{
    uint64_t done = 0;
    if (kept.of != c)
        open_batch(c);
    for (; done < units; done += ENVS)
        if (agon_sample(kept.v, 0, &dice->state, kept.actions) != AGON_OK || agon_step(kept.v) != 0)
            app_die("%s", agon_last_error());
    return done;
}
