// Texas Hold'em as JSON: rules, actions, views and events, there and back.
#include "games/texas_holdem/codec.h"

#include "games/texas_holdem/rules/texas_holdem.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

static const struct codec *const c = &texas_holdem_codec;
static const struct game *const g = &texas_holdem_game;
static const struct rng chance = {.key = {9, 8, 7}};
static struct game_events out;
static char buffer[8192];

static struct codec_table table_of(int seats, int viewer)
{
    return (struct codec_table){.seat = codec_seat_names, .seats = seats, .viewer = viewer};
}

static struct text fresh(void)
{
    return text_on(buffer, sizeof buffer - 1);
}

static const char *ended(struct text *t)
{
    assert_false(t->full);
    t->at[t->size] = 0;
    return t->at;
}

static int read_rules(const char *json, struct texas_holdem_rules *r, int *seats)
{
    char bad[64];
    struct json_reader reader = json_reader_of(span_of(json), 8);
    memset(r, 0, sizeof *r);
    return codec_read_rules(c, &reader, r, seats, bad);
}

static void test_default_rules_name_every_option(void **state)
{
    (void)state;
    struct texas_holdem_rules r;
    struct text t = fresh();
    g->defaults(&r);
    json_begin_object(&t);
    c->write_rules(&t, &r);
    json_end_object(&t);
    assert_string_equal(ended(&t), "{\"format\":\"tournament\",\"small_blind\":100,\"big_blind\":200,"
                                   "\"starting_chips\":10000,\"max_hands\":10,\"blinds_double_at\":6,"
                                   "\"big_blind_option\":true,"                               // F6.T1
                                   "\"ante\":0,\"button\":0,\"stacks\":null,\"deck\":null}"); // F6.T20
}

static void test_rules_round_trip(void **state)
{
    (void)state;
    struct texas_holdem_rules r, again;
    int seats = 0;
    assert_int_equal(read_rules("{\"small_blind\":7,\"big_blind\":15,\"ante\":3,\"hands\":4,\"starting_stack\":500,"
                                "\"stacks\":[5,6,7],\"button\":2,\"big_blind_option\":false,\"blinds_double_at\":0,"
                                "\"scenario\":\"heads_up\",\"format\":\"tournament\"}",
                                &r, &seats),
                     OK);
    assert_int_equal(seats, 2);
    assert_int_equal(r.max_hands, 4);
    assert_int_equal(r.starting_chips, 500);
    assert_int_equal(r.stacks[2], 7);
    assert_int_equal(r.blinds_double_at, 0);
    r.has_deck = 1;
    for (uint8_t i = 0; i < CARDS_IN_DECK; i++)
        r.deck[i] = (uint8_t)(51 - i);
    struct text t = fresh();
    json_begin_object(&t);
    c->write_rules(&t, &r);
    json_end_object(&t);
    assert_int_equal(read_rules(ended(&t), &again, &seats), OK);
    assert_memory_equal(&r, &again, sizeof r);
    assert_int_equal(read_rules("{\"format\":\"cash\"}", &r, &seats), OK); // N12.1
    assert_int_equal(r.format, HOLDEM_CASH);
    t = fresh();
    json_begin_object(&t);
    c->write_rules(&t, &r);
    json_end_object(&t);
    assert_non_null(strstr(ended(&t), "\"format\":\"cash\""));
    assert_int_equal(read_rules(ended(&t), &again, &seats), OK);
    assert_memory_equal(&r, &again, sizeof r);
}

static void test_bad_rules(void **state)
{
    (void)state;
    static const struct {
        const char *json;
        int error;
    } cases[] = {
        {"{\"small_blind\":0}", ERR_RANGE},       {"{\"small_blind\":\"x\"}", ERR_TYPE},
        {"{\"stacks\":[1,0]}", ERR_RANGE},        {"{\"stacks\":[1,1,1,1,1,1,1,1,1,1]}", ERR_RANGE},
        {"{\"deck\":[\"As\"]}", ERR_RANGE},       {"{\"deck\":[\"Ax\"]}", ERR_UNKNOWN},
        {"{\"format\":\"limit\"}", ERR_UNKNOWN},  {"{\"blinds\":3}", ERR_UNKNOWN},
        {"{\"scenario\":\"none\"}", ERR_UNKNOWN}, {"{\"button\":9}", ERR_RANGE},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct texas_holdem_rules r;
        int seats = 0;
        assert_int_equal(read_rules(cases[i].json, &r, &seats), cases[i].error);
    }
}

static int read_action(const char *json, bool master, struct game_action *a)
{
    struct codec_table table = table_of(3, 0);
    struct json_reader reader = json_reader_of(span_of(json), 8);
    return codec_read_action(c, &reader, &table, master, a);
}

static void test_actions_round_trip(void **state)
{
    (void)state;
    static const struct {
        const char *json;
        bool master;
        struct game_action a;
    } cases[] = {
        {"{\"type\":\"fold\"}", false, {.kind = HOLDEM_FOLD}},
        {"{\"type\":\"check\"}", false, {.kind = HOLDEM_CHECK}},
        {"{\"type\":\"call\",\"amount\":400}", false, {.kind = HOLDEM_CALL, .amount = 400}},
        {"{\"type\":\"raise\",\"amount\":1500}", false, {.kind = HOLDEM_RAISE, .amount = 1500}},
        {"{\"type\":\"allin\"}", false, {.kind = HOLDEM_ALLIN}},
        {"{\"type\":\"set_blinds\",\"small\":70000,\"big\":140000}",
         true,
         {.kind = HOLDEM_SET_BLINDS, .arg = {0x70, 0x11, 0x01}, .amount = 140000}},
        {"{\"type\":\"set_blind_level\",\"multiplier\":0.25}",
         true,
         {.kind = HOLDEM_SET_BLIND_LEVEL, .amount = 250000}},
        {"{\"type\":\"set_ante\",\"fraction\":0.125}", true, {.kind = HOLDEM_SET_ANTE, .amount = 125000}},
        {"{\"type\":\"drop\",\"seat\":\"seat_2\",\"reason\":1}", true, {.kind = GAME_DROP, .arg = {2, 1}}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct codec_table table = table_of(3, 0);
        struct game_action a;
        struct text t = fresh();
        assert_int_equal(read_action(cases[i].json, cases[i].master, &a), OK);
        assert_memory_equal(&a, &cases[i].a, sizeof a);
        codec_write_action(c, &t, &table, a, cases[i].master);
        assert_string_equal(ended(&t), cases[i].json);
    }
}

// F6.T8: call may come without or with any amount; a raise must have one.
static void test_reading_actions(void **state)
{
    (void)state;
    static const struct {
        const char *json;
        int error;
    } cases[] = {
        {"{\"type\":\"call\"}", OK},
        {"{\"type\":\"call\",\"amount\":\"all\"}", OK},
        {"{\"amount\":2,\"type\":\"fold\",\"why\":[1,{}]}", OK},
        {"{\"type\":\"raise\"}", ERR_MISSING},
        {"{\"type\":\"raise\",\"amount\":1.5}", ERR_TYPE},
        {"{\"type\":\"raise\",\"amount\":99999999999}", ERR_RANGE},
        {"{\"type\":\"bet\",\"amount\":5}", ERR_UNKNOWN},
        {"{\"type\":\"drop\",\"seat\":1}", ERR_UNKNOWN}, // the master's
        {"{\"amount\":5}", ERR_MISSING},
        {"[]", ERR_TYPE},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct game_action a;
        assert_int_equal(read_action(cases[i].json, false, &a), cases[i].error);
    }
    struct game_action a;
    assert_int_equal(read_action("{\"type\":\"set_blinds\",\"small\":5}", true, &a), ERR_MISSING);
    assert_int_equal(read_action("{\"type\":\"set_ante\",\"fraction\":-1}", true, &a), ERR_RANGE);
}

static void test_choice_has_its_range(void **state)
{
    (void)state;
    struct texas_holdem_rules r;
    struct texas_holdem_state s;
    struct game_choice choice[GAME_MAX_CHOICES];
    struct codec_table table = table_of(2, 0);
    struct text t = fresh();
    g->defaults(&r);
    assert_int_equal(g->init(&s, &r, 2, chance, NULL), OK);
    assert_int_equal(g->choices(&s, 0, choice), 4);
    codec_write_choice(c, &t, &table, choice[2]);
    assert_string_equal(ended(&t), "{\"type\":\"raise\",\"amount\":400,\"range\":{\"amount\":[400,10000]}}");
}

static void expect_json(const char *text)
{
    struct json_reader r = json_reader_of(span_of(text), 16);
    json_skip(&r);
    assert_int_equal(json_finish(&r), OK);
}

static const char *view_json(const struct texas_holdem_state *s, int viewer)
{
    struct codec_table table = table_of(s->seats, viewer);
    struct texas_holdem_view v;
    struct text t = fresh();
    g->view(s, viewer, &v);
    json_begin_object(&t);
    c->write_view(&t, &table, &v);
    json_end_object(&t);
    expect_json(ended(&t));
    return ended(&t);
}

// F6.T15, G22.5, G25.3: these keys, in this order.
static void test_view(void **state)
{
    (void)state;
    struct texas_holdem_rules r;
    struct texas_holdem_state s;
    char expected[2048];
    g->defaults(&r);
    r.ante = 5;
    assert_int_equal(g->init(&s, &r, 3, chance, NULL), OK);
    static const char format[] =
        "{\"hole_cards\":[%s],\"board\":[],\"pot\":315,\"current_bet\":200,\"to_call\":%s,\"min_raise_to\":%s,"
        "\"max_raise_to\":%s,\"button\":\"seat_0\",\"small_blind\":100,\"big_blind\":200,\"ante\":5,"
        "\"hand_number\":1,\"hands_total\":10,\"seats\":["
        "{\"seat\":\"seat_0\",\"chips\":9995,\"bet\":0,\"total_bet\":5,\"status\":\"active\",\"position\":\"BTN\"},"
        "{\"seat\":\"seat_1\",\"chips\":9895,\"bet\":100,\"total_bet\":105,\"status\":\"active\",\"position\":\"SB\"},"
        "{\"seat\":\"seat_2\",\"chips\":9795,\"bet\":200,\"total_bet\":205,\"status\":\"active\",\"position\":\"BB\"}],"
        "\"last_hand\":null}";
    struct texas_holdem_view v;
    char hole[16];
    g->view(&s, 0, &v);
    snprintf(hole, sizeof hole, "\"%s\",\"%s\"", codec_card_name(v.hole[0]), codec_card_name(v.hole[1]));
    snprintf(expected, sizeof expected, format, hole, "200", "400", "9995");
    assert_string_equal(view_json(&s, 0), expected);
    snprintf(expected, sizeof expected, format, "", "0", "null", "null");
    assert_string_equal(view_json(&s, GAME_SPECTATOR), expected);
}

static void play(struct texas_holdem_state *s, int kind)
{
    assert_int_equal(g->apply(s, s->actor, (struct game_action){.kind = (uint8_t)kind}, &out), OK);
}

// The events of the last steps as this viewer sees them, one JSON text each.
static const char *event_json(int viewer, int seats, int kind)
{
    struct game_event seen[GAME_MAX_EVENTS];
    struct codec_table table = table_of(seats, viewer);
    uint32_t count = 0;
    for (uint32_t i = 0; i < out.count; i++)
        if (out.at[i].to & SEAT(viewer))
            seen[count++] = out.at[i];
    for (uint32_t i = 0; i < count;) {
        int parts = codec_event_parts(&seen[i], count - i);
        if (seen[i].kind == kind) {
            struct text t = fresh();
            codec_write_event(c, &t, &table, &seen[i], parts);
            return ended(&t);
        }
        i += (uint32_t)parts;
    }
    return NULL;
}

// F6.T14, G25.7, word by word. Dealt: seat 1 Ac Ad, seat 2 Kc Kd, seat 0 Qc Qd.
static void test_events(void **state)
{
    (void)state;
    static const char *const first[] = {"Ac", "Kc", "Qc", "Ad", "Kd", "Qd", "2h", "3h", "4h", "9s", "Js"};
    struct texas_holdem_rules r;
    struct texas_holdem_state s;
    uint64_t seen = 0;
    int n = 0;
    g->defaults(&r);
    r.has_deck = 1;
    for (; n < 11; n++)
        for (uint8_t card = 0; card < CARDS_IN_DECK; card++)
            if (strcmp(codec_card_name(card), first[n]) == 0) {
                r.deck[n] = card;
                seen |= UINT64_C(1) << card;
            }
    for (uint8_t card = 0; card < CARDS_IN_DECK; card++)
        if (!(seen >> card & 1))
            r.deck[n++] = card;
    out.count = 0;
    r.max_hands = 1;
    assert_int_equal(g->init(&s, &r, 3, chance, &out), OK);
    assert_string_equal(event_json(0, 3, HOLDEM_EVENT_NEW_HAND),
                        "{\"type\":\"new_hand\",\"hand_num\":1,\"max_hands\":1,\"dealer\":\"seat_0\",\"chips\":{\"seat_"
                        "0\":10000,\"seat_1\":10000,\"seat_2\":10000},\"small_blind\":100,\"big_blind\":200}");
    assert_string_equal(event_json(0, 3, HOLDEM_EVENT_ACTION),
                        "{\"type\":\"player_action\",\"seat\":\"seat_1\",\"action\":\"small_blind\",\"amount\":100,"
                        "\"total_bet\":100}");
    out.count = 0;
    play(&s, HOLDEM_FOLD);
    assert_string_equal(event_json(0, 3, HOLDEM_EVENT_ACTION),
                        "{\"type\":\"player_action\",\"seat\":\"seat_0\",\"action\":\"fold\",\"total_bet\":0}");
    out.count = 0;
    play(&s, HOLDEM_ALLIN);
    assert_string_equal(event_json(0, 3, HOLDEM_EVENT_ACTION),
                        "{\"type\":\"player_action\",\"seat\":\"seat_1\",\"action\":\"allin\",\"amount\":10000,"
                        "\"total_bet\":10000}");
    out.count = 0;
    play(&s, HOLDEM_CALL);
    assert_string_equal(event_json(0, 3, HOLDEM_EVENT_COMMUNITY),
                        "{\"type\":\"community_cards\",\"cards\":[\"2h\",\"3h\",\"4h\"],\"phase\":\"flop\"}");
#define RESULT                                                                                                         \
    "{\"type\":\"hand_result\",\"hand\":1,\"reason\":\"showdown\",\"winners\":[\"seat_1\"],\"pot\":20000,"             \
    "\"payouts\":{\"seat_1\":20000},\"hands\":{\"seat_0\":"
#define SHOWN                                                                                                          \
    ",\"seat_1\":{\"cards\":[\"Ac\",\"Ad\"],\"hand\":\"One Pair\"},"                                                   \
    "\"seat_2\":{\"cards\":[\"Kc\",\"Kd\"],\"hand\":\"One Pair\"}}}"
    assert_string_equal(event_json(1, 3, HOLDEM_EVENT_RESULT), RESULT "{\"folded\":true}" SHOWN);
    assert_string_equal(event_json(GAME_SPECTATOR, 3, HOLDEM_EVENT_RESULT), RESULT "{\"folded\":true}" SHOWN);
    assert_string_equal(event_json(0, 3, HOLDEM_EVENT_RESULT),
                        RESULT "{\"cards\":[\"Qc\",\"Qd\"],\"folded\":true}" SHOWN);
    assert_string_equal(event_json(0, 3, HOLDEM_EVENT_MATCH),
                        "{\"type\":\"match_result\",\"winner\":\"seat_1\",\"winners\":[\"seat_1\"],\"is_draw\":false,"
                        "\"hand\":1,\"reason\":\"max_hands_reached\",\"chips\":{\"seat_0\":10000,\"seat_1\":20000,"
                        "\"seat_2\":0}}");
    assert_non_null(strstr(view_json(&s, 0),
                           "\"chips\":0,\"bet\":0,\"total_bet\":0,\"status\":\"busted\",\"position\":\"\","
                           "\"cards\":[\"Kc\",\"Kd\"]}],\"last_hand\":{\"hand\":1,\"reason\":\"showdown\","
                           "\"winners\":[\"seat_1\"],\"payouts\":{\"seat_1\":20000},\"pot\":20000,"
                           "\"board\":[\"2h\",\"3h\",\"4h\",\"9s\",\"Js\"],\"shown\":{\"seat_1\":"
                           "{\"cards\":[\"Ac\",\"Ad\"],\"hand\":\"One Pair\"},\"seat_2\":"));
}

static void test_folded_and_dropped_events(void **state)
{
    (void)state;
    struct texas_holdem_rules r;
    struct texas_holdem_state s;
    g->defaults(&r);
    assert_int_equal(g->init(&s, &r, 2, chance, NULL), OK);
    out.count = 0;
    assert_int_equal(g->apply(&s, GAME_MASTER, (struct game_action){.kind = GAME_DROP, .arg = {0, 1}}, &out), OK);
    assert_string_equal(event_json(1, 2, HOLDEM_EVENT_DROPPED),
                        "{\"type\":\"player_disconnected\",\"seat\":\"seat_0\",\"reason\":\"timeout\"}");
    struct texas_holdem_view v;
    char expected[512];
    static const char format[] =
        "{\"type\":\"hand_result\",\"hand\":1,\"reason\":\"all_folded\",\"winners\":[\"seat_1\"],"
        "\"pot\":300,\"payouts\":{\"seat_1\":300},\"hands\":{%s}}";
    for (int viewer = 0; viewer < 2; viewer++) {
        char own[128];
        g->view(&s, viewer, &v);
        snprintf(own, sizeof own, "\"seat_%d\":{\"cards\":[\"%s\",\"%s\"]%s}", viewer,
                 codec_card_name(v.last.cards[viewer][0]), codec_card_name(v.last.cards[viewer][1]),
                 viewer ? "" : ",\"folded\":true");
        snprintf(expected, sizeof expected, format, own);
        assert_string_equal(event_json(viewer, 2, HOLDEM_EVENT_RESULT), expected);
    }
    snprintf(expected, sizeof expected, format, "");
    assert_string_equal(event_json(GAME_SPECTATOR, 2, HOLDEM_EVENT_RESULT), expected);
}

// Every situation of random matches can be written, is valid JSON, and its prose fits (G22.6).
static void test_everything_can_be_said(void **state)
{
    (void)state;
    static struct game_event past[4096];
    for (uint32_t seed = 1; seed <= 40; seed++) {
        struct texas_holdem_rules r;
        struct texas_holdem_state s;
        struct rng root = {.key = {seed}}, dice = rng_split(&root, 1);
        struct rng_draw d;
        int seats = 2 + (int)(seed % 8);
        uint32_t count = 0;
        rng_begin(&d, &dice);
        g->defaults(&r);
        r.ante = (int32_t)(seed % 3);
        out.count = 0;
        assert_int_equal(g->init(&s, &r, seats, root, &out), OK);
        for (;;) {
            int viewer = (int)rng_draw_below(&d, (uint32_t)seats + 1);
            viewer = viewer == seats ? GAME_SPECTATOR : viewer;
            struct texas_holdem_view v;
            count = 0;
            struct codec_table table = table_of(seats, viewer);
            for (uint32_t i = 0; i < out.count; i++)
                if (out.at[i].to & SEAT(viewer))
                    past[count++] = out.at[i];
            table.past = past, table.past_count = count;
            view_json(&s, viewer);
            g->view(&s, viewer, &v);
            struct text t = fresh();
            c->describe_view(&t, &table, &v);
            assert_true(t.size > 50 && t.size <= 1200);
            c->draw(&t, &table, &v);
            ended(&t);
            for (uint32_t i = 0; i < count;) {
                int parts = codec_event_parts(&past[i], count - i);
                struct text e = fresh();
                codec_write_event(c, &e, &table, &past[i], parts);
                expect_json(ended(&e));
                e = fresh();
                c->describe_event(&e, &table, &past[i], parts);
                assert_true(e.size > 3);
                i += (uint32_t)parts;
            }
            if (g->turn(&s).kind == TURN_OVER)
                break;
            struct game_choice choice[GAME_MAX_CHOICES];
            int n = g->choices(&s, s.actor, choice);
            struct game_action a = choice[rng_draw_below(&d, (uint32_t)n)].first;
            t = fresh();
            codec_describe_action(c, &t, &table, a);
            assert_true(t.size > 3);
            out.count = 0;
            assert_int_equal(g->apply(&s, s.actor, a, &out), OK);
        }
    }
}

static void test_rules_text_states_the_numbers(void **state)
{
    (void)state;
    struct texas_holdem_rules r;
    struct text t = fresh();
    g->defaults(&r);
    c->describe_rules(&t, &r, 6);
    static const char *const facts[] = {"6 players", "10000 chips", "100/200", "hand 6", "10 hands", "TOTAL bet"};
    for (size_t i = 0; i < sizeof facts / sizeof *facts; i++)
        assert_non_null(strstr(ended(&t), facts[i]));
}

static void test_items(void **state)
{
    (void)state;
    uint8_t items[CARDS_IN_DECK];
    struct json_reader r = json_reader_of(SPAN("[\"2c\",\"As\"]"), 4);
    assert_int_equal(c->read_items(&r, items, CARDS_IN_DECK), 2);
    assert_int_equal(items[1], 51);
    r = json_reader_of(SPAN("[\"2c\",\"As\"]"), 4);
    assert_int_equal(c->read_items(&r, items, 1), ERR_RANGE);
    r = json_reader_of(SPAN("[\"1c\"]"), 4);
    assert_int_equal(c->read_items(&r, items, CARDS_IN_DECK), ERR_UNKNOWN);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_default_rules_name_every_option),
        cmocka_unit_test(test_rules_round_trip),
        cmocka_unit_test(test_bad_rules),
        cmocka_unit_test(test_actions_round_trip),
        cmocka_unit_test(test_reading_actions),
        cmocka_unit_test(test_choice_has_its_range),
        cmocka_unit_test(test_view),
        cmocka_unit_test(test_events),
        cmocka_unit_test(test_folded_and_dropped_events),
        cmocka_unit_test(test_everything_can_be_said),
        cmocka_unit_test(test_rules_text_states_the_numbers),
        cmocka_unit_test(test_items),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
