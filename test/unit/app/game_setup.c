// What is to be played, as a command line says it.
#include "app/game_setup.h"

#include "games/belote/rules/belote.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static struct belote_rules read_line(const char *const *words)
{
    struct game_setup_options o = {0};
    struct game_setup s;
    char *argv[16] = {(char *)"agon match", (char *)"belote"};
    int argc = 2;
    for (; words[argc - 2]; argc++)
        argv[argc] = (char *)words[argc - 2];
    assert_int_equal(argp_parse(&game_setup_argp, argc, argv, 0, NULL, &o), 0);
    game_setup_from_options(&s, &o, "agon match");
    return *(const struct belote_rules *)&s.rules;
}

// B7.1, B7.5, B8: by name, by JSON, or both; the name counts.
static void test_options_of_belote(void **state)
{
    (void)state;
    enum { CLASSIC = BELOTE_NO_CLUBS_REDOUBLE | BELOTE_GATHER | BELOTE_CUTTER_LEFT };
    static const struct {
        const char *words[8];
        int target, sweep, clubs_base;
        unsigned options;
    } rows[] = {
        {{NULL}, 150, 0, 32, 0},
        {{"--target", "500", "--colour-sweep-points", "25"}, 500, 25, 32, 0},
        {{"--rules", "classic"}, 150, 0, 16, CLASSIC},
        {{"--rules", "standard"}, 150, 0, 32, 0},
        {{"--rules", "classic", "--clubs-base", "32", "--deck", "shuffle"}, 150, 0, 32, CLASSIC & ~BELOTE_GATHER},
        {{"--clubs-base", "16"}, 150, 0, 16, 0},
        {{"--no-clubs-redouble"}, 150, 0, 32, BELOTE_NO_CLUBS_REDOUBLE},
        {{"--deck", "gather"}, 150, 0, 32, BELOTE_GATHER},
        {{"--cutter", "left"}, 150, 0, 32, BELOTE_CUTTER_LEFT},
        {{"--rules", "{\"target\":60,\"single_deal\":true}", "--target", "70"}, 70, 0, 32, BELOTE_SINGLE_DEAL},
        {{"--scenario", "tournament", "--target", "300"}, 300, 25, 32, 0},
    };
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct belote_rules r = read_line(rows[i].words);
        assert_int_equal(r.target, rows[i].target);
        assert_int_equal(r.colour_sweep_points, rows[i].sweep);
        assert_int_equal(r.clubs_base, rows[i].clubs_base);
        assert_int_equal(r.options, rows[i].options);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_options_of_belote)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
