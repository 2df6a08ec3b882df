// Ruleset standard, by rule number: shapes, kicks, bags, time, locks, scores, hashes.
#include "tetris_kit.h"

// T1.5, T3.42: the three forms of a shape agree, and the offsets are the published ones.
static void test_shapes(void **unused)
{
    (void)unused;
    for (int kind = TETRIS_I; kind <= TETRIS_L; kind++)
        for (int r = 0; r < 4; r++) {
            const struct tetris_cell *cell = tetris_cells(kind, r);
            uint64_t shape = 0;
            int left = 9, top = 9, right = 0;
            for (int i = 0; i < 4; i++) {
                shape |= (uint64_t)1 << (16 * cell[i].y + cell[i].x);
                left = cell[i].x < left ? cell[i].x : left;
                top = cell[i].y < top ? cell[i].y : top;
                right = cell[i].x > right ? cell[i].x : right;
            }
            assert_int_equal(shape, field_shapes[kind][r]);
            assert_int_equal(tetris_left(kind, r), left);
            assert_int_equal(tetris_top(kind, r), top);
            assert_int_equal(tetris_span(kind, r), right - left + 1);
            struct tetris_field f; // colours land where the taken cells do
            field_clear(&f, TETRIS_STANDARD);
            struct tetris_piece p = {.kind = (uint8_t)kind, .rotation = (uint8_t)r, .x = 5, .y = 7};
            field_write(&f, &p);
            for (int y = 0; y < TETRIS_HEIGHT; y++)
                for (int x = 0; x < TETRIS_WIDTH; x++)
                    assert_int_equal(field_cell(&f, x, y) == kind, f.taken[y + FIELD_ABOVE] >> (x + FIELD_LEFT) & 1);
        }
}

// T1.1, T1.3: what lets turns and shifts go without range checks: from every place that fits on an empty field, every
// kick and step stays inside the walls' bits and the rows that exist in memory.
static void test_reach(void **unused)
{
    (void)unused;
    for (int ruleset = 0; ruleset < 2; ruleset++) {
        struct tetris_field f;
        field_clear(&f, ruleset);
        for (int kind = TETRIS_I; kind <= TETRIS_L; kind++)
            for (int r = 0; r < 4; r++)
                for (int y = -8; y <= 20; y++)
                    for (int x = -3; x <= 9; x++) {
                        if (!field_fits(&f, field_shapes[kind][r], x, y))
                            continue;
                        assert_in_range(x - 1 + FIELD_LEFT, 0, 12);
                        assert_in_range(x + 1 + FIELD_LEFT, 0, 12);
                        assert_in_range(y + 1 + FIELD_ABOVE, 0, 28);
                        for (int back = 0; back < 2; back++)
                            for (int i = 0; i < 5; i++) {
                                struct field_kick k = field_kicks[kind == TETRIS_I][r][back][i];
                                assert_in_range(x + k.x + FIELD_LEFT, 0, 12);
                                assert_in_range(y + k.y + FIELD_ABOVE, 0, 28);
                                assert_in_range(y - k.y + FIELD_ABOVE, 0, 28);
                            }
                    }
    }
}

// T1.10, T1.11, T1.14
static void test_bags(void **unused)
{
    (void)unused;
    static const struct {
        uint32_t seed;
        const char *pieces;
    } cases[] = {
        {0, "ZLOIJTSLIJTSZOOJSZITLOSZJLTIOSJZITL"},     {1, "ITZOLSJLOTZSJITSILJOZLTZJOSITSIJZOL"},
        {2, "OLSTJZIOLSJZITOJSZLITOTJLSZIZIOJSTL"},     {7, "TZIJOLSTLIZOJSIZTSJOLTSIJZOLZTJSIOL"},
        {42, "OLIJTZSTSOIJZLOIJTLZSLSTJIZOSIOJLTZ"},    {123, "TOILJSZLZIOSJTZOTLIJSISTZJOLITZSOJL"},
        {12345, "TSILZOJLTJZSOIISZLTJOTOISZLJTSIZOJL"}, {4294967295, "ZTJSILOITZOJSLTLZJISOLSTJZOIZTJLIOS"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct tetris_state s = kit_new(TETRIS_STANDARD, cases[i].seed);
        struct tetris_view v;
        for (int n = 0; n < 35; n++) {
            assert_int_equal(".IOTSZJL"[s.piece.kind], cases[i].pieces[n]);
            g->view(&s, 0, &v);
            for (int k = 0; k < TETRIS_NEXT && n + 1 + k < 35; k++) // T1.13
                assert_int_equal(".IOTSZJL"[v.next[k]], cases[i].pieces[n + 1 + k]);
            field_clear(&s.field, TETRIS_STANDARD);
            kit_do(&s, TETRIS_HARD_DROP);
        }
    }
}

// T1.6-T1.9
static void test_turns(void **unused)
{
    (void)unused;
    static const struct {
        int kind, rotation, x, y, input, to, to_x, to_y;
    } cases[] = {
        {TETRIS_T, 0, 3, 18, TETRIS_ROTATE_CW, 1, 3, 16},  // mirrored kick: two rows up
        {TETRIS_J, 0, 3, 18, TETRIS_ROTATE_CW, 1, 3, 16},  //
        {TETRIS_I, 0, 3, 18, TETRIS_ROTATE_CW, 0, 3, 18},  // cannot turn at rest
        {TETRIS_I, 0, 3, 18, TETRIS_ROTATE_CCW, 0, 3, 18}, //
        {TETRIS_O, 0, 3, 5, TETRIS_ROTATE_CW, 0, 3, 5},    // T1.9
        {TETRIS_T, 1, -1, 5, TETRIS_ROTATE_CW, 2, 0, 5},   // off the left wall
        {TETRIS_I, 3, 8, 5, TETRIS_ROTATE_CW, 0, 6, 5},    // W>N (1,0) blocked, (-2,0)
        {TETRIS_T, 0, 3, 5, TETRIS_ROTATE_CCW, 3, 3, 5},   //
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct tetris_state s = kit_new(TETRIS_STANDARD, 1);
        kit_piece(&s, cases[i].kind, cases[i].rotation, cases[i].x, cases[i].y);
        s.piece.turned = cases[i].kind == TETRIS_O; // a failed turn leaves the flag
        kit_do(&s, cases[i].input);
        assert_at(&s, cases[i].to, cases[i].to_x, cases[i].to_y);
        assert_int_equal(s.piece.turned, cases[i].rotation != cases[i].to || cases[i].kind == TETRIS_O);
    }
}

static struct tetris_state spin_slot(void)
{
    struct tetris_state s = kit_new(TETRIS_STANDARD, 1);
    kit_row(&s, 19, 1u << 4);
    kit_row(&s, 18, 7u << 3);
    kit_fill(&s, 5, 17);
    kit_piece(&s, TETRIS_T, TETRIS_EAST, 3, 17);
    return s;
}

// T1.51, first case: a full T-spin by lock delay, because the last action was a turn (T1.30).
static void test_t_spin(void **unused)
{
    (void)unused;
    struct tetris_state s = spin_slot();
    kit_do(&s, TETRIS_ROTATE_CW);
    assert_at(&s, TETRIS_SOUTH, 3, 17);
    assert_int_equal(kit_steps_to_lock(&s, 100), 29);
    assert_int_equal(s.facts.lock.lines, 2);
    assert_int_equal(s.facts.lock.spin, TETRIS_SPIN_FULL);
    assert_int_equal(s.facts.score, 1200);
    assert_int_equal(s.facts.lock.score, 1200);
    assert_int_equal(s.facts.combo, 0);
    assert_true(s.facts.back_to_back);

    s = spin_slot(); // T1.49: a hard drop forgets the turn
    kit_play(&s, "wd");
    assert_int_equal(s.facts.lock.lines, 2);
    assert_int_equal(s.facts.lock.spin, TETRIS_NO_SPIN);
    assert_int_equal(s.facts.score, 100);
    assert_false(s.facts.back_to_back);
}

// T1.46: a T-spin without lines scores, and costs combo and back-to-back.
static void test_t_spin_without_lines(void **unused)
{
    (void)unused;
    struct tetris_state s = spin_slot();
    field_set(&s.field, 0, 19, TETRIS_NONE);
    field_set(&s.field, 0, 18, TETRIS_NONE);
    s.facts.combo = 3;
    s.facts.back_to_back = 1;
    kit_do(&s, TETRIS_ROTATE_CW);
    assert_int_equal(kit_steps_to_lock(&s, 100), 29);
    assert_int_equal(s.facts.score, 400);
    assert_int_equal(s.facts.lock.score, 0);
    assert_int_equal(s.facts.lock.spin, TETRIS_SPIN_FULL);
    assert_int_equal(s.facts.combo, -1);
    assert_false(s.facts.back_to_back);
    assert_int_equal(s.facts.line_clear_ms, 0);
}

// T1.48: mini, when the pointing side is open.
static void test_mini_t_spin(void **unused)
{
    (void)unused;
    struct tetris_state s = kit_new(TETRIS_STANDARD, 1);
    kit_row(&s, 19, 7u << 3); // T facing north lies in the gap,
    kit_fill(&s, 3, 18);      // one upper corner is taken, the floor below takes both lower ones
    kit_piece(&s, TETRIS_T, TETRIS_NORTH, 3, 18);
    s.piece.turned = 1;
    assert_int_equal(kit_steps_to_lock(&s, 40), 29);
    assert_int_equal(s.facts.lock.spin, TETRIS_SPIN_MINI);
    assert_int_equal(s.facts.score, 200);
    assert_false(s.facts.back_to_back); // T1.44: a mini does not count
}

static void four_rows(struct tetris_state *s)
{
    field_clear(&s->field, s->rules.ruleset);
    for (int y = 16; y < 20; y++)
        kit_row(s, y, 1u << 9);
    kit_piece(s, TETRIS_I, TETRIS_EAST, 7, 0);
    kit_do(s, TETRIS_HARD_DROP);
}

// T1.51: four lines, and again at once, in the pause of the first clear (T1.21). T1.45, T1.47.
static void test_four_lines(void **unused)
{
    (void)unused;
    struct tetris_state s = kit_new(TETRIS_STANDARD, 1);
    four_rows(&s);
    assert_int_equal(s.facts.lock.lines, 4);
    assert_int_equal(s.facts.score, 1232);
    assert_int_equal(s.facts.combo, 0);
    assert_true(s.facts.back_to_back);
    four_rows(&s);
    assert_int_equal(s.facts.score, 3114);
    assert_int_equal(s.facts.lock.score, 1800);
    assert_int_equal(s.facts.combo, 1);
    assert_true(s.facts.back_to_back);
    four_rows(&s); // the third passes ten lines
    assert_int_equal(s.facts.level, 1);
    assert_int_equal(s.facts.score, 3114 + 1800 + 100 + 32);
    four_rows(&s); // T1.42: now worth double
    assert_int_equal(s.facts.lock.score, 3600);
    kit_play(&s, "d"); // T1.44: any lock without lines ends it
    assert_false(s.facts.back_to_back);
    assert_int_equal(s.facts.combo, -1);
}

// T1.42: plain values; T1.36: the pause counts down.
static void test_line_values(void **unused)
{
    (void)unused;
    static const uint32_t values[] = {40, 100, 300};
    for (int lines = 1; lines <= 3; lines++) {
        struct tetris_state s = kit_new(TETRIS_STANDARD, 1);
        for (int y = 20 - lines; y < 20; y++)
            kit_row(&s, y, 1u << 9);
        kit_piece(&s, TETRIS_I, TETRIS_EAST, 7, 16);
        kit_do(&s, TETRIS_HARD_DROP);
        assert_int_equal(s.facts.score, values[lines - 1]);
        assert_int_equal(s.facts.line_clear_ms, 180);
        for (int ms = 164; ms > 0; ms -= 16) {
            g->tick(&s, NULL);
            assert_int_equal(s.facts.line_clear_ms, ms);
            assert_int_equal(s.facts.drop_ms, 0);
        }
        g->tick(&s, NULL);
        assert_int_equal(s.facts.line_clear_ms, 0);
        assert_int_equal(s.facts.drop_ms, 16); // the twelfth runs normally
        assert_int_equal(s.facts.step_in_piece, 12);
        for (int i = 0; i < 4 - lines; i++) // what stood above came down
            assert_int_equal(field_cell(&s.field, 9, 19 - i), TETRIS_I);
        assert_int_equal(field_cell(&s.field, 9, 19 - (4 - lines)), TETRIS_NONE);
    }
}

// T1.51: without input.
static void test_idle(void **unused)
{
    (void)unused;
    struct tetris_state s = kit_new(TETRIS_STANDARD, 2);
    assert_int_equal(kit_steps_to_lock(&s, 2000), 1153);
    assert_int_equal(g->digest(&s, TETRIS_HASH_AGON), 0xc97ae2e59cb08a46); // T2.23
    assert_int_equal(g->digest(&s, TETRIS_HASH_COMPAT), 0xaa7b94124aab0fd9);
    s = kit_new(TETRIS_STANDARD, 7);
    int steps = 0;
    while (!s.facts.end && steps < 10000)
        kit_ticks(&s, 1), steps++;
    assert_int_equal(steps, 7152);
    assert_int_equal(s.facts.board_id, 12);
    assert_int_equal(g->digest(&s, TETRIS_HASH_AGON), 0xd8d98acae57bcdab);
    assert_int_equal(g->digest(&s, TETRIS_HASH_COMPAT), 0x178083e1d06bc8e7);
}

// T1.4, T1.38, T1.51: fifteen resets and no more.
static void test_lock_resets(void **unused)
{
    (void)unused;
    struct tetris_state s = kit_new(TETRIS_STANDARD, 123);
    kit_play(&s, "ssssssssssssssssssl.");
    int step = 1;
    while (s.facts.board_id == 0 && step < 100) {
        kit_play(&s, step % 2 ? "r." : "l.");
        step++;
    }
    assert_int_equal(step, 42);
}

// T1.51: one soft drop and its after-effect.
static void test_soft_drop(void **unused)
{
    (void)unused;
    static const uint16_t drop_ms[] = {16, 32, 48, 64, 80, 96, 12, 28, 44, 60, 76, 92, 108, 124};
    struct tetris_state s = kit_new(TETRIS_STANDARD, 2);
    kit_play(&s, "s");
    assert_int_equal(s.facts.score, 1);
    for (int i = 0; i < 14; i++) {
        g->tick(&s, NULL);
        assert_int_equal(s.piece.y, i < 6 ? 1 : 2);
        assert_int_equal(s.facts.drop_ms, drop_ms[i]);
    }
    assert_int_equal(s.facts.score, 1);
}

// T1.31: gravity by level.
static void test_gravity(void **unused)
{
    (void)unused;
    static const int ms[] = {1000, 800, 650, 500, 400, 320, 250, 200, 160, 120, 120, 120};
    for (int level = 0; level < 12; level++) {
        struct tetris_rules r = kit_rules(TETRIS_STANDARD, 1);
        r.level = (uint8_t)level;
        struct tetris_state s = kit_start(&r);
        int ticks = 0;
        while (s.piece.y == 0)
            kit_ticks(&s, 1), ticks++;
        assert_int_equal(ticks, (ms[level] + 15) / 16);
    }
}

// T1.26-T1.29
static void test_hold(void **unused)
{
    (void)unused;
    struct tetris_state s = kit_new(TETRIS_STANDARD, 123); // T O I
    kit_play(&s, "...h");
    assert_int_equal(s.facts.hold, TETRIS_T);
    assert_int_equal(s.piece.kind, TETRIS_O);
    assert_int_equal(s.facts.piece_id, 2);
    assert_int_equal(s.facts.step_in_piece, 0);
    assert_false(s.facts.can_hold);
    struct tetris_state before = s;
    assert_int_equal(kit_do(&s, TETRIS_HOLD), ERR_ACTION); // G24.3
    assert_memory_equal(&s, &before, sizeof s);
    kit_play(&s, "d");
    assert_true(s.facts.can_hold);
    kit_play(&s, "h"); // a swap leaves piece_id
    assert_int_equal(s.facts.hold, TETRIS_I);
    assert_int_equal(s.piece.kind, TETRIS_T);
    assert_int_equal(s.facts.piece_id, 3);

    s = kit_new(TETRIS_STANDARD, 123); // T1.28: what comes out does not fit
    s.facts.hold = TETRIS_I;
    kit_ticks(&s, 3);
    kit_piece(&s, TETRIS_T, TETRIS_NORTH, 3, 10);
    s.piece.lock_ms = 48, s.piece.resets = 3, s.piece.turned = 1;
    kit_fill(&s, 3, 1);
    kit_play(&s, "h");
    assert_int_equal(s.facts.end, TETRIS_BLOCK_OUT);
    assert_int_equal(s.facts.hold, TETRIS_T);
    assert_int_equal(s.piece.kind, TETRIS_NONE);
    assert_int_equal(s.facts.step_in_piece, 0);
    assert_true(s.facts.can_hold);
    assert_int_equal(s.piece.lock_ms, 48);
    assert_int_equal(s.piece.resets, 3);
    assert_int_equal(s.piece.turned, 1);

    s = kit_new(TETRIS_STANDARD, 123); // T1.29: a first hold whose spawn is blocked leaves the old piece
    kit_piece(&s, TETRIS_T, TETRIS_NORTH, 3, 10);
    s.piece.lock_ms = 48;
    kit_fill(&s, 4, 1);
    kit_play(&s, "h");
    assert_int_equal(s.facts.end, TETRIS_BLOCK_OUT);
    assert_int_equal(s.facts.hold, TETRIS_T);
    assert_int_equal(s.piece.kind, TETRIS_T);
    assert_at(&s, TETRIS_NORTH, 3, 10);
    assert_false(s.facts.can_hold);
    assert_int_equal(s.piece.lock_ms, 0);
    assert_int_equal(s.facts.piece_id, 1);
}

// T1.16, T1.20: a blocked spawn leaves timers and queue; the drop points still count.
static void test_top_out(void **unused)
{
    (void)unused;
    struct tetris_state s = kit_new(TETRIS_STANDARD, 1); // I T
    kit_fill(&s, 4, 1);
    kit_piece(&s, TETRIS_I, TETRIS_NORTH, 0, 10);
    s.piece.lock_ms = 32;
    uint32_t generator = s.generator;
    kit_play(&s, "d");
    assert_int_equal(s.facts.end, TETRIS_BLOCK_OUT);
    assert_int_equal(s.facts.score, 16);
    assert_int_equal(s.piece.lock_ms, 32);
    assert_int_equal(s.generator, generator);
    struct tetris_view v;
    g->view(&s, 0, &v);
    assert_int_equal(v.next[0], TETRIS_T);
    assert_int_equal(g->turn(&s).kind, TURN_OVER);
    assert_int_equal(kit_do(&s, TETRIS_MOVE_LEFT), ERR_OVER);
    struct tetris_state before = s;
    kit_ticks(&s, 3);
    before.facts.fresh = 0;
    assert_memory_equal(&s, &before, sizeof s);
    assert_int_equal(kit_do(&s, TETRIS_RESTART), OK);
    assert_int_equal(g->turn(&s).kind, TURN_FREE);
}

// T1.19, T1.20: while paused nothing moves.
static void test_pause(void **unused)
{
    (void)unused;
    struct tetris_state s = kit_new(TETRIS_STANDARD, 1);
    kit_play(&s, "s..p");
    assert_int_equal(s.piece.soft_ms, 0);
    struct tetris_state before = s;
    kit_play(&s, "lrwcsd..h....");
    assert_memory_equal(&s, &before, sizeof s);
    struct game_action place = {.kind = TETRIS_PLACE, .arg = {3, 0, 0}};
    assert_int_equal(g->apply(&s, 0, place, NULL), ERR_ACTION);
    assert_false(g->legal(&s, 0, place));
    assert_true(g->legal(&s, 0, (struct game_action){.kind = TETRIS_MOVE_LEFT}));
    kit_play(&s, "p.");
    assert_int_equal(s.facts.step_in_piece, before.facts.step_in_piece + 1);
    kit_play(&s, "pR");
    assert_false(s.facts.paused);
}

// T2.14, T2.15
static void test_restart(void **unused)
{
    (void)unused;
    static const uint32_t chain[] = {1587069247, 1814098701, 1403919595, 1369582169};
    struct tetris_state s = kit_new(TETRIS_STANDARD, 1);
    uint32_t turn = g->turn(&s).number;
    for (int i = 0; i < 4; i++) {
        kit_play(&s, "R");
        assert_int_equal(s.facts.seed, chain[i]);
        assert_int_equal(s.facts.episode_id, i + 1);
        assert_true(g->turn(&s).number > turn);
        turn = g->turn(&s).number;
    }
    kit_play(&s, "dsd..dhp");
    struct game_action seeded = {.kind = TETRIS_RESTART, .arg = {1}, .amount = (int32_t)4294967295u};
    assert_int_equal(g->apply(&s, 0, seeded, NULL), OK);
    struct tetris_state fresh = kit_new(TETRIS_STANDARD, 4294967295u);
    assert_int_equal(g->digest(&s, TETRIS_HASH_AGON), g->digest(&fresh, TETRIS_HASH_AGON));
    assert_int_equal(s.facts.episode_id, 5);
    struct game_action bad = {.kind = TETRIS_RESTART, .amount = 5};
    assert_int_equal(g->apply(&s, 0, bad, NULL), ERR_ACTION);
}

// T2.23
static void test_hashes(void **unused)
{
    (void)unused;
    static const struct {
        const char *inputs;
        uint64_t agon, compat;
    } rows[] = {
        {"", 0x7f1d0b8ed663ef4c, 0xdf8d6ae694a037c3},   {".", 0x28ba256d16211cdd, 0x35868ea9a06f3b60},
        {".", 0xd144d83fc924ce6e, 0x374484cd626cffc9},  {".", 0xb7509343543aedff, 0x8994472388d13426},
        {"d.", 0x162aac6c0e75ff3a, 0x0834c26dfa72f953}, {"h.", 0x725eecd66f4c019e, 0x45f1a974b4b32474},
    };
    struct tetris_state s = kit_new(TETRIS_STANDARD, 123);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        kit_play(&s, rows[i].inputs);
        assert_int_equal(g->digest(&s, TETRIS_HASH_AGON), rows[i].agon);
        assert_int_equal(g->digest(&s, TETRIS_HASH_COMPAT), rows[i].compat);
    }
    struct game_action place = {.kind = TETRIS_PLACE,
                                .arg = {(uint8_t)(7 + tetris_left(s.piece.kind, TETRIS_EAST)), TETRIS_EAST}};
    assert_int_equal(g->apply(&s, 0, place, NULL), OK);
    g->tick(&s, NULL);
    assert_int_equal(g->digest(&s, TETRIS_HASH_AGON), 0xba7baa016ed6775b);
    assert_int_equal(g->digest(&s, TETRIS_HASH_COMPAT), 0xa45714c61135e8d0);
    struct tetris_lock lock = s.facts.lock;
    assert_int_equal(tetris_hash(&s, TETRIS_HASH_COMPAT, &lock), 0xa45714c61135e8d0);
    assert_int_not_equal(tetris_hash(&s, TETRIS_HASH_COMPAT, NULL), 0xa45714c61135e8d0);
    uint64_t field = tetris_hash_field(&s, TETRIS_HASH_AGON);
    assert_int_equal(tetris_hash_rest(&s, TETRIS_HASH_AGON, NULL, field), 0xba7baa016ed6775b);
}

// The event of a step is in the hash of that step alone.
static void test_freshness(void **unused)
{
    (void)unused;
    struct tetris_state s = kit_new(TETRIS_STANDARD, 123);
    kit_play(&s, "d");
    assert_true(s.facts.fresh);
    kit_play(&s, ".");
    assert_true(s.facts.fresh);
    kit_play(&s, "p.");
    assert_false(s.facts.fresh); // a paused tick ends the step too
    s = kit_new(TETRIS_STANDARD, 2);
    kit_steps_to_lock(&s, 2000);
    assert_true(s.facts.fresh);
    kit_play(&s, ".");
    assert_false(s.facts.fresh);
}

// T1.42: the score saturates, and the payoff stays an int32.
static void test_saturation(void **unused)
{
    (void)unused;
    struct tetris_state s = kit_new(TETRIS_STANDARD, 1);
    s.facts.score = UINT32_MAX - 100;
    four_rows(&s);
    assert_int_equal(s.facts.score, UINT32_MAX);
    int32_t pay[GAME_MAX_SEATS];
    g->payoffs(&s, pay);
    assert_int_equal(pay[0], INT32_MAX);
    assert_int_equal(pay[1], 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_shapes),      cmocka_unit_test(test_reach),
        cmocka_unit_test(test_bags),        cmocka_unit_test(test_turns),
        cmocka_unit_test(test_t_spin),      cmocka_unit_test(test_t_spin_without_lines),
        cmocka_unit_test(test_mini_t_spin), cmocka_unit_test(test_four_lines),
        cmocka_unit_test(test_line_values), cmocka_unit_test(test_idle),
        cmocka_unit_test(test_lock_resets), cmocka_unit_test(test_soft_drop),
        cmocka_unit_test(test_gravity),     cmocka_unit_test(test_hold),
        cmocka_unit_test(test_top_out),     cmocka_unit_test(test_pause),
        cmocka_unit_test(test_restart),     cmocka_unit_test(test_hashes),
        cmocka_unit_test(test_freshness),   cmocka_unit_test(test_saturation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
