// The part of the C library that the rooms ask for. Copying and filling are instructions of WebAssembly.
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { PAGE = 1 << 16 };

extern char __heap_base; // by the linker: where static data ends

// Zeroed, because memory that grows is. Never given back: see stdlib.h.
void *malloc(size_t size)
{
    static uintptr_t top;
    if (!top)
        top = ((uintptr_t)&__heap_base + 15) & ~(uintptr_t)15;
    uintptr_t at = top, end = at + ((size + 15) & ~(size_t)15);
    uintptr_t have = (uintptr_t)__builtin_wasm_memory_size(0) * PAGE;
    if (end < at)
        return NULL;
    if (end > have && __builtin_wasm_memory_grow(0, (end - have + PAGE - 1) / PAGE) == (size_t)-1)
        return NULL;
    top = end;
    return (void *)at;
}

void *calloc(size_t count, size_t size)
{
    return size && count > SIZE_MAX / size ? NULL : malloc(count * size);
}

void *memcpy(void *restrict to, const void *restrict from, size_t size)
{
    return __builtin_memcpy(to, from, size);
}

void *memmove(void *to, const void *from, size_t size)
{
    return __builtin_memmove(to, from, size);
}

void *memset(void *to, int byte, size_t size)
{
    return __builtin_memset(to, byte, size);
}

int memcmp(const void *a, const void *b, size_t size)
{
    const unsigned char *x = a, *y = b;
    for (; size; size--, x++, y++)
        if (*x != *y)
            return *x < *y ? -1 : 1;
    return 0;
}

void *memchr(const void *bytes, int byte, size_t size)
{
    for (const unsigned char *at = bytes; size; size--, at++)
        if (*at == (unsigned char)byte)
            return (void *)at;
    return NULL;
}

size_t strlen(const char *text)
{
    const char *end = text;
    while (*end)
        end++;
    return (size_t)(end - text);
}

int strncmp(const char *a, const char *b, size_t size)
{
    for (; size && *a && *a == *b; size--)
        a++, b++;
    return size ? (unsigned char)*a - (unsigned char)*b : 0;
}

int strcmp(const char *a, const char *b)
{
    return strncmp(a, b, SIZE_MAX);
}

char *strchr(const char *text, int c)
{
    for (; *text != (char)c; text++)
        if (!*text)
            return NULL;
    return (char *)text;
}

// Heapsort: no recursion and no memory. Whoever sorts has few or no equals, so their order is left open.
static void swap(char *a, char *b, size_t size)
{
    for (; size; size--, a++, b++) {
        char c = *a;
        *a = *b;
        *b = c;
    }
}

static void sift(char *base, size_t at, size_t count, size_t size, int (*compare)(const void *, const void *))
{
    for (size_t child; (child = 2 * at + 1) < count; at = child) {
        if (child + 1 < count && compare(base + child * size, base + (child + 1) * size) < 0)
            child++;
        if (compare(base + at * size, base + child * size) >= 0)
            return;
        swap(base + at * size, base + child * size, size);
    }
}

void qsort(void *base, size_t count, size_t size, int (*compare)(const void *, const void *))
{
    for (size_t i = count / 2; i-- > 0;)
        sift(base, i, count, size, compare);
    for (size_t left = count; left-- > 1;) {
        swap(base, (char *)base + left * size, size);
        sift(base, 0, left, size, compare);
    }
}

void *bsearch(const void *key, const void *base, size_t count, size_t size, int (*compare)(const void *, const void *))
{
    const char *from = base;
    while (count) {
        const char *middle = from + count / 2 * size;
        int order = compare(key, middle);
        if (order == 0)
            return (void *)middle;
        if (order > 0) {
            from = middle + size;
            count--;
        }
        count /= 2;
    }
    return NULL;
}
