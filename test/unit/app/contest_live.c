// How long a run of several contests will take.
#include "app/contest_live.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

static void time_left(void **state)
{
    (void)state;
    static struct contest c = {.plan = {.format = CONTEST_MATCH, .games = 100}, .stop = 100};
    static const struct {
        uint64_t handed_in, found, stop;
        double weight, played, ahead, seconds, left;
    } rows[] = {
        {0, 0, 100, 1, 0, 0, 9, -1},    // nothing was played
        {10, 10, 100, 1, 0, 0, 9, -1},  // nor now
        {25, 0, 100, 1, 0, 0, 50, 150}, // 75 at half a game a second
        {60, 20, 100, 1, 0, 0, 80, 80}, // 40 were played now, and 40 are left
        {100, 0, 100, 1, 0, 0, 80, 0},
        {30, 10, 100, 2, 60, 100, 50, 120}, // weights of 60 + 40 in 50 s; 140 + 100 are left
        {0, 0, 100, 1, 50, 0, 10, 20},      // by what the contest before it took
        {30, 0, 40, 1, 0, 0, 30, 10},       // it will stop early
        {50, 0, 40, 1, 0, 0, 30, 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        c.handed_in = rows[i].handed_in;
        c.stop = rows[i].stop;
        struct contest_live l = {.contest = &c,
                                 .found = rows[i].found,
                                 .weight = rows[i].weight,
                                 .played = rows[i].played,
                                 .left = rows[i].ahead};
        assert_float_equal(contest_live_left(&l, rows[i].seconds), rows[i].left, 1e-9);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(time_left)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
