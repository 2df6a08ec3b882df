// Bytes with their length. A span does not own them.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

struct span {
    const char *at;
    size_t size;
};

#define SPAN(literal) ((struct span){(literal), sizeof(literal) - 1})

static inline struct span span_of(const char *text)
{
    return (struct span){text, strlen(text)};
}

static inline bool span_equals(struct span a, struct span b)
{
    return a.size == b.size && (a.size == 0 || memcmp(a.at, b.at, a.size) == 0);
}

static inline bool span_is(struct span a, const char *text)
{
    return span_equals(a, span_of(text));
}

// Index of the word in a NULL-terminated list, or -1.
static inline int span_among(struct span word, const char *const *words)
{
    for (int i = 0; words[i]; i++)
        if (span_is(word, words[i]))
            return i;
    return -1;
}
