// SHA-256 (FIPS 180-4) without a library, for rooms that may not use OpenSSL. Made for short inputs: keys of seeds and
// their commitments. Servers use crypto/.
#pragma once

#include <stddef.h>
#include <stdint.h>

enum { SHA256_BYTES = 32 };

void sha256(uint8_t out[SHA256_BYTES], const void *bytes, size_t size);

// G17.5: the definition of a match key from a seed: SHA-256 of "agon.seed.1", the game's name, the seed little endian.
void sha256_seed_key(uint8_t key[SHA256_BYTES], const char *game, uint64_t seed);
