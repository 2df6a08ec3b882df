// Kuhn poker in JSON and prose (K1, K2).
#include "games/kuhn_poker/codec.h"

#include "games/kuhn_poker/rules/kuhn_poker.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
// cmocka needs the four above
#include <cmocka.h>

static const struct codec *const c = &kuhn_poker_codec;
static const struct game *const g = &kuhn_poker_game;

static char room[4096];

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

static struct codec_table seen_by(int viewer)
{
    return (struct codec_table){.seat = codec_seat_names, .seats = 2, .viewer = viewer};
}

static int read_rules(const char *json, struct hands_rules *r)
{
    char bad[64];
    int seats = 0;
    struct json_reader reader = json_reader_of(span_of(json), 16);
    int err = codec_read_rules(c, &reader, r, &seats, bad);
    assert_true(err || seats == 2);
    return err;
}

// K1.2, K1.4, K1.13
static void rules_are_read(void **unused)
{
    (void)unused;
    static const struct {
        const char *json;
        int err;
        const char *back;
    } cases[] = {
        {"{}", OK, "{\"max_hands\":1,\"starter\":0,\"deck\":null}"},
        {"{\"scenario\":\"hundred_hands\"}", OK, "{\"max_hands\":100,\"starter\":0,\"deck\":null}"},
        {"{\"max_hands\":7,\"starter\":\"seat_1\"}", OK, "{\"max_hands\":7,\"starter\":1,\"deck\":null}"},
        {"{\"deck\":[\"Ks\",\"Js\",\"Qs\"]}", OK, "{\"max_hands\":1,\"starter\":0,\"deck\":[\"Ks\",\"Js\",\"Qs\"]}"},
        {"{\"deck\":[]}", ERR_RANGE, NULL},
        {"{\"deck\":[\"Ks\",\"Js\",\"Qs\",\"Kh\",\"Jh\",\"Qh\",\"2c\"]}", ERR_RANGE, NULL},
        {"{\"deck\":[\"K\"]}", ERR_UNKNOWN, NULL},
        {"{\"max_hands\":0}", ERR_RANGE, NULL},
        {"{\"max_hands\":1001}", ERR_RANGE, NULL},
        {"{\"starter\":2}", ERR_RANGE, NULL},
        {"{\"stack\":2}", ERR_UNKNOWN, NULL},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct hands_rules r, again;
        assert_int_equal(read_rules(cases[i].json, &r), cases[i].err);
        if (cases[i].err)
            continue;
        struct text t = page();
        json_begin_object(&t);
        c->write_rules(&t, &r);
        json_end_object(&t);
        assert_string_equal(ended(&t), cases[i].back);
        assert_int_equal(read_rules(room, &again), OK);
        assert_memory_equal(&again, &r, sizeof r);
    }
}

static int read_action(const char *json, bool master, struct game_action *a)
{
    const struct codec_table table = seen_by(0);
    struct json_reader r = json_reader_of(span_of(json), 16);
    int err = codec_read_action(c, &r, &table, master, a);
    return err ? err : json_finish(&r);
}

static void actions_go_there_and_back(void **unused)
{
    (void)unused;
    static const struct {
        const char *json, *prose;
        struct game_action action;
    } cases[] = {
        {"{\"type\":\"fold\"}", "folds", {.kind = HANDS_FOLD}},
        {"{\"type\":\"check\"}", "checks", {.kind = HANDS_CHECK}},
        {"{\"type\":\"call\"}", "calls", {.kind = HANDS_CALL}},
        {"{\"type\":\"bet\"}", "bets", {.kind = HANDS_RAISE}},
        {"{\"type\":\"drop\",\"seat\":\"seat_1\",\"reason\":2}", "drops seat_1", {.kind = GAME_DROP, .arg = {1, 2}}},
    };
    const struct codec_table table = seen_by(0);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct game_action a;
        bool master = cases[i].action.kind == GAME_DROP;
        assert_int_equal(read_action(cases[i].json, master, &a), OK);
        assert_true(game_same_action(a, cases[i].action));
        assert_int_equal(read_action(cases[i].json, !master, &a), ERR_UNKNOWN);
        struct text t = page();
        codec_write_action(c, &t, &table, cases[i].action, master);
        assert_string_equal(ended(&t), cases[i].json);
        t = page();
        codec_describe_action(c, &t, &table, cases[i].action);
        assert_string_equal(ended(&t), cases[i].prose);
    }
    struct game_action a;
    assert_int_equal(read_action("{\"type\":\"bet\",\"index\":4,\"amount\":[1]}", false, &a), OK); // others are skipped
    assert_int_equal(read_action("{\"type\":\"drop\"}", true, &a), ERR_MISSING);
    assert_int_equal(read_action("{\"type\":\"drop\",\"seat\":2}", true, &a), ERR_RANGE);
    assert_int_equal(read_action("{\"type\":\"raise\"}", false, &a), ERR_UNKNOWN);
}

struct scene {
    struct kuhn_poker_state state;
    struct game_events past;
};

// Two hands: seat 0 begins with Q against K. One letter an action: f k c b.
static struct scene play(const char *actions)
{
    struct scene s = {0};
    struct hands_rules r;
    assert_int_equal(read_rules("{\"max_hands\":2,\"deck\":[\"Qs\",\"Ks\",\"Js\"]}", &r), OK);
    assert_int_equal(g->init(&s.state, &r, 2, (struct rng){.key = {1}}, &s.past), OK);
    const uint8_t next[] = {43, 39, 47};
    assert_int_equal(g->stack(&s.state, next, 3), OK);
    for (; *actions; actions++) {
        struct game_action a = {.kind = (uint8_t)(strchr(" fkcb", *actions) - " fkcb")};
        assert_int_equal(g->apply(&s.state, s.state.hands.to_act, a, &s.past), OK);
    }
    return s;
}

static const char *view_of(const struct scene *s, int viewer,
                           void (*write)(struct text *, const struct codec_table *, const void *), bool json)
{
    struct hands_view v;
    const struct codec_table table = seen_by(viewer);
    struct text t = page();
    g->view(&s->state, viewer, &v);
    if (json)
        json_begin_object(&t);
    write(&t, &table, &v);
    if (json)
        json_end_object(&t);
    return ended(&t);
}

// K1.10
static void views_are_written_and_told(void **unused)
{
    (void)unused;
    static const struct {
        const char *actions;
        int viewer;
        const char *json, *prose;
    } cases[] = {
        {"", 0,
         "{\"card\":\"Qs\",\"actions\":[],\"pot\":2,\"to_call\":0,\"hand_number\":1,\"hands_total\":2,\"first\":\"seat_"
         "0\",\"payoffs\":{\"seat_0\":0,\"seat_1\":0},\"last_hand\":null}",
         "Hand 1 of 2, seat_0 acts first. Won so far: seat_0 0, seat_1 0.\nYou are seat_0. Your card is Qs.\n"
         "Pot 2. Nobody has acted.\nYou may check, or bet 1.\n"},
        {"kb", GAME_SPECTATOR,
         "{\"card\":null,\"actions\":[\"check\",\"bet\"],\"pot\":3,\"to_call\":1,\"hand_number\":1,\"hands_total\":2,"
         "\"first\":\"seat_0\",\"payoffs\":{\"seat_0\":0,\"seat_1\":0},\"last_hand\":null}",
         "Hand 1 of 2, seat_0 acts first. Won so far: seat_0 0, seat_1 0.\n"
         "Pot 3. seat_0 checks, seat_1 bets.\nseat_0 is to act.\n"},
        {"kbcb", 0,
         "{\"card\":\"Js\",\"actions\":[\"bet\"],\"pot\":3,\"to_call\":1,\"hand_number\":2,\"hands_total\":2,"
         "\"first\":\"seat_1\",\"payoffs\":{\"seat_0\":-2,\"seat_1\":2},"
         "\"last_hand\":{\"winner\":\"seat_1\",\"amount\":2,\"cards\":{\"seat_0\":\"Qs\",\"seat_1\":\"Ks\"}}}",
         "Hand 2 of 2, seat_1 acts first. Won so far: seat_0 -2, seat_1 2.\nYou are seat_0. Your card is Js.\n"
         "Pot 3. seat_1 bets.\nYou may fold, or call 1.\n"},
        {"bfbf", 1,
         "{\"card\":\"Qs\",\"actions\":[\"bet\",\"fold\"],\"pot\":3,\"to_call\":0,\"hand_number\":2,\"hands_total\":2,"
         "\"first\":\"seat_1\",\"payoffs\":{\"seat_0\":0,\"seat_1\":0},"
         "\"last_hand\":{\"winner\":\"seat_1\",\"amount\":1,\"cards\":{}}}",
         "Hand 2 of 2, seat_1 acts first. Won so far: seat_0 0, seat_1 0.\nYou are seat_1. Your card is Qs.\n"
         "Pot 3. seat_1 bets, seat_0 folds.\nThe match is over: a draw.\n"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct scene s = play(cases[i].actions);
        assert_string_equal(view_of(&s, cases[i].viewer, c->write_view, true), cases[i].json);
        assert_string_equal(view_of(&s, cases[i].viewer, c->describe_view, false), cases[i].prose);
    }
}

// All that was written comes back; the number of the question is not told.
static void views_come_back(void **unused)
{
    (void)unused;
    static const char *const past[] = {"", "b", "k", "kb", "kk", "bf", "bfb", "kbc", "kbcb", "kbck", "kbckb", "bfbf"};
    for (size_t i = 0; i < sizeof past / sizeof *past; i++) {
        struct scene s = play(past[i]);
        bool done = s.state.hands.done;
        int viewer = done ? 1 : s.state.hands.to_act;
        const struct codec_table table = seen_by(viewer);
        struct hands_view v, back;
        g->view(&s.state, viewer, &v);
        v.hands.number = 0;
        struct json_reader r = json_reader_of(span_of(view_of(&s, viewer, c->write_view, true)), 16);
        assert_true(codec_read_view(c, r, &table, g->turn(&s.state).phase, &back));
        assert_memory_equal(&back, &v, sizeof v);
    }
}

static void views_that_cannot_be_are_refused(void **unused)
{
    (void)unused;
    static const char *const cases[] = {
        "{}",
        "[]",
        "{\"card\":null,\"actions\":[],\"hand_number\":1,\"first\":\"seat_0\"}",
        "{\"card\":\"Tc\",\"actions\":[],\"hand_number\":1,\"first\":\"seat_0\"}",
        "{\"card\":\"Qs\",\"actions\":[],\"hand_number\":0,\"first\":\"seat_0\"}",
        "{\"card\":\"Qs\",\"actions\":[],\"hand_number\":1,\"first\":\"seat_1\"}",
        "{\"card\":\"Qs\",\"actions\":[\"check\"],\"hand_number\":1,\"first\":\"seat_0\"}",
        "{\"card\":\"Qs\",\"actions\":[\"drop\",\"bet\"],\"hand_number\":1,\"first\":\"seat_0\"}",
        "{\"card\":\"Qs\",\"actions\":[\"bet\",\"bet\",\"bet\",\"bet\"],\"hand_number\":1,\"first\":\"seat_0\"}",
        "{\"card\":\"Qs\",\"actions\":[],\"pot\":256,\"hand_number\":1,\"first\":\"seat_0\"}",
        "{\"card\":\"Qs\",\"actions\":[],\"to_call\":-1,\"hand_number\":1,\"first\":\"seat_0\"}",
    };
    const struct codec_table table = seen_by(0);
    struct hands_view v;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_false(codec_read_view(c, json_reader_of(span_of(cases[i]), 16), &table, KUHN_POKER_BETTING, &v));
    struct json_reader sound =
        json_reader_of(span_of("{\"card\":\"Qs\",\"actions\":[],\"hand_number\":1,\"first\":\"seat_0\"}"), 16);
    assert_true(codec_read_view(c, sound, &table, KUHN_POKER_BETTING, &v));
}

// K1.12
static void events_have_their_fields(void **unused)
{
    (void)unused;
    static const struct {
        const char *json, *prose;
    } expected[] = {
        {"{\"type\":\"new_hand\",\"hand\":1,\"first\":\"seat_0\"}", "hand 1, seat_0 acts first"},
        {"{\"type\":\"action\",\"seat\":\"seat_0\",\"action\":\"bet\",\"amount\":1}", "seat_0 bets"},
        {"{\"type\":\"action\",\"seat\":\"seat_1\",\"action\":\"call\",\"amount\":1}", "seat_1 calls"},
        {"{\"type\":\"hand_result\",\"winner\":\"seat_1\",\"amount\":2,"
         "\"cards\":{\"seat_0\":\"Qs\",\"seat_1\":\"Ks\"}}",
         "seat_1 wins 2 (seat_0 Qs, seat_1 Ks)"},
        {"{\"type\":\"new_hand\",\"hand\":2,\"first\":\"seat_1\"}", "hand 2, seat_1 acts first"},
        {"{\"type\":\"player_disconnected\",\"seat\":\"seat_1\",\"reason\":3}", "seat_1 has left"},
        {"{\"type\":\"hand_result\",\"winner\":\"seat_0\",\"amount\":3,\"cards\":{}}", "seat_0 wins 3"},
    };
    const struct codec_table table = seen_by(0);
    struct scene s = play("bc");
    struct game_action drop = {.kind = GAME_DROP, .arg = {1, 3}};
    assert_int_equal(g->apply(&s.state, GAME_MASTER, drop, &s.past), OK);
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

static void rules_are_told(void **unused)
{
    (void)unused;
    struct hands_rules r;
    struct text t = page();
    g->defaults(&r);
    c->describe_rules(&t, &r, 2);
    assert_non_null(strstr(ended(&t), "The match is one hand."));
    r.max_hands = 30;
    t = page();
    c->describe_rules(&t, &r, 2);
    assert_non_null(strstr(ended(&t), "The match has 30 hands; the players take turns to act first."));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rules_are_read),
        cmocka_unit_test(actions_go_there_and_back),
        cmocka_unit_test(views_are_written_and_told),
        cmocka_unit_test(views_come_back),
        cmocka_unit_test(views_that_cannot_be_are_refused),
        cmocka_unit_test(events_have_their_fields),
        cmocka_unit_test(rules_are_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
