#include "heap/heap.h"

#include <stdio.h>
#include <stdlib.h>

enum { FIRST_BYTES = 1024 }; // most answers fit

static size_t room_for(const struct text *t, size_t more, size_t first)
{
    size_t room = t->room ? t->room : first;
    while (room - t->size < more)
        room *= 2;
    return room;
}

size_t heap_text_room(const struct text *t, size_t more)
{
    return room_for(t, more, FIRST_BYTES);
}

bool heap_text_grow_within(struct text *t, size_t more, size_t first, size_t most)
{
    if (t->size > most || more > most - t->size)
        return false;
    size_t room = room_for(t, more, first);
    char *grown = realloc(t->at, room);
    if (!grown)
        return false;
    t->at = grown;
    t->room = room;
    return true;
}

bool heap_text_grow(struct text *t, size_t more)
{
    return heap_text_grow_within(t, more, FIRST_BYTES, SIZE_MAX / 2); // what doubling cannot pass
}

void *heap_list_grow(void *at, uint32_t count, uint32_t *room, uint32_t first, size_t element_size)
{
    if (count < *room)
        return at;
    *room = *room ? 2 * *room : first;
    at = realloc(at, *room * element_size);
    if (!at) {
        fputs("agon: out of memory\n", stderr);
        abort();
    }
    return at;
}
