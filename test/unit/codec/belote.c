// Belote on the wire: what is written is read back, keys are those of G28, prose fits.
#include "games/belote/codec.h"

#include "games/belote/rules/belote.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static const struct codec *const c = &belote_codec;
static const struct game *const g = &belote_game;
static const struct codec_table table = {.seat = codec_seat_names, .seats = 4};
static char buffer[16384];

static struct belote_state start(uint32_t seed)
{
    struct belote_rules rules;
    struct belote_state s;
    g->defaults(&rules);
    assert_int_equal(g->init(&s, &rules, 4, (struct rng){.key = {seed, 2}}, NULL), OK);
    return s;
}

static struct game_action pick_random(const struct belote_state *s, struct rng *dice)
{
    struct game_choice list[GAME_MAX_CHOICES];
    return list[rng_below(dice, (uint32_t)g->choices(s, s->turn, list))].first;
}

static int read_action(const char *json, bool master, struct game_action *a)
{
    struct json_reader r = json_reader_of(span_of(json), 8);
    int err = codec_read_action(c, &r, &table, master, a);
    return err == OK ? json_finish(&r) : err;
}

static void assert_round_trip(struct game_action a, bool master)
{
    struct text t = text_on(buffer, sizeof buffer);
    struct game_action again;
    codec_write_action(c, &t, &table, a, master);
    text_put_char(&t, 0);
    assert_int_equal(read_action(buffer, master, &again), OK);
    assert_true(game_same_action(a, again));
}

static struct game_action action(int kind, int arg, int amount)
{
    return (struct game_action){.kind = (uint8_t)kind, .arg = {(uint8_t)arg}, .amount = amount};
}

static void round_trip_actions(void **unused)
{
    (void)unused;
    for (int position = 6; position <= 26; position++)
        for (int top = 0; top < 2; top++)
            assert_round_trip(action(BELOTE_CUT, top, position), false);
    for (int mode = 0; mode < BELOTE_MODES; mode++)
        for (int kind = BELOTE_ANNOUNCE; kind <= BELOTE_REDOUBLE; kind++)
            assert_round_trip(action(kind, kind == BELOTE_ACCEPT ? 0 : mode, 0), false);
    for (int card = 0; card < BELOTE_CARDS; card++)
        assert_round_trip(action(BELOTE_PLAY, card, 0), false);
    assert_round_trip((struct game_action){.kind = BELOTE_SET_TARGET, .amount = 300}, true);
    assert_round_trip((struct game_action){.kind = GAME_DROP, .arg = {2, 7}}, true);
}

static void spell_actions(void **unused)
{
    (void)unused;
    static const struct {
        struct game_action a;
        const char *json;
    } rows[] = {
        {{.kind = BELOTE_CUT, .arg = {1}, .amount = 16}, "{\"type\":\"cut\",\"position\":16,\"from_top\":true}"},
        {{.kind = BELOTE_ANNOUNCE, .arg = {2}}, "{\"type\":\"announce\",\"mode\":\"ColourHearts\"}"},
        {{.kind = BELOTE_ACCEPT}, "{\"type\":\"accept\"}"},
        {{.kind = BELOTE_REDOUBLE, .arg = {5}}, "{\"type\":\"redouble\",\"mode\":\"AllTrumps\"}"},
        {{.kind = BELOTE_PLAY, .arg = {3}}, "{\"type\":\"play_card\",\"card\":\"Tc\"}"},
        {{.kind = BELOTE_PLAY, .arg = {31}}, "{\"type\":\"play_card\",\"card\":\"As\"}"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct text t = text_on(buffer, sizeof buffer);
        codec_write_action(c, &t, &table, rows[i].a, false);
        text_put_char(&t, 0);
        assert_string_equal(buffer, rows[i].json);
    }
    struct text t = text_on(buffer, sizeof buffer);
    struct belote_state s = start(1);
    struct game_choice list[GAME_MAX_CHOICES];
    assert_int_equal(g->choices(&s, 3, list), 1);
    codec_write_choice(c, &t, &table, list[0]);
    text_put_char(&t, 0);
    assert_string_equal(buffer,
                        "{\"type\":\"cut\",\"position\":6,\"from_top\":true,\"range\":{\"position\":[6,26]}}"); // G22.8
}

static void refuse_actions(void **unused)
{
    (void)unused;
    static const struct {
        const char *json;
        int err;
    } rows[] = {
        {"{\"type\":\"cut\",\"position\":20}", OK}, // from_top is true where it is absent (F6.B4)
        {"{\"type\":\"announce\",\"mode\":\"alltrumps\",\"index\":27}", OK},
        {"{\"type\":\"cut\"}", ERR_MISSING},
        {"{\"type\":\"cut\",\"from_top\":true}", ERR_MISSING},
        {"{\"type\":\"cut\",\"position\":27}", ERR_RANGE},
        {"{\"type\":\"cut\",\"position\":\"16\"}", ERR_TYPE},
        {"{\"type\":\"announce\"}", ERR_MISSING},
        {"{\"type\":\"announce\",\"mode\":\"Hearts\"}", ERR_UNKNOWN},
        {"{\"type\":\"play_card\",\"card\":\"6c\"}", ERR_UNKNOWN},
        {"{\"type\":\"play_card\",\"card\":\"10c\"}", ERR_UNKNOWN},
        {"{\"type\":\"play_card\",\"card\":7}", ERR_TYPE},
        {"{\"type\":\"raise\"}", ERR_UNKNOWN},
        {"{\"type\":\"set_target\",\"points\":300}", ERR_UNKNOWN}, // not a player's
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct game_action a;
        assert_int_equal(read_action(rows[i].json, false, &a), rows[i].err);
    }
    struct game_action a;
    assert_int_equal(read_action(rows[0].json, false, &a), OK);
    assert_int_equal(a.arg[0], 1);
    assert_int_equal(read_action("{\"type\":\"set_target\",\"points\":20}", true, &a), ERR_RANGE);
}

static int read_rules(const char *json, struct belote_rules *rules)
{
    struct json_reader r = json_reader_of(span_of(json), 8);
    int seats = 0;
    char bad[64];
    memset(rules, 0, sizeof *rules);
    int err = codec_read_rules(c, &r, rules, &seats, bad);
    assert_true(err != OK || seats == 4);
    return err == OK ? json_finish(&r) : err;
}

static void round_trip_rules(void **unused)
{
    (void)unused;
    static const char *const texts[] = {
        "{}",
        "{\"scenario\":\"tournament\",\"dealer\":\"seat_2\"}",
        "{\"ruleset\":\"classic\",\"target\":200,\"match_points\":[10,20],\"cut\":12}",
        "{\"scenario\":\"single_deal\",\"clubs_redouble\":false,\"cutter\":\"left\",\"cut\":{\"position\":7,\"from_"
        "top\":false}}",
        "{\"gather\":true,\"clubs_base\":16,\"deck\":[\"7c\",\"8c\",\"9c\",\"Tc\",\"Jc\",\"Qc\",\"Kc\",\"Ac\",\"7d\","
        "\"8d\","
        "\"9d\",\"Td\",\"Jd\",\"Qd\",\"Kd\",\"Ad\",\"7h\",\"8h\",\"9h\",\"Th\",\"Jh\",\"Qh\",\"Kh\",\"Ah\",\"7s\","
        "\"8s\","
        "\"9s\",\"Ts\",\"Js\",\"Qs\",\"Ks\",\"As\"]}",
    };
    static const char *const rulesets[] = {"standard", "standard", "classic", "custom", "custom"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct belote_rules rules, again;
        struct belote_state s;
        assert_int_equal(read_rules(texts[i], &rules), OK);
        assert_int_equal(g->init(&s, &rules, 4, (struct rng){0}, NULL), OK);
        struct text t = text_on(buffer, sizeof buffer);
        json_begin_object(&t);
        c->write_rules(&t, &rules);
        json_end_object(&t);
        text_put_char(&t, 0);
        assert_non_null(strstr(buffer, rulesets[i]));
        assert_int_equal(read_rules(buffer, &again), OK);
        assert_memory_equal(&rules, &again, sizeof rules);
    }
}

static void refuse_rules(void **unused)
{
    (void)unused;
    static const struct {
        const char *json;
        int err;
    } rows[] = {
        {"{\"target\":0}", ERR_RANGE},
        {"{\"ruleset\":\"mine\"}", ERR_UNKNOWN},
        {"{\"blinds\":3}", ERR_UNKNOWN},
        {"{\"match_points\":[1]}", ERR_RANGE},
        {"{\"deck\":[\"7c\"]}", ERR_RANGE},
        {"{\"cut\":{\"from_top\":true}}", ERR_MISSING},
        {"{\"cut\":5}", ERR_RANGE},
        {"{\"dealer\":4}", ERR_RANGE},
        {"{\"scenario\":\"x\"}", ERR_UNKNOWN},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct belote_rules rules;
        assert_int_equal(read_rules(rows[i].json, &rules), rows[i].err);
    }
}

static void read_decks(void **unused)
{
    (void)unused;
    uint8_t items[BELOTE_CARDS];
    struct json_reader r = json_reader_of(SPAN("[\"As\",\"7c\",\"Td\"]"), 4);
    assert_int_equal(c->read_items(&r, items, BELOTE_CARDS), 3);
    assert_memory_equal(items, ((uint8_t[]){31, 0, 11}), 3);
    r = json_reader_of(SPAN("[\"As\",\"7c\",\"Td\"]"), 4);
    assert_int_equal(c->read_items(&r, items, 2), ERR_TOO_LONG);
    r = json_reader_of(SPAN("[\"As\",\"2c\"]"), 4);
    assert_int_equal(c->read_items(&r, items, BELOTE_CARDS), ERR_UNKNOWN);
}

// The view as JSON, in the buffer.
static struct span write_view(const struct belote_state *s, int viewer)
{
    struct belote_view v;
    struct codec_table mine = table;
    mine.viewer = viewer;
    g->view(s, viewer, &v);
    struct text t = text_on(buffer, sizeof buffer);
    json_begin_object(&t);
    c->write_view(&t, &mine, &v);
    json_end_object(&t);
    assert_false(t.full);
    return text_span(&t);
}

// The object is valid and has exactly these keys, in this order.
static void assert_keys(struct span json, const char *keys)
{
    struct json_reader r = json_reader_of(json, 8);
    struct json_string key;
    char room[512];
    struct text list = text_on(room, sizeof room);
    for (json_enter_object(&r); json_next_key(&r, &key); json_skip(&r)) {
        text_put(&list, key.raw);
        text_put_char(&list, ' ');
    }
    text_put_char(&list, 0);
    assert_int_equal(json_finish(&r), OK);
    assert_string_equal(room, keys);
}

// G28.2, G28.6
static void write_keys(void **unused)
{
    (void)unused;
    static const char *const keys[] = {
        [BELOTE_DEAL_STARTED] = "deal_number dealer ",
        [BELOTE_CUT_DONE] = "seat position from_top ",
        [BELOTE_BID] = "seat type mode ",
        [BELOTE_NEGOTIATION_COMPLETED] = "mode team multiplier ",
        [BELOTE_CARD_PLAYED] = "seat card ",
        [BELOTE_TRICK_COMPLETED] = "winner points ",
        [BELOTE_DEAL_ENDED] = "points match_points sweep ",
        [BELOTE_MATCH_ENDED] = "team match_points ",
        [BELOTE_DISCONNECTED] = "player ",
    };
    static struct game_events out;
    struct rng dice = {.key = {12}};
    for (uint32_t seed = 0; seed < 10; seed++) {
        struct belote_state s = start(seed);
        while (s.phase != BELOTE_DONE) {
            assert_keys(write_view(&s, s.turn),
                        "hand dealer bids current_bid locked doubled redoubled contract trick last_trick played points "
                        "tricks_won match_points target deal_number team last_deal ");
            assert_keys(write_view(&s, GAME_SPECTATOR),
                        "dealer bids current_bid locked doubled redoubled contract trick last_trick played points "
                        "tricks_won match_points target deal_number last_deal ");
            out.count = 0;
            struct game_action a = pick_random(&s, &dice);
            if (seed == 9 && s.plays == 5)
                assert_int_equal(
                    g->apply(&s, GAME_MASTER, (struct game_action){.kind = GAME_DROP, .arg = {s.turn}}, &out), OK);
            else
                assert_int_equal(g->apply(&s, s.turn, a, &out), OK);
            for (uint32_t i = 0; i < out.count; i++) {
                struct text t = text_on(buffer, sizeof buffer);
                json_begin_object(&t);
                c->write_event(&t, &table, &out.at[i], 1);
                json_end_object(&t);
                assert_non_null(c->event_types[out.at[i].kind]);
                assert_keys(text_span(&t), keys[out.at[i].kind]);
            }
        }
    }
}

// Beside the type of the event no key comes twice.
static void write_flat_events(void **unused)
{
    (void)unused;
    struct game_event e = {.kind = BELOTE_BID, .seat = 1, .data = {BELOTE_SAY_DOUBLE + 4}};
    struct text t = text_on(buffer, sizeof buffer);
    codec_write_event(c, &t, &table, &e, 1);
    text_put_char(&t, 0);
    assert_string_equal(buffer, "{\"type\":\"bid\",\"seat\":\"seat_1\",\"action\":\"double\",\"mode\":\"NoTrumps\"}");
}

static void write_example(void **unused)
{
    (void)unused;
    struct belote_rules rules;
    struct belote_state s;
    g->defaults(&rules);
    rules.has_deck = 1, rules.cut = 10; // B2.10
    for (int i = 0; i < BELOTE_CARDS; i++)
        rules.deck[i] = (uint8_t)i;
    assert_int_equal(g->init(&s, &rules, 4, (struct rng){0}, NULL), OK);
    static const struct game_action said[] = {{.kind = BELOTE_ANNOUNCE, .arg = {1}},
                                              {.kind = BELOTE_DOUBLE, .arg = {1}},
                                              {.kind = BELOTE_ACCEPT},
                                              {.kind = BELOTE_ACCEPT},
                                              {.kind = BELOTE_ACCEPT},
                                              {.kind = BELOTE_PLAY, .arg = {22}}};
    for (size_t i = 0; i < sizeof said / sizeof *said; i++)
        assert_int_equal(g->apply(&s, s.turn, said[i], NULL), OK);
    buffer[write_view(&s, 2).size] = 0;
    assert_string_equal(
        buffer,
        "{\"hand\":[\"Qd\",\"Kd\",\"Ad\",\"7s\",\"8s\",\"8c\",\"9c\",\"Tc\"],\"dealer\":\"seat_0\",\"bids\":[{\"seat\":"
        "\"seat_1\",\"type\":\"announce\",\"mode\":\"ColourDiamonds\"},{\"seat\":\"seat_2\",\"type\":\"double\","
        "\"mode\":"
        "\"ColourDiamonds\"},{\"seat\":\"seat_3\",\"type\":\"accept\",\"mode\":null},{\"seat\":\"seat_0\",\"type\":"
        "\"accept\",\"mode\":null},{\"seat\":\"seat_1\",\"type\":\"accept\",\"mode\":null}],\"current_bid\":{\"seat\":"
        "\"seat_1\",\"mode\":\"ColourDiamonds\"},\"locked\":true,\"doubled\":[\"ColourDiamonds\"],\"redoubled\":[],"
        "\"contract\":{\"mode\":\"ColourDiamonds\",\"team\":2,\"multiplier\":2},\"trick\":{\"number\":1,\"leader\":"
        "\"seat_1\",\"cards\":[\"Kh\"]},\"last_trick\":null,\"played\":[\"Kh\"],\"points\":[0,0],\"tricks_won\":[0,0],"
        "\"match_points\":[0,0],\"target\":150,\"deal_number\":1,\"team\":1,\"last_deal\":null}");
}

// Prose: complete rules, a situation in up to 1200 characters (G22.6), plain pictures.
static void tell_everything(void **unused)
{
    (void)unused;
    struct belote_rules rules;
    g->defaults(&rules);
    struct text t = text_on(buffer, sizeof buffer);
    c->describe_rules(&t, &rules, 4);
    text_put_char(&t, 0);
    static const char *const said[] = {"passes to the next seat after each deal",
                                       "three more cards",
                                       "must beat",
                                       "150",
                                       "204 or more take 26",
                                       "ColourClubs 32",
                                       "wins the match at once",
                                       "play_card"};
    for (size_t i = 0; i < sizeof said / sizeof *said; i++)
        assert_non_null(strstr(buffer, said[i]));
    struct rng dice = {.key = {13}};
    size_t longest = 0;
    for (uint32_t seed = 0; seed < 60; seed++) {
        struct belote_state s = start(seed);
        for (; s.phase != BELOTE_DONE; g->apply(&s, s.turn, pick_random(&s, &dice), NULL)) {
            struct belote_view v;
            struct codec_table mine = table;
            mine.viewer = s.turn;
            g->view(&s, s.turn, &v);
            t = text_on(buffer, sizeof buffer);
            c->describe_view(&t, &mine, &v);
            longest = t.size > longest ? t.size : longest;
            text_put_char(&t, 0);
            assert_non_null(strstr(buffer, "You may: "));
            t = text_on(buffer, sizeof buffer);
            c->draw(&t, &mine, &v);
            assert_null(memchr(buffer, 0x1B, t.size));
            assert_int_equal(buffer[t.size - 1], '\n');
        }
    }
    assert_in_range(longest, 300, 1200);
}

static void tell_actions_and_events(void **unused)
{
    (void)unused;
    static const struct {
        struct game_action a;
        const char *text;
    } rows[] = {
        {{.kind = BELOTE_CUT, .arg = {1}, .amount = 9}, "cuts 9 cards from the top"},
        {{.kind = BELOTE_DOUBLE, .arg = {4}}, "doubles NoTrumps"},
        {{.kind = BELOTE_ACCEPT}, "accepts"},
        {{.kind = BELOTE_PLAY, .arg = {19}}, "plays Th"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct text t = text_on(buffer, sizeof buffer);
        codec_describe_action(c, &t, &table, rows[i].a);
        text_put_char(&t, 0);
        assert_string_equal(buffer, rows[i].text);
    }
    struct game_event e = {.kind = BELOTE_TRICK_COMPLETED, .seat = 2, .amount = 41, .data = {3}};
    struct text t = text_on(buffer, sizeof buffer);
    c->describe_event(&t, &table, &e, 1);
    text_put_char(&t, 0);
    assert_string_equal(buffer, "seat_2 takes trick 3, 41 points");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(round_trip_actions),
        cmocka_unit_test(spell_actions),
        cmocka_unit_test(refuse_actions),
        cmocka_unit_test(round_trip_rules),
        cmocka_unit_test(refuse_rules),
        cmocka_unit_test(read_decks),
        cmocka_unit_test(write_keys),
        cmocka_unit_test(write_example),
        cmocka_unit_test(write_flat_events),
        cmocka_unit_test(tell_everything),
        cmocka_unit_test(tell_actions_and_events),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
