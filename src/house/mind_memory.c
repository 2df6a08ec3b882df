#include "house/mind_memory.h"

#include <stdlib.h>
#include <string.h>

struct mind_memory {
    struct minds minds;
    uint32_t size; // of what stands behind it
    _Alignas(8) uint8_t block[];
};

bool mind_memory_is_needed(const struct bot *const *bots, int count)
{
    for (int i = 0; i < count; i++)
        if (bots[i] && bots[i]->mind_size)
            return true;
    return false;
}

static struct minds *allocate_minds(struct mind_memory **memory, uint32_t size)
{
    if (!*memory || (*memory)->size < size) {
        free(*memory);
        *memory = malloc(sizeof **memory + size);
        if (!*memory)
            abort();
        (*memory)->size = size;
    }
    minds_init(&(*memory)->minds, (*memory)->block);
    return &(*memory)->minds;
}

// NULL: there is nothing to keep.
static struct minds *add_minds(struct mind_memory **memory, struct match *m, const struct bot *const *bots)
{
    uint32_t size = 0;
    m->listener = NULL;
    if (!mind_memory_is_needed(bots, m->seats))
        return NULL;
    for (int s = 0; s < m->seats; s++)
        size += bots[s] ? bots[s]->mind_size : 0;
    struct minds *minds = allocate_minds(memory, size);
    for (int s = 0; s < m->seats; s++)
        if (bots[s])
            minds_add(minds, bots[s], s);
    return minds;
}

void mind_memory_begin(struct mind_memory **memory, struct match *m, const struct bot *const *bots,
                       const struct game_events *first)
{
    struct minds *minds = add_minds(memory, m, bots);
    if (minds)
        minds_begin(minds, m, first);
}

void mind_memory_resume(struct mind_memory **memory, struct match *m, const struct bot *const *bots)
{
    struct minds *minds = add_minds(memory, m, bots);
    if (minds)
        minds_resume(minds, m);
}

void mind_memory_begin_all(struct mind_memory **memory, struct match *m, const struct bot *const *bots, int count,
                           const struct game_events *first)
{
    uint32_t size = 0;
    m->listener = NULL;
    if (!mind_memory_is_needed(bots, count))
        return;
    for (int i = 0; i < count; i++)
        size += bots[i] ? bots[i]->mind_size * (uint32_t)m->seats : 0;
    struct minds *minds = allocate_minds(memory, size);
    for (int i = 0; i < count; i++)
        for (int s = 0; bots[i] && s < m->seats; s++)
            minds_add(minds, bots[i], s);
    minds_begin(minds, m, first);
}

void mind_memory_copy(struct mind_memory **memory, const struct mind_memory *from, struct match *m)
{
    if (!m->listener)
        return;
    struct minds *minds = allocate_minds(memory, from->size);
    minds->count = from->minds.count;
    minds->size = from->minds.size;
    memcpy(minds->place, from->minds.place, sizeof minds->place);
    memcpy(minds->block, from->minds.block, from->minds.size);
    m->listener = &minds->listener;
}

void mind_memory_free(struct mind_memory *memory)
{
    free(memory);
}
