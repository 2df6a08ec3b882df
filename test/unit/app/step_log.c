// Step logs (T2.17-T2.19): the published hashes, there and back again, and what is refused.
#include "app/step_log.h"

#include "crypto/crypto.h"
#include "games/tetris/rules/tetris.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

enum { ROOM = 1 << 20 };

static struct text new_text(void)
{
    return text_on(malloc(ROOM), ROOM);
}

// T2.23: one run of seed 123, in both layouts. The lines before the first input are those of idle steps.
static const char agon_run[] = "AGT1\tstandard\t123\tagon\n"
                               "H\t1\t28ba256d16211cdd\n"
                               "H\t2\td144d83fc924ce6e\n"
                               "H\t3\tb7509343543aedff\n"
                               "I\t4\tR7\tA\t-\thardDrop\n"
                               "H\t4\t162aac6c0e75ff3a\n"
                               "I\t5\tL\tA\t-\thold\n"
                               "H\t5\t725eecd66f4c019e\n"
                               "I\t6\tS\tP\t7\teast\t0\tsimple\t-\n"
                               "E\t6\tba7baa016ed6775b\n";
static const char compat_run[] = "AGT1\tstandard\t123\tcompat\n"
                                 "H\t1\t35868ea9a06f3b60\n"
                                 "H\t2\t374484cd626cffc9\n"
                                 "H\t3\t8994472388d13426\n"
                                 "I\t4\tR7\tA\t-\thardDrop\n"
                                 "H\t4\t0834c26dfa72f953\n"
                                 "I\t5\tL\tA\t-\thold\n"
                                 "H\t5\t45f1a974b4b32474\n"
                                 "I\t6\tS\tP\t7\teast\t0\tsimple\t-\n"
                                 "E\t6\ta45714c61135e8d0\n";

static void the_published_hashes_are_reproduced(void **unused)
{
    (void)unused;
    struct step_log_fault fault;
    struct text replay = new_text();
    assert_int_equal(step_log_import(&replay, SPAN(agon_run), &fault), OK);
    assert_true(fault.ended);
    assert_int_equal(fault.step, 6);
    replay.size = 0;
    assert_int_equal(step_log_import(&replay, SPAN(compat_run), &fault), OK);
    free(replay.at);
}

static void an_imported_replay_is_complete_and_fits_its_commitment(void **unused)
{
    (void)unused;
    struct step_log_fault fault;
    static struct replay_run run;
    struct text replay = new_text();
    assert_int_equal(step_log_import(&replay, SPAN(agon_run), &fault), OK);
    assert_int_equal(replay_begin(&run, text_span(&replay), &tetris_game, NULL, NULL), OK);
    int done;
    while ((done = replay_step(&run, 64, NULL)) == 1)
        ;
    assert_int_equal(done, 0);
    assert_true(run.ended);
    assert_int_equal(run.steps, 9); // six ticks, three inputs
    assert_true(run.reader.head.has_seed);
    assert_int_equal(run.reader.head.seed, 123);
    uint8_t key[CRYPTO_KEY_BYTES], sum[CRYPTO_SHA256_BYTES];
    crypto_seed_key(key, "tetris", 123);
    crypto_sha256(sum, run.reader.head.key, sizeof run.reader.head.key);
    assert_memory_equal(run.reader.head.key, key, sizeof key);
    assert_memory_equal(run.reader.head.commitment, sum, sizeof sum);
    free(replay.at);
}

static void export_writes_what_import_read(void **unused)
{
    (void)unused;
    // Hashes where they must stand (after a lock, at the end) and no others; every form of an input.
    static const char *const logs[] = {
        "AGT1\tstandard\t123\tagon\nI\t4\tR7\tA\t-\thardDrop\nH\t4\t162aac6c0e75ff3a\nI\t5\tL\tA\t-\thold\n"
        "I\t6\tS\tP\t7\teast\t0\tsimple\t-\nH\t6\tba7baa016ed6775b\nE\t6\tba7baa016ed6775b\n",
    };
    for (size_t i = 0; i < sizeof logs / sizeof *logs; i++) {
        struct step_log_fault fault;
        struct text replay = new_text(), log = new_text();
        assert_int_equal(step_log_import(&replay, span_of(logs[i]), &fault), OK);
        assert_int_equal(step_log_export(&log, text_span(&replay), NULL, "agon", &fault), OK);
        text_put_char(&log, 0);
        assert_string_equal(log.at, logs[i]);
        free(log.at);
        free(replay.at);
    }
}

// A long game of every kind of input, logged as a match, exported, imported, exported again.
static void play_long(struct match *m, uint64_t seed)
{
    struct rng dice = rng_from_key((const uint8_t[RNG_KEY_BYTES]){(uint8_t)seed});
    for (int step = 0; step < 3000; step++) {
        uint32_t what = rng_below(&dice, 40);
        m->source = rng_below(&dice, 4);
        struct game_action a = {0};
        if (what < 10)
            a.kind = (uint8_t)(1 + rng_below(&dice, 7));
        else if (what == 10)
            a = (struct game_action){.kind = TETRIS_RESTART, .arg = {1}, .amount = (int32_t)rng_u32(&dice)};
        else if (what == 11)
            a.kind = rng_below(&dice, 8) ? TETRIS_MOVE_LEFT : TETRIS_RESTART;
        else if (what < 16)
            for (int tries = 0; tries < 50; tries++) {
                a = (struct game_action){
                    .kind = TETRIS_PLACE,
                    .arg = {(uint8_t)rng_below(&dice, 10), (uint8_t)rng_below(&dice, 4), (uint8_t)rng_below(&dice, 8)}};
                a.amount = a.arg[2] & TETRIS_PLACE_AT_ROW ? (int32_t)rng_below(&dice, 20) : 0;
                if (game_is_legal(&tetris_game, &m->state, 0, a))
                    break;
            }
        if (a.kind)
            match_answer(m, 0, 0, a, NULL);
        if (match_is_over(m))
            match_answer(m, 0, 0, (struct game_action){.kind = TETRIS_RESTART}, NULL);
        if (rng_below(&dice, 8))
            assert_int_equal(match_tick(m, NULL), OK);
    }
    match_tick(m, NULL);
}

static void long_games_survive_the_round_trip(void **unused)
{
    (void)unused;
    static const char *const layouts[] = {"agon", "compat"};
    for (uint64_t seed = 0; seed < 6; seed++) {
        struct text first = new_text(), log = new_text(), second = new_text(), again = new_text();
        struct match m;
        struct step_log_fault fault;
        struct tetris_rules rules;
        tetris_game.defaults(&rules);
        rules.ruleset = seed & 1;
        struct match_setup setup = {
            .game = &tetris_game, .rules = &rules, .seats = 1, .has_seed = seed < 4, .seed = seed};
        assert_int_equal(match_start(&m, &setup, &first, NULL), OK);
        play_long(&m, seed);
        assert_int_equal(match_finish(&m, setup.key, true), OK);
        const char *layout = layouts[seed / 2 % 2];
        assert_int_equal(step_log_export(&log, text_span(&first), NULL, layout, &fault), OK);
        if (step_log_import(&second, text_span(&log), &fault) != OK)
            fail_msg("seed %d, line %d: %s", (int)seed, (int)fault.line, fault.why);
        assert_int_equal(step_log_export(&again, text_span(&second), NULL, layout, &fault), OK);
        assert_true(span_equals(text_span(&log), text_span(&again)));
        free(first.at), free(log.at), free(second.at), free(again.at);
    }
}

static void what_a_log_cannot_say_is_not_exported(void **unused)
{
    (void)unused;
    static const struct {
        struct game_action action;
        int seat;
        uint8_t level;
        bool ends_with_tick;
        int err;
    } cases[] = {
        {{.kind = TETRIS_HARD_DROP}, 0, 0, true, OK},
        {{.kind = TETRIS_HARD_DROP}, 0, 0, false, ERR_RULES}, // the step has not ended
        {{.kind = TETRIS_HARD_DROP}, 0, 3, true, ERR_RULES},  // an option that line 1 has no place for
        {{.kind = TETRIS_GARBAGE, .arg = {2}}, GAME_MASTER, 0, true, ERR_RULES},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct text replay = new_text(), log = new_text();
        struct match m;
        struct step_log_fault fault;
        struct tetris_rules rules;
        tetris_game.defaults(&rules);
        rules.level = cases[i].level;
        struct match_setup setup = {.game = &tetris_game, .rules = &rules, .seats = 1, .has_seed = true, .seed = 5};
        assert_int_equal(match_start(&m, &setup, &replay, NULL), OK);
        if (cases[i].seat == GAME_MASTER)
            assert_int_equal(match_oversee(&m, cases[i].action, NULL), OK);
        else
            assert_int_equal(match_answer(&m, 0, 0, cases[i].action, NULL), OK);
        if (cases[i].ends_with_tick)
            match_tick(&m, NULL);
        match_finish(&m, setup.key, true);
        assert_int_equal(step_log_export(&log, text_span(&replay), NULL, "agon", &fault), cases[i].err);
        assert_true(cases[i].err == OK || fault.why[0]);
        free(replay.at), free(log.at);
    }
}

static void a_log_without_end_is_open_and_keeps_its_idle_steps(void **unused)
{
    (void)unused;
    struct step_log_fault fault;
    static struct replay_run run;
    struct text replay = new_text();
    static const char open[] =
        "AGT1\tstandard\t123\tagon\nH\t1\t28ba256d16211cdd\nH\t3\tb7509343543aedff\nI\t4\tR7\tA"; // torn
    assert_int_equal(step_log_import(&replay, SPAN(open), &fault), OK);
    assert_false(fault.ended);
    assert_int_equal(replay_begin(&run, text_span(&replay), &tetris_game, (const uint8_t[RNG_KEY_BYTES]){0}, NULL), OK);
    while (replay_step(&run, 64, NULL) == 1)
        ;
    assert_int_equal(run.steps, 3);
    free(replay.at);
}

static void of_several_restarts_the_first_takes_the_seed(void **unused) // T2.16
{
    (void)unused;
    struct step_log_fault fault;
    struct replay_reader r;
    struct replay_entry e;
    struct text replay = new_text();
    static const char log[] = "AGT1\tstandard\t123\tagon\nI\t1\tL\tA\t4294967295\thold,restart,restart,hold\n";
    assert_int_equal(step_log_import(&replay, SPAN(log), &fault), OK);
    assert_int_equal(replay_open(&r, text_span(&replay)), OK);
    const struct game_action want[] = {{.kind = TETRIS_HOLD},
                                       {.kind = TETRIS_RESTART, .arg = {1}, .amount = -1},
                                       {.kind = TETRIS_RESTART},
                                       {.kind = TETRIS_HOLD}};
    for (int i = 0; i < 4; i++) {
        assert_int_equal(replay_next(&r, &e), 1);
        assert_true(game_same_action(e.action, want[i]));
    }
    free(replay.at);
}

static void wrong_logs_are_refused_with_a_reason(void **unused)
{
    (void)unused;
#define HEAD "AGT1\tstandard\t123\tagon\n"
    static const struct {
        const char *log;
        uint64_t line;
        int err;
    } cases[] = {
        {"", 0, ERR_FORMAT},
        {"AGT1\tstandard\t123\tagon", 0, ERR_FORMAT}, // its line is torn
        {"AGT2\tstandard\t123\tagon\n", 1, ERR_FORMAT},
        {"AGT1\tclassic\t123\tagon\n", 1, ERR_FORMAT},
        {"AGT1\tstandard\t4294967296\tagon\n", 1, ERR_FORMAT}, // T2.12: never truncated
        {"AGT1\tstandard\t-1\tagon\n", 1, ERR_FORMAT},
        {"AGT1\tstandard\t1\tfnv\n", 1, ERR_FORMAT},
        {"AGT1\tstandard\t1\tagon\textra\n", 1, ERR_FORMAT},
        {HEAD "\n", 2, ERR_FORMAT},
        {HEAD "X\t1\t28ba256d16211cdd\n", 2, ERR_FORMAT},
        {HEAD "H\t1\t28ba256d16211cde\n", 2, ERR_MISMATCH},
        {HEAD "H\t1\t28BA256D16211CDD\n", 2, ERR_FORMAT},
        {HEAD "H\t1\t28ba256d16211cd\n", 2, ERR_FORMAT},
        {HEAD "H\t2\td144d83fc924ce6e\nH\t1\t28ba256d16211cdd\n", 3, ERR_FORMAT}, // backwards
        {HEAD "H\t65\t28ba256d16211cdd\n", 2, ERR_FORMAT},                        // a hash was due
        {HEAD "E\t18446744073709551615\t28ba256d16211cdd\n", 2, ERR_FORMAT},
        {HEAD "I\t9999999999\tL\tA\t-\thold\n", 2, ERR_FORMAT},
        {HEAD "I\t0\tL\tA\t-\thold\n", 2, ERR_FORMAT},
        {HEAD "I\t1\tQ\tA\t-\thold\n", 2, ERR_FORMAT},
        {HEAD "I\t1\tR\tA\t-\thold\n", 2, ERR_FORMAT},
        {HEAD "I\t1\tR4294967295\tA\t-\thold\n", 2, ERR_FORMAT},
        {HEAD "I\t1\tL\tB\t-\thold\n", 2, ERR_FORMAT},
        {HEAD "I\t1\tL\tA\t-\tjump\n", 2, ERR_FORMAT},
        {HEAD "I\t1\tL\tA\t-\t\n", 2, ERR_FORMAT},
        {HEAD "I\t1\tL\tA\t-\thold,\n", 2, ERR_FORMAT},
        {HEAD "I\t1\tL\tA\t5\thold\n", 2, ERR_FORMAT}, // T3.49
        {HEAD "I\t1\tL\tA\t-\thold\textra\n", 2, ERR_FORMAT},
        {HEAD "I\t1\tL\tA\t-\th,h,h,h,h,h,h,h,h,h,h,h,h,h,h,h,h,h,h,h,h,h,h,h,h,h,h,h,h,h,h,h,h\n", 2, ERR_FORMAT},
        {HEAD "I\t1\tL\tP\t7\teast\t0\tsimple\n", 2, ERR_FORMAT},
        {HEAD "I\t1\tL\tP\t7\tup\t0\tsimple\t-\n", 2, ERR_FORMAT},
        {HEAD "I\t1\tL\tP\t7\teast\t2\tsimple\t-\n", 2, ERR_FORMAT},
        {HEAD "I\t1\tL\tP\t7\teast\t0\tsimple\tx\n", 2, ERR_FORMAT},
        {HEAD "I\t1\tL\tP\t-9\teast\t0\tsimple\t-\n", 2, ERR_ACTION},
        {HEAD "I\t1\tL\tP\t9\teast\t0\tsimple\t-\n", 2, ERR_ACTION},
        {HEAD "I\t1\tL\tP\t7\teast\t0\tsimple\t3\n", 2, ERR_ACTION}, // it does not come to rest there
        {HEAD "E\t1\t28ba256d16211cdd\nE\t1\t28ba256d16211cdd\n", 3, ERR_FORMAT},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct step_log_fault fault;
        struct text replay = new_text();
        int err = step_log_import(&replay, span_of(cases[i].log), &fault);
        if (err != cases[i].err || fault.line != cases[i].line || !fault.why[0])
            fail_msg("case %d: error %d, line %d, '%s'", (int)i, err, (int)fault.line, fault.why);
        assert_int_equal(fault.differs, err == ERR_MISMATCH);
        free(replay.at);
    }
#undef HEAD
}

static void a_small_room_is_refused(void **unused)
{
    (void)unused;
    struct step_log_fault fault;
    char bytes[300];
    struct text replay = text_on(bytes, sizeof bytes);
    assert_int_equal(step_log_import(&replay, SPAN(agon_run), &fault), ERR_FULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_published_hashes_are_reproduced),
        cmocka_unit_test(an_imported_replay_is_complete_and_fits_its_commitment),
        cmocka_unit_test(export_writes_what_import_read),
        cmocka_unit_test(long_games_survive_the_round_trip),
        cmocka_unit_test(what_a_log_cannot_say_is_not_exported),
        cmocka_unit_test(a_log_without_end_is_open_and_keeps_its_idle_steps),
        cmocka_unit_test(of_several_restarts_the_first_takes_the_seed),
        cmocka_unit_test(wrong_logs_are_refused_with_a_reason),
        cmocka_unit_test(a_small_room_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
