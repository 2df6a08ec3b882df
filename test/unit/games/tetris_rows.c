// Rows, rewards by difference and tokens of Tetris (parts 2 and 5 of docs/spec/train.md).
#include "rows_kit.h"
#include "tetris_kit.h"

static struct kit k;

static struct tetris_state *board(void)
{
    return (struct tetris_state *)&k.state;
}

static float byte_value(const char *name)
{
    uint8_t row[GAME_MAX_VECTOR];
    int index = game_row_find(g, 2, name);
    struct game_element e;
    assert_true(game_row_element(g, 2, index, &e));
    game_observe(g, &k.state, &k.history, 0, 2, GAME_U8, row);
    return e.low + e.step * (float)row[index];
}

static float value(const char *name)
{
    return kit_value(&k, 0, name);
}

static float capped(double share)
{
    return share < 1 ? (float)share : 1.0f;
}

// How many ticks a copy takes until a garbage row is pending that was not before; 0: none in so many.
static int wait_for_rise(int most)
{
    struct tetris_state s = *board();
    uint32_t rows = s.facts.pending + s.facts.garbage_rows;
    s.rules.zen = 1; // nothing locks meanwhile
    s.rules.goal = TETRIS_NO_GOAL;
    s.facts.end = TETRIS_RUNNING;
    for (int tick = 1; tick <= most; tick++) {
        g->tick(&s, NULL);
        if (s.facts.pending + s.facts.garbage_rows > rows || rows == TETRIS_MAX_PENDING)
            return tick;
    }
    return 0;
}

// Gravity by watching a piece fall: the ms between two rows, at most 1000.
static int measure_interval(void)
{
    struct tetris_state s = *board();
    field_clear(&s.field, s.rules.ruleset);
    s.facts.line_clear_ms = s.facts.drop_ms = s.facts.end = s.facts.paused = 0;
    s.rules.goal = TETRIS_NO_GOAL;
    piece_place(&s.field, &s.piece, TETRIS_O, s.rules.ruleset);
    s.piece.soft_ms = 0;
    int rows = -s.piece.y, ms = 0;
    for (; ms < 16 * 64 && rows + s.piece.y == 0; ms += TETRIS_TICK_MS)
        g->tick(&s, NULL);
    return ms;
}

static float expected_goal(void)
{
    struct tetris_view v;
    const struct tetris_rules *r = &board()->rules;
    g->view(board(), 0, &v);
    int whole = r->goal == TETRIS_GOAL_GARBAGE ? r->garbage_rows ? r->garbage_rows : 20 : r->goal_count;
    return r->goal ? capped((double)v.goal_left / whole) : 0;
}

// G24.5
static void expect_now(void)
{
    static const char *const kinds[] = {"", "I", "O", "T", "S", "Z", "J", "L"};
    static const char *const turns[] = {"north", "east", "south", "west"};
    struct tetris_view v;
    g->view(board(), 0, &v);
    int kind = v.piece.kind;
    for (int i = 0; i < TETRIS_CELLS; i++)
        kit_expect(&k, v.cells[i] != 0, "cell.%d.%d", i / TETRIS_WIDTH, i % TETRIS_WIDTH);
    for (int i = TETRIS_I; i <= TETRIS_L; i++) {
        kit_expect(&k, kind == i, "piece.%s", kinds[i]);
        kit_expect(&k, v.facts.hold == i, "hold.%s", kinds[i]);
        for (int n = 0; n < TETRIS_NEXT; n++)
            kit_expect(&k, v.next[n] == i, "next.%d.%s", n, kinds[i]);
    }
    for (int i = 0; i < 4; i++)
        kit_expect(&k, kind && v.piece.rotation == i, "piece.%s", turns[i]);
    kit_expect(&k, kind ? (v.piece.x + tetris_left(kind, v.piece.rotation)) / 10.0 : 0, "piece.column");
    kit_expect(&k, kind ? (v.piece.y + tetris_top(kind, v.piece.rotation)) / 20.0 : 0, "piece.row");
    kit_expect(&k, !v.facts.hold, "hold.none");
    kit_expect(&k, v.facts.can_hold, "can_hold");
    kit_expect(&k, capped(v.facts.level / 20.0), "level");
    kit_expect(&k, capped(v.facts.lines / 40.0), "lines");
    kit_expect(&k, capped(v.piece.lock_ms / 500.0), "lock_delay");
}

static void expect(int viewer)
{
    (void)viewer;
    const struct tetris_facts *f = &board()->facts;
    expect_now();
    kit_expect(&k, capped((f->combo + 1) / 20.0), "combo");
    kit_expect(&k, f->back_to_back, "back_to_back");
    kit_expect(&k, f->pending / 20.0, "garbage.pending");
    kit_expect(&k, value("garbage.next"), "garbage.next"); // both are measured below
    kit_expect(&k, value("drop_interval"), "drop_interval");
    kit_expect(&k, expected_goal(), "goal");
}

static void check(void)
{
    const struct tetris_facts *f = &board()->facts;
    kit_check(&k, expect);
    if (f->pending < TETRIS_MAX_PENDING)
        assert_int_equal((int)(value("garbage.next") * 1000 + 0.5f), wait_for_rise(1000));
    float interval = value("drop_interval") * 1000, seen = (float)measure_interval();
    if (!board()->rules.zen) // a tick is 16 ms
        assert_true(interval >= 1000 ? seen >= 992 : seen >= interval - 1 && seen < interval + 16);
}

// Every scenario, garbage of both clocks and the master's, levels and gravity that he sets.
static void test_facts(void **unused)
{
    (void)unused;
    struct rng dice = {.key = {77}};
    for (uint32_t seed = 0; seed < 60; seed++) {
        struct tetris_rules *r = (struct tetris_rules *)&k.rules;
        g->defaults(r);
        g->scenario(r, (int)seed % 5);
        r->ruleset = (uint8_t)(seed / 5 % 2);
        r->rise_rate = (uint8_t)(seed % 3 ? rng_below(&dice, 21) : 0);
        r->gravity_milli = (uint16_t)(seed % 4 ? 100 + rng_below(&dice, 4000) : 1000);
        kit_begin(&k, g, 1, seed);
        for (int i = 0; i < 60 && !board()->facts.end; i++) {
            check();
            struct game_action master[] = {
                {.kind = TETRIS_GARBAGE, .arg = {1 + (uint8_t)rng_below(&dice, 3)}},
                {.kind = TETRIS_SET_LEVEL, .arg = {(uint8_t)rng_below(&dice, 21)}},
                {.kind = TETRIS_SET_GRAVITY, .amount = 100 + (int)rng_below(&dice, 3000)},
                {.kind = TETRIS_SET_RISE, .arg = {(uint8_t)rng_below(&dice, 21)}},
            };
            uint32_t what = rng_below(&dice, 24);
            if (what < 4)
                kit_play_seat(&k, GAME_MASTER, master[what]);
            kit_play_any(&k);
            for (uint32_t ticks = rng_below(&dice, 40); ticks > 0 && !board()->facts.end; ticks--)
                g->tick(&k.state, NULL);
        }
    }
}

// V33: a piece in the hidden rows has a negative row, which its byte leads back to.
static void test_hidden_rows(void **unused)
{
    (void)unused;
    struct tetris_rules r = kit_rules(TETRIS_GUIDELINE, 1);
    memcpy(&k.rules, &r, sizeof r);
    kit_begin(&k, g, 1, 1);
    for (int y = -2; y < 4; y++) {
        kit_piece(board(), TETRIS_T, TETRIS_NORTH, 3, y);
        assert_true(value("piece.row") == (float)y / 20);
        float apart = byte_value("piece.row") - (float)y / 20;
        assert_true(apart < 1e-6f && apart > -1e-6f);
    }
    struct game_element e;
    assert_true(game_row_element(g, 1, game_row_find(g, 1, "piece.row"), &e) && e.low == -0.2f);
    board()->piece.kind = TETRIS_NONE;
    assert_true(value("piece.row") == 0 && value("piece.column") == 0 && value("piece.north") == 0);
}

static struct game_rewards earn(struct game_mark *m)
{
    struct game_rewards r;
    memset(&r, 0x7F, sizeof r);
    game_earned(g, &k.state, m, NULL, &r);
    return r;
}

// V19: the tick that ends the game is one of those that were survived; the ticks after it are not.
static void test_last_tick(void **unused)
{
    (void)unused;
    struct tetris_rules r = kit_rules(TETRIS_STANDARD, 1);
    memcpy(&k.rules, &r, sizeof r);
    kit_begin(&k, g, 1, 1);
    struct tetris_state *s = board();
    for (int y = 3; y < 20; y++) // a tower below the spawn: the next piece finds no room
        kit_row(s, y, 1u << 9);
    kit_piece(s, TETRIS_O, TETRIS_NORTH, 3, 1);
    struct game_mark m;
    game_mark(g, s, &m);
    int ticks = 0;
    while (!s->facts.end && ticks < 200)
        g->tick(s, NULL), ticks++;
    assert_int_equal(s->facts.end, TETRIS_BLOCK_OUT);
    struct game_rewards earned = earn(&m);
    assert_true(earned.at[0][2] == 0.001f * (float)ticks);
    assert_true(earned.at[0][3] == -1 && earned.at[0][4] == 0 && earned.at[0][0] == 0);
    game_mark(g, s, &m);
    g->tick(s, NULL);
    earned = earn(&m);
    for (int i = 0; i < GAME_MAX_REWARDS; i++)
        assert_true(earned.at[0][i] == 0);
}

// V5, V18: a placement and the ticks after it are one step, and earn what their events say together.
static void test_steps_of_several_ticks(void **unused)
{
    (void)unused;
    struct rng dice = {.key = {5}};
    int lines = 0;
    for (uint32_t seed = 0; seed < 40; seed++) {
        struct tetris_rules *r = (struct tetris_rules *)&k.rules;
        g->defaults(r);
        g->scenario(r, (int)seed % 5);
        kit_begin(&k, g, 1, seed);
        for (int y = 14; y < 20; y++) // something to clear
            kit_row(board(), y, 7u << seed % 8);
        while (!kit_is_over(&k) && board()->facts.board_id < 60) {
            uint64_t mask[GAME_FLAT_WORDS], wanted[GAME_FLAT_WORDS] = {~(uint64_t)0xFF, UINT64_MAX};
            struct game_events happened = {.count = 0};
            struct game_rewards by_events, by_difference;
            struct game_mark m;
            game_mask_of(g, &k.state, 0, wanted, mask);
            int number;
            do
                number = 8 + (int)rng_below(&dice, TETRIS_FLAT - 8);
            while (!(mask[number / 64] >> number % 64 & 1));
            game_mark(g, &k.state, &m);
            assert_int_equal(g->apply(&k.state, 0, game_action_at(g, &k.state, 0, number), &happened), OK);
            for (int tick = 0; tick < 20; tick++)
                g->tick(&k.state, &happened);
            g->rewards(&k.state, &happened, &by_events);
            by_difference = earn(&m);
            for (int i = 0; i < GAME_MAX_REWARDS; i++)
                assert_true(by_difference.at[0][i] == by_events.at[0][i]);
            lines += (int)by_difference.at[0][0];
        }
    }
    assert_true(lines > 3);
}

// What a part of the numbers needs, and their actions, are those of flat.
static void test_wanted_numbers(void **unused)
{
    (void)unused;
    static const uint64_t wanted[][GAME_FLAT_WORDS] = {{0xFF},
                                                       {~(uint64_t)0xFF, UINT64_MAX},
                                                       {0xFFFFFFFFFFFF},
                                                       {UINT64_MAX, UINT64_MAX},
                                                       {(uint64_t)1 << 50},
                                                       {0, 1 << 20},
                                                       {0}};
    struct tetris_rules r = kit_rules(TETRIS_STANDARD, 3);
    memcpy(&k.rules, &r, sizeof r);
    kit_begin(&k, g, 1, 3);
    for (; !kit_is_over(&k); kit_play_any(&k))
        for (size_t w = 0; w < sizeof wanted / sizeof *wanted; w++) {
            uint64_t mask[GAME_FLAT_WORDS];
            game_mask_of(g, &k.state, 0, wanted[w], mask);
            for (int i = 0; i < TETRIS_FLAT; i++) {
                struct game_action a;
                bool is_wanted = wanted[w][i / 64] >> i % 64 & 1, is_legal = g->flat(&k.state, 0, i, &a);
                assert_int_equal(mask[i / 64] >> i % 64 & 1, is_wanted && is_legal);
                if (is_legal)
                    assert_true(game_same_action(a, game_action_at(g, &k.state, 0, i)));
            }
        }
}

static void test_restart(void **unused)
{
    (void)unused;
    struct tetris_rules r = kit_rules(TETRIS_STANDARD, 1);
    memcpy(&k.rules, &r, sizeof r);
    kit_begin(&k, g, 1, 1);
    kit_play(board(), "s.s.d.");
    struct game_mark m;
    game_mark(g, &k.state, &m);
    kit_play(board(), "R");
    struct game_rewards earned = earn(&m);
    for (int i = 0; i < GAME_MAX_REWARDS; i++)
        assert_true(earned.at[0][i] == 0);
}

static void test_tokens(void **unused)
{
    (void)unused;
    struct tetris_rules r = kit_rules(TETRIS_STANDARD, 1);
    memcpy(r.queue, (uint8_t[]){TETRIS_I, TETRIS_O, TETRIS_T}, 3);
    memcpy(&k.rules, &r, sizeof r);
    kit_begin(&k, g, 1, 1);
    assert_string_equal(kit_tokens(&k), "");
    kit_row(board(), 19, 15u << 6); // room for I
    kit_play_seat(&k, GAME_MASTER, (struct game_action){.kind = TETRIS_GARBAGE, .arg = {2, 1}});
    assert_string_equal(kit_tokens(&k), "");
    kit_play_seat(&k, 0, (struct game_action){.kind = TETRIS_PLACE, .arg = {6, 0, 0}});
    assert_string_equal(kit_tokens(&k), "1:1(1,6) 2:1(1,0) 4:1(2,0)");
    kit_play_seat(&k, 0, (struct game_action){.kind = TETRIS_HOLD});
    assert_string_equal(kit_tokens(&k), "3:1(0,0)");
    kit_play_seat(&k, 0, (struct game_action){.kind = TETRIS_MOVE_LEFT});
    assert_string_equal(kit_tokens(&k), "");
    k.tokens.count = 0;
    for (int i = 0; i < 2000 && !k.tokens.count; i++) // it locks by itself
        game_tick_kept(g, &k.state, &k.history, NULL, &k.tokens);
    assert_string_equal(kit_tokens(&k), "1:1(3,2)");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_facts),          cmocka_unit_test(test_hidden_rows),
        cmocka_unit_test(test_last_tick),      cmocka_unit_test(test_steps_of_several_ticks),
        cmocka_unit_test(test_wanted_numbers), cmocka_unit_test(test_restart),
        cmocka_unit_test(test_tokens),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
