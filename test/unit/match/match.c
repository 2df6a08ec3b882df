// Whose action counts, who leaves, and what the log has of it.
#include "match/match.h"

#include "match/replay.h"
#include "toy.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

static const struct game_action guess_5 = {.kind = TOY_GUESS, .amount = 5};
static const struct game_action doubt = {.kind = TOY_DOUBT};
static const struct game_action pass = {.kind = TOY_PASS};

struct table {
    struct match m;
    struct text log;
    char bytes[1 << 14];
};

static struct match_setup setup_of(int seats)
{
    struct match_setup s = {.game = &toy_game, .seats = seats, .has_seed = true, .seed = 42};
    for (int i = 0; i < RNG_KEY_BYTES; i++)
        s.key[i] = (uint8_t)(i * 7 + 1), s.commitment[i] = (uint8_t)~s.key[i];
    for (int i = 0; i < seats; i++)
        memcpy(s.name[i], (char[]){'p', (char)('0' + i), 0}, 3);
    return s;
}

static void begin(struct table *t, int seats)
{
    struct match_setup setup = setup_of(seats);
    t->log = text_on(t->bytes, sizeof t->bytes);
    assert_int_equal(match_start(&t->m, &setup, &t->log, NULL), OK);
}

static const struct toy_state *state(const struct table *t)
{
    return (const struct toy_state *)&t->m.state;
}

static uint32_t number(const struct table *t)
{
    return t->m.game->turn(&t->m.state).number;
}

static int answer(struct table *t, int seat, struct game_action a)
{
    return match_answer(&t->m, seat, number(t), a, NULL);
}

// The log, played again, arrives at the same state. Its entries of one kind are counted.
static int replayed(const struct table *t, enum replay_kind kind)
{
    static struct replay_run run;
    int count = 0, done;
    struct match_setup setup = setup_of(t->m.seats);
    assert_int_equal(replay_begin(&run, text_span(&t->log), &toy_game, setup.key, NULL), OK);
    while ((done = replay_step(&run, 64, NULL)) == 1)
        count += run.entry.kind == kind;
    assert_int_equal(done, 0);
    assert_memory_equal(&run.state, &t->m.state, sizeof(struct toy_state));
    assert_int_equal(run.steps, t->m.steps);
    return count;
}

static void starting_refuses_bad_rules_and_leaves_the_log_empty(void **unused)
{
    (void)unused;
    struct toy_rules bad = {.rounds = 0};
    struct match m;
    char bytes[512], tiny[20];
    struct text log = text_on(bytes, sizeof bytes), small = text_on(tiny, sizeof tiny);
    struct match_setup setup = setup_of(2);
    setup.rules = &bad;
    assert_int_equal(match_start(&m, &setup, &log, NULL), ERR_RULES);
    setup = setup_of(5);
    assert_int_equal(match_start(&m, &setup, &log, NULL), ERR_RULES);
    setup = setup_of(1);
    assert_int_equal(match_start(&m, &setup, &log, NULL), ERR_RULES);
    assert_int_equal(log.size, 0);
    setup = setup_of(2);
    assert_int_equal(match_start(&m, &setup, &small, NULL), ERR_FULL);
    assert_int_equal(small.size, 0);
}

static void a_seed_reaches_the_rules(void **unused)
{
    (void)unused;
    struct table t;
    begin(&t, 2);
    assert_int_equal(((const struct toy_rules *)&t.m.rules)->seed, 42);
    assert_int_equal(((const struct toy_rules *)&t.m.rules)->rounds, 8); // NULL rules: the defaults
}

static void only_the_asked_may_answer_and_only_what_is_legal(void **unused)
{
    (void)unused;
    struct table t;
    begin(&t, 3);
    const struct {
        int seat;
        uint32_t number;
        struct game_action action;
        int err;
    } cases[] = {
        {1, 1, guess_5, ERR_SEAT},  {-1, 1, guess_5, ERR_SEAT}, {3, 1, guess_5, ERR_SEAT},
        {11, 1, guess_5, ERR_SEAT}, {0, 0, guess_5, ERR_STALE}, {0, 2, guess_5, ERR_STALE},
        {1, 0, guess_5, ERR_STALE}, {0, 1, doubt, ERR_ACTION},  {0, 1, {.kind = TOY_GUESS, .amount = 10}, ERR_ACTION},
        {0, 1, {0}, ERR_ACTION},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct match before = t.m;
        size_t size = t.log.size;
        assert_int_equal(match_answer(&t.m, cases[i].seat, cases[i].number, cases[i].action, NULL), cases[i].err);
        assert_memory_equal(&t.m, &before, sizeof before); // refused: every byte as it was
        assert_int_equal(t.log.size, size);
    }
    assert_int_equal(match_answer(&t.m, 0, 1, guess_5, NULL), OK);
    assert_int_equal(replayed(&t, REPLAY_ACTION), 1);
}

static void a_pass_leaves_the_question_open_and_a_doubt_closes_it(void **unused)
{
    (void)unused;
    struct table t;
    begin(&t, 4);
    assert_int_equal(answer(&t, 0, guess_5), OK);
    uint32_t window = number(&t);
    assert_int_equal(match_answer(&t.m, 1, window, pass, NULL), OK);
    assert_int_equal(number(&t), window);
    assert_int_equal(match_answer(&t.m, 1, window, pass, NULL), ERR_SEAT);
    assert_int_equal(match_answer(&t.m, 2, window, doubt, NULL), OK);
    assert_int_equal(match_answer(&t.m, 3, window, pass, NULL), ERR_STALE);
}

static void a_fallback_answers_for_an_asked_seat(void **unused)
{
    (void)unused;
    struct table t;
    begin(&t, 3);
    assert_int_equal(answer(&t, 0, guess_5), OK);
    assert_int_equal(match_play_fallback(&t.m, 2, NULL), OK);
    assert_int_equal(match_play_fallback(&t.m, 1, NULL), OK);
    assert_int_equal(match_play_fallback(&t.m, 0, NULL), ERR_SEAT);
    assert_int_equal(state(&t)->round, 2);
}

static void the_log_says_who_was_silent_and_who_sent(void **unused)
{
    (void)unused;
    struct table t;
    begin(&t, 2);
    t.m.source = 300;
    assert_int_equal(answer(&t, 0, guess_5), OK);
    t.m.source = 0;
    assert_int_equal(match_play_fallback(&t.m, 1, NULL), OK);
    struct replay_reader r;
    struct replay_entry e;
    assert_int_equal(replay_open(&r, text_span(&t.log)), OK);
    assert_int_equal(replay_next(&r, &e), 1);
    assert_int_equal(e.source, 300);
    assert_false(e.silent);
    assert_int_equal(replay_next(&r, &e), 1);
    assert_int_equal(e.source, 0);
    assert_true(e.silent);
    assert_int_equal(e.action.kind, TOY_PASS);
}

static void a_seat_that_is_not_asked_goes_at_its_next_question(void **unused) // F6.2
{
    (void)unused;
    struct table t;
    begin(&t, 4);
    struct game_events out = {0};
    assert_int_equal(match_drop(&t.m, 1, 7, &out), OK);
    assert_int_equal(out.count, 0);
    assert_int_equal(t.m.leaving, SEAT(1));
    assert_int_equal(match_drop(&t.m, 1, 8, &out), OK); // said twice, meant once
    assert_int_equal(t.m.leave_reason[1], 7);
    assert_int_equal(match_answer(&t.m, 0, number(&t), guess_5, &out), OK);
    assert_int_equal(t.m.leaving, 0);
    assert_int_equal(state(&t)->in, 0xD);
    assert_int_equal(state(&t)->pending, 0xC);
    assert_int_equal(out.at[out.count - 1].kind, TOY_GONE);
    assert_int_equal(replayed(&t, REPLAY_LEAVE), 1);
}

static void a_seat_that_is_asked_goes_at_once(void **unused)
{
    (void)unused;
    struct table t;
    begin(&t, 3);
    assert_int_equal(match_drop(&t.m, 0, 1, NULL), OK);
    assert_int_equal(state(&t)->in, 6);
    assert_int_equal(t.m.leaving, 0);
    assert_int_equal(match_drop(&t.m, 3, 1, NULL), ERR_SEAT);
    assert_int_equal(match_drop(&t.m, -1, 1, NULL), ERR_SEAT);
    assert_int_equal(replayed(&t, REPLAY_LEAVE), 0);
}

static void leaving_seats_fall_one_after_the_other(void **unused)
{
    (void)unused;
    struct table t;
    begin(&t, 4);
    assert_int_equal(match_drop(&t.m, 1, 1, NULL), OK);
    assert_int_equal(match_drop(&t.m, 2, 1, NULL), OK);
    struct game_action drop = {.kind = GAME_DROP, .arg = {3, 2}}; // the overseer's way to the same
    assert_int_equal(match_oversee(&t.m, drop, NULL), OK);
    assert_int_equal(t.m.leaving, 0xE);
    assert_int_equal(answer(&t, 0, guess_5), OK);
    assert_true(match_is_over(&t.m));
    assert_int_equal(state(&t)->in, 1);
    assert_int_equal(match_drop(&t.m, 0, 1, NULL), ERR_OVER);
    assert_int_equal(match_play_fallback(&t.m, 0, NULL), ERR_OVER);
    assert_int_equal(replayed(&t, REPLAY_LEAVE), 3);
}

static void the_master_and_the_stack_are_in_the_log(void **unused)
{
    (void)unused;
    struct table t;
    begin(&t, 2);
    struct game_action shift = {.kind = TOY_SHIFT, .amount = -3}, wrong = {.kind = 77};
    assert_int_equal(match_oversee(&t.m, shift, NULL), OK);
    assert_int_equal(match_oversee(&t.m, wrong, NULL), ERR_ACTION);
    assert_int_equal(match_stack(&t.m, (const uint8_t[]){9}, 1), OK);
    assert_int_equal(match_stack(&t.m, (const uint8_t[]){10}, 1), ERR_RULES);
    assert_int_equal(match_stack(&t.m, (const uint8_t[]){1}, MATCH_MAX_ITEMS + 1), ERR_RULES);
    assert_int_equal(answer(&t, 0, guess_5), OK);
    assert_int_equal(answer(&t, 1, pass), OK);
    assert_int_equal(state(&t)->secret, 9);
    assert_int_equal(replayed(&t, REPLAY_STACK), 1);
}

static void a_game_that_is_over_may_be_started_anew(void **unused)
{
    (void)unused;
    struct table t;
    begin(&t, 2);
    while (!match_is_over(&t.m))
        assert_int_equal(match_play_fallback(&t.m, __builtin_ctz(toy_turn(&t.m.state).seats), NULL), OK);
    assert_int_equal(answer(&t, 0, guess_5), ERR_OVER);
    assert_int_equal(match_answer(&t.m, 0, 0, (struct game_action){.kind = TOY_AGAIN}, NULL), OK);
    assert_false(match_is_over(&t.m));
    replayed(&t, REPLAY_ACTION);
}

static void a_log_without_room_refuses_before_anything_changes(void **unused) // F8.6
{
    (void)unused;
    struct table t;
    begin(&t, 3);
    size_t size = t.log.size;
    t.log.room = size + 16;
    struct match before = t.m;
    assert_int_equal(answer(&t, 0, guess_5), ERR_FULL);
    assert_int_equal(match_tick(&t.m, NULL), ERR_FULL);
    assert_int_equal(match_drop(&t.m, 2, 0, NULL), ERR_FULL);
    assert_int_equal(match_drop(&t.m, 0, 0, NULL), ERR_FULL);
    assert_int_equal(match_stack(&t.m, (const uint8_t[]){1}, 1), ERR_FULL);
    assert_int_equal(match_finish(&t.m, before.rules.byte, false), ERR_FULL);
    assert_memory_equal(&t.m, &before, sizeof before);
    assert_int_equal(t.log.size, size);
    assert_false(t.log.full);
    t.log.room = sizeof t.bytes; // and goes on when there is room again
    assert_int_equal(answer(&t, 0, guess_5), OK);
    assert_int_equal(replayed(&t, REPLAY_ACTION), 1);
}

static void ticks_are_gathered_and_hashes_come_in_time(void **unused)
{
    (void)unused;
    struct table t;
    begin(&t, 2);
    for (int i = 0; i < 1000; i++) {
        assert_int_equal(match_tick(&t.m, NULL), OK);
        if (i % 100 == 99)
            assert_int_equal(match_play_fallback(&t.m, __builtin_ctz(toy_turn(&t.m.state).seats), NULL), OK);
    }
    assert_int_equal(t.m.pending_ticks, 0);
    assert_int_equal(replayed(&t, REPLAY_HASH), 1010 / 64);
    assert_in_range(t.log.size, 1, 500); // 1000 ticks in a few hundred bytes
}

static void a_match_without_log_plays_the_same(void **unused)
{
    (void)unused;
    struct table t;
    begin(&t, 2);
    struct match quiet;
    struct match_setup setup = setup_of(2);
    assert_int_equal(match_start(&quiet, &setup, NULL, NULL), OK);
    for (int i = 0; i < 10; i++) {
        int seat = __builtin_ctz(toy_turn(&quiet.state).seats);
        assert_int_equal(match_play_fallback(&quiet, seat, NULL), OK);
        assert_int_equal(match_play_fallback(&t.m, seat, NULL), OK);
        match_tick(&quiet, NULL), match_tick(&t.m, NULL);
    }
    assert_memory_equal(&quiet.state, &t.m.state, sizeof(struct toy_state));
    assert_int_equal(match_finish(&quiet, setup.key, true), OK);
}

static void viewers_get_their_events_and_bots_their_streams(void **unused)
{
    (void)unused;
    struct table t;
    struct match_setup setup = setup_of(3);
    struct game_events out = {0};
    struct game_event mine[4];
    assert_int_equal(match_start(&t.m, &setup, NULL, &out), OK); // seat 1 is told the secret of seat 0
    assert_int_equal(match_events_for(&out, 1, mine, 4), 1);
    assert_int_equal(mine[0].kind, TOY_SECRET);
    assert_int_equal(match_events_for(&out, 0, mine, 4), 0);
    assert_int_equal(match_events_for(&out, GAME_SPECTATOR, mine, 4), 0);
    assert_int_equal(match_events_for(&out, 1, mine, 0), 0);
    struct rng a = match_bot_stream(&t.m, 0), b = match_bot_stream(&t.m, 1), again = match_bot_stream(&t.m, 0);
    assert_memory_equal(&a, &again, sizeof a);
    assert_memory_not_equal(&a, &b, sizeof a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(starting_refuses_bad_rules_and_leaves_the_log_empty),
        cmocka_unit_test(a_seed_reaches_the_rules),
        cmocka_unit_test(only_the_asked_may_answer_and_only_what_is_legal),
        cmocka_unit_test(a_pass_leaves_the_question_open_and_a_doubt_closes_it),
        cmocka_unit_test(a_fallback_answers_for_an_asked_seat),
        cmocka_unit_test(the_log_says_who_was_silent_and_who_sent),
        cmocka_unit_test(a_seat_that_is_not_asked_goes_at_its_next_question),
        cmocka_unit_test(a_seat_that_is_asked_goes_at_once),
        cmocka_unit_test(leaving_seats_fall_one_after_the_other),
        cmocka_unit_test(the_master_and_the_stack_are_in_the_log),
        cmocka_unit_test(a_game_that_is_over_may_be_started_anew),
        cmocka_unit_test(a_log_without_room_refuses_before_anything_changes),
        cmocka_unit_test(ticks_are_gathered_and_hashes_come_in_time),
        cmocka_unit_test(a_match_without_log_plays_the_same),
        cmocka_unit_test(viewers_get_their_events_and_bots_their_streams),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
