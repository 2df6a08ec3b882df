// Memory is never given back: the page drops the whole instance of the module.
#pragma once

#include <stddef.h>

void *malloc(size_t size);
void *calloc(size_t count, size_t size); // NULL: the browser has no more
static inline void free(void *memory)
{
    (void)memory;
}

void qsort(void *base, size_t count, size_t size, int (*compare)(const void *, const void *));
void *bsearch(const void *key, const void *base, size_t count, size_t size, int (*compare)(const void *, const void *));
