// Tests eight bytes at once for characters that must be escaped in a JSON string.
#pragma once

#include <stdint.h>
#include <string.h>

static inline uint64_t json_escape_load(const char *at)
{
    uint64_t word;
    _Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "the first byte is the lowest");
    memcpy(&word, at, sizeof word);
    return word;
}

// Marks, in their highest bit, bytes that are control characters, DEL, quotes, backslashes or not ASCII: those with the
// highest bit set, and those where a sum or difference sets it. Carries and borrows go upwards, so only the lowest mark
// is reliable.
static inline uint64_t json_escape_marks(uint64_t word)
{
    const uint64_t each = 0x0101010101010101u;
    uint64_t quote = word ^ each * '"', backslash = word ^ each * '\\';
    return (word | (word - each * 0x20) | (quote - each) | (backslash - each) | (word + each)) & each * 0x80;
}

// Number of bytes before the lowest mark, which must exist.
static inline size_t json_escape_offset(uint64_t marks)
{
    return (size_t)__builtin_ctzll(marks) / 8;
}
