// N3.7: what a player who knows a bot wins from it.
#include "games/coup/best_response.h"
#include "games/coup/bots/bots.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static struct solve_gap answer(const struct bot *bot, uint32_t rounds, uint64_t seed)
{
    struct solve_gap gap[SOLVE_GAPS];
    assert_int_equal(coup_best_response.exploit(bot, &(struct solve_sample){.rounds = rounds, .seed = seed}, gap), 1);
    assert_false(gap[0].exact);
    return gap[0];
}

static void wins_from_those_it_knows(void **unused)
{
    (void)unused;
    assert_true(answer(&coup_honest_bot, 16, 5).value > 0.6);
    assert_true(answer(&bot_fallback, 10, 5).value > 0.8);
}

static void repeats_by_its_seed(void **unused)
{
    (void)unused;
    struct solve_gap a = answer(&coup_rules_bot, 6, 1), b = answer(&coup_rules_bot, 6, 1);
    assert_memory_equal(&a, &b, sizeof a);
}

// Fewer worlds against a bot that thinks; it is asked as it would be at a table, with its memory.
static void asks_whoever_thinks(void **unused)
{
    (void)unused;
    struct bot slow = coup_honest_bot;
    slow.thinks = true;
    assert_true(answer(&slow, 30, 5).value > 0.6);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wins_from_those_it_knows),
        cmocka_unit_test(repeats_by_its_seed),
        cmocka_unit_test(asks_whoever_thinks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
