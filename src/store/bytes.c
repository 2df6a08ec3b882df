#include "store/bytes.h"

#include <stdlib.h>

enum { FIRST_ROOM = 1 << 12 };

void *store_grow(struct bytes *b, size_t more)
{
    if (b->room - b->size < more) {
        size_t room = b->room ? b->room : FIRST_ROOM;
        while (room - b->size < more)
            room *= 2;
        b->at = realloc(b->at, room);
        if (!b->at)
            abort();
        b->room = room;
    }
    b->size += more;
    return b->at + b->size - more;
}
