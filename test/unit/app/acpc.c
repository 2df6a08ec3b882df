// Lines of the competition's protocol (N16): what a seat is sent step by step, logs, and what a bot may answer.
#include "app/acpc.h"
#include "app/acpc_log.h"
#include "crypto/crypto.h"

#include <ctype.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

enum { ROOM = 1 << 20 };

static const struct game *const g = &texas_holdem_game;
static const char *const names[HOLDEM_SEATS] = {"a", "b:c", "d|e"};

static const uint8_t flop[3] = {0, 1, 2}, turn_card = 3, river = 4;

static struct acpc_hand hand;

// Steps: f folds, c checks or calls, a number raises to it, / deals the next street.
static void play(seat_set dealt, int button, const char *steps)
{
    int players = __builtin_popcount(dealt), street = 0;
    acpc_begin(&hand, 7, dealt, button);
    int seat = players == 2 ? button : hand.seat[2];
    acpc_post(&hand, hand.seat[players == 2 ? 1 : 0], 50);
    acpc_post(&hand, hand.seat[players == 2 ? 0 : 1], 100);
    for (char *at = (char *)(uintptr_t)steps; *at;) {
        if (*at == ' ') {
            at++;
            continue;
        }
        if (*at == '/') {
            acpc_deal(&hand, street == 0 ? flop : street == 1 ? &turn_card : &river, street == 0 ? 3 : 1);
            street++;
            seat = hand.seat[0];
            at++;
            continue;
        }
        if (*at == 'f')
            acpc_fold(&hand), at++;
        else if (*at == 'c')
            acpc_bet(&hand, seat, hand.most), at++;
        else
            acpc_bet(&hand, seat, (int32_t)strtol(at, &at, 10));
        seat = game_next_seat(dealt, seat);
    }
}

static const struct {
    const char *what;
    seat_set dealt;
    int button, seat;
    const char *steps;
    bool shown;        // at the end
    const char *lines; // of every mark
} situations[] = {
    {"N16.1: the big blind is position 0 of two", 3, 0, 1, "f", false, "0:7:: 0:7:f:"},
    {"N16.1: the button is the last of three", 7, 0, 0, "f f", false, "2:7:: 2:7:f: 2:7:ff:"},
    {"N16.3: a raise tells all rounds together", 3, 0, 0, "300 c / c 600", false,
     "1:7:: 1:7:r300: 1:7:r300c/: 1:7:r300c/c: 1:7:r300c/cr600:"},
    {"N16.4: cards come with what ended the round", 3, 1, 1, "c c / c c /", false,
     "1:7:: 1:7:c: 1:7:cc/: 1:7:cc/c: 1:7:cc/cc/:"},
    {"N16.4: all-in, and the rest of the board", 3, 0, 0, "5000 c / / /", true, "1:7:: 1:7:r5000: 1:7:r5000c///:"},
};

static void lines_are_as_the_dealers(void **state)
{
    (void)state;
    char buffer[4096], line[256];
    for (size_t i = 0; i < sizeof situations / sizeof *situations; i++) {
        play(situations[i].dealt, situations[i].button, situations[i].steps);
        for (int seat = 0; seat < 3; seat++)
            if (situations[i].dealt & SEAT(seat))
                acpc_set_cards(&hand, seat, (uint8_t[]){(uint8_t)(20 + 2 * seat), (uint8_t)(21 + 2 * seat)});
        if (situations[i].shown)
            acpc_end(&hand);
        struct text all = text_on(buffer, sizeof buffer - 1);
        for (uint32_t mark = 0; mark < hand.marks; mark++) {
            struct text t = text_on(line, sizeof line - 1);
            acpc_put_state(&hand, &t, situations[i].seat, mark);
            line[t.size] = 0;
            char *cards = strrchr(line, ':');
            bool last = situations[i].shown && mark + 1 == hand.marks;
            int bars = 0, known = 0;
            for (const char *at = cards; *at && *at != '/'; at++) {
                bars += *at == '|';
                known += isdigit((unsigned char)*at) || isupper((unsigned char)*at); // ranks
            }
            assert_int_equal(bars, hand.players - 1);
            assert_true(last ? known >= 2 : known <= 2); // hands of others in the last line alone
            cards[1] = 0;
            text_puts(&all, all.size ? " " : "");
            text_puts(&all, line + strlen("MATCHSTATE:"));
        }
        buffer[all.size] = 0;
        if (strcmp(buffer, situations[i].lines) != 0)
            fail_msg("%s: %s", situations[i].what, buffer);
    }
    acpc_release(&hand);
}

static void names_keep_the_fields_apart(void **state)
{
    (void)state;
    char line[256];
    struct text t = text_on(line, sizeof line - 1);
    play(7, 0, "f f");
    acpc_put_log(&hand, &t, (int32_t[]){0, -50, 50}, names);
    line[t.size] = 0;
    assert_string_equal(line, "STATE:7:ff:||:-50|50|0:b_c|d_e|a\n"); // N16.6
    acpc_release(&hand);
}

static const struct {
    const char *word;
    enum acpc_word is;
    int32_t total;
} words[] = {
    {"f", ACPC_FOLD, 0},
    {"c", ACPC_CALL, 0},
    {"r300", ACPC_RAISE, 300},
    {"r9999999999", ACPC_RAISE, HOLDEM_MAX_CHIPS},
    {"r99999999999", ACPC_BAD, 0},
    {"r", ACPC_BAD, 0},
    {"r-3", ACPC_BAD, 0},
    {"r3x", ACPC_BAD, 0},
    {"c5", ACPC_BAD, 0},
    {"", ACPC_BAD, 0},
    {"F", ACPC_BAD, 0},
};

static void words_are_read(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        int32_t total = 0;
        assert_int_equal(acpc_read_word(span_of(words[i].word), &total), words[i].is); // N16.7
        assert_int_equal(total, words[i].total);
    }
}

// A match in which everybody checks and calls.
static void play_match(struct text *replay, const struct texas_holdem_rules *r, int seats)
{
    static struct match m;
    struct match_setup setup = {.game = g, .rules = r, .seats = seats, .has_seed = true, .open_key = true, .seed = 3};
    crypto_seed_key(setup.key, g->name, setup.seed);
    crypto_sha256(setup.commitment, setup.key, sizeof setup.key);
    snprintf(setup.name[0], MATCH_NAME_ROOM, "ada");
    assert_int_equal(match_start(&m, &setup, replay, NULL), OK);
    while (!match_is_over(&m)) {
        const struct texas_holdem_state *s = (const void *)&m.state;
        int seat = s->actor, kind = s->current_bet > s->bet[seat] ? HOLDEM_CALL : HOLDEM_CHECK;
        assert_int_equal(
            match_answer(&m, seat, g->turn(&m.state).number, (struct game_action){.kind = (uint8_t)kind}, NULL), OK);
    }
    assert_int_equal(match_finish(&m, setup.key, true), OK);
}

static void logs_add_up(void **state)
{
    (void)state;
    struct text replay = text_on(calloc(1, ROOM), ROOM), log = text_on(calloc(1, ROOM), ROOM - 1);
    struct texas_holdem_rules r;
    struct acpc_counts n;
    g->defaults(&r);
    r.format = HOLDEM_CASH;
    r.max_hands = 3;
    play_match(&replay, &r, 2);
    assert_int_equal(acpc_export(&log, text_span(&replay), NULL, -1, &n), OK);
    assert_int_equal(n.hands, 3);
    assert_int_equal(n.unfinished, 0);
    long sum[2] = {0}; // of ada and the other
    char *line = log.at;
    for (int i = 0; i < 3; i++, line = strchr(line, '\n') + 1) {
        int first, second, number, at = 0;
        char left[32], right[32];
        assert_int_equal(sscanf(line, "STATE:%d:cc/cc/cc/cc:%*[^:]:%d|%d:%31[^|]|%31[^\n]%n", &number, &first, &second,
                                left, right, &at),
                         5);
        assert_int_equal(number, i);
        assert_int_equal(first + second, 0);
        bool ada_first = strcmp(left, "ada") == 0;
        assert_string_equal(ada_first ? right : left, "seat_1");
        sum[0] += ada_first ? first : second;
        sum[1] += ada_first ? second : first;
    }
    long first, second;
    char left[32];
    assert_int_equal(sscanf(line, "SCORE:%ld|%ld:%31[^|]", &first, &second, left), 3);
    assert_int_equal(strcmp(left, "ada") == 0 ? first : second, sum[0]);
    // A seat's log has its own hands, and others' where they were shown: all of these were.
    size_t whole = log.size;
    log.size = 0;
    assert_int_equal(acpc_export(&log, text_span(&replay), NULL, 0, &n), OK);
    assert_int_equal(log.size, whole);
    r.format = HOLDEM_TOURNAMENT;
    replay.size = log.size = 0;
    play_match(&replay, &r, 2);
    assert_int_equal(acpc_export(&log, text_span(&replay), NULL, -1, &n), ERR_RULES); // N16.2
    assert_int_equal(log.size, 0);
    free(replay.at);
    free(log.at);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_are_as_the_dealers),
        cmocka_unit_test(names_keep_the_fields_apart),
        cmocka_unit_test(words_are_read),
        cmocka_unit_test(logs_add_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
