// Adaptive binary range coder: each bit has a model that learns how likely it is. Reading and writing use the same
// calls, so a format is described once.
#pragma once

#include "base/text.h"

struct coder {
    bool writes;
    uint32_t range;
    // reading
    const uint8_t *at, *end; // reads as zeros after the end
    uint32_t code;
    // writing
    struct text *out;
    size_t begin; // of this stream in `out`
    uint64_t low;
    uint32_t pending; // bytes of 255 behind the cache, which a carry may still change
    uint8_t cache;
    bool begun;
};

struct coder_bit {
    uint16_t zero; // chance of a 0, in 65536ths
    uint16_t seen; // up to a few
};

void coder_read(struct coder *c, const void *bytes, size_t size);
void coder_write(struct coder *c, struct text *out); // appends to `out`
void coder_finish(struct coder *c);                  // of writing

void coder_reset(struct coder_bit *models, size_t count);
bool coder_code(struct coder *c, struct coder_bit *model, bool bit); // the bit; of a reader `bit` is ignored
// A number below 1 << bits, with a model for each prefix: 1 << bits of them.
unsigned coder_number(struct coder *c, struct coder_bit *models, int bits, unsigned number);
