// Scenarios, options, the master, events, rewards and numbers (G22-G24), and whole matches at random.
#include "tetris_kit.h"

static struct game_events out;

static struct game_events *listen(void)
{
    out.count = 0;
    out.ticks = 0;
    return &out;
}

static const struct game_event *find_event(int kind)
{
    for (uint32_t i = 0; i < out.count; i++)
        if (out.at[i].kind == kind)
            return &out.at[i];
    return NULL;
}

static struct tetris_state scenario(const char *name)
{
    struct tetris_rules r = kit_rules(TETRIS_STANDARD, 5);
    int i = 0;
    while (strcmp(g->scenarios[i], name) != 0)
        i++;
    assert_int_equal(g->scenario(&r, i), 1);
    return kit_start(&r);
}

static int order(struct tetris_state *s, int kind, int arg0, int arg1, int amount)
{
    struct game_action a = {.kind = (uint8_t)kind, .arg = {(uint8_t)arg0, (uint8_t)arg1}, .amount = amount};
    return g->apply(s, GAME_MASTER, a, listen());
}

static int count_garbage(const struct tetris_state *s)
{
    return field_garbage_rows(&s->field);
}

// G24.7
static void test_sprint(void **unused)
{
    (void)unused;
    struct tetris_state s = scenario("sprint40");
    struct tetris_view v;
    s.facts.lines = 39;
    s.facts.level_base = -3, s.facts.level = 0;
    g->view(&s, 0, &v);
    assert_int_equal(v.goal_left, 1);
    kit_row(&s, 19, 15u << 3);
    kit_piece(&s, TETRIS_I, TETRIS_NORTH, 3, 18);
    assert_int_equal(g->apply(&s, 0, (struct game_action){.kind = TETRIS_HARD_DROP}, listen()), OK);
    assert_int_equal(s.facts.end, TETRIS_GOAL);
    assert_int_equal(find_event(TETRIS_GAME_OVER)->data[0], TETRIS_GOAL);
    struct game_rewards r;
    g->rewards(&s, &out, &r);
    assert_float_equal(r.at[0][4], 1, 0);
    assert_float_equal(r.at[0][3], 0, 0);
}

static void test_cheese(void **unused)
{
    (void)unused;
    struct tetris_state s = scenario("cheese");
    assert_int_equal(count_garbage(&s), 10);
    int last = -1;
    for (int y = 10; y < 20; y++) {
        unsigned holes = ~(unsigned)s.field.taken[y + FIELD_ABOVE] & 0xFFFF;
        assert_int_equal(__builtin_popcount(holes), 1);
        int hole = __builtin_ctz(holes) - FIELD_LEFT;
        assert_int_not_equal(hole, last); // neighbours differ
        last = hole;
    }
    field_clear(&s.field, TETRIS_STANDARD);
    kit_row(&s, 19, 1u << 9);
    kit_piece(&s, TETRIS_I, TETRIS_EAST, 7, 16);
    kit_play(&s, "d");
    assert_int_equal(s.facts.end, TETRIS_GOAL);
}

static void test_survival(void **unused)
{
    (void)unused;
    struct tetris_state s = scenario("survival");
    s.rules.zen = 1; // no lock of its own meanwhile
    kit_ticks(&s, 624);
    assert_int_equal(s.facts.pending, 0);
    kit_ticks(&s, 1);
    assert_int_equal(s.facts.pending, 1);
    kit_ticks(&s, 599);
    assert_int_equal(s.facts.pending, 1);
    kit_ticks(&s, 1); // 25 sooner
    assert_int_equal(s.facts.pending, 2);
    assert_int_equal(g->apply(&s, 0, (struct game_action){.kind = TETRIS_HARD_DROP}, listen()), OK);
    assert_int_equal(s.facts.pending, 0);
    assert_int_equal(count_garbage(&s), 2);
    assert_int_equal(find_event(TETRIS_GARBAGE_ROSE)->amount, 2);
    assert_null(g->check(&s));
    s.facts.rise_period = 130, s.facts.rise_ticks = 1;
    kit_ticks(&s, 1);
    assert_int_equal(s.facts.rise_ticks, 125); // not below
    s.facts.ticks = 18749;
    kit_ticks(&s, 1);
    assert_int_equal(s.facts.end, TETRIS_GOAL);
}

static void test_zen(void **unused)
{
    (void)unused;
    struct tetris_state s = scenario("zen");
    kit_play(&s, "s");
    int y = s.piece.y;
    kit_ticks(&s, 5000);
    assert_int_equal(s.piece.y, y);
    kit_piece(&s, TETRIS_O, TETRIS_NORTH, 3, 18);
    kit_ticks(&s, 5000);
    assert_int_equal(s.facts.board_id, 0);
    kit_play(&s, "d");
    assert_int_equal(s.facts.board_id, 1);
}

// G24.8
static void test_options(void **unused)
{
    (void)unused;
    struct tetris_rules r = kit_rules(TETRIS_STANDARD, 5);
    r.board[99] = TETRIS_J << 4;
    r.queue[0] = r.queue[1] = TETRIS_I;
    r.hold = TETRIS_S;
    r.preview = 2;
    r.level = 7;
    r.garbage_rows = 2;
    struct tetris_state s = kit_start(&r);
    struct tetris_view v;
    g->view(&s, 0, &v);
    assert_int_equal(v.cells[17 * 10 + 9], TETRIS_J); // lifted by two rows of garbage
    assert_int_equal(v.piece.kind, TETRIS_I);
    assert_int_equal(v.next[0], TETRIS_I);
    assert_int_equal(v.next[1], s.order[0]); // then the bag, untouched
    assert_int_equal(v.next[2], TETRIS_NONE);
    assert_int_equal(v.facts.hold, TETRIS_S);
    assert_int_equal(v.facts.level, 7);
    kit_play(&s, "dd.dR");
    assert_int_equal(s.facts.level, 7); // a restart is as the start
    assert_int_equal(s.facts.hold, TETRIS_S);
    assert_int_equal(s.piece.kind, TETRIS_I);
    assert_int_equal(count_garbage(&s), 2);
    assert_null(g->check(&s));
}

static void test_gravity_and_friction(void **unused)
{
    (void)unused;
    static const struct {
        int milli, ticks;
    } cases[] = {{1000, 63}, {2000, 32}, {500, 125}, {20000, 4}, {100, 625}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct tetris_rules r = kit_rules(TETRIS_STANDARD, 5);
        r.gravity_milli = (uint16_t)cases[i].milli;
        struct tetris_state s = kit_start(&r);
        int ticks = 0;
        while (s.piece.y == 0)
            kit_ticks(&s, 1), ticks++;
        assert_int_equal(ticks, cases[i].ticks);
    }
    struct tetris_rules r = kit_rules(TETRIS_STANDARD, 5);
    r.lock_milli = 500;
    struct tetris_state s = kit_start(&r);
    kit_piece(&s, TETRIS_O, TETRIS_NORTH, 3, 18);
    assert_int_equal(kit_steps_to_lock(&s, 100), 15); // 225 ms
}

static void test_bad_rules(void **unused)
{
    (void)unused;
    const struct tetris_rules good = kit_rules(TETRIS_STANDARD, 1);
    struct tetris_rules bad[15];
    for (int i = 0; i < 15; i++)
        bad[i] = good;
    bad[0].ruleset = 2, bad[1].listed = 0, bad[2].preview = 0, bad[3].preview = 6, bad[4].level = 21;
    bad[5].garbage_rows = 11, bad[6].gravity_milli = 99, bad[7].lock_milli = 1501, bad[8].hold = 8;
    bad[9].queue[1] = TETRIS_I, bad[10].goal = TETRIS_GOAL_LINES, bad[11].goal_count = 3, bad[12].rise_first = 5;
    memset(bad[13].board + 95, 0x11, 5);               // a full row
    bad[14].garbage_rows = 3, bad[14].board[0] = 0x01; // would be pushed out
    struct tetris_state s;
    for (int i = 0; i < 15; i++)
        assert_int_equal(g->init(&s, &bad[i], 1, (struct rng){0}, NULL), ERR_RULES);
    assert_int_equal(g->init(&s, &good, 2, (struct rng){0}, NULL), ERR_RULES);
    assert_int_equal(g->init(&s, &good, 0, (struct rng){0}, NULL), ERR_RULES);
}

// G17.5: the seed itself, or its low half; without one it comes from chance.
static void test_seed(void **unused)
{
    (void)unused;
    struct tetris_rules r = kit_rules(TETRIS_STANDARD, 0);
    g->seed(&r, 0x1200000007u);
    assert_int_equal(kit_start(&r).facts.seed, 7);
    g->defaults(&r);
    struct tetris_state a, b, c;
    assert_int_equal(g->init(&a, &r, 1, (struct rng){.key = {1}}, NULL), OK);
    assert_int_equal(g->init(&b, &r, 1, (struct rng){.key = {1}}, NULL), OK);
    assert_int_equal(g->init(&c, &r, 1, (struct rng){.key = {2}}, NULL), OK);
    assert_int_equal(a.facts.seed, b.facts.seed);
    assert_int_not_equal(a.facts.seed, c.facts.seed);
}

// G23.2-G23.4
static void test_master(void **unused)
{
    (void)unused;
    struct tetris_state s = kit_new(TETRIS_STANDARD, 5);
    assert_int_equal(order(&s, TETRIS_GARBAGE, 3, 5, 0), OK);
    assert_int_equal(s.facts.pending, 3);
    kit_play(&s, "d");
    assert_int_equal(count_garbage(&s), 3);
    for (int y = 17; y < 20; y++)
        assert_int_equal(field_cell(&s.field, 4, y), TETRIS_NONE);
    assert_int_equal(order(&s, TETRIS_NEXT_PIECE, TETRIS_I, 0, 0), OK);
    assert_int_equal(order(&s, TETRIS_NEXT_PIECE, TETRIS_O, 0, 0), OK);
    kit_play(&s, "d");
    assert_int_equal(s.piece.kind, TETRIS_O); // the last one set comes first
    assert_int_equal(order(&s, TETRIS_SET_LEVEL, 9, 0, 0), OK);
    assert_int_equal(s.facts.level, 9);
    assert_int_equal(order(&s, TETRIS_SET_GRAVITY, 0, 0, 2500), OK);
    assert_int_equal(s.facts.gravity_milli, 2500);
    assert_int_equal(order(&s, TETRIS_TELEPORT, 8, 0, 4), OK);
    assert_at(&s, TETRIS_NORTH, 7, 4);
    assert_null(g->check(&s));
    static const int bad[][4] = {
        {TETRIS_GARBAGE, 0, 0, 0},      {TETRIS_GARBAGE, 11, 0, 0},      {TETRIS_GARBAGE, 1, 11, 0},
        {TETRIS_NEXT_PIECE, 0, 0, 0},   {TETRIS_NEXT_PIECE, 8, 0, 0},    {TETRIS_SET_LEVEL, 21, 0, 0},
        {TETRIS_SET_GRAVITY, 0, 0, 99}, {TETRIS_SET_GRAVITY, 1, 0, 500}, {TETRIS_SET_RISE, 21, 0, 0},
        {TETRIS_TELEPORT, 9, 0, 4},     {TETRIS_TELEPORT, 0, 0, 19},     {TETRIS_TELEPORT, 0, 0, -1},
        {TETRIS_TELEPORT, 200, 0, 4},   {TETRIS_MOVE_LEFT, 0, 0, 0},     {77, 0, 0, 0},
    };
    struct tetris_state before = s;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_int_equal(order(&s, bad[i][0], bad[i][1], bad[i][2], bad[i][3]), ERR_ACTION);
    assert_int_equal(order(&s, GAME_DROP, 1, 0, 0), ERR_SEAT);
    assert_memory_equal(&s, &before, sizeof s);
    assert_int_equal(g->apply(&s, 0, (struct game_action){.kind = TETRIS_GARBAGE, .arg = {1}}, NULL), ERR_ACTION);
    assert_int_equal(g->apply(&s, 1, (struct game_action){.kind = TETRIS_MOVE_LEFT}, NULL), ERR_SEAT);
    assert_int_equal(order(&s, GAME_DROP, 0, 7, 0), OK);
    assert_int_equal(s.facts.end, TETRIS_DROPPED);
    struct game_rewards r;
    g->rewards(&s, &out, &r);
    assert_float_equal(r.at[0][3], -1, 0);
    assert_int_equal(order(&s, TETRIS_GARBAGE, 1, 0, 0), ERR_OVER);
}

// So many rows per 1000 ticks, evenly; and a stack pushed over the top is the end.
static void test_rising(void **unused)
{
    (void)unused;
    struct tetris_state s = kit_new(TETRIS_STANDARD, 5);
    s.rules.zen = 1;
    assert_int_equal(order(&s, TETRIS_SET_RISE, 7, 0, 0), OK);
    kit_ticks(&s, 1000);
    assert_int_equal(s.facts.pending, 7);
    kit_ticks(&s, 10000);
    assert_int_equal(s.facts.pending, TETRIS_MAX_PENDING);
    kit_play(&s, "d");
    assert_int_equal(s.facts.end, TETRIS_BURIED);
    assert_null(g->check(&s));
}

// G24.6, G24.9: what happened, and that the rewards add up to the score.
static void test_events_and_rewards(void **unused)
{
    (void)unused;
    struct rng dice = {.key = {3}};
    struct rng_draw d;
    rng_begin(&d, &dice);
    for (uint32_t seed = 0; seed < 20; seed++) {
        struct tetris_state s = kit_new(seed % 2, seed);
        float sum[GAME_MAX_REWARDS] = {0};
        struct game_rewards r;
        for (int i = 0; i < 3000 && !s.facts.end; i++) {
            uint32_t score = s.facts.score, lines = s.facts.lines, locks = s.facts.board_id;
            listen();
            for (int k = 0; k < 3 && !s.facts.end; k++)
                g->apply(&s, 0, (struct game_action){.kind = (uint8_t)(1 + rng_draw_below(&d, TETRIS_HOLD))}, &out);
            g->tick(&s, &out);
            g->rewards(&s, &out, &r);
            assert_float_equal(r.at[0][1], (float)(s.facts.score - score) / 1000, 0.00001);
            assert_float_equal(r.at[0][0], (float)(s.facts.lines - lines), 0);
            assert_int_equal(find_event(TETRIS_PIECE_LOCKED) != NULL, s.facts.board_id != locks);
            assert_int_equal(find_event(TETRIS_LINES_CLEARED) != NULL, s.facts.lines != lines);
            for (int c = 0; c < GAME_MAX_REWARDS; c++)
                sum[c] += r.at[0][c];
        }
        assert_true(s.facts.end);
        assert_float_equal(sum[2], (float)s.facts.ticks / 1000, 0.01);
        assert_float_equal(sum[3], -1, 0);
        assert_float_equal(sum[4], 0, 0);
    }
}

static void test_lock_event(void **unused)
{
    (void)unused;
    struct tetris_state s = kit_new(TETRIS_STANDARD, 1);
    kit_row(&s, 19, 15u << 3);
    s.facts.lines = 9;
    kit_piece(&s, TETRIS_I, TETRIS_NORTH, 3, 10);
    assert_int_equal(g->apply(&s, 0, (struct game_action){.kind = TETRIS_HARD_DROP}, listen()), OK);
    assert_int_equal(out.count, 3);
    assert_int_equal(out.at[0].kind, TETRIS_PIECE_LOCKED);
    assert_int_equal(out.at[1].kind, TETRIS_LINES_CLEARED);
    assert_int_equal(out.at[2].kind, TETRIS_LEVEL_UP);
    assert_int_equal(out.at[2].amount, 1);
    struct tetris_lock lock = tetris_event_lock(&out.at[0]);
    assert_int_equal(lock.kind, TETRIS_I);
    assert_int_equal(lock.x, 3);
    assert_int_equal(lock.y, 19);
    assert_int_equal(lock.lines, 1);
    assert_int_equal(lock.score, 40);
    assert_int_equal(lock.combo, 0);
    assert_int_equal(out.at[0].amount, 40 + 16);
    assert_int_equal(out.at[0].to, EVERYONE);
}

// G24.5
static void test_vector(void **unused)
{
    (void)unused;
    struct tetris_state s = kit_new(TETRIS_STANDARD, 123); // T, then O I L J S
    kit_fill(&s, 9, 19);
    kit_piece(&s, TETRIS_T, TETRIS_EAST, 4, 10);
    s.piece.lock_ms = 250;
    s.facts.level = 5, s.facts.lines = 50;
    struct tetris_view v;
    float x[TETRIS_VECTOR];
    g->view(&s, GAME_SPECTATOR, &v);
    g->vector(&v, x);
    assert_float_equal(x[199], 1, 0);
    assert_float_equal(x[198], 0, 0);
    static const struct {
        int at;
        float value;
    } set[] = {{202, 1},     {208, 1},     {211, 0.5f},  {212, 0.5f},  {220, 1},     {221, 1}, {222 + 1, 1},
               {229 + 0, 1}, {236 + 6, 1}, {243 + 5, 1}, {250 + 3, 1}, {257, 0.25f}, {258, 1}, {259, 0.5f}};
    float sum = 0, due = 0;
    for (size_t i = 0; i < sizeof set / sizeof *set; i++) {
        assert_float_equal(x[set[i].at], set[i].value, 1e-6);
        due += set[i].value;
    }
    for (int i = 200; i < TETRIS_VECTOR; i++)
        sum += x[i];
    assert_float_equal(sum, due, 1e-5);
}

// One random step of anything a player or the master may do.
static void step(struct tetris_state *s, struct rng_draw *d)
{
    struct game_choice list[GAME_MAX_CHOICES];
    uint32_t dice = rng_draw_below(d, 100);
    if (dice < 60) {
        int count = g->choices(s, 0, list);
        if (count)
            assert_int_equal(g->apply(s, 0, list[rng_draw_below(d, (uint32_t)count)].first, listen()), OK);
    } else if (dice < 95) {
        g->tick(s, listen());
    } else if (dice < 96) {
        order(s, TETRIS_GARBAGE, 1 + (int)rng_draw_below(d, 3), (int)rng_draw_below(d, 11), 0);
    } else if (dice < 97) {
        order(s, TETRIS_NEXT_PIECE, 1 + (int)rng_draw_below(d, 7), 0, 0);
    } else if (dice < 98) {
        order(s, TETRIS_TELEPORT, (int)rng_draw_below(d, 10), 0, (int)rng_draw_below(d, 20));
    } else if (dice < 99) {
        order(s, TETRIS_SET_LEVEL, (int)rng_draw_below(d, 21), 0, 0);
    } else {
        kit_do(s, TETRIS_PAUSE);
    }
}

static void assert_refused(struct tetris_state *s, struct rng_draw *d)
{
    struct tetris_state before = *s;
    struct game_action junk = {.kind = (uint8_t)rng_draw_u32(d),
                               .arg = {(uint8_t)rng_draw_u32(d), (uint8_t)rng_draw_u32(d), (uint8_t)rng_draw_u32(d)},
                               .amount = (int32_t)rng_draw_u32(d)};
    bool legal = game_is_legal(g, s, 0, junk) || junk.kind == TETRIS_RESTART;
    struct tetris_state after = *s;
    int err = g->apply(&after, 0, junk, NULL);
    if (!legal)
        assert_true(err < 0);
    if (err < 0)
        assert_memory_equal(&after, &before, sizeof after);
}

// Matches of every scenario and ruleset: invariants after every step, twins, listening, refusals, resampling.
static void test_matches(void **unused)
{
    (void)unused;
    struct rng dice = {.key = {11}};
    struct rng_draw d;
    rng_begin(&d, &dice);
    int ends[TETRIS_GOAL + 1] = {0};
    for (uint32_t match = 0; match < 2000; match++) {
        struct tetris_rules r = kit_rules(match % 2, match);
        g->scenario(&r, (int)(match % 5));
        r.preview = (uint8_t)(1 + match % 5);
        struct tetris_state s = kit_start(&r);
        for (int i = 0; i < 120 && !s.facts.end; i++) {
            struct tetris_state twin = s;
            struct rng_draw same = d;
            struct rng from = dice; // the draw refills from here
            same.from = &from;
            uint32_t turn = g->turn(&s).number;
            step(&s, &d);
            step(&twin, &same);
            assert_memory_equal(&s, &twin, sizeof s);
            const char *broken = g->check(&s);
            if (broken)
                fail_msg("match %u step %d: %s", match, i, broken);
            assert_true(g->turn(&s).number >= turn);
            if (i % 16 == 0) {
                assert_refused(&s, &d);
                struct tetris_view v, w;
                memset(&v, 1, sizeof v), memset(&w, 2, sizeof w); // every byte is set
                twin = s;
                g->resample(&twin, 0, &from);
                g->view(&s, 0, &v), g->view(&twin, 0, &w);
                assert_memory_equal(&v, &w, sizeof v);
                assert_null(g->check(&twin));
                if (!s.facts.end)
                    assert_true(game_is_legal(g, &s, 0, g->fallback(&s, 0)));
            }
        }
        ends[s.facts.end]++;
    }
    assert_true(ends[TETRIS_BLOCK_OUT] > 100 && ends[TETRIS_LOCK_OUT] + ends[TETRIS_BURIED] > 0);
}

// V27: rows are written by the kinds to come, so a snapshot with others must not pass.
static void test_bags_hold_kinds(void **unused)
{
    (void)unused;
    struct tetris_rules r = kit_rules(TETRIS_STANDARD, 1);
    struct tetris_state s = kit_start(&r);
    assert_null(g->check(&s));
    for (int other = 0; other < 256; other += 8) {
        struct tetris_state bad = s;
        bad.order[6] = (uint8_t)(s.order[6] + other);
        assert_true((g->check(&bad) == NULL) == (other == 0));
    }
}

static void test_sizes(void **unused)
{
    (void)unused;
    assert_true(sizeof(struct tetris_state) <= 656);
    assert_true(sizeof(struct tetris_view) <= 400);
    assert_true(g->entities_end < g->world_end && g->world_end < g->state_size);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sprint),     cmocka_unit_test(test_cheese),
        cmocka_unit_test(test_survival),   cmocka_unit_test(test_zen),
        cmocka_unit_test(test_options),    cmocka_unit_test(test_gravity_and_friction),
        cmocka_unit_test(test_bad_rules),  cmocka_unit_test(test_seed),
        cmocka_unit_test(test_master),     cmocka_unit_test(test_rising),
        cmocka_unit_test(test_lock_event), cmocka_unit_test(test_events_and_rewards),
        cmocka_unit_test(test_vector),     cmocka_unit_test(test_matches),
        cmocka_unit_test(test_sizes),      cmocka_unit_test(test_bags_hold_kinds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
