// Text being written: bytes appended to a buffer of limited size. If something does not fit, `full` is set and nothing
// more is added, so a writer checks once, at the end.
#pragma once

#include "base/span.h"

#include <stdint.h>

struct text {
    char *at;
    size_t size;
    size_t room;
    bool full;
    // Makes room for `more` bytes, or returns false. NULL: the buffer does not grow. Set by the owner of the buffer.
    bool (*grow)(struct text *t, size_t more);
};

static inline struct text text_on(char *buffer, size_t room)
{
    return (struct text){.at = buffer, .room = room};
}

static inline struct span text_span(const struct text *t)
{
    return (struct span){t->at, t->size};
}

char *text_reserve_more(struct text *t, size_t size); // called by text_reserve if there is no room left

// Room for `size` bytes, which now belong to the text; NULL if full.
static inline char *text_reserve(struct text *t, size_t size)
{
    if (t->full || size > t->room - t->size)
        return text_reserve_more(t, size);
    t->size += size;
    return t->at + t->size - size;
}

static inline void text_put(struct text *t, struct span bytes)
{
    char *space = bytes.size ? text_reserve(t, bytes.size) : NULL; // a text may have no buffer yet
    if (space)
        memcpy(space, bytes.at, bytes.size);
}

// Inline, so that the length of a literal is a constant; a function if size matters (the rules in the browser).
#ifdef __OPTIMIZE_SIZE__
void text_puts(struct text *t, const char *text);
#else
static inline void text_puts(struct text *t, const char *text)
{
    text_put(t, span_of(text));
}
#endif

static inline void text_put_char(struct text *t, char c)
{
    char *space = text_reserve(t, 1);
    if (space)
        *space = c;
}

void text_put_int(struct text *t, int64_t value);
void text_put_uint(struct text *t, uint64_t value);
void text_put_hex(struct text *t, uint64_t value, int digits); // lower case, leading zeros
void text_put_hex_bytes(struct text *t, const void *bytes, size_t size);
bool text_read_hex(struct span hex, void *out, size_t size); // exactly 2 x size digits of either case; else false
void text_put_decimal(struct text *t, double value,
                      int digits); // rounded, without trailing zeros; |value| < 2^53 / 10^digits
