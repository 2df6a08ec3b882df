// SHA-256 (FIPS 180-4) without a library, for rooms that may not see OpenSSL. It is made for short texts: keys of seeds
// and their commitments. Servers hash with crypto.
#pragma once

#include <stddef.h>
#include <stdint.h>

enum { SHA256_BYTES = 32 };

void sha256(uint8_t out[SHA256_BYTES], const void *bytes, size_t size);

// G17.5, the one way from a seed to a match key: SHA-256 of "agon.seed.1", the game's name, the seed little endian.
void sha256_seed_key(uint8_t key[SHA256_BYTES], const char *game, uint64_t seed);
