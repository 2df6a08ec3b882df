// Eight bytes at a look: which of them do not stand for themselves in a JSON string.
#pragma once

#include <stdint.h>
#include <string.h>

static inline uint64_t plain_word(const char *at)
{
    uint64_t word;
    _Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "the first byte is the lowest");
    memcpy(&word, at, sizeof word);
    return word;
}

// Marks, in their highest bit, the bytes that are control characters, DEL, quotes, backslashes or beyond ASCII: what
// has that bit, and where a sum or a difference reaches it. Carries and borrows go upwards, so the lowest mark is
// right; the others may not be.
static inline uint64_t plain_marks(uint64_t word)
{
    const uint64_t each = 0x0101010101010101u;
    uint64_t quote = word ^ each * '"', backslash = word ^ each * '\\';
    return (word | (word - each * 0x20) | (quote - each) | (backslash - each) | (word + each)) & each * 0x80;
}

// How many bytes come before the lowest mark; there is one.
static inline size_t plain_before(uint64_t marks)
{
    return (size_t)__builtin_ctzll(marks) / 8;
}
