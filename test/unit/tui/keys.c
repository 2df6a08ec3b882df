// Held keys: tables of what fingers do and when the piece moves.
#include "tui/keys.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static const struct keys_timing usual = {150, 50, 50, 150, 80, 300};

enum what { END, PRESS, RELEASE, LOSE_FOCUS, UNTIL };

struct finger {
    enum what what;
    int ms;
    enum play_key key;
};

// Runs a table in steps of 1 ms and writes what acted as "L0 L200": the key's letter and the time.
static void run(struct keys *k, const struct finger *f, char *out, size_t room)
{
    static const char letters[] = "-LRSUZHCPRNQ";
    size_t size = 0;
    out[0] = 0;
    for (int ms = 0; f->what != END; ms++) {
        enum play_key due[32];
        int count = keys_advance(k, ms * 1000ll, due, 32);
        for (int i = 0; i < count; i++)
            size += (size_t)snprintf(out + size, room - size, "%s%c%d", size ? " " : "", letters[due[i]], ms);
        for (; f->what != END && f->ms == ms; f++) {
            if (f->what == PRESS && keys_press(k, f->key, ms * 1000ll))
                size += (size_t)snprintf(out + size, room - size, "%s%c%d", size ? " " : "", letters[f->key], ms);
            if (f->what == RELEASE)
                keys_release(k, f->key, ms * 1000ll);
            if (f->what == LOSE_FOCUS)
                keys_release_all(k);
        }
    }
}

static void expect(bool has_releases, const struct keys_timing *timing, const struct finger *f, const char *acts)
{
    struct keys k;
    char out[512];
    keys_init(&k, timing);
    k.has_releases = has_releases;
    run(&k, f, out, sizeof out);
    assert_string_equal(out, acts);
}

// T6.4: at once, then every 50 ms from 200 ms on.
static void test_das_and_arr(void **state)
{
    (void)state;
    expect(true, &usual, (struct finger[]){{PRESS, 10, PLAY_LEFT}, {UNTIL, 320, 0}, {END, 0, 0}}, "L10 L210 L260 L310");
    expect(true, &(struct keys_timing){100, 10, 50, 150, 80, 300},
           (struct finger[]){{PRESS, 0, PLAY_RIGHT}, {RELEASE, 135, PLAY_RIGHT}, {UNTIL, 400, 0}, {END, 0, 0}},
           "R0 R110 R120 R130");
    expect(true, &usual, (struct finger[]){{PRESS, 0, PLAY_SOFT_DROP}, {UNTIL, 160, 0}, {END, 0, 0}},
           "S0 S50 S100 S150");
}

static void test_last_direction_wins(void **state)
{
    (void)state;
    expect(
        true, &usual,
        (struct finger[]){
            {PRESS, 0, PLAY_LEFT}, {PRESS, 220, PLAY_RIGHT}, {RELEASE, 440, PLAY_RIGHT}, {UNTIL, 700, 0}, {END, 0, 0}},
        "L0 L200 R220 R420 L640 L690");
    expect(true, &usual,
           (struct finger[]){
               {PRESS, 0, PLAY_LEFT}, {PRESS, 20, PLAY_RIGHT}, {RELEASE, 30, PLAY_LEFT}, {UNTIL, 230, 0}, {END, 0, 0}},
           "L0 R20 R220");
}

// T6.6
static void test_focus_releases(void **state)
{
    (void)state;
    expect(true, &usual,
           (struct finger[]){
               {PRESS, 0, PLAY_LEFT}, {PRESS, 0, PLAY_SOFT_DROP}, {LOSE_FOCUS, 60, 0}, {UNTIL, 600, 0}, {END, 0, 0}},
           "L0 S0 S50");
}

// T6.5: a terminal that tells no releases. One press is a tap; a terminal's own repeats keep the key held.
static void test_silence_is_a_release(void **state)
{
    (void)state;
    expect(false, &usual, (struct finger[]){{PRESS, 0, PLAY_LEFT}, {UNTIL, 900, 0}, {END, 0, 0}}, "L0");
    expect(false, &usual,
           (struct finger[]){{PRESS, 0, PLAY_LEFT}, {PRESS, 149, PLAY_LEFT}, {UNTIL, 200, 0}, {END, 0, 0}}, "L0 L200");
    expect(false, &usual,
           (struct finger[]){{PRESS, 0, PLAY_LEFT}, {PRESS, 150, PLAY_LEFT}, {UNTIL, 200, 0}, {END, 0, 0}}, "L0 L150");
}

static void test_repeats_shorten_the_wait(void **state)
{
    (void)state;
    struct finger held[16] = {{PRESS, 0, PLAY_LEFT}}; // a press, silence, then the terminal repeats every 30 ms
    int n = 1;
    for (int ms = 400; ms <= 670; ms += 30)
        held[n++] = (struct finger){PRESS, ms, PLAY_LEFT};
    held[n++] = (struct finger){UNTIL, 1200, 0};
    held[n] = (struct finger){END, 0, 0};
    // Released 80 ms after the last, twice 30 being less than that.
    expect(false, &usual, held, "L0 L400 L600 L650 L700");
    // With a longer least wait, one repeat more.
    expect(false, &(struct keys_timing){150, 50, 50, 150, 120, 300}, held, "L0 L400 L600 L650 L700 L750");
    // 150 ms is the most it can be.
    expect(false, &(struct keys_timing){150, 50, 50, 150, 300, 300}, held, "L0 L400 L600 L650 L700 L750 L800");
}

// Another key is activity too: what is held stays held.
static void test_any_key_is_activity(void **state)
{
    (void)state;
    expect(false, &usual,
           (struct finger[]){{PRESS, 0, PLAY_LEFT},
                             {PRESS, 100, PLAY_ROTATE_CW},
                             {PRESS, 200, PLAY_ROTATE_CW},
                             {UNTIL, 500, 0},
                             {END, 0, 0}},
           "L0 U100 L200 U200 L250 L300");
}

// The other keys act at every press, however fast, and never by themselves.
static void test_other_keys_act_at_every_press(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++)
        expect(i, &usual,
               (struct finger[]){{PRESS, 0, PLAY_HARD_DROP}, {PRESS, 5, PLAY_HARD_DROP}, {UNTIL, 400, 0}, {END, 0, 0}},
               "H0 H5");
}

// A stall gives what there is room for and owes nothing afterwards.
static void test_stall_is_not_caught_up(void **state)
{
    (void)state;
    struct keys k;
    enum play_key due[4];
    keys_init(&k, &(struct keys_timing){0, 1, 50, 150, 80, 300});
    k.has_releases = true;
    assert_true(keys_press(&k, PLAY_LEFT, 0));
    assert_int_equal(keys_advance(&k, 1000000, due, 4), 4);
    assert_int_equal(keys_advance(&k, 1000000, due, 4), 0);
    assert_int_equal(keys_advance(&k, 1002000, due, 4), 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_das_and_arr),
        cmocka_unit_test(test_last_direction_wins),
        cmocka_unit_test(test_focus_releases),
        cmocka_unit_test(test_silence_is_a_release),
        cmocka_unit_test(test_repeats_shorten_the_wait),
        cmocka_unit_test(test_any_key_is_activity),
        cmocka_unit_test(test_other_keys_act_at_every_press),
        cmocka_unit_test(test_stall_is_not_caught_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
