#include "house/room.h"

#include <stdlib.h>
#include <string.h>

struct house_room {
    struct minds minds;
    uint32_t size; // of what stands behind it
    _Alignas(8) uint8_t block[];
};

bool house_is_minded(const struct bot *const *bots, int count)
{
    for (int i = 0; i < count; i++)
        if (bots[i] && bots[i]->mind_size)
            return true;
    return false;
}

static struct minds *make(struct house_room **room, uint32_t size)
{
    if (!*room || (*room)->size < size) {
        free(*room);
        *room = malloc(sizeof **room + size);
        if (!*room)
            abort();
        (*room)->size = size;
    }
    minds_init(&(*room)->minds, (*room)->block);
    return &(*room)->minds;
}

// NULL: there is nothing to keep.
static struct minds *seat_each(struct house_room **room, struct match *m, const struct bot *const *bots)
{
    uint32_t size = 0;
    m->listener = NULL;
    if (!house_is_minded(bots, m->seats))
        return NULL;
    for (int s = 0; s < m->seats; s++)
        size += bots[s] ? bots[s]->mind_size : 0;
    struct minds *minds = make(room, size);
    for (int s = 0; s < m->seats; s++)
        if (bots[s])
            minds_add(minds, bots[s], s);
    return minds;
}

void house_seat(struct house_room **room, struct match *m, const struct bot *const *bots,
                const struct game_events *first)
{
    struct minds *minds = seat_each(room, m, bots);
    if (minds)
        minds_begin(minds, m, first);
}

void house_seat_again(struct house_room **room, struct match *m, const struct bot *const *bots)
{
    struct minds *minds = seat_each(room, m, bots);
    if (minds)
        minds_resume(minds, m);
}

void house_seat_all(struct house_room **room, struct match *m, const struct bot *const *bots, int count,
                    const struct game_events *first)
{
    uint32_t size = 0;
    m->listener = NULL;
    if (!house_is_minded(bots, count))
        return;
    for (int i = 0; i < count; i++)
        size += bots[i] ? bots[i]->mind_size * (uint32_t)m->seats : 0;
    struct minds *minds = make(room, size);
    for (int i = 0; i < count; i++)
        for (int s = 0; bots[i] && s < m->seats; s++)
            minds_add(minds, bots[i], s);
    minds_begin(minds, m, first);
}

void house_room_copy(struct house_room **room, const struct house_room *from, struct match *m)
{
    if (!m->listener)
        return;
    struct minds *minds = make(room, from->size);
    minds->count = from->minds.count;
    minds->size = from->minds.size;
    memcpy(minds->place, from->minds.place, sizeof minds->place);
    memcpy(minds->block, from->minds.block, from->minds.size);
    m->listener = &minds->listener;
}

void house_room_free(struct house_room *room)
{
    free(room);
}
