// Tetris as JSON and prose: round trips, shapes of G24, refusals.
#include "games/tetris/rules/tetris.h"
#include "games/tetris/codec.h"
#include "games/tetris/rules/field.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <string.h>
#include <cmocka.h>

static const struct codec_table table = {.seat = codec_seat_names, .seats = 1, .viewer = 0};
static char buffer[16384];

static int read_action(const char *json, bool master, struct game_action *a)
{
    struct json_reader r = json_reader_of(span_of(json), 16);
    int err = codec_read_action(&tetris_codec, &r, &table, master, a);
    return err ? err : json_finish(&r);
}

static const char *write_action(struct game_action a, bool master)
{
    struct text t = text_on(buffer, sizeof buffer - 1);
    codec_write_action(&tetris_codec, &t, &table, a, master);
    buffer[t.size] = 0;
    return buffer;
}

// G24.2, G23.2-G23.4: every shape there and back.
static void test_actions(void **unused)
{
    (void)unused;
    static const struct {
        const char *json;
        bool master;
        struct game_action a;
    } cases[] = {
        {"{\"type\":\"move\",\"direction\":\"left\"}", false, {.kind = TETRIS_MOVE_LEFT}},
        {"{\"type\":\"move\",\"direction\":\"right\"}", false, {.kind = TETRIS_MOVE_RIGHT}},
        {"{\"type\":\"rotate\",\"direction\":\"cw\"}", false, {.kind = TETRIS_ROTATE_CW}},
        {"{\"type\":\"rotate\",\"direction\":\"ccw\"}", false, {.kind = TETRIS_ROTATE_CCW}},
        {"{\"type\":\"soft_drop\"}", false, {.kind = TETRIS_SOFT_DROP}},
        {"{\"type\":\"hard_drop\"}", false, {.kind = TETRIS_HARD_DROP}},
        {"{\"type\":\"hold\"}", false, {.kind = TETRIS_HOLD}},
        {"{\"type\":\"pause\"}", false, {.kind = TETRIS_PAUSE}},
        {"{\"type\":\"restart\"}", false, {.kind = TETRIS_RESTART}},
        {"{\"type\":\"restart\",\"seed\":4294967295}", false, {.kind = TETRIS_RESTART, .arg = {1}, .amount = -1}},
        {"{\"type\":\"place\",\"x\":7,\"rotation\":\"west\",\"use_hold\":true}",
         false,
         {.kind = TETRIS_PLACE, .arg = {7, 3, TETRIS_PLACE_HOLD}}},
        {"{\"type\":\"place\",\"x\":0,\"rotation\":\"north\",\"use_hold\":false,\"path\":\"full\",\"y\":-2}",
         false,
         {.kind = TETRIS_PLACE, .arg = {0, 0, TETRIS_PLACE_FULL | TETRIS_PLACE_AT_ROW}, .amount = -2}},
        {"{\"type\":\"drop\",\"seat\":\"seat_0\",\"reason\":3}", true, {.kind = GAME_DROP, .arg = {0, 3}}},
        {"{\"type\":\"garbage\",\"rows\":4}", true, {.kind = TETRIS_GARBAGE, .arg = {4}}},
        {"{\"type\":\"garbage\",\"rows\":4,\"hole\":9}", true, {.kind = TETRIS_GARBAGE, .arg = {4, 10}}},
        {"{\"type\":\"next_piece\",\"kind\":\"T\"}", true, {.kind = TETRIS_NEXT_PIECE, .arg = {TETRIS_T}}},
        {"{\"type\":\"set_level\",\"level\":20}", true, {.kind = TETRIS_SET_LEVEL, .arg = {20}}},
        {"{\"type\":\"set_gravity\",\"multiplier\":0.25}", true, {.kind = TETRIS_SET_GRAVITY, .amount = 250}},
        {"{\"type\":\"set_garbage_rate\",\"rate\":20}", true, {.kind = TETRIS_SET_RISE, .arg = {20}}},
        {"{\"type\":\"teleport\",\"x\":3,\"y\":-1}", true, {.kind = TETRIS_TELEPORT, .arg = {3}, .amount = -1}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct game_action a;
        assert_int_equal(read_action(cases[i].json, cases[i].master, &a), OK);
        assert_true(game_same_action(a, cases[i].a));
        assert_string_equal(write_action(a, cases[i].master), cases[i].json);
    }
    struct game_action a; // defaults, any order, strangers, case
    assert_int_equal(
        read_action("{\"index\":8,\"rotation\":\"North\",\"y\":null,\"x\":2,\"type\":\"place\",\"path\":\"simple\"}",
                    false, &a),
        OK);
    assert_true(game_same_action(a, (struct game_action){.kind = TETRIS_PLACE, .arg = {2}}));
}

static void test_bad_actions(void **unused)
{
    (void)unused;
    static const struct {
        const char *json;
        int err;
    } cases[] = {
        {"{\"type\":\"move\"}", ERR_MISSING},
        {"{\"type\":\"move\",\"direction\":\"up\"}", ERR_UNKNOWN},
        {"{\"type\":\"rotate\",\"direction\":3}", ERR_TYPE},
        {"{\"type\":\"place\",\"x\":1}", ERR_MISSING},
        {"{\"type\":\"place\",\"x\":10,\"rotation\":\"north\"}", ERR_RANGE},
        {"{\"type\":\"place\",\"x\":1.0,\"rotation\":\"north\"}", ERR_TYPE},
        {"{\"type\":\"place\",\"x\":1,\"rotation\":\"up\"}", ERR_UNKNOWN},
        {"{\"type\":\"place\",\"x\":1,\"rotation\":\"north\",\"y\":20}", ERR_RANGE},
        {"{\"type\":\"place\",\"x\":1,\"rotation\":\"north\",\"path\":\"long\"}", ERR_UNKNOWN},
        {"{\"type\":\"restart\",\"seed\":4294967296}", ERR_RANGE},
        {"{\"type\":\"restart\",\"seed\":-1}", ERR_RANGE},
        {"{\"type\":\"garbage\",\"rows\":1}", ERR_UNKNOWN}, // the master's
        {"{\"type\":\"fly\"}", ERR_UNKNOWN},
        {"{}", ERR_MISSING},
        {"[]", ERR_TYPE},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct game_action a;
        assert_int_equal(read_action(cases[i].json, false, &a), cases[i].err);
    }
    struct game_action a;
    assert_int_equal(read_action("{\"type\":\"hold\"}", true, &a), ERR_UNKNOWN);
    assert_int_equal(read_action("{\"type\":\"set_gravity\",\"multiplier\":20.01}", true, &a), ERR_RANGE);
    assert_int_equal(read_action("{\"type\":\"set_gravity\",\"multiplier\":0.01}", true, &a), ERR_RANGE);
}

static int read_rules(const char *json, struct tetris_rules *rules)
{
    struct json_reader r = json_reader_of(span_of(json), 16);
    int seats = 0;
    char bad[64];
    int err = codec_read_rules(&tetris_codec, &r, rules, &seats, bad);
    return err ? err : json_finish(&r);
}

// G24.8: options in, and all of them out again.
static void test_rules(void **unused)
{
    (void)unused;
    static const char json[] =
        "{\"scenario\":\"sprint40\",\"ruleset\":\"guideline\",\"board\":[\"IOTSZJLG..\",\"...L......\"],"
        "\"queue\":[\"t\",\"I\"],\"hold\":\"S\",\"start_level\":4,\"preview\":3,\"choices\":1,\"zen\":true,"
        "\"gravity_multiplier\":2.5,\"lock_delay_multiplier\":0.75,\"garbage_rows\":2,\"garbage_rate\":5,"
        "\"garbage_first\":600,\"garbage_sooner\":10,\"garbage_least\":50}";
    struct tetris_rules r, again;
    assert_int_equal(read_rules(json, &r), OK);
    assert_int_equal(r.goal, TETRIS_GOAL_LINES);
    assert_int_equal(r.goal_count, 40);
    assert_int_equal(r.ruleset, TETRIS_GUIDELINE);
    assert_int_equal(r.board[90], TETRIS_I | TETRIS_O << 4); // the last row given is the bottom
    assert_int_equal(r.board[96], TETRIS_L << 4);
    assert_int_equal(r.queue[0], TETRIS_T);
    assert_int_equal(r.queue[1], TETRIS_I);
    assert_int_equal(r.hold, TETRIS_S);
    assert_int_equal(r.level, 4);
    assert_int_equal(r.gravity_milli, 2500);
    assert_int_equal(r.lock_milli, 750);
    assert_int_equal(r.rise_first, 600);
    struct text t = text_on(buffer, sizeof buffer - 1);
    json_begin_object(&t);
    tetris_codec.write_rules(&t, &r);
    json_end_object(&t);
    buffer[t.size] = 0;
    assert_int_equal(read_rules(buffer, &again), OK);
    assert_memory_equal(&r, &again, sizeof r);
    struct tetris_state s;
    assert_int_equal(tetris_game.init(&s, &r, 1, (struct rng){0}, NULL), OK);
    static const char *const bad[] = {"{\"board\":[\"..\"]}",
                                      "{\"board\":[\"X.........\"]}",
                                      "{\"queue\":[\"X\"]}",
                                      "{\"preview\":6}",
                                      "{\"level\":21}",
                                      "{\"speed\":1}",
                                      "{\"scenario\":\"x\"}",
                                      "{\"gravity_multiplier\":30}",
                                      "{\"board\":[\"\\u0000.........\"]}"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_true(read_rules(bad[i], &r) < 0);
}

// G24.1, G24.4
static void test_view(void **unused)
{
    (void)unused;
    static const char blank[] = "\"..........\",";
    struct tetris_rules r;
    struct tetris_state s;
    struct tetris_view v;
    tetris_game.defaults(&r);
    tetris_game.seed(&r, 1); // I T Z O L S
    tetris_game.scenario(&r, 1);
    r.preview = 2;
    tetris_game.init(&s, &r, 1, (struct rng){0}, NULL);
    field_set(&s.field, 0, 19, TETRIS_GREY);
    tetris_game.view(&s, 0, &v);
    char due[2048] = {0};
    struct text wanted = text_on(due, sizeof due - 1);
    text_puts(&wanted, "{\"board\":[");
    for (int y = 0; y < 19; y++)
        text_puts(&wanted, blank);
    text_puts(
        &wanted,
        "\"G.........\"],\"active\":{\"kind\":\"I\",\"rotation\":\"north\",\"x\":3,\"y\":1},\"ghost_y\":19,"
        "\"hold\":null,\"can_hold\":true,\"next\":[\"T\",\"Z\",null,null,null],\"piece_id\":1,\"score\":0,"
        "\"level\":0,\"lines\":0,\"combo\":-1,\"back_to_back\":false,"
        "\"timers\":{\"drop_ms\":0,\"lock_ms\":0,\"line_clear_ms\":0},\"gravity\":1,\"garbage_pending\":0,"
        "\"goal\":{\"kind\":\"lines\",\"remaining\":40},\"ruleset\":\"standard\",\"paused\":false,\"ended\":null}");
    struct text t = text_on(buffer, sizeof buffer - 1);
    json_begin_object(&t);
    tetris_codec.write_view(&t, &table, &v);
    json_end_object(&t);
    buffer[t.size] = 0;
    assert_string_equal(buffer, due);
}

// G24.9, and a line of prose for each.
static void test_events(void **unused)
{
    (void)unused;
    static const struct {
        struct tetris_lock lock;
        struct game_event e;
        const char *json, *prose;
    } cases[] = {
        {{.kind = TETRIS_T, .rotation = 2, .x = 3, .y = 17, .lines = 2, .spin = TETRIS_SPIN_FULL},
         {.kind = TETRIS_PIECE_LOCKED},
         "{\"type\":\"piece_locked\",\"kind\":\"T\",\"x\":3,\"y\":17,\"rotation\":\"south\",\"lines\":2,"
         "\"tspin\":\"full\"}",
         "T locks facing south at column 3, row 17, a T-spin"},
        {{.kind = TETRIS_I, .lines = 4, .score = 1200, .combo = 1, .back_to_back = 1},
         {.kind = TETRIS_LINES_CLEARED},
         "{\"type\":\"lines_cleared\",\"count\":4,\"score\":1200,\"combo\":1,\"back_to_back\":true}",
         "4 lines cleared for 1200 points, combo 1, back-to-back"},
        {{0}, {.kind = TETRIS_LEVEL_UP, .amount = 3}, "{\"type\":\"level_up\",\"level\":3}", "level 3"},
        {{0}, {.kind = TETRIS_GARBAGE_ROSE, .amount = 2}, "{\"type\":\"garbage\",\"rows\":2}", "2 garbage rows rise"},
        {{0}, {.kind = TETRIS_SOFT_DROPPED, .amount = 5}, "{\"type\":\"soft_drop\",\"rows\":5}", "soft drop by 5"},
        {{0},
         {.kind = TETRIS_HELD, .data = {TETRIS_L}},
         "{\"type\":\"hold\",\"kind\":\"L\",\"released\":null}",
         "L goes to hold"},
        {{0},
         {.kind = TETRIS_GAME_OVER, .data = {TETRIS_BLOCK_OUT}},
         "{\"type\":\"game_over\",\"cause\":\"block_out\"}",
         "game over: block_out"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct game_event e = cases[i].e;
        if (cases[i].lock.kind)
            memcpy(e.data, &cases[i].lock, sizeof cases[i].lock);
        struct text t = text_on(buffer, sizeof buffer - 1);
        codec_write_event(&tetris_codec, &t, &table, &e, 1);
        buffer[t.size] = 0;
        assert_string_equal(buffer, cases[i].json);
        t = text_on(buffer, sizeof buffer - 1);
        tetris_codec.describe_event(&t, &table, &e, 1);
        buffer[t.size] = 0;
        assert_string_equal(buffer, cases[i].prose);
    }
}

// A full field is the longest text: it stays within 1200 characters (G22.6), and the picture is 22 lines.
static void test_prose(void **unused)
{
    (void)unused;
    struct tetris_rules r;
    struct tetris_state s;
    struct tetris_view v;
    for (int scenario = 0; scenario < 5; scenario++) {
        tetris_game.defaults(&r);
        tetris_game.scenario(&r, scenario);
        assert_int_equal(tetris_game.init(&s, &r, 1, (struct rng){0}, NULL), OK);
        for (int y = 2; y < 20; y++)
            field_set(&s.field, y % 10, y, TETRIS_Z);
        s.facts.score = 4000000000u, s.facts.combo = 12, s.facts.back_to_back = 1, s.facts.pending = 20;
        tetris_game.view(&s, 0, &v);
        struct text t = text_on(buffer, sizeof buffer - 1);
        tetris_codec.describe_view(&t, &table, &v);
        assert_in_range(t.size, 300, 1200);
        t = text_on(buffer, sizeof buffer - 1);
        tetris_codec.describe_rules(&t, &r, 1);
        assert_in_range(t.size, 1500, 6000);
        t = text_on(buffer, sizeof buffer - 1);
        tetris_codec.draw(&t, &table, &v);
        int lines = 0;
        for (size_t i = 0; i < t.size; i++)
            lines += buffer[i] == '\n';
        assert_int_equal(lines, 22);
        buffer[t.size] = 0;
        assert_non_null(strstr(buffer, "[]"));
        assert_non_null(strstr(buffer, "::"));
        assert_non_null(strstr(buffer, "ZZ"));
    }
    static const uint8_t kinds[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 32, 33, 34, 35, 36, 37, GAME_DROP};
    for (size_t i = 0; i < sizeof kinds; i++) {
        struct text t = text_on(buffer, sizeof buffer - 1);
        codec_describe_action(&tetris_codec, &t, &table, (struct game_action){.kind = kinds[i], .arg = {1}});
        assert_true(t.size > 4);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_actions), cmocka_unit_test(test_bad_actions), cmocka_unit_test(test_rules),
        cmocka_unit_test(test_view),    cmocka_unit_test(test_events),      cmocka_unit_test(test_prose),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
