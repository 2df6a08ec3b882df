#include "base/arena.h"

#include <stdint.h>

enum { ALIGN = 16 };

void arena_init(struct arena *a, void *memory, size_t room)
{
    size_t skew = (size_t)(-(uintptr_t)memory % ALIGN);
    if (skew > room)
        skew = room;
    *a = (struct arena){.at = (char *)memory + skew, .room = room - skew};
}

void *arena_take(struct arena *a, size_t size)
{
    if (size > a->room - a->size)
        return NULL;
    void *piece = a->at + a->size;
    size_t whole = (size + ALIGN - 1) / ALIGN * ALIGN;
    a->size = whole > a->room - a->size ? a->room : a->size + whole;
    return piece;
}

void arena_reset(struct arena *a)
{
    a->size = 0;
}
