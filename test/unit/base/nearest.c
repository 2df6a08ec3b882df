#include "base/nearest.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

static void distance_counts_slips(void **unused)
{
    (void)unused;
    static const struct {
        const char *a, *b;
        unsigned distance;
    } cases[] = {
        {"", "", 0},
        {"coup", "coup", 0},
        {"", "coup", 4},
        {"cuop", "coup", 1},  // two neighbours swapped
        {"cop", "coup", 1},   // one missing
        {"couup", "coup", 1}, // one too many
        {"coub", "coup", 1},  // one replaced
        {"kitten", "sitting", 3},
        {"belote", "tetris", 5},
        {"a234567890123456789012345678901234567890", "b234567890123456789012345678901234567890", 1},
        {"a2345678901234567890123456789012345678901", "a", NEAREST_FAR}, // 41 letters
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_int_equal(nearest_distance(span_of(cases[i].a), span_of(cases[i].b)), cases[i].distance);
        assert_int_equal(nearest_distance(span_of(cases[i].b), span_of(cases[i].a)), cases[i].distance);
    }
}

static void the_nearest_word_is_suggested_or_none(void **unused)
{
    (void)unused;
    static const char *const known[] = {"tetris", "texas_holdem", "liars_dice", "coup", "belote"};
    static const struct {
        const char *word, *best;
    } cases[] = {
        {"cuop", "coup"},
        {"coup", "coup"},
        {"tertis", "tetris"},
        {"liar_dice", "liars_dice"},
        {"belotte", "belote"},
        {"holdem", "texas_holdem"},
        {"dice", "liars_dice"},
        {"chess", NULL},
        {"dance", NULL},
        {"x", NULL},
        {"", NULL},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct nearest n = nearest_to(cases[i].word);
        for (size_t k = 0; k < sizeof known / sizeof *known; k++)
            nearest_try(&n, known[k]);
        if (cases[i].best) {
            assert_non_null(n.best);
            assert_string_equal(n.best, cases[i].best);
        } else {
            assert_null(n.best);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(distance_counts_slips),
        cmocka_unit_test(the_nearest_word_is_suggested_or_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
