// Poker hands in the form of others (N13): how situations are written, there and back again, and what is refused.
#include "app/phh.h"

#include "codec/codec.h"
#include "crypto/crypto.h"
#include "games/texas_holdem/rules/texas_holdem.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

enum { ROOM = 1 << 20 };

static const struct game *const g = &texas_holdem_game;
static uint64_t seed = 7;

static struct text new_text(void)
{
    return text_on(calloc(1, ROOM), ROOM - 1);
}

static struct texas_holdem_rules rules_of(int32_t hands)
{
    struct texas_holdem_rules r;
    g->defaults(&r);
    r.max_hands = hands;
    return r;
}

// A match of these moves of whoever is asked: "f", "c" check or call, "a" all-in, "d" dropped, a number raises to it.
static void play(struct text *replay, const struct texas_holdem_rules *r, int seats, const char *moves)
{
    static struct match m;
    struct match_setup setup = {
        .game = g, .rules = r, .seats = seats, .has_seed = true, .open_key = true, .seed = seed};
    char list[256], *rest = list, *word;
    crypto_seed_key(setup.key, g->name, setup.seed);
    crypto_sha256(setup.commitment, setup.key, sizeof setup.key);
    for (int i = 0; i < seats; i++)
        snprintf(setup.name[i], MATCH_NAME_ROOM, "n\"%d", i);
    assert_int_equal(match_start(&m, &setup, replay, NULL), OK);
    snprintf(list, sizeof list, "%s", moves);
    while (!match_is_over(&m) && (word = strtok_r(rest, " ", &rest))) {
        const struct texas_holdem_state *s = (const void *)&m.state;
        int seat = s->actor, kind = s->current_bet > s->bet[seat] ? HOLDEM_CALL : HOLDEM_CHECK;
        struct game_action a = {.kind = (uint8_t)(*word == 'f' ? HOLDEM_FOLD : *word == 'a' ? HOLDEM_ALLIN : kind)};
        if (*word >= '1' && *word <= '9')
            a = (struct game_action){.kind = HOLDEM_RAISE, .amount = atoi(word)};
        assert_int_equal(*word == 'd' ? match_drop(&m, seat, 0, NULL)
                                      : match_answer(&m, seat, g->turn(&m.state).number, a, NULL),
                         OK);
    }
    if (match_is_over(&m))
        assert_int_equal(match_finish(&m, setup.key, true), OK);
}

// The actions behind the hole cards.
static const char *actions_of(const struct text *phh, int players)
{
    static char list[4096];
    const char *from = strstr(phh->at, "actions = ["), *end;
    for (int i = 0; from && i < players; i++)
        from = strstr(from + 1, "\"d dh p");
    assert_non_null(from);
    from = strchr(from, ',');
    end = strstr(from, "]\n");
    snprintf(list, sizeof list, "%.*s", (int)(end - from - 2), from + 2);
    return list;
}

static const struct {
    const char *what;
    int seats;
    int32_t stacks[4], ante;
    const char *moves, *actions, *has; // actions as far as the board
    struct phh_counts counts;
} situations[] = {
    {"N13.1: heads-up p2 has the small blind",
     2,
     {0},
     0,
     "600 f",
     "\"p2 cbr 600\", \"p1 f\"",
     "players = [\"n\\\"1\", \"n\\\"0\"]\n",
     {.hands = 1}},
    {"N13.1: from left of the button",
     4,
     {0},
     0,
     "f f f",
     "\"p3 f\", \"p4 f\", \"p1 f\"",
     "seats = [2, 3, 4, 1]\n",
     {.hands = 1}},
    {"N13.3: calls and checks",
     3,
     {0},
     0,
     "c c c",
     "\"p3 cc\", \"p1 cc\", \"p2 cc\", \"d db ",
     "winnings",
     {.unfinished = 1}},
    {"N13.3: an all-in raises",
     3,
     {0},
     0,
     "a f f",
     "\"p3 cbr 10000\", \"p1 f\", \"p2 f\"",
     "winnings = [0, 0, 500]\n",
     {.hands = 1}},
    {"N13.3: an all-in calls",
     3,
     {10000, 10000, 3000},
     0,
     "5000 f a",
     "\"p3 cbr 5000\", \"p1 f\", \"p2 cc\", \"d db ",
     "starting_stacks = [10000, 3000, 10000]\n",
     {.hands = 1}},
    {"N13.3: nobody could match more",
     2,
     {10000, 3000},
     0,
     "c a a",
     "\"p2 cc\", \"p1 cbr 3000\", \"p2 cc\", \"d db ",
     "variant = \"NT\"\n",
     {.hands = 1}},
    {"N13.6: an ante", 2, {0}, 50, "f", "\"p2 f\"", "antes = [50, 50]\n", {.hands = 1}},
    {"N13.7: a short big blind, three seats",
     3,
     {10000, 10000, 50},
     0,
     "c c c c",
     "\"p3 cbr 200\", \"p1 cc\", \"d db ",
     "_agon_min_bet = 200\n",
     {.short_blinds = 1, .unfinished = 1}},
    {"N13.7: a short big blind between two",
     2,
     {10000, 150},
     0,
     "c",
     "\"p2 cc\", \"d db ",
     "min_bet = 200\n",
     {.hands = 1}},
    {"N13.8: a second all-in above a short one",
     4,
     {10000, 1351, 8000, 9000},
     0,
     "1000 c a f a f",
     "\"p3 cbr 1000\", \"p4 cc\", \"p1 cbr 1351\", \"p2 f\", \"p3 cbr 9000\", \"p4 f\", \"d db ",
     "_agon_nonstandard = true\n",
     {.hands = 1, .nonstandard = 1}},
    {"a full raise after a short all-in is none",
     3,
     {10000, 1351, 9000},
     0,
     "1000 a a f",
     "\"p3 cbr 1000\", \"p1 cbr 1351\", \"p2 cbr 9000\"",
     "min_bet = 200\n",
     {.hands = 1}},
    {"N13.8: a dropped seat",
     3,
     {0},
     0,
     "d f",
     "\"p3 f\", \"p1 f\"",
     "_agon_nonstandard = true\n",
     {.hands = 1, .nonstandard = 1}},
};

static void situations_are_written(void **unused)
{
    (void)unused;
    for (unsigned i = 0; i < sizeof situations / sizeof *situations; i++) {
        struct texas_holdem_rules r = rules_of(1);
        struct text replay = new_text(), out = new_text();
        struct phh_counts n;
        memcpy(r.stacks, situations[i].stacks, sizeof situations[i].stacks);
        r.ante = situations[i].ante;
        play(&replay, &r, situations[i].seats, situations[i].moves);
        assert_int_equal(phh_export(&out, text_span(&replay), NULL, -1, &n), OK);
        const struct phh_counts *want = &situations[i].counts;
        if (memcmp(&n, want, sizeof n) != 0)
            fail_msg("%s: %ju hands, %ju unfinished, %ju short, %ju marked", situations[i].what, (uintmax_t)n.hands,
                     (uintmax_t)n.unfinished, (uintmax_t)n.short_blinds, (uintmax_t)n.nonstandard);
        if (n.hands) {
            const char *actions = actions_of(&out, situations[i].seats);
            if (strncmp(actions, situations[i].actions, strlen(situations[i].actions)) != 0)
                fail_msg("%s: %s", situations[i].what, actions);
            if (!strstr(out.at, situations[i].has))
                fail_msg("%s: %s", situations[i].what, out.at);
        }
        free(replay.at);
        free(out.at);
    }
}

// N13.9: reading gives a replay that is written as the same hand, and ends with the same stacks.
static void hands_come_back(void **unused)
{
    (void)unused;
    for (unsigned i = 0; i < sizeof situations / sizeof *situations; i++) {
        struct texas_holdem_rules r = rules_of(1);
        struct text replay = new_text(), first = new_text(), again = new_text(), second = new_text();
        struct phh_counts n;
        struct phh_fault fault;
        memcpy(r.stacks, situations[i].stacks, sizeof situations[i].stacks);
        r.ante = situations[i].ante;
        play(&replay, &r, situations[i].seats, situations[i].moves);
        assert_int_equal(phh_export(&first, text_span(&replay), NULL, -1, &n), OK);
        if (n.hands && !strchr(situations[i].moves, 'd')) {
            if (phh_import(&again, text_span(&first), 0, &fault) != OK)
                fail_msg("%s: line %u: %s\n%s", situations[i].what, fault.line, fault.why, first.at);
            assert_int_equal(phh_export(&second, text_span(&again), NULL, -1, &n), OK);
            assert_string_equal(first.at, second.at);
        }
        free(replay.at);
        free(first.at);
        free(again.at);
        free(second.at);
    }
}

// N13.9: simulations have seeds that no number of TOML holds.
static void large_seeds_are_left_out(void **unused)
{
    (void)unused;
    static const struct {
        uint64_t seed;
        const char *line; // NULL: none
    } rows[] = {{INT64_MAX, "_agon_seed = 9223372036854775807\n"}, {UINT64_C(1) << 63, NULL}, {UINT64_MAX, NULL}};
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct texas_holdem_rules r = rules_of(1);
        struct text replay = new_text(), out = new_text(), again = new_text();
        struct phh_counts n;
        struct phh_fault fault;
        seed = rows[i].seed;
        play(&replay, &r, 2, "f");
        seed = 7;
        assert_int_equal(phh_export(&out, text_span(&replay), NULL, -1, &n), OK);
        assert_non_null(strstr(out.at, rows[i].line ? rows[i].line : "_agon_format"));
        assert_true(rows[i].line || !strstr(out.at, "_agon_seed"));
        if (phh_import(&again, text_span(&out), 0, &fault) != OK)
            fail_msg("line %u: %s", fault.line, fault.why);
        free(replay.at);
        free(out.at);
        free(again.at);
    }
}

// N13.1: hand after hand, each as it would be alone; N13.2: one seat sees its own cards.
static void matches_have_tables(void **unused)
{
    (void)unused;
    struct texas_holdem_rules r = rules_of(6);
    struct text replay = new_text(), out = new_text();
    struct phh_counts n;
    struct phh_fault fault;
    r.blinds_double_at = 3;
    play(&replay, &r, 3, "f f f f a c c f f f f f c f f");
    assert_int_equal(phh_export(&out, text_span(&replay), NULL, -1, &n), OK);
    assert_true(n.hands >= 4);
    assert_non_null(strstr(out.at, "[1]\nvariant = \"NT\"\n"));
    assert_non_null(strstr(out.at, "\n[3]\n"));
    assert_non_null(strstr(out.at, "blinds_or_straddles = [200, 400, 0]\n"));
    assert_non_null(strstr(out.at, "hand = 3\nlevel = 2\n"));
    assert_null(strstr(out.at, "????"));
    for (uint32_t hand = 1; hand <= n.hands; hand++) {
        struct text one = new_text();
        if (phh_import(&one, text_span(&out), hand, &fault) != OK)
            fail_msg("hand %u, line %u: %s", hand, fault.line, fault.why);
        assert_int_equal(fault.hands, n.hands);
        free(one.at);
    }
    assert_int_equal(phh_import(&out, text_span(&out), 0, &fault), ERR_RANGE);
    assert_non_null(strstr(fault.why, "choose one with --hand"));
    assert_int_equal(phh_import(&out, text_span(&out), 99, &fault), ERR_RANGE);
    struct text seen = new_text();
    assert_int_equal(phh_export(&seen, text_span(&replay), NULL, 1, &n), OK);
    assert_non_null(strstr(seen.at, "????"));
    assert_null(strstr(seen.at, "_agon_seed"));
    free(replay.at);
    free(out.at);
    free(seen.at);
}

#define HEAD(blinds, stacks)                                                                                           \
    "variant = \"NT\"\nantes = [0, 0]\nblinds_or_straddles = " blinds "\nmin_bet = 2\nstarting_stacks = " stacks "\n"
#define DEALT "actions = [\"d dh p1 AsKd\", \"d dh p2 ????\", "

static void bad_hands_are_refused(void **unused)
{
    (void)unused;
    static const struct {
        const char *text;
        int err;
        uint32_t line;
        const char *why;
    } cases[] = {
        {"", ERR_RULES, 0, "variant"},
        {"variant = \"FT\"\n", ERR_RULES, 0, "variant is 'FT'; NT"},
        {"variant = NT\n", ERR_FORMAT, 1, "expected a string"},
        {"variant = \"NT\"\n", ERR_FORMAT, 0, "are needed"},
        {"x\n", ERR_FORMAT, 1, "expected KEY = VALUE"},
        {"x = [1, [2\n", ERR_FORMAT, 2, "an array has no end"},
        {"x = \"abc\n", ERR_FORMAT, 1, "a string has no end"},
        {"x = 1 2\n", ERR_FORMAT, 1, "expected the end of the line"},
        {HEAD("[1, 2]", "[100, 0.5]") DEALT "]\n", ERR_FORMAT, 5, "whole numbers"},
        {HEAD("[1, 2]", "[100, 0]") DEALT "]\n", ERR_RULES, 0, "p2 has no chips"},
        {HEAD("[1, 2, 4]", "[100, 100]") DEALT "]\n", ERR_FORMAT, 0, "are needed"},
        {HEAD("[2, 1]", "[100, 100]") DEALT "]\n", ERR_RULES, 0, "the small blind first"},
        {HEAD("[2, 4]", "[100, 100]") DEALT "]\n", ERR_RULES, 0, "min_bet is 2 and the big blind 4"},
        {HEAD("[1, 2]", "[100, 100]") DEALT "\"p1 cc\"]\n", ERR_ACTION, 6, "another player's turn"},
        {HEAD("[1, 2]", "[100, 100]") DEALT "\"p3 cc\"]\n", ERR_ACTION, 6, "expected an action of the dealer"},
        {HEAD("[1, 2]", "[100, 100]") DEALT "\"p2 cbr 3\"]\n", ERR_ACTION, 6, "not allowed"},
        {HEAD("[1, 2]", "[100, 100]") DEALT "\"p2 cbr 1000\"]\n", ERR_ACTION, 6, "not allowed"},
        {HEAD("[1, 2]", "[100, 100]") DEALT "\n\"p2 cc\",\n\"p1 f\"]\n", ERR_ACTION, 8, "not allowed"},
        {HEAD("[1, 2]", "[100, 100]") DEALT "\"p2 jam\"]\n", ERR_ACTION, 6, "'cbr TOTAL'"},
        {HEAD("[1, 2]", "[100, 100]") DEALT "\"p2 f\", \"p1 cc\"]\n", ERR_ACTION, 6, "over"},
        {HEAD("[1, 2]", "[100, 100]") DEALT "\"p2 f\"]\nfinishing_stacks = [100, 100]\n", ERR_MISMATCH, 0,
         "p1 has 101 here"},
        {HEAD("[1, 2]", "[100, 100]") "actions = [\"d dh p1 AsAs\"]\n", ERR_RULES, 0, "twice"},
        {HEAD("[1, 2]", "[100, 100]") "actions = [\"d dh p1 As\"]\n", ERR_FORMAT, 6, "two cards"},
        {HEAD("[1, 2]", "[100, 100]") "actions = [\"d db 2c3c4c5c6c7c\"]\n", ERR_FORMAT, 6, "five at most"},
    };
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct text out = new_text();
        struct phh_fault fault;
        int err = phh_import(&out, span_of(cases[i].text), 0, &fault);
        if (err != cases[i].err || fault.line != cases[i].line || !strstr(fault.why, cases[i].why))
            fail_msg("%u: %d, line %u: %s", i, err, fault.line, fault.why);
        free(out.at);
    }
}

// As people write it: comments, lists over lines, quotes of both kinds, numbers with marks, fields that nobody knows.
static void other_hands_are_read(void **unused)
{
    (void)unused;
    static const char text[] =
        "# a hand\nvariant = 'NT' # no limit\nante_trimming_status = true\nantes = [\n  0, 0, # none\n  0,\n]\n"
        "blinds_or_straddles = [1_000, 2_000.0, 0]\nmin_bet = 2000\nstarting_stacks = [1_000_000, 500000, 2e5]\n"
        "author = {name = \"x\", list = [1, 2]}\ntime = 12:30:00\nnote = \"\"\"two\nlines\"\"\"\n"
        "actions = [\n  'd dh p1 AsKd',\n  'd dh p2 ?\?\?\?', 'd dh p3 ?\?\?\?',\n"
        "  'p3 cbr 6000 # opens', 'p1 f', 'p2 cc',\n  'd db 2c7dJh', 'p2 cc', 'p3 f']\n"
        "players = [\"Phil \\u00e9\", 'b', 'c']\n";
    struct text replay = new_text();
    struct phh_fault fault;
    // A fold without a bet is not allowed here.
    assert_int_equal(phh_import(&replay, SPAN(text), 0, &fault), ERR_ACTION);
    assert_int_equal(fault.line, 19);
    struct text fixed = new_text();
    text_put(&fixed, SPAN(text));
    memcpy(strstr(fixed.at, "'p3 f'"), "'p3 cc'", 6);
    char *at = strstr(fixed.at, "'p3 cc");
    memmove(at + 7, at + 6, strlen(at + 6) + 1);
    at[6] = '\'';
    fixed.size++;
    replay.size = 0;
    if (phh_import(&replay, text_span(&fixed), 0, &fault) != OK)
        fail_msg("line %u: %s", fault.line, fault.why);
    static struct replay_run run; // it is open: the turn comes next
    assert_int_equal(replay_begin(&run, text_span(&replay), g, NULL, NULL), OK);
    while (replay_step(&run, 1, NULL) == 1)
        continue;
    assert_false(run.ended);
    const struct texas_holdem_state *s = (const void *)&run.state;
    assert_true(s->phase == HOLDEM_TURN && s->button == 2 && s->big_blind == 2000 &&
                s->total[1] + s->total[2] == 12000);
    assert_string_equal(run.reader.head.name[0], "Phil ??");
    free(replay.at);
    free(fixed.at);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(situations_are_written), cmocka_unit_test(hands_come_back),
        cmocka_unit_test(matches_have_tables),    cmocka_unit_test(bad_hands_are_refused),
        cmocka_unit_test(other_hands_are_read),   cmocka_unit_test(large_seeds_are_left_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
