// SHA-256, random bytes, comparison in constant time. OpenSSL is not visible outside this room.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { CRYPTO_SHA256_BYTES = 32, CRYPTO_KEY_BYTES = 32 };

void crypto_sha256(uint8_t out[CRYPTO_SHA256_BYTES], const void *bytes, size_t size);

// The same for bytes in several parts.
struct crypto_sum;
struct crypto_sum *crypto_sum_create(void);
void crypto_sum_add(struct crypto_sum *s, const void *bytes, size_t size);
// Of everything so far; more may follow.
void crypto_sum_peek(const struct crypto_sum *s, uint8_t out[CRYPTO_SHA256_BYTES]);
void crypto_sum_destroy(struct crypto_sum *s);

void crypto_random(void *out, size_t size); // from the system; ends the process if it fails
bool crypto_equal(const void *a, const void *b, size_t size);

// G17.5: the definition of a match key from a seed: SHA-256 of "agon.seed.1", the game's name, the seed little endian.
void crypto_seed_key(uint8_t key[CRYPTO_KEY_BYTES], const char *game, uint64_t seed);
