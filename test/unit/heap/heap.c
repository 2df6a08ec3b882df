// Text and lists that grow.
#include "heap/heap.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
// cmocka needs the four above
#include <cmocka.h>

static void a_text_stops_at_its_limit(void **unused)
{
    (void)unused;
    static const struct {
        size_t size, more;
        bool grows;
        size_t room; // after it
    } rows[] = {
        {0, 1, true, 16},    {0, 17, true, 32},         {16, 48, true, 64},   {16, 84, true, 128}, // 100 at most
        {16, 85, false, 16}, {16, SIZE_MAX, false, 16}, {101, 0, false, 128},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct text t = {0};
        if (rows[i].size) {
            t.room = rows[i].size > 16 ? 128 : 16;
            t.at = malloc(t.room);
            t.size = rows[i].size;
        }
        assert_int_equal(heap_text_grow_within(&t, rows[i].more, 16, 100), rows[i].grows);
        assert_int_equal(t.room, rows[i].room);
        free(t.at);
    }
}

static void a_list_doubles(void **unused)
{
    (void)unused;
    uint32_t *list = NULL, room = 0;
    for (uint32_t i = 0; i < 1000; i++) {
        list = heap_list_grow(list, i, &room, 3, sizeof *list);
        assert_true(room > i && room <= 3 + 2 * i);
        list[i] = i;
    }
    for (uint32_t i = 0; i < 1000; i++)
        assert_int_equal(list[i], i);
    free(list);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_text_stops_at_its_limit),
        cmocka_unit_test(a_list_doubles),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
