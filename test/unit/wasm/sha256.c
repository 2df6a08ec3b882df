// SHA-256 of the rules in the browser, beside OpenSSL's.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define crypto_sha256 small_sha256
#define crypto_equal  small_equal
#include "../../../wasm/libc/sha256.c" // NOLINT(bugprone-suspicious-include)
#undef crypto_sha256
#undef crypto_equal

void crypto_sha256(uint8_t out[CRYPTO_SHA256_BYTES], const void *bytes, size_t size);

static void gives_the_same_for_every_length(void **unused)
{
    (void)unused;
    uint8_t bytes[300], here[CRYPTO_SHA256_BYTES], there[CRYPTO_SHA256_BYTES];
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (uint8_t)(i * 37 + (i >> 3));
    for (size_t size = 0; size <= sizeof bytes; size++) {
        small_sha256(here, bytes, size);
        crypto_sha256(there, bytes, size);
        assert_true(small_equal(here, there, sizeof here));
    }
    here[31] ^= 1;
    assert_false(small_equal(here, there, sizeof here));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(gives_the_same_for_every_length)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
