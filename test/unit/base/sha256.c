// V13: the SHA-256 of base gives what OpenSSL's gives.
#include "base/sha256.h"

#include "crypto/crypto.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

static void every_length_agrees_with_openssl(void **unused)
{
    (void)unused;
    uint8_t text[300], own[SHA256_BYTES], theirs[CRYPTO_SHA256_BYTES];
    for (size_t i = 0; i < sizeof text; i++)
        text[i] = (uint8_t)(i * 37 + 11);
    for (size_t size = 0; size <= sizeof text; size++) {
        sha256(own, text, size);
        crypto_sha256(theirs, text, size);
        assert_memory_equal(own, theirs, sizeof own);
    }
}

static void nothing_is_a_text_too(void **unused)
{
    (void)unused;
    uint8_t own[SHA256_BYTES], theirs[CRYPTO_SHA256_BYTES];
    sha256(own, NULL, 0);
    crypto_sha256(theirs, "", 0);
    assert_memory_equal(own, theirs, sizeof own);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_length_agrees_with_openssl),
        cmocka_unit_test(nothing_is_a_text_too),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
