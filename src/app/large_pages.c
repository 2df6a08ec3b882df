#include "app/large_pages.h"

#include <malloc.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

enum {
    HEAP_BYTES = 256 << 20, // enough for about 40,000 agents; the rest uses small pages
    LARGE_PAGE = 2 << 20,
    APART_BYTES = 4 << 20, // larger allocations are not part of the heap
    PIECE = 64 << 10,
    PIECES = 8, // more than any heap has left over at the start
};

// The C library has no function for it, but it grows its heap by what is requested at once, and can be set to keep it.
void app_use_large_pages(void)
{
    void *piece[PIECES];
    char *before = sbrk(0);
    mallopt(M_MMAP_THRESHOLD, APART_BYTES);
    mallopt(M_TRIM_THRESHOLD, HEAP_BYTES * 2);
    mallopt(M_TOP_PAD, HEAP_BYTES);
    for (int i = 0; i < PIECES; i++)
        piece[i] = malloc(PIECE);
    for (int i = 0; i < PIECES; i++)
        free(piece[i]);
    mallopt(M_TOP_PAD, LARGE_PAGE);
    char *after = sbrk(0);
    char *from = before + (LARGE_PAGE - (uintptr_t)before % LARGE_PAGE) % LARGE_PAGE;
    if (after > from)
        madvise(from, (size_t)(after - from), MADV_HUGEPAGE); // if refused, small pages are used
}
