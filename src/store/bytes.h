// A growing byte buffer.
#pragma once

#include <stddef.h>

struct bytes { // all zero: empty
    char *at;
    size_t size, room;
};

// Appends `more` bytes and returns them, uninitialised; aborts without memory.
void *store_grow(struct bytes *b, size_t more);
