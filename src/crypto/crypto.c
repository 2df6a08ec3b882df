#define OPENSSL_SUPPRESS_DEPRECATED // SHA256_Init, _Update and _Final
#include "crypto/crypto.h"

#include "base/sha256.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/rand.h>
#include <openssl/sha.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// By hand and not by SHA256(): that one looks its algorithm up each time, under locks and with allocations, which costs
// more than the hash of a game's state.
void crypto_sha256(uint8_t out[CRYPTO_SHA256_BYTES], const void *bytes, size_t size)
{
    SHA256_CTX state;
    SHA256_Init(&state);
    SHA256_Update(&state, bytes, size);
    SHA256_Final(out, &state);
}

struct crypto_sum {
    EVP_MD_CTX *state, *copy;
};

struct crypto_sum *crypto_sum_create(void)
{
    struct crypto_sum *s = malloc(sizeof *s);
    if (!s)
        abort();
    *s = (struct crypto_sum){EVP_MD_CTX_new(), EVP_MD_CTX_new()};
    if (!s->state || !s->copy || EVP_DigestInit_ex(s->state, EVP_sha256(), NULL) != 1)
        abort();
    return s;
}

void crypto_sum_add(struct crypto_sum *s, const void *bytes, size_t size)
{
    EVP_DigestUpdate(s->state, bytes, size);
}

void crypto_sum_peek(const struct crypto_sum *s, uint8_t out[CRYPTO_SHA256_BYTES])
{
    if (EVP_MD_CTX_copy_ex(s->copy, s->state) != 1)
        abort();
    EVP_DigestFinal_ex(s->copy, out, NULL);
}

void crypto_sum_destroy(struct crypto_sum *s)
{
    if (!s)
        return;
    EVP_MD_CTX_free(s->state);
    EVP_MD_CTX_free(s->copy);
    free(s);
}

void crypto_random(void *out, size_t size)
{
    if (RAND_bytes(out, (int)size) != 1) {
        fputs("agon: the system has no random bytes\n", stderr);
        exit(1);
    }
}

bool crypto_equal(const void *a, const void *b, size_t size)
{
    return CRYPTO_memcmp(a, b, size) == 0;
}

void crypto_seed_key(uint8_t key[CRYPTO_KEY_BYTES], const char *game, uint64_t seed)
{
    sha256_seed_key(key, game, seed);
}
