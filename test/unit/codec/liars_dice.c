// Liar's Dice in JSON and prose (G26).
#include "games/liars_dice/codec.h"

#include "games/liars_dice/rules/liars_dice.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
// cmocka needs the four above
#include <cmocka.h>

static const struct codec *const c = &liars_dice_codec;
static const struct game *const g = &liars_dice_game;
static const struct codec_table table = {.seat = codec_seat_names, .seats = 3, .viewer = 0};

static char room[8192];

static struct text page(void)
{
    return text_on(room, sizeof room);
}

static const char *ended(struct text *t)
{
    text_put_char(t, 0);
    assert_false(t->full);
    return t->at;
}

static int read_rules(const char *json, struct liars_dice_rules *r, int *seats)
{
    char bad[64];
    struct json_reader reader = json_reader_of(span_of(json), 16);
    return codec_read_rules(c, &reader, r, seats, bad);
}

// F6.L12, G26.5
static void rules_are_read(void **unused)
{
    (void)unused;
    static const struct {
        const char *json;
        int err, seats;
        struct liars_dice_rules rules;
    } cases[] = {
        {"{}", OK, 4, {{5, 5, 5, 5, 5, 5}, {{0}}, 1, 0}},
        {"{\"scenario\":\"short\"}", OK, 4, {{3, 3, 3, 3, 3, 3}, {{0}}, 1, 0}},
        {"{\"scenario\":\"no_wilds\",\"starter\":2}", OK, 4, {{5, 5, 5, 5, 5, 5}, {{0}}, 0, 2}},
        {"{\"dice_counts\":2,\"scenario\":\"duel\"}", OK, 2, {{2, 2, 2, 2, 2, 2}, {{0}}, 1, 0}},
        {"{\"dice_counts\":[1,2,3]}", OK, 4, {{1, 2, 3, 0, 0, 0}, {{0}}, 1, 0}},
        {"{\"dice_counts\":[1,2,3],\"dice_counts\":[4,4]}", OK, 4, {{4, 4, 0, 0, 0, 0}, {{0}}, 1, 0}},
        {"{\"dice_counts\":[]}", OK, 4, {{0}, {{0}}, 1, 0}},
        {"{\"dice\":4}", OK, 4, {{4, 4, 4, 4, 4, 4}, {{0}}, 1, 0}},
        {"{\"dice\":[[1,2],[6]],\"wild_ones\":false,\"starter\":\"seat_1\"}",
         OK,
         4,
         {{5, 5, 5, 5, 5, 5}, {{1, 2}, {6}}, 0, 1}},
        {"{\"dice\":null}", OK, 4, {{5, 5, 5, 5, 5, 5}, {{0}}, 1, 0}},
        {"{\"dice_counts\":6}", ERR_RANGE, 0, {{0}, {{0}}, 0, 0}},
        {"{\"dice_counts\":[1,1,1,1,1,1,1]}", ERR_RANGE, 0, {{0}, {{0}}, 0, 0}},
        {"{\"dice\":[[7]]}", ERR_RANGE, 0, {{0}, {{0}}, 0, 0}},
        {"{\"dice\":[[1,1,1,1,1,1]]}", ERR_RANGE, 0, {{0}, {{0}}, 0, 0}},
        {"{\"dice\":[[],[],[],[],[],[],[]]}", ERR_RANGE, 0, {{0}, {{0}}, 0, 0}},
        {"{\"wild_ones\":1}", ERR_TYPE, 0, {{0}, {{0}}, 0, 0}},
        {"{\"starter\":\"seat_6\"}", ERR_UNKNOWN, 0, {{0}, {{0}}, 0, 0}},
        {"{\"ones\":true}", ERR_UNKNOWN, 0, {{0}, {{0}}, 0, 0}},
        {"{\"scenario\":\"huge\"}", ERR_UNKNOWN, 0, {{0}, {{0}}, 0, 0}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct liars_dice_rules r;
        int seats = 0;
        assert_int_equal(read_rules(cases[i].json, &r, &seats), cases[i].err);
        if (cases[i].err)
            continue;
        assert_int_equal(seats, cases[i].seats);
        assert_memory_equal(&r, &cases[i].rules, sizeof r);
        struct text t = page();
        json_begin_object(&t);
        c->write_rules(&t, &r);
        json_end_object(&t);
        struct liars_dice_rules again;
        assert_int_equal(read_rules(ended(&t), &again, &seats), OK);
        assert_memory_equal(&again, &r, sizeof r);
    }
}

static int read_action(const char *json, bool master, struct game_action *a)
{
    struct json_reader r = json_reader_of(span_of(json), 16);
    int err = codec_read_action(c, &r, &table, master, a);
    return err ? err : json_finish(&r);
}

static void actions_go_there_and_back(void **unused)
{
    (void)unused;
    struct game_action back;
    for (int rank = 0; rank <= 180; rank++) {
        struct game_action a = {.kind = rank ? LIARS_DICE_BID : LIARS_DICE_CHALLENGE, .amount = rank};
        struct text t = page();
        codec_write_action(c, &t, &table, a, false);
        assert_int_equal(read_action(ended(&t), false, &back), OK);
        assert_true(game_same_action(a, back));
    }
    struct game_action drop = {.kind = GAME_DROP, .arg = {2, 7}};
    struct text t = page();
    codec_write_action(c, &t, &table, drop, true);
    assert_string_equal(ended(&t), "{\"type\":\"drop\",\"seat\":\"seat_2\",\"reason\":7}");
    assert_int_equal(read_action(room, true, &back), OK);
    assert_true(game_same_action(drop, back));
    assert_int_equal(read_action(room, false, &back), ERR_UNKNOWN); // a player cannot say it
}

static void bad_actions_are_refused(void **unused)
{
    (void)unused;
    static const struct {
        const char *json;
        int err;
    } cases[] = {
        {"{\"type\":\"bid\",\"quantity\":3,\"face\":4,\"index\":17,\"range\":{\"face\":[1,6]}}", OK},
        {"{\"quantity\":3,\"type\":\"bid\",\"face\":4}", OK},
        {"{\"type\":\"bid\",\"quantity\":3}", ERR_MISSING},
        {"{\"type\":\"bid\",\"face\":3}", ERR_MISSING},
        {"{\"type\":\"bid\"}", ERR_MISSING},
        {"{\"type\":\"bid\",\"quantity\":0,\"face\":1}", ERR_RANGE},
        {"{\"type\":\"bid\",\"quantity\":31,\"face\":1}", ERR_RANGE},
        {"{\"type\":\"bid\",\"quantity\":3,\"face\":7}", ERR_RANGE},
        {"{\"type\":\"bid\",\"quantity\":\"3\",\"face\":4}", ERR_TYPE},
        {"{\"type\":\"bid\",\"quantity\":3.5,\"face\":4}", ERR_TYPE},
        {"{\"type\":\"call\"}", ERR_UNKNOWN},
        {"{}", ERR_MISSING},
        {"[]", ERR_TYPE},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct game_action a;
        assert_int_equal(read_action(cases[i].json, false, &a), cases[i].err);
        if (!cases[i].err)
            assert_int_equal(a.amount, liars_dice_rank(3, 4));
    }
}

struct scene {
    struct liars_dice_state state;
    struct game_events past;
};

static struct scene start(void)
{
    static const uint8_t dice[3][5] = {{1, 4, 4, 2, 6}, {3, 3, 1, 5, 2}, {4, 6, 6, 1, 4}};
    struct scene s = {0};
    struct liars_dice_rules r;
    g->defaults(&r);
    memcpy(r.dice, dice, sizeof dice);
    assert_int_equal(g->init(&s.state, &r, 3, (struct rng){.key = {1}}, NULL), OK);
    return s;
}

static void bid(struct scene *s, int quantity, int face)
{
    struct game_action a = {.kind = LIARS_DICE_BID, .amount = liars_dice_rank(quantity, face)};
    assert_int_equal(g->apply(&s->state, s->state.to_act, a, &s->past), OK);
}

static void challenge(struct scene *s)
{
    struct game_action a = {.kind = LIARS_DICE_CHALLENGE};
    assert_int_equal(g->apply(&s->state, s->state.to_act, a, &s->past), OK);
}

static struct codec_table seen_by(const struct scene *s, int viewer)
{
    struct codec_table t = table;
    t.viewer = viewer;
    t.past = s->past.at;
    t.past_count = s->past.count;
    return t;
}

// G26.1, G22.8: one item for all bids, the lowest one.
static void choices_are_one_bid(void **unused)
{
    (void)unused;
    static const struct {
        int quantity, face;
        const char *json;
    } cases[] = {
        {0, 0, "{\"type\":\"bid\",\"quantity\":1,\"face\":1,\"range\":{\"quantity\":[1,15],\"face\":[1,6]}}"},
        {4, 3, "{\"type\":\"bid\",\"quantity\":4,\"face\":4,\"range\":{\"quantity\":[4,15],\"face\":[1,6]}}"},
        {7, 6, "{\"type\":\"bid\",\"quantity\":8,\"face\":1,\"range\":{\"quantity\":[8,15],\"face\":[1,6]}}"},
        {15, 2, "{\"type\":\"bid\",\"quantity\":15,\"face\":3,\"range\":{\"quantity\":[15,15],\"face\":[3,6]}}"},
        {15, 5, "{\"type\":\"bid\",\"quantity\":15,\"face\":6}"},
        {15, 6, "{\"type\":\"challenge\"}"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct scene s = start();
        struct game_choice list[GAME_MAX_CHOICES];
        struct text t = page();
        if (cases[i].quantity)
            bid(&s, cases[i].quantity, cases[i].face);
        int count = g->choices(&s.state, s.state.to_act, list);
        codec_write_choice(c, &t, &table, list[count - 1]);
        assert_string_equal(ended(&t), cases[i].json);
    }
}

static const char *view_of(const struct scene *s, int viewer)
{
    struct liars_dice_view v;
    struct codec_table at = seen_by(s, viewer);
    struct text t = page();
    g->view(&s->state, viewer, &v);
    json_begin_object(&t);
    c->write_view(&t, &at, &v);
    json_end_object(&t);
    return ended(&t);
}

// G26.2
static void views_have_their_keys(void **unused)
{
    (void)unused;
    struct scene s = start();
    bid(&s, 2, 3);
    bid(&s, 7, 4);
    assert_string_equal(
        view_of(&s, 0),
        "{\"dice\":[1,2,4,4,6],\"current_bid\":{\"seat\":\"seat_1\",\"quantity\":7,\"face\":4},"
        "\"bids\":[{\"seat\":\"seat_0\",\"quantity\":2,\"face\":3},{\"seat\":\"seat_1\",\"quantity\":7,\"face\":4}],"
        "\"round\":1,\"total_dice\":15,\"wild_ones\":true,"
        "\"seats\":[{\"seat\":\"seat_0\",\"dice_count\":5,\"status\":\"alive\"},"
        "{\"seat\":\"seat_1\",\"dice_count\":5,\"status\":\"alive\"},"
        "{\"seat\":\"seat_2\",\"dice_count\":5,\"status\":\"alive\"}],\"last_challenge\":null}");
    challenge(&s);
    assert_string_equal(
        view_of(&s, GAME_SPECTATOR),
        "{\"dice\":[],\"current_bid\":null,\"bids\":[],\"round\":2,\"total_dice\":14,\"wild_ones\":true,"
        "\"seats\":[{\"seat\":\"seat_0\",\"dice_count\":5,\"status\":\"alive\"},"
        "{\"seat\":\"seat_1\",\"dice_count\":5,\"status\":\"alive\"},"
        "{\"seat\":\"seat_2\",\"dice_count\":4,\"status\":\"alive\"}],"
        "\"last_challenge\":{\"challenger\":\"seat_2\",\"bidder\":\"seat_1\",\"bid\":{\"quantity\":7,\"face\":4},"
        "\"count\":7,\"all_dice\":{\"seat_0\":[1,4,4,2,6],\"seat_1\":[3,3,1,5,2],\"seat_2\":[4,6,6,1,4]},"
        "\"loser\":\"seat_2\"}}");
    bid(&s, 1, 1);
    assert_non_null(strstr(view_of(&s, 1), "\"bids\":[{\"seat\":\"seat_2\",\"quantity\":1,\"face\":1}],\"round\":2"));
}

// F6.L6, G26.6; the line of a finished round is that of F6.L7.
static void events_have_their_fields(void **unused)
{
    (void)unused;
    static const struct {
        const char *json, *prose;
    } expected[] = {
        {"{\"type\":\"bid\",\"seat\":\"seat_0\",\"quantity\":4,\"face\":1}", "seat_0 bids 4x1"},
        {"{\"type\":\"challenge\",\"seat\":\"seat_1\",\"challenger\":\"seat_1\",\"bidder\":\"seat_0\",\"bid_quantity\":"
         "4,"
         "\"bid_face\":1,\"actual_count\":3,\"bid_met\":false,"
         "\"all_dice\":{\"seat_0\":[1,4,4,2,6],\"seat_1\":[3,3,1,5,2],\"seat_2\":[4,6,6,1,4]},\"loser\":\"seat_0\"}",
         "Round 1: seat_1 challenged seat_0's bid of 4x1, count 3, seat_0 lost a die"},
        {"{\"type\":\"round_start\",\"round\":2,\"dice_counts\":{\"seat_0\":4,\"seat_1\":5,\"seat_2\":5}}",
         "round 2, seat_0 opens"},
        {"{\"type\":\"player_disconnected\",\"seat\":\"seat_0\"}", "seat_0 has left"},
        {"{\"type\":\"player_eliminated\",\"seat\":\"seat_0\"}", "seat_0 is eliminated"},
        {"{\"type\":\"round_start\",\"round\":3,\"dice_counts\":{\"seat_1\":5,\"seat_2\":5}}", "round 3, seat_1 opens"},
        {"{\"type\":\"player_disconnected\",\"seat\":\"seat_1\"}", "seat_1 has left"},
        {"{\"type\":\"player_eliminated\",\"seat\":\"seat_1\"}", "seat_1 is eliminated"},
        {"{\"type\":\"game_over\",\"winner\":\"seat_2\"}", "seat_2 wins"},
    };
    struct scene s = start();
    bid(&s, 4, 1);
    challenge(&s);
    for (uint8_t seat = 0; seat < 2; seat++) {
        struct game_action drop = {.kind = GAME_DROP, .arg = {seat}};
        assert_int_equal(g->apply(&s.state, GAME_MASTER, drop, &s.past), OK);
    }
    assert_int_equal(s.past.count, sizeof expected / sizeof *expected);
    for (uint32_t i = 0; i < s.past.count; i++) {
        struct text t = page();
        codec_write_event(c, &t, &table, &s.past.at[i], 1);
        assert_string_equal(ended(&t), expected[i].json);
        t = page();
        c->describe_event(&t, &table, &s.past.at[i], 1);
        assert_string_equal(ended(&t), expected[i].prose);
    }
}

static void stacked_items_are_read(void **unused)
{
    (void)unused;
    static const struct {
        const char *json;
        int count;
        uint8_t items[15];
    } cases[] = {
        {"[[1,2,3,4,5],[6,6],[]]", 15, {1, 2, 3, 4, 5, 6, 6, 0, 0, 0, 0}},
        {"[[1],[2]]", 10, {1, 0, 0, 0, 0, 2}},
        {"[]", 0, {0}},
        {"[1,2]", ERR_TYPE, {0}},
        {"[[0]]", ERR_RANGE, {0}},
        {"[[1,1,1,1,1,1]]", ERR_RANGE, {0}},
        {"[[],[],[],[]]", ERR_RANGE, {0}}, // more than there is room
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint8_t items[15] = {9};
        struct json_reader r = json_reader_of(span_of(cases[i].json), 16);
        assert_int_equal(c->read_items(&r, items, sizeof items), cases[i].count);
        if (cases[i].count > 0)
            assert_memory_equal(items, cases[i].items, (size_t)cases[i].count);
    }
}

static const char *situation(const struct scene *s, int viewer)
{
    struct liars_dice_view v;
    struct codec_table at = seen_by(s, viewer);
    struct text t = page();
    g->view(&s->state, viewer, &v);
    c->describe_view(&t, &at, &v);
    return ended(&t);
}

static void a_situation_is_told(void **unused)
{
    (void)unused;
    struct scene s = start();
    assert_string_equal(situation(&s, 0),
                        "Liar's Dice, round 1. 15 dice in play: seat_0 5, seat_1 5, seat_2 5. Ones are wild.\n"
                        "You are seat_0. Your dice: 1 2 4 4 6.\n"
                        "No bid yet.\n"
                        "You open: bid at least 1x1 and at most 15x6.\n");
    bid(&s, 2, 3);
    bid(&s, 7, 4);
    assert_string_equal(situation(&s, 2),
                        "Liar's Dice, round 1. 15 dice in play: seat_0 5, seat_1 5, seat_2 5. Ones are wild.\n"
                        "You are seat_2. Your dice: 1 4 4 6 6.\n"
                        "Current bid: 7x4 by seat_1. Bids of this round: seat_0 2x3, seat_1 7x4.\n"
                        "You may challenge, or bid at least 7x5 and at most 15x6.\n");
    assert_non_null(strstr(situation(&s, GAME_SPECTATOR), "seat_2 is to act.\n"));
    assert_null(strstr(room, "You"));
    challenge(&s);
    assert_non_null(
        strstr(situation(&s, 1), "Round 1: seat_2 challenged seat_1's bid of 7x4, count 7, seat_2 lost a die.\n"));
    for (int rank = 1; rank < 80; rank++) // a long round is cut
        bid(&s, liars_dice_quantity(rank), liars_dice_face(rank));
    assert_true(strlen(situation(&s, s.state.to_act)) <= 1200);
    assert_non_null(strstr(room, "Last bids:"));
}

static void rules_are_told(void **unused)
{
    (void)unused;
    struct liars_dice_rules r;
    struct text t = page();
    g->defaults(&r);
    c->describe_rules(&t, &r, 4);
    assert_non_null(strstr(ended(&t), "Each of the 4 players starts with 5 dice"));
    assert_non_null(strstr(room, "Ones are wild"));
    r.wild_ones = 0;
    r.dice_counts[1] = 2;
    t = page();
    c->describe_rules(&t, &r, 3);
    assert_non_null(strstr(ended(&t), "The players start with 5, 2, 5 dice, by seat"));
    assert_non_null(strstr(room, "Ones are not wild"));
}

static void a_picture_shows_own_dice_alone(void **unused)
{
    (void)unused;
    struct scene s = start();
    struct liars_dice_view v;
    struct text t = page();
    bid(&s, 2, 3);
    g->view(&s.state, 0, &v);
    c->draw(&t, &table, &v);
    assert_string_equal(ended(&t), "Liar's Dice   round 1   15 dice   ones are wild\n\n"
                                   "  seat_0       [ 1 ][ 4 ][ 4 ][ 2 ][ 6 ]  bids 2 threes\n"
                                   "> seat_1       [ ? ][ ? ][ ? ][ ? ][ ? ]\n"
                                   "  seat_2       [ ? ][ ? ][ ? ][ ? ][ ? ]\n");
}

static void a_picture_shows_the_end(void **unused)
{
    (void)unused;
    struct liars_dice_rules r;
    struct scene s = {0};
    struct liars_dice_view v;
    struct text t = page();
    g->defaults(&r);
    r.dice_counts[0] = r.dice_counts[1] = 1;
    r.dice[0][0] = 2, r.dice[1][0] = 3;
    assert_int_equal(g->init(&s.state, &r, 2, (struct rng){.key = {1}}, NULL), OK);
    bid(&s, 2, 2);
    challenge(&s);
    g->view(&s.state, GAME_SPECTATOR, &v);
    struct codec_table two = seen_by(&s, GAME_SPECTATOR);
    two.seats = 2;
    c->draw(&t, &two, &v);
    assert_string_equal(ended(&t), "Liar's Dice   round 1   1 dice   ones are wild\n\n"
                                   "  seat_0       [ 2 ]                      out\n"
                                   "  seat_1       [ 3 ]                      wins\n\n"
                                   "Round 1: seat_1 challenges 2 twos of seat_0: there is 1, seat_0 loses a die\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rules_are_read),          cmocka_unit_test(actions_go_there_and_back),
        cmocka_unit_test(bad_actions_are_refused), cmocka_unit_test(choices_are_one_bid),
        cmocka_unit_test(views_have_their_keys),   cmocka_unit_test(events_have_their_fields),
        cmocka_unit_test(stacked_items_are_read),  cmocka_unit_test(a_situation_is_told),
        cmocka_unit_test(rules_are_told),          cmocka_unit_test(a_picture_shows_own_dice_alone),
        cmocka_unit_test(a_picture_shows_the_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
