// Bytes that grow at the end.
#pragma once

#include <stddef.h>

struct bytes { // all zero: empty
    char *at;
    size_t size, room;
};

void *store_grow(struct bytes *b, size_t more); // room for `more` at the end, which it takes; aborts without memory
