// Keys never reach a text that is shown (L140).
#include "llm/api_key.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

static struct api_key *open_key(const char *secret)
{
    struct llm_endpoint n = {.host = "test.host"};
    struct api_key *key;
    char why[ENDPOINT_WHY];
    assert_int_equal(setenv("AGON_LLM_KEY_TEST_HOST", secret, 1), 0);
    assert_true(api_key_find(&key, &n, why));
    assert_int_equal(unsetenv("AGON_LLM_KEY_TEST_HOST"), 0);
    return key;
}

static void masks_every_occurrence(void **unused)
{
    (void)unused;
    static const struct {
        const char *key, *text, *shown;
    } cases[] = {
        {"sk-secret-1234", "no key here", "no key here"},
        {"sk-secret-1234", "a sk-secret-1234, b sk-secret-1234", "a sk-...1234, b sk-...1234"},
        {"sk-secret-1234", "sk-secret-1234sk-secret-1234", "sk-...1234sk-...1234"},
        {"short", "is short, too short", "is *****, too *****"},
        {"***", "***", "***"},                        // as its own mask
        {"sk-.......", "sk-.......", "sk-......."},   // likewise
        {"12345678", "key 12345678", "key sk-...56"}, // never longer than the key
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[64];
        struct api_key *key = open_key(cases[i].key);
        snprintf(text, sizeof text, "%s", cases[i].text);
        api_key_mask(key, text);
        assert_string_equal(text, cases[i].shown);
        api_key_free(key);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(masks_every_occurrence)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
