// The replay format: what is written is read again; what is damaged, cut or invented is refused and never harms.
#include "match/replay.h"

#include "base/hash.h"
#include "toy.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

enum { ROOM = 1 << 14 };

struct made {
    struct match_setup setup;
    union game_state last;
    struct text log;
    char bytes[ROOM];
};

static struct match_setup setup_of(void)
{
    struct match_setup s = {.game = &toy_game, .seats = 3, .seed = UINT64_MAX, .has_seed = true};
    for (int i = 0; i < RNG_KEY_BYTES; i++)
        s.key[i] = (uint8_t)(200 + i), s.commitment[i] = (uint8_t)i;
    memcpy(s.name[0], "ann", 4);
    memcpy(s.name[2], "a name of thirty-one characters", 32);
    return s;
}

// Some moves, some ticks, a stack, a seat that leaves; `rounds` long.
static void play_on(struct match *m, int steps)
{
    for (int i = 0; i < steps && !match_is_over(m); i++) {
        struct game_turn turn = toy_turn(&m->state);
        int seat = game_next_seat(turn.seats, i % 3);
        struct game_action a = toy_fallback(&m->state, seat);
        if (i % 5 == 2 && a.kind == TOY_PASS)
            a.kind = TOY_DOUBT;
        assert_int_equal(match_answer(m, seat, turn.number, a, NULL), OK);
        for (int n = 0; n < i % 4; n++)
            match_tick(m, NULL);
        if (i == 3)
            assert_int_equal(match_stack(m, (const uint8_t[]){5}, 1), OK);
        if (i == 20 && !match_is_over(m))
            assert_int_equal(match_drop(m, 1, 3, NULL), OK);
    }
}

static void make(struct made *x, uint32_t rounds, bool reveal)
{
    static struct match m;
    struct toy_rules rules = {.rounds = rounds};
    x->setup = setup_of();
    x->setup.rules = &rules;
    x->log = text_on(x->bytes, sizeof x->bytes);
    assert_int_equal(match_start(&m, &x->setup, &x->log, NULL), OK);
    play_on(&m, 1000);
    assert_true(match_is_over(&m));
    assert_int_equal(match_finish(&m, x->setup.key, reveal), OK);
    assert_null(m.log);
    x->last = m.state;
}

// Plays a file to its end: OK, or the first error. `run` tells the rest.
static int play(struct replay_run *run, struct span file, const uint8_t *key)
{
    int done = replay_begin(run, file, &toy_game, key, NULL);
    if (done != OK)
        return done;
    while ((done = replay_step(run, 1, NULL)) == 1)
        ;
    return done;
}

static void what_is_written_is_read_again(void **unused)
{
    (void)unused;
    static struct made x;
    static struct replay_run run;
    make(&x, 40, true);
    assert_int_equal(play(&run, text_span(&x.log), NULL), OK);
    assert_true(run.ended);
    assert_true(run.reader.complete);
    assert_false(run.reader.torn);
    assert_memory_equal(&run.state, &x.last, sizeof(struct toy_state));
    const struct replay_head *h = &run.reader.head;
    assert_string_equal(h->game, "toy");
    assert_int_equal(h->rules_version, 3);
    assert_int_equal(h->rules.size, sizeof(struct toy_rules));
    assert_int_equal(h->seats, 3);
    assert_true(h->has_seed);
    assert_true(h->seed == UINT64_MAX);
    assert_string_equal(h->name[0], "ann");
    assert_string_equal(h->name[1], "");
    assert_string_equal(h->name[2], "a name of thirty-one characters");
    assert_memory_equal(h->commitment, x.setup.commitment, sizeof h->commitment);
    assert_memory_equal(h->key, x.setup.key, sizeof h->key);
    assert_memory_equal(run.entry.payoffs, x.last.byte, 3 * sizeof(int32_t));
}

static void every_entry_survives_writing_and_reading(void **unused)
{
    (void)unused;
    static const uint8_t items[MATCH_MAX_ITEMS] = {1, 2, 3, [127] = 255};
    const struct replay_entry list[] = {
        {.kind = REPLAY_ACTION, .seat = 2, .action = {.kind = 255, .arg = {255, 0, 255}, .amount = INT32_MIN}},
        {.kind = REPLAY_ACTION, .seat = GAME_MASTER, .action = {.arg = {0, 1, 0}, .amount = INT32_MAX}, .silent = true},
        {.kind = REPLAY_ACTION, .source = UINT32_MAX, .action = {.amount = -1}},
        {.kind = REPLAY_ACTION},
        {.kind = REPLAY_TICKS, .ticks = 1},
        {.kind = REPLAY_TICKS, .ticks = 57},
        {.kind = REPLAY_STACK, .items = {(const char *)items, sizeof items}},
        {.kind = REPLAY_STACK},
        {.kind = REPLAY_HASH, .hash = 0x0123456789abcdef},
        {.kind = REPLAY_LEAVE, .seat = 1, .reason = 9},
        {.kind = REPLAY_END, .hash = 7, .payoffs = {INT32_MIN, INT32_MAX, 0}, .has_key = true, .key = {1, [31] = 2}},
    };
    char bytes[1024];
    struct text t = text_on(bytes, sizeof bytes);
    replay_write_head(&t, &(struct replay_head){.game = "toy", .seats = 3});
    for (size_t i = 0; i < sizeof list / sizeof *list; i++)
        replay_write_entry(&t, &list[i], 3);
    struct replay_reader r;
    struct replay_entry e;
    assert_int_equal(replay_open(&r, text_span(&t)), OK);
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        const struct replay_entry *want = &list[i];
        assert_int_equal(replay_next(&r, &e), 1);
        assert_int_equal(e.kind, want->kind);
        assert_true(game_same_action(e.action, want->action));
        assert_int_equal(e.silent, want->silent);
        assert_int_equal(e.source, want->source);
        assert_int_equal(e.reason, want->reason);
        assert_int_equal(e.ticks, want->ticks);
        assert_true(span_equals(e.items, want->items));
        assert_true(e.hash == want->hash);
        assert_int_equal(e.seat, want->kind == REPLAY_END ? 1 : want->seat);
        assert_memory_equal(e.payoffs, want->payoffs, sizeof e.payoffs);
        assert_memory_equal(e.key, want->key, sizeof e.key);
    }
    assert_int_equal(replay_next(&r, &e), 0);
}

static void names_lose_their_control_characters(void **unused)
{
    (void)unused;
    char bytes[256];
    struct text t = text_on(bytes, sizeof bytes);
    replay_write_head(&t, &(struct replay_head){.game = "toy", .seats = 1, .name = {"\33[2Jx\x7f"}});
    struct replay_reader r;
    assert_int_equal(replay_open(&r, text_span(&t)), OK);
    assert_string_equal(r.head.name[0], "?[2Jx?");
    bytes[t.size - 6] = '\33'; // and where somebody put them they are refused
    assert_int_equal(replay_open(&r, text_span(&t)), ERR_FORMAT);
}

static void the_key_comes_from_the_end_the_head_or_outside(void **unused)
{
    (void)unused;
    static struct made x;
    static struct replay_run run;
    make(&x, 5, false);
    assert_int_equal(play(&run, text_span(&x.log), NULL), ERR_COMMITMENT);
    assert_int_equal(play(&run, text_span(&x.log), x.setup.key), OK);
    uint8_t wrong[RNG_KEY_BYTES] = {1};
    assert_int_equal(play(&run, text_span(&x.log), wrong), ERR_MISMATCH);
    assert_true(run.entry.kind == REPLAY_HASH || run.entry.kind == REPLAY_END);
    assert_true(run.entry.hash != game_hash(&toy_game, &run.state));

    struct match m;
    x.log.size = 0;
    x.setup = setup_of();
    x.setup.open_key = true;
    assert_int_equal(match_start(&m, &x.setup, &x.log, NULL), OK);
    play_on(&m, 7);
    assert_int_equal(play(&run, text_span(&x.log), NULL), OK);
    assert_false(run.ended);
}

static void other_games_versions_and_seats_are_refused(void **unused)
{
    (void)unused;
    static struct made x;
    static struct replay_run run;
    make(&x, 2, true);
    struct game other = toy_game;
    other.name = "toi";
    assert_int_equal(replay_begin(&run, text_span(&x.log), &other, NULL, NULL), ERR_UNKNOWN);
    other = toy_game, other.version++;
    assert_int_equal(replay_begin(&run, text_span(&x.log), &other, NULL, NULL), ERR_VERSION);
    other = toy_game, other.rules_size--;
    assert_int_equal(replay_begin(&run, text_span(&x.log), &other, NULL, NULL), ERR_VERSION);
    other = toy_game, other.max_seats = 2;
    assert_int_equal(replay_begin(&run, text_span(&x.log), &other, NULL, NULL), ERR_RULES);
    x.bytes[4] = 2; // a later format
    assert_int_equal(replay_begin(&run, text_span(&x.log), &toy_game, NULL, NULL), ERR_VERSION);
    assert_int_equal(replay_begin(&run, (struct span){0}, &toy_game, NULL, NULL), ERR_FORMAT);
}

// A block of its own for each trial: reading beyond its end is seen.
static struct span copy_of(struct span s)
{
    char *at = malloc(s.size ? s.size : 1);
    memcpy(at, s.at, s.size);
    return (struct span){at, s.size};
}

static void every_flipped_bit_is_noticed(void **unused)
{
    (void)unused;
    static struct made x;
    static struct replay_run run;
    make(&x, 6, true);
    struct span file = copy_of(text_span(&x.log));
    char *bytes = (char *)file.at;
    for (size_t i = 0; i < file.size; i++)
        for (int bit = 0; bit < 8; bit++) {
            bytes[i] = (char)(bytes[i] ^ 1 << bit);
            int err = play(&run, file, NULL);
            // Without its checksum the file is damaged, or at best one that stops early, and never a finished one.
            assert_false(run.ended);
            assert_false(err == OK && !run.reader.torn);
            bytes[i] = (char)(bytes[i] ^ 1 << bit);
        }
    assert_int_equal(play(&run, file, NULL), OK);
    free(bytes);
}

static void every_cut_is_a_prefix_or_refused(void **unused)
{
    (void)unused;
    static struct made x;
    static struct replay_run run;
    make(&x, 6, true);
    assert_int_equal(play(&run, text_span(&x.log), NULL), OK);
    size_t head = run.reader.body, end = run.entry.offset;
    uint64_t last = 0;
    for (size_t size = 0; size < x.log.size; size++) {
        struct span file = copy_of((struct span){x.bytes, size});
        int err = play(&run, file, x.setup.key);
        assert_int_equal(err, size < head ? ERR_FORMAT : OK);
        assert_false(run.ended);
        if (err == OK) {
            assert_int_equal(run.reader.torn, run.reader.at != size);
            assert_in_range(run.steps, last, last + 64);
            assert_true(size < end || !memcmp(&run.state, &x.last, sizeof(struct toy_state)));
            last = run.steps;
        }
        free((char *)file.at);
    }
}

static void bytes_after_the_end_are_refused(void **unused)
{
    (void)unused;
    static struct made x;
    static struct replay_run run;
    make(&x, 2, true);
    text_put_char(&x.log, 0);
    assert_int_equal(play(&run, text_span(&x.log), x.setup.key), ERR_FORMAT);
}

static void hostile_entries_are_refused(void **unused)
{
    (void)unused;
    static const struct {
        const char *bytes;
        size_t size;
        int err;
    } cases[] = {
#define CASE(text, err) {text, sizeof(text) - 1, err}
        CASE("\x00", ERR_FORMAT),                         // no such kind
        CASE("\x70", ERR_FORMAT),                         // no such kind
        CASE("\x13\x01\x01", ERR_FORMAT),                 // seat 3 of 3
        CASE("\x1a\x01\x01", ERR_FORMAT),                 // the spectator does not act
        CASE("\x10\x80", ERR_FORMAT),                     // a field nobody knows
        CASE("\x10\x01\x00", ERR_FORMAT),                 // a zero that should be absent
        CASE("\x10\x10\x80\x00", ERR_FORMAT),             // a number in a longer form than needed
        CASE("\x10\x10\xff\xff\xff\xff\x10", ERR_FORMAT), // more than 32 bits
        CASE("\x10\x10\xff\xff\xff\xff\xff\xff\xff\xff\xff\x7f", ERR_FORMAT),
        CASE("\x10\x10\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff", ERR_FORMAT),
        CASE("\x20\x81\x00", ERR_FORMAT),             // one tick in two bytes
        CASE("\x20\x00", ERR_FORMAT),                 // no ticks at all
        CASE("\x20\x41", ERR_FORMAT),                 // more ticks than there may be between two hashes
        CASE("\x20\x40\x20\x01", ERR_FORMAT),         // the same in two entries
        CASE("\x20\xff\xff\xff\xff\x0f", ERR_FORMAT), // a tick count to keep us busy
        CASE("\x21\x01", ERR_FORMAT),                 // ticks have no seat
        CASE("\x30\xff\x01", ERR_FORMAT),             // too many items
        CASE("\x30\x01\x0a", ERR_RULES),              // what the game does not shuffle
        CASE("\x40\0\0\0\0\0\0\0\0", ERR_MISMATCH),   // not this state
        CASE("\x53\0", ERR_FORMAT),                   // nobody there who could leave
        CASE("\x60\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0", ERR_FORMAT), // an end with a wrong checksum
        CASE("\x11\x01\x03", ERR_SEAT),                                   // the game refuses
        CASE("\x10\x01\x02", ERR_ACTION),
        CASE("\x1b\x01\xc8", ERR_ACTION),
        CASE("\x1b\x07\xff\x09\x01", ERR_ACTION), // drop seat 9
#undef CASE
    };
    static struct made x;
    static struct replay_run run;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct match m;
        x.setup = setup_of();
        x.setup.open_key = true;
        x.log = text_on(x.bytes, sizeof x.bytes);
        assert_int_equal(match_start(&m, &x.setup, &x.log, NULL), OK);
        text_put(&x.log, (struct span){cases[i].bytes, cases[i].size});
        assert_int_equal(play(&run, text_span(&x.log), NULL), cases[i].err);
    }
}

static void a_file_that_only_pretends_to_be_complete_is_refused(void **unused)
{
    (void)unused;
    static struct made x;
    static struct replay_run run;
    struct match m;
    x.setup = setup_of();
    x.setup.open_key = true;
    x.log = text_on(x.bytes, sizeof x.bytes);
    assert_int_equal(match_start(&m, &x.setup, &x.log, NULL), OK);
    play_on(&m, 5);
    text_put(&x.log, (struct span){"\x60\x01", 2}); // an end that starts, a key that is announced, a right checksum
    uint64_t sum = hash_bytes(x.log.at, x.log.size);
    text_put(&x.log, (struct span){(const char *)&sum, sizeof sum});
    assert_int_equal(play(&run, text_span(&x.log), NULL), ERR_FORMAT);
}

// Whoever makes a file with the right checksum can still not lie about the outcome.
static void an_end_that_lies_is_refused(void **unused)
{
    (void)unused;
    static struct made x;
    static struct replay_run run;
    struct match m;
    for (int lie = 0; lie < 4; lie++) {
        x.setup = setup_of();
        x.setup.open_key = true;
        x.log = text_on(x.bytes, sizeof x.bytes);
        assert_int_equal(match_start(&m, &x.setup, &x.log, NULL), OK);
        play_on(&m, 3);
        assert_int_equal(match_checkpoint(&m), OK);
        struct replay_entry end = {.kind = REPLAY_END, .hash = game_hash(&toy_game, &m.state), .has_key = true};
        toy_payoffs(&m.state, end.payoffs);
        memcpy(end.key, x.setup.key, sizeof end.key);
        end.hash ^= lie == 1;
        end.payoffs[2] += lie == 2;
        end.key[31] ^= lie == 3;
        replay_write_entry(&x.log, &end, 3);
        static const int errors[] = {OK, ERR_MISMATCH, ERR_MISMATCH, ERR_FORMAT};
        assert_int_equal(play(&run, text_span(&x.log), NULL), errors[lie]);
        assert_int_equal(run.ended, lie != 3); // true or not, nothing can follow it
    }
}

static void a_cut_can_be_made_at_every_step_and_continued(void **unused)
{
    (void)unused;
    static struct made x, y;
    static struct replay_run run, again;
    static char bytes[ROOM];
    make(&x, 40, true);
    assert_int_equal(play(&run, text_span(&x.log), NULL), OK);
    uint64_t steps = run.steps;
    assert_in_range(steps, 130, 1000);
    assert_int_equal(replay_begin(&run, text_span(&x.log), &toy_game, NULL, NULL), OK);
    for (uint64_t n = 0; n <= steps; n++) {
        struct text cut = text_on(bytes, sizeof bytes);
        assert_int_equal(replay_cut(&cut, text_span(&x.log), &toy_game, NULL, n), OK);
        while (run.steps < n)
            assert_int_equal(replay_step(&run, 1, NULL), 1);
        assert_int_equal(play(&again, text_span(&cut), NULL), OK);
        assert_int_equal(again.steps, n);
        assert_memory_equal(&again.state, &run.state, sizeof(struct toy_state));

        struct match m; // F8.5: the prefix goes on as a match, to a replay that verifies
        y.log = text_on(y.bytes, sizeof y.bytes);
        assert_int_equal(match_resume(&m, &again, &y.log, NULL), OK);
        assert_int_equal(m.steps, n + (again.leaving && !m.leaving)); // a drop may have been due
        play_on(&m, 90);
        union game_state last = m.state;
        assert_int_equal(match_finish(&m, x.setup.key, true), OK);
        assert_int_equal(play(&again, text_span(&y.log), NULL), OK);
        assert_true(again.ended);
        assert_memory_equal(&again.state, &last, sizeof(struct toy_state));
    }
    struct text cut = text_on(bytes, sizeof bytes);
    assert_int_equal(replay_cut(&cut, text_span(&x.log), &toy_game, NULL, steps + 1), ERR_RANGE);
    cut = text_on(bytes, 40);
    assert_int_equal(replay_cut(&cut, text_span(&x.log), &toy_game, NULL, 1), ERR_FULL);
}

static void a_resumed_match_keeps_who_is_leaving(void **unused)
{
    (void)unused;
    static struct made x, y;
    static struct replay_run run;
    struct match m;
    x.setup = setup_of();
    x.log = text_on(x.bytes, sizeof x.bytes);
    assert_int_equal(match_start(&m, &x.setup, &x.log, NULL), OK);
    assert_int_equal(match_drop(&m, 2, 6, NULL), OK); // seat 0 is asked
    size_t left = x.log.size;
    assert_int_equal(match_answer(&m, 0, 1, (struct game_action){.kind = TOY_GUESS, .amount = 4}, NULL), OK);
    assert_int_equal(m.leaving, 0);
    struct replay_reader r;
    struct replay_entry e;
    assert_int_equal(replay_open(&r, text_span(&x.log)), OK);
    while (r.at <= left)
        assert_int_equal(replay_next(&r, &e), 1);

    // The machine stopped before the drop was written: it is made up for.
    assert_int_equal(play(&run, (struct span){x.bytes, r.at}, x.setup.key), OK);
    assert_int_equal(run.leaving, SEAT(2));
    y.log = text_on(y.bytes, sizeof y.bytes);
    union game_state dropped = m.state;
    assert_int_equal(match_resume(&m, &run, &y.log, NULL), OK);
    assert_int_equal(m.leaving, 0);
    assert_memory_equal(&m.state, &dropped, sizeof(struct toy_state));
    assert_int_equal(y.log.size, x.log.size);
    assert_memory_equal(y.bytes, x.bytes, x.log.size); // byte by byte the log that was lost
    assert_int_equal(play(&run, text_span(&x.log), x.setup.key), OK);
    assert_int_equal(run.leaving, 0); // gone, not leaving
}

static void a_finished_replay_is_not_resumed(void **unused)
{
    (void)unused;
    static struct made x;
    static struct replay_run run;
    struct match m;
    make(&x, 3, true);
    assert_int_equal(play(&run, text_span(&x.log), NULL), OK);
    assert_int_equal(match_resume(&m, &run, NULL, NULL), ERR_OVER);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_written_is_read_again),
        cmocka_unit_test(every_entry_survives_writing_and_reading),
        cmocka_unit_test(names_lose_their_control_characters),
        cmocka_unit_test(the_key_comes_from_the_end_the_head_or_outside),
        cmocka_unit_test(other_games_versions_and_seats_are_refused),
        cmocka_unit_test(every_flipped_bit_is_noticed),
        cmocka_unit_test(every_cut_is_a_prefix_or_refused),
        cmocka_unit_test(bytes_after_the_end_are_refused),
        cmocka_unit_test(hostile_entries_are_refused),
        cmocka_unit_test(a_file_that_only_pretends_to_be_complete_is_refused),
        cmocka_unit_test(an_end_that_lies_is_refused),
        cmocka_unit_test(a_cut_can_be_made_at_every_step_and_continued),
        cmocka_unit_test(a_resumed_match_keeps_who_is_leaving),
        cmocka_unit_test(a_finished_replay_is_not_resumed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
