// Keys of many streams, for batches: blocks of ChaCha8 in parallel, as wide as the processor allows.
#pragma once

#include "base/rng.h"

#include <stdbool.h>

// A child of each parent, as by rng_split. `is_wide`: this processor has AVX2, so that four take as long as two; the
// caller finds out, because this room makes no system calls.
void rng_split_several(const struct rng parent[], const uint64_t stream[], struct rng child[], int count, bool is_wide);
