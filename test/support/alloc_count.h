// Counts every call of the allocator; the program is linked with --wrap for each of them (cmake/test.cmake).
#pragma once

#include <stddef.h>

static int calls;

#define COUNT(type, name, parameters, ...)                                                                             \
    type __real_##name parameters;                                                                                     \
    type __wrap_##name parameters;                                                                                     \
    type __wrap_##name parameters                                                                                      \
    {                                                                                                                  \
        calls++;                                                                                                       \
        __VA_ARGS__;                                                                                                   \
    }
COUNT(void *, malloc, (size_t size), return __real_malloc(size))
COUNT(void *, calloc, (size_t count, size_t size), return __real_calloc(count, size))
COUNT(void *, realloc, (void *old, size_t size), return __real_realloc(old, size))
COUNT(void *, aligned_alloc, (size_t align, size_t size), return __real_aligned_alloc(align, size))
COUNT(int, posix_memalign, (void **out, size_t align, size_t size), return __real_posix_memalign(out, align, size))
COUNT(void, free, (void *memory), __real_free(memory))
