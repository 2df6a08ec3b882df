// Keys of many streams, for batches: blocks of ChaCha8 side by side, as wide as the processor can.
#pragma once

#include "base/rng.h"

// A child of each parent, the same as by rng_split. Four take as long as two where there is AVX2.
void rng_split_several(const struct rng parent[], const uint64_t stream[], struct rng child[], int count);
