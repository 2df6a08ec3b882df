#include "games/coup/codec.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
// clang-format off
#include <cmocka.h>
// clang-format on

static const struct game *const g = &coup_game;
static const struct codec *const c = &coup_codec;
static char buffer[8192];

static struct codec_table table_of(int seats, int viewer)
{
    return (struct codec_table){.seat = codec_seat_names, .seats = seats, .viewer = viewer};
}

static const char *closed(struct text *t)
{
    text_put_char(t, 0);
    assert_false(t->full);
    return t->at;
}

static struct rng stream_of(uint8_t n)
{
    uint8_t key[RNG_KEY_BYTES] = {n, 'j'};
    return rng_from_key(key);
}

static int read_rules(const char *json, struct coup_rules *r, int *seats)
{
    char bad[64];
    struct json_reader reader = json_reader_of(span_of(json), 16);
    *seats = 0;
    int err = codec_read_rules(c, &reader, r, seats, bad);
    return err ? err : json_finish(&reader);
}

static void start(struct coup_state *s, const char *json)
{
    struct coup_rules r;
    int seats;
    assert_int_equal(read_rules(json, &r, &seats), OK);
    assert_int_equal(g->init(s, &r, seats, stream_of(1), NULL), OK);
}

static int read_action(const char *json, bool master, struct game_action *a)
{
    struct codec_table table = table_of(4, 0);
    struct json_reader r = json_reader_of(span_of(json), 16);
    int err = codec_read_action(c, &r, &table, master, a);
    return err ? err : json_finish(&r);
}

// A match of answers given as JSON: "0 {...}".
static void play(struct coup_state *s, const char *const *steps, struct game_events *out)
{
    for (; *steps; steps++) {
        struct game_action a;
        assert_int_equal(read_action(*steps + 2, false, &a), OK);
        assert_int_equal(g->apply(s, **steps - '0', a, out), OK);
    }
}

static void assert_json(struct text *t, const char *want)
{
    json_end_object(t);
    assert_string_equal(closed(t), want);
    struct json_reader r = json_reader_of(span_of(want), 16);
    json_skip(&r);
    assert_int_equal(json_finish(&r), OK);
}

static void assert_view(const struct coup_state *s, int viewer, const char *want)
{
    struct coup_view v;
    struct codec_table table = table_of(s->seats, viewer);
    struct text t = text_on(buffer, sizeof buffer);
    g->view(s, viewer, &v);
    json_begin_object(&t);
    c->write_view(&t, &table, &v);
    assert_json(&t, want);
}

// G27.3
static void test_observation(void **state)
{
    (void)state;
    struct coup_state s;
    start(&s, "{\"scenario\":\"players_3\",\"coins\":[3,2,2],"
              "\"hands\":[[\"Assassin\",\"Duke\"],[\"Captain\",\"Duke\"],[\"Contessa\",\"Contessa\"]]}");
    assert_view(&s, 1,
                "{\"cards\":[\"Captain\",\"Duke\"],\"revealed\":[],\"coins\":2,\"actor\":\"seat_0\",\"pending\":null,"
                "\"seats\":[{\"seat\":\"seat_0\",\"coins\":3,\"influence\":2,\"revealed\":[],\"status\":\"alive\"},"
                "{\"seat\":\"seat_1\",\"coins\":2,\"influence\":2,\"revealed\":[],\"status\":\"alive\"},"
                "{\"seat\":\"seat_2\",\"coins\":2,\"influence\":2,\"revealed\":[],\"status\":\"alive\"}],"
                "\"deck_count\":9,\"turn_log\":null}");
    static const char *const steps[] = {"0 {\"type\":\"assassinate\",\"target\":\"seat_1\"}",
                                        "1 {\"type\":\"challenge\"}", "1 {\"type\":\"lose_card\",\"card_index\":0}",
                                        "1 {\"type\":\"block\",\"role\":\"Contessa\"}", NULL};
    play(&s, steps, NULL);
    assert_view(&s, GAME_SPECTATOR,
                "{\"cards\":null,\"revealed\":null,\"coins\":null,\"actor\":\"seat_0\","
                "\"pending\":{\"action\":\"assassinate\",\"target\":\"seat_1\",\"claimed_role\":\"Assassin\","
                "\"blocker\":\"seat_1\",\"block_role\":\"Contessa\",\"loser\":null},"
                "\"seats\":[{\"seat\":\"seat_0\",\"coins\":0,\"influence\":2,\"revealed\":[],\"status\":\"alive\"},"
                "{\"seat\":\"seat_1\",\"coins\":2,\"influence\":1,\"revealed\":[\"Captain\"],\"status\":\"alive\"},"
                "{\"seat\":\"seat_2\",\"coins\":2,\"influence\":2,\"revealed\":[],\"status\":\"alive\"}],"
                "\"deck_count\":9,\"turn_log\":{\"action\":\"assassinate\",\"actor\":\"seat_0\",\"target\":\"seat_1\","
                "\"claimed_role\":\"Assassin\",\"challenger\":\"seat_1\",\"challenge_result\":\"fail\","
                "\"blocker\":\"seat_1\",\"block_role\":\"Contessa\"}}");
}

static void test_exchange_cards(void **state)
{
    (void)state;
    struct coup_state s;
    static const char *const steps[] = {"0 {\"type\":\"exchange\"}", "1 {\"type\":\"pass\"}", NULL};
    static const char deck[] =
        "{\"scenario\":\"players_2\",\"deck\":[\"Duke\",\"Duke\",\"Captain\",\"Duke\",\"Contessa\",\"Ambassador\","
        "\"Assassin\",\"Assassin\",\"Assassin\",\"Captain\",\"Captain\",\"Contessa\",\"Contessa\",\"Ambassador\","
        "\"Ambassador\"]}";
    start(&s, deck);
    play(&s, steps, NULL);
    struct coup_view v;
    struct codec_table table = table_of(2, 0);
    for (int viewer = 0; viewer < 2; viewer++) {
        struct text t = text_on(buffer, sizeof buffer);
        g->view(&s, viewer, &v);
        json_begin_object(&t);
        c->write_view(&t, &table, &v);
        json_end_object(&t);
        assert_int_equal(strstr(closed(&t), "\"exchange_cards\":[\"Contessa\",\"Ambassador\"]") != NULL, viewer == 0);
        assert_int_equal(strstr(t.at, "Contessa") != NULL, viewer == 0);
    }
    g->view(&s, 0, &v);
    struct text t = text_on(buffer, sizeof buffer);
    json_begin_object(&t);
    coup_put_return_cards(&t, &v, (struct game_action){COUP_RETURN_CARDS, {0, 3, 0}, 0});
    assert_json(&t, "{\"cards\":[\"Duke\",\"Ambassador\"],"
                    "\"all_cards\":[\"Duke\",\"Captain\",\"Contessa\",\"Ambassador\"]}");
}

// Every numbered action, and the master's drop, survives being written and read.
static void test_actions_round_trip(void **state)
{
    (void)state;
    struct codec_table table = table_of(COUP_MAX_SEATS, 0);
    struct game_action all[64] = {{.kind = GAME_DROP, .arg = {2, 1}}};
    int count = 1;
    for (uint8_t kind = COUP_INCOME; kind < COUP_ACTIONS; kind++)
        for (uint8_t arg = 0; arg < COUP_MAX_SEATS; arg++) {
            struct game_action a = {.kind = kind, .arg = {arg}};
            bool seat = kind <= COUP_TURN_ACTIONS && coup_acts[kind].targeted;
            if (kind == COUP_RETURN_CARDS)
                a.arg[1] = (uint8_t)(arg + 1);
            if (seat || (kind == COUP_BLOCK && arg > 0) || (kind == COUP_LOSE_CARD && arg < 2) ||
                (kind == COUP_RETURN_CARDS && arg < 3) || (arg == 0 && kind < COUP_BLOCK))
                all[count++] = a;
        }
    for (int i = 0; i < count; i++) {
        bool master = all[i].kind == GAME_DROP;
        struct text t = text_on(buffer, sizeof buffer);
        struct game_action back;
        codec_write_action(c, &t, &table, all[i], master);
        struct json_reader r = json_reader_of(text_span(&t), 16);
        assert_int_equal(codec_read_action(c, &r, &table, master, &back), OK);
        assert_int_equal(json_finish(&r), OK);
        assert_true(game_same_action(all[i], back));
    }
    assert_true(count > 30);
}

static void test_read_actions(void **state)
{
    (void)state;
    static const struct {
        const char *json;
        int err;
        struct game_action a;
    } rows[] = {
        {"{\"type\":\"income\",\"index\":1}", OK, {COUP_INCOME, {0}, 0}},
        {"{\"target\":2,\"type\":\"coup\"}", OK, {COUP_COUP, {2}, 0}},
        {"{\"type\":\"coup\",\"target\":\"seat_3\"}", OK, {COUP_COUP, {3}, 0}},
        {"{\"type\":\"coup\"}", ERR_MISSING, {0}},
        {"{\"type\":\"coup\",\"target\":\"seat_4\"}", ERR_UNKNOWN, {0}},
        {"{\"type\":\"coup\",\"target\":4}", ERR_RANGE, {0}},
        {"{\"type\":\"coup\",\"target\":null}", ERR_TYPE, {0}},
        {"{\"type\":\"block\"}", ERR_MISSING, {0}},
        {"{\"type\":\"block\",\"role\":\"King\"}", ERR_UNKNOWN, {0}},
        {"{\"type\":\"block\",\"role\":\"\"}", ERR_UNKNOWN, {0}},
        {"{\"type\":\"lose_card\",\"card_index\":1.0}", OK, {COUP_LOSE_CARD, {1}, 0}}, // F4.4
        {"{\"type\":\"lose_card\",\"card_index\":0.5}", ERR_RANGE, {0}},
        {"{\"type\":\"lose_card\",\"card_index\":-1}", ERR_RANGE, {0}},
        {"{\"type\":\"return_cards\",\"return_indices\":[2,0],\"cards\":[\"Duke\",\"Duke\"]}",
         OK,
         {COUP_RETURN_CARDS, {0, 2}, 0}}, // F6.C9: any order
        {"{\"type\":\"return_cards\",\"return_indices\":[1,1]}", OK, {COUP_RETURN_CARDS, {1, 1}, 0}}, // apply refuses
        {"{\"type\":\"return_cards\",\"return_indices\":[1]}", ERR_RANGE, {0}},
        {"{\"type\":\"return_cards\",\"return_indices\":[0,1,2]}", ERR_RANGE, {0}},
        {"{\"type\":\"return_cards\",\"return_indices\":\"01\"}", ERR_TYPE, {0}},
        {"{\"type\":\"drop\",\"seat\":1}", ERR_UNKNOWN, {0}}, // the master's
        {"{\"type\":\"surrender\"}", ERR_UNKNOWN, {0}},
        {"{}", ERR_MISSING, {0}},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct game_action a;
        int err = read_action(rows[i].json, false, &a);
        if (err != rows[i].err)
            fail_msg("%s: %s", rows[i].json, err_name(err));
        if (err == OK)
            assert_true(game_same_action(a, rows[i].a));
    }
}

static void test_rules_round_trip(void **state)
{
    (void)state;
    static const char *const rows[] = {
        "{}",
        "{\"scenario\":\"rich\"}",
        "{\"windows\":\"deterministic\",\"ask_single\":true,\"starter\":2,\"coins\":[0,1,2,3,4,9]}",
        "{\"hands\":[[\"Duke\",\"Captain\"],null,[\"Contessa\",\"Contessa\"]],\"coins\":5}",
        ("{\"deck\":[\"Duke\",\"Duke\",\"Duke\",\"Captain\",\"Captain\",\"Captain\",\"Contessa\",\"Contessa\","
         "\"Contessa\",\"Assassin\",\"Assassin\",\"Assassin\",\"Ambassador\",\"Ambassador\",\"Ambassador\"]}"),
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct coup_rules r, back;
        int seats;
        struct text t = text_on(buffer, sizeof buffer);
        assert_int_equal(read_rules(rows[i], &r, &seats), OK);
        assert_int_equal(seats, 4);
        json_begin_object(&t);
        c->write_rules(&t, &r);
        json_end_object(&t);
        assert_int_equal(read_rules(closed(&t), &back, &seats), OK);
        assert_memory_equal(&r, &back, sizeof r);
    }
}

static void test_bad_rules(void **state)
{
    (void)state;
    static const struct {
        const char *json;
        int err;
    } rows[] = {
        {"{\"coin\":1}", ERR_UNKNOWN},
        {"{\"scenario\":\"players_7\"}", ERR_UNKNOWN},
        {"{\"windows\":\"open\"}", ERR_UNKNOWN},
        {"{\"coins\":10}", ERR_RANGE},
        {"{\"coins\":[1,1,1,1,1,1,1]}", ERR_RANGE},
        {"{\"hands\":[[\"Duke\"]]}", ERR_RANGE},
        {"{\"hands\":[[\"Duke\",\"Duke\",\"Duke\"]]}", ERR_RANGE},
        {"{\"deck\":[\"Duke\"]}", ERR_RANGE},
        {"{\"deck\":[\"Joker\"]}", ERR_UNKNOWN},
        {"{\"starter\":6}", ERR_RANGE},
        {"{\"ask_single\":1}", ERR_TYPE},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct coup_rules r;
        int seats, err = read_rules(rows[i].json, &r, &seats);
        if (err != rows[i].err)
            fail_msg("%s: %s", rows[i].json, err_name(err));
    }
}

static void test_items(void **state)
{
    (void)state;
    uint8_t items[COUP_CARDS];
    struct json_reader r = json_reader_of(SPAN("[\"Duke\",\"Contessa\"]"), 4);
    assert_int_equal(c->read_items(&r, items, COUP_CARDS), 2);
    assert_int_equal(items[1], COUP_CONTESSA);
    r = json_reader_of(SPAN("[\"Duke\",7]"), 4);
    assert_int_equal(c->read_items(&r, items, COUP_CARDS), ERR_TYPE);
}

// F6.C11, G27.7: the data of every kind of event; write_event puts the seat first.
static void test_events(void **state)
{
    (void)state;
    static const struct {
        uint8_t kind, seat;
        struct coup_fact f;
        const char *type, *data;
    } rows[] = {
        {COUP_EVENT_ACTION, 0, {.action = COUP_INCOME}, "action", "{\"action\":\"income\"}"},
        {COUP_EVENT_ACTION,
         0,
         {.action = COUP_COUP, .target = 2},
         "action",
         "{\"action\":\"coup\",\"target\":\"seat_2\"}"},
        {COUP_EVENT_ACTION,
         1,
         {.action = COUP_STEAL, .target = 0, .role = COUP_CAPTAIN},
         "action",
         "{\"action\":\"steal\",\"target\":\"seat_0\",\"claimed_role\":\"Captain\"}"},
        {COUP_EVENT_CHALLENGE_PASS, 2, {0}, "challenge_pass", "{\"player\":\"seat_2\"}"},
        {COUP_EVENT_BLOCK_PASS, 2, {0}, "block_pass", "{\"player\":\"seat_2\"}"},
        {COUP_EVENT_BLOCK_CHALLENGE_PASS, 2, {0}, "block_challenge_pass", "{\"player\":\"seat_2\"}"},
        {COUP_EVENT_CHALLENGE,
         2,
         {.other = 1, .role = COUP_DUKE},
         "challenge",
         "{\"challenger\":\"seat_2\",\"actor\":\"seat_1\",\"claimed_role\":\"Duke\"}"},
        {COUP_EVENT_CHALLENGE_RESULT,
         1,
         {.other = 2, .result = COUP_FAIL, .card = COUP_DUKE},
         "challenge_result",
         "{\"result\":\"fail\",\"actor\":\"seat_1\",\"challenger\":\"seat_2\",\"revealed_card\":\"Duke\"}"},
        {COUP_EVENT_CHALLENGE_RESULT,
         1,
         {.other = 2, .result = COUP_SUCCESS},
         "challenge_result",
         "{\"result\":\"success\",\"actor\":\"seat_1\",\"challenger\":\"seat_2\"}"},
        {COUP_EVENT_BLOCK,
         1,
         {.role = COUP_CONTESSA, .action = COUP_ASSASSINATE},
         "block",
         "{\"blocker\":\"seat_1\",\"claimed_role\":\"Contessa\",\"action\":\"assassinate\"}"},
        {COUP_EVENT_BLOCK_ACCEPTED, 1, {0}, "block_accepted", "{\"blocker\":\"seat_1\"}"},
        {COUP_EVENT_CHALLENGE_BLOCK,
         0,
         {.other = 1, .role = COUP_DUKE},
         "challenge_block",
         "{\"challenger\":\"seat_0\",\"blocker\":\"seat_1\",\"claimed_role\":\"Duke\"}"},
        {COUP_EVENT_CHALLENGE_BLOCK_RESULT,
         1,
         {.other = 0, .result = COUP_FAIL, .card = COUP_DUKE},
         "challenge_block_result",
         "{\"result\":\"fail\",\"blocker\":\"seat_1\",\"challenger\":\"seat_0\",\"revealed_card\":\"Duke\"}"},
        {COUP_EVENT_INFLUENCE_LOST,
         1,
         {.card = COUP_CAPTAIN, .slot = 1},
         "influence_lost",
         "{\"player\":\"seat_1\",\"card\":\"Captain\",\"card_index\":1}"},
        {COUP_EVENT_PLAYER_ELIMINATED, 1, {0}, "player_eliminated", "{\"player\":\"seat_1\"}"},
        {COUP_EVENT_PLAYER_DISCONNECTED, 1, {0}, "player_disconnected", "{\"player\":\"seat_1\"}"},
        {COUP_EVENT_EXCHANGE_DRAW,
         1,
         {.action = COUP_EXCHANGE},
         "exchange_draw",
         "{\"action\":\"exchange\",\"drawn_count\":2}"},
        {COUP_EVENT_EXCHANGE_COMPLETE, 1, {0}, "exchange_complete", "{\"player\":\"seat_1\",\"returned_count\":2}"},
        {COUP_EVENT_ACTION_RESOLVED,
         1,
         {.action = COUP_TAX, .coins = 5},
         "action_resolved",
         "{\"action\":\"tax\",\"coins_now\":5}"},
        {COUP_EVENT_ACTION_RESOLVED,
         1,
         {.action = COUP_STEAL, .target = 2, .stolen = 1, .coins = 3},
         "action_resolved",
         "{\"action\":\"steal\",\"target\":\"seat_2\",\"stolen\":1,\"coins_now\":3}"},
        {COUP_EVENT_ACTION_RESOLVED,
         1,
         {.action = COUP_ASSASSINATE, .target = 2},
         "action_resolved",
         "{\"action\":\"assassinate\",\"target\":\"seat_2\"}"},
        {COUP_EVENT_GAME_OVER, 2, {.won = 4}, "game_over", "{\"winner\":\"seat_2\"}"},
        {COUP_EVENT_GAME_OVER, COUP_NOBODY, {.won = 5, .capped = 1}, "game_over", "{\"winner\":\"\"}"},
    };
    struct codec_table table = table_of(3, 0);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct game_event e = {.kind = rows[i].kind, .seat = rows[i].seat, .to = EVERYONE};
        memcpy(e.data, &rows[i].f, sizeof rows[i].f);
        struct text t = text_on(buffer, sizeof buffer);
        json_begin_object(&t);
        coup_write_event_data(&t, &table, &e);
        assert_json(&t, rows[i].data);
        t = text_on(buffer, sizeof buffer);
        codec_write_event(c, &t, &table, &e, 1);
        char head[64];
        snprintf(head, sizeof head,
                 rows[i].seat == COUP_NOBODY ? "{\"type\":\"%s\",\"seat\":null,"
                                             : "{\"type\":\"%s\",\"seat\":\"seat_%d\",",
                 rows[i].type, rows[i].seat);
        closed(&t);
        assert_memory_equal(t.at, head, strlen(head));
        assert_string_equal(t.at + strlen(head), rows[i].data + 1);
    }
}

static void test_rules_text(void **state)
{
    (void)state;
    struct coup_rules r;
    g->defaults(&r);
    struct text t = text_on(buffer, sizeof buffer);
    c->describe_rules(&t, &r, 4);
    closed(&t);
    static const char *const told[] = {"Duke",      "Assassin",  "Captain",      "Ambassador", "Contessa",
                                       "income",    "tax",       "foreign_aid",  "coup",       "assassinate",
                                       "steal",     "exchange",  "7 coins",      "10 or more", "first challenge",
                                       "challenge", "lose_card", "return_cards", "500"};
    for (size_t i = 0; i < sizeof told / sizeof *told; i++)
        if (!strstr(t.at, told[i]))
            fail_msg("the rules do not tell of %s", told[i]);
}

// Random matches: every situation fits its text, says what may be done, and never names a card it should not.
static void test_prose_of_matches(void **state)
{
    (void)state;
    struct coup_state s;
    struct coup_view v;
    struct rng dice = stream_of(4);
    static const char *const long_names[] = {"a_name_of_thirty_one_characters", "b_name_of_thirty_one_characters",
                                             "c_name_of_thirty_one_characters", "d_name_of_thirty_one_characters",
                                             "e_name_of_thirty_one_characters", "f_name_of_thirty_one_characters"};
    static struct game_event past[4096];
    struct game_events *out = calloc(1, sizeof *out);
    for (int match = 0; match < 20; match++) {
        struct coup_rules r;
        g->defaults(&r);
        int seats = 2 + match % 5;
        uint32_t past_count = 0;
        assert_int_equal(g->init(&s, &r, seats, stream_of((uint8_t)match), NULL), OK);
        while (s.phase != COUP_PHASE_DONE) {
            for (int viewer = 0; viewer <= seats; viewer++) {
                struct codec_table table = table_of(seats, viewer == seats ? GAME_SPECTATOR : viewer);
                g->view(&s, table.viewer, &v);
                struct text t = text_on(buffer, 1200); // G22.6
                table.seat = long_names, table.past = past, table.past_count = past_count;
                c->describe_view(&t, &table, &v);
                assert_false(t.full);
                assert_true(t.size > 40);
                t = text_on(buffer, sizeof buffer);
                c->draw(&t, &table, &v);
                closed(&t);
                assert_null(strchr(t.at, '\033'));
                assert_true(viewer < seats || s.phase == COUP_PHASE_EXCHANGE_RETURN || strstr(t.at, "[?]"));
            }
            unsigned asked = s.asked;
            int seat = __builtin_ctz(asked);
            struct game_choice list[GAME_MAX_CHOICES];
            struct game_action a = list[rng_below(&dice, (uint32_t)g->choices(&s, seat, list))].first;
            struct codec_table table = table_of(seats, seat);
            struct text t = text_on(buffer, 256);
            codec_describe_action(c, &t, &table, a);
            assert_true(t.size > 3 && !t.full);
            out->count = 0;
            assert_int_equal(g->apply(&s, seat, a, out), OK);
            for (uint32_t i = 0; i < out->count; i++) {
                t = text_on(buffer, 256);
                c->describe_event(&t, &table, &out->at[i], 1);
                assert_true(t.size > 10 && !t.full);
                past[past_count++] = out->at[i];
            }
        }
    }
    free(out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_observation),
        cmocka_unit_test(test_exchange_cards),
        cmocka_unit_test(test_actions_round_trip),
        cmocka_unit_test(test_read_actions),
        cmocka_unit_test(test_rules_round_trip),
        cmocka_unit_test(test_bad_rules),
        cmocka_unit_test(test_items),
        cmocka_unit_test(test_events),
        cmocka_unit_test(test_rules_text),
        cmocka_unit_test(test_prose_of_matches),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
