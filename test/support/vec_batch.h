// A vec with every buffer bound, for tests.
#pragma once

#include "agon.h"

#include "base/hash.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

enum { BATCH_GROUPS = 4 };

struct batch {
    agon_vec *v;
    struct agon_layout at; // of one group
    uint32_t groups, envs; // envs of all groups
    struct agon_buffers b; // of all groups: group g has its part of each
    int32_t *actions;
    uint64_t draws;
    void *memory;
    size_t size;
};

static inline void *batch_take(struct batch *b, size_t size)
{
    void *at = (char *)b->memory + b->size;
    b->size += (size + 63) / 64 * 64;
    return at;
}

static inline void batch_fill(struct batch *b)
{
    const struct agon_layout *at = &b->at;
    size_t g = b->groups, n = at->envs * g;
    b->size = 0;
    b->b = agon_no_buffers();
    b->actions = batch_take(b, at->rows * g * sizeof *b->actions);
    b->b.actions = b->actions;
    b->b.observations = batch_take(b, at->observations_bytes * g);
    b->b.masks = batch_take(b, at->masks_bytes * g);
    b->b.mask_words = batch_take(b, at->mask_words_bytes * g);
    b->b.tokens = at->tokens ? batch_take(b, at->tokens_bytes * g) : NULL;
    b->b.rewards = batch_take(b, at->rewards_bytes * g);
    b->b.components = batch_take(b, at->components_bytes * g);
    b->b.unpaid = batch_take(b, at->rewards_bytes * g);
    b->b.own_reward = batch_take(b, n * 4);
    b->b.asked = batch_take(b, n);
    b->b.asked_set = batch_take(b, n * 2);
    b->b.terminated = batch_take(b, n);
    b->b.truncated = batch_take(b, n);
    b->b.final_observations = batch_take(b, at->observations_bytes * g);
    b->b.returns = batch_take(b, at->rewards_bytes * g);
    b->b.lengths = batch_take(b, n * 4);
    b->b.errors = batch_take(b, n * 4);
    b->b.hashes = batch_take(b, n * 8);
    b->b.ticks = batch_take(b, n * 4);
}

// The part of a buffer that belongs to group g; NULL stays NULL.
#define BATCH_PART(member, count) ((member) ? (member) + (size_t)g * (count) : NULL)

static inline struct agon_buffers batch_part(const struct batch *b, uint32_t g)
{
    const struct agon_layout *at = &b->at;
    struct agon_buffers p = b->b;
    p.actions = BATCH_PART(b->b.actions, at->rows);
    p.observations = (char *)b->b.observations + g * at->observations_bytes;
    p.masks = BATCH_PART(b->b.masks, at->masks_bytes);
    p.mask_words = BATCH_PART(b->b.mask_words, at->mask_words_bytes / 8);
    p.tokens = BATCH_PART(b->b.tokens, at->tokens_bytes / 2);
    p.rewards = BATCH_PART(b->b.rewards, at->rewards_bytes / 4);
    p.components = BATCH_PART(b->b.components, at->components_bytes / 4);
    p.unpaid = BATCH_PART(b->b.unpaid, at->rewards_bytes / 4);
    p.own_reward = BATCH_PART(b->b.own_reward, at->envs);
    p.asked = BATCH_PART(b->b.asked, at->envs);
    p.asked_set = BATCH_PART(b->b.asked_set, at->envs);
    p.terminated = BATCH_PART(b->b.terminated, at->envs);
    p.truncated = BATCH_PART(b->b.truncated, at->envs);
    p.final_observations = (char *)b->b.final_observations + g * at->observations_bytes;
    p.returns = BATCH_PART(b->b.returns, at->rewards_bytes / 4);
    p.lengths = BATCH_PART(b->b.lengths, at->envs);
    p.errors = BATCH_PART(b->b.errors, at->envs);
    p.hashes = BATCH_PART(b->b.hashes, at->envs);
    p.ticks = BATCH_PART(b->b.ticks, at->envs);
    return p;
}

static inline struct batch batch_open(const struct agon_config *c)
{
    struct batch b = {.groups = c->groups ? c->groups : 1, .envs = c->num_envs, .draws = 42, .at = agon_no_layout()};
    int err = agon_create(c, &b.v);
    if (err)
        fail_msg("%s", agon_last_error());
    assert_int_equal(agon_get_layout(b.v, &b.at), AGON_OK);
    batch_fill(&b); // once to count
    b.memory = aligned_alloc(64, b.size);
    memset(b.memory, 0, b.size);
    batch_fill(&b);
    for (uint32_t g = 0; g < b.groups; g++) {
        struct agon_buffers part = batch_part(&b, g);
        if (agon_bind(b.v, g, &part) != AGON_OK)
            fail_msg("%s", agon_last_error());
    }
    return b;
}

static inline void batch_reset(struct batch *b)
{
    if (agon_reset(b->v, NULL, NULL) != AGON_OK)
        fail_msg("%s", agon_last_error());
}

static inline void batch_sample(struct batch *b)
{
    for (uint32_t g = 0; g < b->groups; g++)
        assert_int_equal(agon_sample(b->v, g, &b->draws, b->actions + (size_t)g * b->at.rows), AGON_OK);
}

static inline int batch_step(struct batch *b)
{
    batch_sample(b);
    return agon_step(b->v);
}

static inline uint64_t batch_hash(const struct batch *b)
{
    return hash_bytes(b->memory, b->size);
}

static inline void batch_close(struct batch *b)
{
    agon_destroy(b->v);
    free(b->memory);
}
