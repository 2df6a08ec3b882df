// Keys of many streams, for batches: blocks of ChaCha8 side by side, as wide as the processor can.
#pragma once

#include "base/rng.h"

#include <stdbool.h>

// A child of each parent, the same as by rng_split. `is_wide`: this processor has AVX2, so that four take as long as
// two; the caller asks it, since this room asks for nothing.
void rng_split_several(const struct rng parent[], const uint64_t stream[], struct rng child[], int count, bool is_wide);
