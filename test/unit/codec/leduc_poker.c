// Leduc poker in JSON and prose (K1, K3). What it shares with Kuhn poker is tested there.
#include "games/leduc_poker/codec.h"

#include "games/leduc_poker/rules/leduc_poker.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
// cmocka needs the four above
#include <cmocka.h>

static const struct codec *const c = &leduc_poker_codec;
static const struct game *const g = &leduc_poker_game;

static char room[4096];

static const char *ended(struct text *t)
{
    text_put_char(t, 0);
    assert_false(t->full);
    return t->at;
}

// Seat 0 begins with Qs against Kh; the public card is Qh. One letter an action: f k c r.
static struct leduc_poker_state play(const char *actions, struct game_events *past)
{
    static const char rules[] = "{\"deck\":[\"Qs\",\"Kh\",\"Qh\",\"Ks\",\"Js\",\"Jh\"]}";
    struct leduc_poker_state s;
    struct hands_rules r;
    char bad[64];
    int seats = 0;
    struct json_reader reader = json_reader_of(span_of(rules), 16);
    assert_int_equal(codec_read_rules(c, &reader, &r, &seats, bad), OK);
    assert_int_equal(g->init(&s, &r, seats, (struct rng){.key = {1}}, past), OK);
    for (; *actions; actions++) {
        struct game_action a = {.kind = (uint8_t)(strchr(" fkcr", *actions) - " fkcr")};
        assert_int_equal(g->apply(&s, s.hands.to_act, a, past), OK);
    }
    return s;
}

// K1.10, K3.2, K3.3
static void views_are_written_and_told(void **unused)
{
    (void)unused;
    static const struct {
        const char *actions;
        int viewer;
        const char *json, *prose; // how they begin and end
    } cases[] = {
        {"r", 1,
         "{\"card\":\"Kh\",\"public_card\":null,\"actions\":[[\"raise\"]],\"pot\":4,\"to_call\":2,\"hand_number\":1,",
         "Pot 4.\nFirst round: seat_0 raises.\nYou may fold, or call 2, or raise by 2.\n"},
        {"rr", 0,
         "{\"card\":\"Qs\",\"public_card\":null,\"actions\":[[\"raise\",\"raise\"]],\"pot\":8,\"to_call\":2,\"hand_"
         "number\":1,",
         "Pot 8.\nFirst round: seat_0 raises, seat_1 raises.\nYou may fold, or call 2.\n"},
        {"rck", 1,
         "{\"card\":\"Kh\",\"public_card\":\"Qh\",\"actions\":[[\"raise\",\"call\"],[\"check\"]],\"pot\":6,\"to_call\":"
         "0,",
         "The public card is Qh.\nPot 6.\nFirst round: seat_0 raises, seat_1 calls.\nSecond round: seat_0 checks.\n"
         "You may check, or raise by 4.\n"},
        {"rc", GAME_SPECTATOR,
         "{\"card\":null,\"public_card\":\"Qh\",\"actions\":[[\"raise\",\"call\"],[]],\"pot\":6,\"to_call\":0,",
         "Second round: nobody has acted.\nseat_0 is to act.\n"},
        {"kkrc", GAME_SPECTATOR,
         "{\"card\":null,\"public_card\":\"Qh\",\"actions\":[[\"check\",\"check\"],[\"raise\",\"call\"]],\"pot\":10,"
         "\"to_call\":0,",
         "The match is over: seat_0 wins.\n"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct codec_table table = {.seat = codec_seat_names, .seats = 2, .viewer = cases[i].viewer};
        struct leduc_poker_state s = play(cases[i].actions, NULL);
        struct hands_view v;
        struct text t = text_on(room, sizeof room);
        g->view(&s, cases[i].viewer, &v);
        json_begin_object(&t);
        c->write_view(&t, &table, &v);
        json_end_object(&t);
        assert_memory_equal(ended(&t), cases[i].json, strlen(cases[i].json));
        t = text_on(room, sizeof room);
        c->describe_view(&t, &table, &v);
        const char *prose = ended(&t);
        assert_true(strlen(prose) > strlen(cases[i].prose));
        assert_string_equal(prose + strlen(prose) - strlen(cases[i].prose), cases[i].prose);
    }
}

static void views_come_back(void **unused)
{
    (void)unused;
    static const char *const past[] = {"",    "r",   "k",   "kr",   "rr",    "krr",    "kk",  "rc",
                                       "kkk", "kkr", "rck", "rrcr", "rrckr", "rrckrr", "rrf", "rrckrrc"};
    for (size_t i = 0; i < sizeof past / sizeof *past; i++) {
        struct game_events events = {0};
        struct leduc_poker_state s = play(past[i], &events);
        int viewer = s.hands.done ? 1 : s.hands.to_act;
        const struct codec_table table = {.seat = codec_seat_names, .seats = 2, .viewer = viewer};
        struct hands_view v, back;
        struct text t = text_on(room, sizeof room);
        g->view(&s, viewer, &v);
        v.hands.number = 0; // of the question: not told
        json_begin_object(&t);
        c->write_view(&t, &table, &v);
        json_end_object(&t);
        assert_true(codec_read_view(c, json_reader_of(text_span(&t), 16), &table, g->turn(&s).phase, &back));
        assert_memory_equal(&back, &v, sizeof v);
    }
}

// K1.12, K3.3
static void events_have_their_fields(void **unused)
{
    (void)unused;
    static const struct {
        uint32_t event;
        const char *json, *prose;
    } cases[] = {
        {2, "{\"type\":\"action\",\"seat\":\"seat_1\",\"action\":\"raise\",\"amount\":4}", "seat_1 raises"},
        {4, "{\"type\":\"public_card\",\"card\":\"Qh\"}", "the public card is Qh"},
        {7,
         "{\"type\":\"hand_result\",\"winner\":\"seat_0\",\"amount\":5,"
         "\"cards\":{\"seat_0\":\"Qs\",\"seat_1\":\"Kh\"}}",
         "seat_0 wins 5 (seat_0 Qs, seat_1 Kh)"},
    };
    const struct codec_table table = {.seat = codec_seat_names, .seats = 2};
    struct game_events past = {0};
    play("rrckk", &past);
    assert_int_equal(past.count, 8);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct text t = text_on(room, sizeof room);
        codec_write_event(c, &t, &table, &past.at[cases[i].event], 1);
        assert_string_equal(ended(&t), cases[i].json);
        t = text_on(room, sizeof room);
        c->describe_event(&t, &table, &past.at[cases[i].event], 1);
        assert_string_equal(ended(&t), cases[i].prose);
    }
    struct game_event split = {.kind = HANDS_RESULT, .seat = HANDS_NOBODY, .data = {42, 43}};
    struct text t = text_on(room, sizeof room);
    codec_write_event(c, &t, &table, &split, 1);
    assert_string_equal(ended(&t), "{\"type\":\"hand_result\",\"winner\":null,\"amount\":0,"
                                   "\"cards\":{\"seat_0\":\"Qh\",\"seat_1\":\"Qs\"}}");
    t = text_on(room, sizeof room);
    c->describe_event(&t, &table, &split, 1);
    assert_string_equal(ended(&t), "the pot is split (seat_0 Qh, seat_1 Qs)");
}

static void a_raise_is_read(void **unused)
{
    (void)unused;
    const struct codec_table table = {.seat = codec_seat_names, .seats = 2};
    struct json_reader r = json_reader_of(span_of("{\"type\":\"raise\"}"), 16);
    struct game_action a;
    assert_int_equal(codec_read_action(c, &r, &table, false, &a), OK);
    assert_int_equal(a.kind, HANDS_RAISE);
    struct text t = text_on(room, sizeof room);
    codec_describe_action(c, &t, &table, a);
    assert_string_equal(ended(&t), "raises");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(views_are_written_and_told),
        cmocka_unit_test(views_come_back),
        cmocka_unit_test(events_have_their_fields),
        cmocka_unit_test(a_raise_is_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
