#include "base/arena.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

static void pieces_are_aligned_and_apart(void **unused)
{
    (void)unused;
    char memory[1024];
    struct arena a;
    for (int skew = 0; skew < 17; skew++) {
        arena_init(&a, memory + skew, sizeof memory - (size_t)skew);
        char *last_end = memory;
        for (size_t size = 1; size < 30; size++) {
            char *piece = arena_take(&a, size);
            assert_non_null(piece);
            assert_int_equal((uintptr_t)piece % 16, 0);
            assert_true(piece >= last_end && piece + size <= memory + sizeof memory);
            memset(piece, 0xaa, size); // the sanitizer's to judge
            last_end = piece + size;
        }
    }
}

static void the_ceiling_holds(void **unused)
{
    (void)unused;
    _Alignas(16) char memory[64];
    struct arena a;
    arena_init(&a, memory, sizeof memory);
    assert_null(arena_take(&a, 65));
    assert_null(arena_take(&a, SIZE_MAX)); // rounding up must not wrap
    assert_int_equal(a.size, 0);           // a refusal takes nothing
    assert_non_null(arena_take(&a, 64));
    assert_null(arena_take(&a, 1));

    arena_init(&a, memory, 60); // the last piece need not be whole
    assert_non_null(arena_take(&a, 48));
    assert_non_null(arena_take(&a, 12));
    assert_null(arena_take(&a, 1));
}

static void reset_gives_the_same_memory_again(void **unused)
{
    (void)unused;
    _Alignas(16) char memory[64];
    struct arena a;
    arena_init(&a, memory, sizeof memory);
    void *first = arena_take(&a, 40);
    arena_reset(&a);
    assert_ptr_equal(arena_take(&a, 40), first);
}

static void too_little_memory_to_align_is_no_memory(void **unused)
{
    (void)unused;
    _Alignas(16) char memory[16];
    struct arena a;
    arena_init(&a, memory + 1, 7);
    assert_null(arena_take(&a, 1));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pieces_are_aligned_and_apart),
        cmocka_unit_test(the_ceiling_holds),
        cmocka_unit_test(reset_gives_the_same_memory_again),
        cmocka_unit_test(too_little_memory_to_align_is_no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
