// The bytes of a fuzzer, taken one after the other; behind their end there are zeros.
#pragma once

#include <stdint.h>

struct input {
    const uint8_t *at, *end;
};

static inline uint8_t take(struct input *in)
{
    return in->at < in->end ? *in->at++ : 0;
}

static inline uint32_t take_word(struct input *in)
{
    uint32_t word = 0;
    for (int i = 0; i < 4; i++)
        word |= (uint32_t)take(in) << 8 * i;
    return word;
}
