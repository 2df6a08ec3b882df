#include "net/heap_text.h"

#include <stdlib.h>

enum { FIRST_BYTES = 1024 }; // doubled from there; most answers fit

size_t heap_text_room(const struct text *t, size_t more)
{
    size_t room = t->room ? t->room : FIRST_BYTES;
    while (room - t->size < more)
        room *= 2;
    return room;
}

bool heap_text_grow(struct text *t, size_t more)
{
    size_t room = heap_text_room(t, more);
    char *grown = realloc(t->at, room);
    if (!grown)
        return false;
    t->at = grown;
    t->room = room;
    return true;
}
