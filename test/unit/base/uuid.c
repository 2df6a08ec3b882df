// UUIDs in text: canonical, lower-case, refused when they are not; as members of JSON objects.
#include "base/uuid.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

static const struct {
    const char *text;
    bool good;
} cases[] = {
    {"6f1c2f0e-8a34-4c5e-9d6b-0c6a5b1e7d42", true},
    {"6F1C2F0E-8A34-4C5E-9D6B-0C6A5B1E7D42", true},
    {"6f1c2f0e-8a34-4c5e-9d6b-0c6a5b1e7d4", false},
    {"6f1c2f0e-8a34-4c5e-9d6b-0c6a5b1e7d422", false},
    {"6f1c2f0e08a34-4c5e-9d6b-0c6a5b1e7d42", false},
    {"6f1c2f0e-8a34-4c5e-9d6b-0c6a5b1e7d4g", false},
    {"", false},
};

static void texts_are_canonical(void **unused)
{
    (void)unused;
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct uuid u = {{7}};
        assert_int_equal(uuid_parse(&u, span_of(cases[i].text)), cases[i].good);
        char text[UUID_TEXT + 1];
        uuid_format(text, u);
        assert_string_equal(text, cases[i].good ? cases[0].text : "07000000-0000-0000-0000-000000000000");
    }
}

static void random_ones_say_so(void **unused)
{
    (void)unused;
    struct uuid u;
    memset(&u, 0xFF, sizeof u);
    uuid_mark_random(&u);
    char text[UUID_TEXT + 1];
    uuid_format(text, u);
    assert_string_equal(text, "ffffffff-ffff-4fff-bfff-ffffffffffff");
    assert_false(uuid_is_none(u));
}

static void a_member_needs_room_for_all_of_it(void **unused)
{
    (void)unused;
    static const char whole[] = "{\"id\":\"07000000-0000-0000-0000-000000000000\"";
    struct uuid u = {{7}};
    for (size_t room = 1; room < sizeof whole; room++) {
        char bytes[sizeof whole] = {0};
        struct text t = text_on(bytes, room);
        text_put_char(&t, '{');
        uuid_put(&t, "id", u);
        assert_int_equal(t.full, room < sizeof whole - 1);
        if (!t.full)
            assert_string_equal(bytes, whole);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(texts_are_canonical),
        cmocka_unit_test(random_ones_say_so),
        cmocka_unit_test(a_member_needs_room_for_all_of_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
