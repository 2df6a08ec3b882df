// A region of memory given by the caller and handed out piece by piece; all pieces go back at once.
#pragma once

#include <stddef.h>

struct arena {
    char *at;
    size_t size; // given out so far
    size_t room; // the ceiling; never grows
};

void arena_init(struct arena *a, void *memory, size_t room);
void *arena_take(struct arena *a, size_t size); // aligned to 16, not cleared; NULL when full
void arena_reset(struct arena *a);
