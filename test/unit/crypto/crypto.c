#include "crypto/crypto.h"

#include "base/text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

static void assert_hex(const uint8_t bytes[32], const char *hex)
{
    char room[65] = "";
    struct text t = text_on(room, 64);
    text_put_hex_bytes(&t, bytes, 32);
    assert_string_equal(room, hex);
}

static void sha256_known_answers(void **unused)
{
    (void)unused;
    static const struct {
        const char *text, *hash;
    } cases[] = {
        // FIPS 180-4
        {"", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
        {"abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"},
        {"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
         "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"},
    };
    uint8_t hash[CRYPTO_SHA256_BYTES];
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        crypto_sha256(hash, cases[i].text, strlen(cases[i].text));
        assert_hex(hash, cases[i].hash);
    }
    enum { MILLION = 1000000 };
    char *as = malloc(MILLION);
    memset(as, 'a', MILLION);
    crypto_sha256(hash, as, MILLION);
    assert_hex(hash, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
    free(as);
}

// G17.5: the answers of another program, so that a seed deals alike everywhere and for ever.
static void a_seed_makes_one_key(void **unused)
{
    (void)unused;
    static const struct {
        const char *game;
        uint64_t seed;
        const char *key;
    } cases[] = {
        {"tetris", 0, "942a729b82e9083898af5936d432f71fa54ed56bfb4b4e64ba2b11a849d2e9f3"},
        {"texas_holdem", 42, "00597f0d0ecfec30ad3357a1b507036630852a7db9f5cac1c78ac59d91070870"},
        {"belote", 0x123456789abcdef, "081fa3ab5662582944ac7b6a1e2400ff0067ae52233bd00884744c741be6afe3"},
        {"coup", UINT64_MAX, "408f587495f4014837b63c7bc279f6ea68dbec0473a3178983f5a09f917e28f5"},
    };
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint8_t key[CRYPTO_KEY_BYTES];
        crypto_seed_key(key, cases[i].game, cases[i].seed);
        assert_hex(key, cases[i].key);
    }
}

static void comparing_looks_at_every_byte(void **unused)
{
    (void)unused;
    uint8_t a[32] = {0}, b[32] = {0};
    assert_true(crypto_equal(a, b, sizeof a));
    for (unsigned i = 0; i < sizeof a; i++) {
        b[i] = 1;
        assert_false(crypto_equal(a, b, sizeof a));
        b[i] = 0;
    }
    assert_true(crypto_equal(a, "x", 0));
}

static void random_bytes_are_not_repeated(void **unused)
{
    (void)unused;
    uint8_t keys[64][CRYPTO_KEY_BYTES];
    for (int i = 0; i < 64; i++) {
        crypto_random(keys[i], sizeof keys[i]);
        for (int k = 0; k < i; k++)
            assert_memory_not_equal(keys[i], keys[k], sizeof keys[i]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sha256_known_answers),
        cmocka_unit_test(a_seed_makes_one_key),
        cmocka_unit_test(comparing_looks_at_every_byte),
        cmocka_unit_test(random_bytes_are_not_repeated),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
