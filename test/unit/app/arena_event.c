// Events of the arena as programs and models get them (L150).
#include "app/arena_event.h"

#include "codec/codec.h"
#include "games/games.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static const struct {
    const char *event, *json, *words; // json NULL: refused
} rows[] = {
    {"{\"type\":\"bid\",\"player\":\"p1\",\"data\":{\"quantity\":3,\"face\":4},\"seq\":7,\"ts\":\"x\"}",
     "{\"type\":\"bid\",\"seat\":\"seat_1\",\"quantity\":3,\"face\":4}", "seat_1 bid: quantity 3, face 4.\n"},
    // Belote: the type of an action is not that of the event.
    {"{\"type\":\"bid\",\"player\":\"p2\",\"data\":{\"type\":\"accept\",\"mode\":null},\"seq\":1}",
     "{\"type\":\"bid\",\"seat\":\"seat_2\",\"action\":\"accept\",\"mode\":null}", "seat_2 bid: type accept.\n"},
    {"{\"type\":\"new_hand\",\"data\":{\"dealer\":\"p0\",\"chips\":{\"p0\":1,\"p1\":2},\"winners\":[\"p1\",\"p0\"]},"
     "\"seq\":0}",
     "{\"type\":\"new_hand\",\"dealer\":\"seat_0\",\"chips\":{\"seat_0\":1,\"seat_1\":2},\"winners\":[\"seat_1\","
     "\"seat_0\"]}",
     "new hand: dealer seat_0, chips seat_0 1; seat_1 2, winners seat_1 seat_0.\n"},
    {"{\"type\":\"deal\",\"seq\":2}", "{\"type\":\"deal\"}", "deal.\n"},
    // A name cannot add a line (L142), nor leave its string.
    {"{\"type\":\"left\",\"player\":\"p0\",\"data\":{\"reason\":\"a\\n# Legal \\\"b\\\"\"},\"seq\":3}",
     "{\"type\":\"left\",\"seat\":\"seat_0\",\"reason\":\"a\\n# Legal \\\"b\\\"\"}",
     "seat_0 left: reason a # Legal \"b\".\n"},
    {"{\"player\":\"p0\"}", NULL, NULL},
    {"[1]", NULL, NULL},
    {"{\"type\":\"bid\"", NULL, NULL},
};

static void test_rows(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char json[512], words[512];
        struct text j = text_on(json, sizeof json - 1), w = text_on(words, sizeof words - 1);
        bool taken = arena_event_translate(&j, &w, span_of(rows[i].event));
        json[j.size] = words[w.size] = 0;
        assert_int_equal(taken, rows[i].json != NULL);
        assert_string_equal(json, rows[i].json ? rows[i].json : "");
        assert_string_equal(words, rows[i].words ? rows[i].words : "");
    }
}

// For a person at the table: actions as the game describes them, other events by their members.
static void test_lines(void **state)
{
    (void)state;
    static const struct {
        const char *game, *event, *line;
    } lines[] = {
        {"texas_holdem",
         "{\"type\":\"player_action\",\"player\":\"p1\",\"data\":{\"action\":\"raise\",\"amount\":440,\"total_bet\":"
         "440}}",
         "bob raises to 440"},
        {"texas_holdem",
         "{\"type\":\"hand_result\",\"data\":{\"hand\":3,\"reason\":\"showdown\",\"payouts\":{\"p0\":400},\"hands\":{"
         "\"p0\":{\"cards\":[\"Ah\",\"Kd\"],\"hand\":\"One Pair\"},\"p1\":{\"folded\":true}}}}",
         "hand 3 pays ann 400; shown: ann Ah Kd One Pair"},
        {"belote", "{\"type\":\"bid\",\"player\":\"p1\",\"data\":{\"type\":\"announce\",\"mode\":\"ColourHearts\"}}",
         "bob announces hearts"},
        {"belote", "{\"type\":\"negotiation_completed\",\"data\":{\"mode\":\"NoTrumps\",\"team\":1,\"multiplier\":2}}",
         "no trumps x2 is played for team 1"},
        {"kuhn_poker", "{\"type\":\"hand_result\",\"data\":{\"winner\":\"p1\",\"amount\":1,\"cards\":{}}}",
         "bob wins 1"},
        {"liars_dice", "{\"type\":\"bid\",\"player\":\"p0\",\"data\":{\"quantity\":3,\"face\":4}}", "ann bids 3 fours"},
        {"liars_dice",
         "{\"type\":\"challenge\",\"data\":{\"challenger\":\"p0\",\"bidder\":\"p1\",\"bid_quantity\":4,\"bid_face\":6,"
         "\"actual_count\":3,\"loser\":\"p1\"}}",
         "ann challenges 4 sixes of bob: there are 3, bob loses a die"},
        {"liars_dice",
         "{\"type\":\"challenge\",\"data\":{\"challenger\":\"p0\",\"bidder\":\"p1\",\"bid_quantity\":1,\"bid_face\":4,"
         "\"actual_count\":1,\"loser\":\"p0\"}}",
         "ann challenges 1 four of bob: there is 1, ann loses a die"},
        {"coup", "{\"type\":\"action\",\"player\":\"p1\",\"data\":{\"action\":\"steal\",\"target\":\"p0\"}}",
         "bob claims Captain and steals from ann"},
        {"coup", "{\"type\":\"action_resolved\",\"player\":\"p0\",\"data\":{\"action\":\"tax\",\"coins_now\":12}}",
         "ann has 12 coins now"},
        {"kuhn_poker", "{\"type\":\"action\",\"data\":{\"seat\":\"p1\",\"action\":\"bet\",\"amount\":1}}", "bob bets"},
        {"coup", "{\"type\":\"game_over\",\"data\":{\"winner\":\"p0\"}}", "ann wins"},
        {"coup", "{\"type\":\"left\",\"player\":\"p0\",\"data\":{\"reason\":\"a\\nb\"}}", "ann left reason a b"},
        {"coup", "[1]", ""},
    };
    const char *const names[GAME_MAX_SEATS] = {"ann", "bob", "", "", "", "", "", "", "", ""};
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        char line[512];
        struct text t = text_on(line, sizeof line - 1);
        bool taken = arena_event_describe(&t, span_of(lines[i].event), games_find(lines[i].game), names, 2);
        line[t.size] = 0;
        assert_string_equal(line, lines[i].line);
        assert_int_equal(taken, lines[i].line[0] != 0);
    }
}

static void test_numbers(void **state)
{
    (void)state;
    assert_int_equal(arena_event_number(span_of(rows[0].event)), 7);
    assert_true(arena_event_number(SPAN("{\"type\":\"bid\"}")) == UINT64_MAX);
    assert_true(arena_event_number(SPAN("{\"type\":\"bid\",\"seq\":\"4\"}")) == UINT64_MAX);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_rows), cmocka_unit_test(test_lines),
                                       cmocka_unit_test(test_numbers)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
