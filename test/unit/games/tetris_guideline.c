// Ruleset guideline: every row of the table T1.60, each against ruleset standard where they differ.
#include "tetris_kit.h"

static struct tetris_state start(uint32_t seed)
{
    return kit_new(TETRIS_GUIDELINE, seed);
}

// T1.61: hidden rows keep cells and take part in row removal; nothing exists above row -4.
static void test_hidden_rows(void **unused)
{
    (void)unused;
    struct tetris_state s = start(1);
    kit_row(&s, 19, 1u << 9);
    kit_fill(&s, 0, -1);
    kit_fill(&s, 0, -4);
    kit_piece(&s, TETRIS_I, TETRIS_EAST, 7, 16);
    kit_play(&s, "d");
    assert_int_equal(s.facts.lines, 1);
    assert_int_equal(field_cell(&s.field, 0, 0), TETRIS_GREY); // from row -1
    assert_int_equal(field_cell(&s.field, 0, -3), TETRIS_GREY);
    assert_int_equal(field_cell(&s.field, 0, -4), TETRIS_NONE);
    struct tetris_view v;
    g->view(&s, 0, &v);
    assert_int_equal(v.hidden[1 * TETRIS_WIDTH], TETRIS_GREY);
    assert_int_equal(v.cells[0], TETRIS_GREY);
    assert_false(field_fits(&s.field, field_shapes[TETRIS_O][0], 3, -5));
    assert_true(field_fits(&s.field, field_shapes[TETRIS_O][0], 3, -4));
}

// T1.62: box (3,-2), at once one row lower if it fits; hold swap included.
static void test_spawn(void **unused)
{
    (void)unused;
    struct tetris_state s = start(1); // I T
    assert_at(&s, TETRIS_NORTH, 3, -1);
    assert_int_equal(s.facts.score, 0);
    assert_int_equal(s.facts.drop_ms, 0);
    kit_fill(&s, 4, 0); // T cannot come lower than rows -2, -1
    kit_piece(&s, TETRIS_I, TETRIS_NORTH, 0, 10);
    kit_play(&s, "h");
    assert_int_equal(s.piece.kind, TETRIS_T);
    assert_at(&s, TETRIS_NORTH, 3, -2);
    field_clear(&s.field, TETRIS_GUIDELINE);
    kit_play(&s, "dh"); // I comes out of hold
    assert_int_equal(s.piece.kind, TETRIS_I);
    assert_at(&s, TETRIS_NORTH, 3, -1);
}

// T1.63: kicks point up.
static void test_kicks(void **unused)
{
    (void)unused;
    struct tetris_state s = start(1);
    kit_piece(&s, TETRIS_T, TETRIS_NORTH, 3, 18);
    kit_play(&s, "w");
    assert_at(&s, TETRIS_EAST, 2, 17); // (-1,+1) of the table, negated
    kit_piece(&s, TETRIS_I, TETRIS_NORTH, 3, 18);
    kit_play(&s, "w");
    assert_at(&s, TETRIS_EAST, 4, 16); // (1,2), negated
}

// T1.64: all cells above row 0: rows are removed and scored, no piece follows.
static void test_lock_out(void **unused)
{
    (void)unused;
    struct tetris_state s = start(1);
    kit_row(&s, 0, 1u << 9);
    kit_row(&s, -1, 7u << 3);
    kit_piece(&s, TETRIS_T, TETRIS_NORTH, 3, -2);
    kit_play(&s, "d");
    assert_int_equal(s.facts.end, TETRIS_LOCK_OUT);
    assert_int_equal(s.facts.lines, 1);
    assert_int_equal(s.facts.score, 100);
    assert_int_equal(s.piece.kind, TETRIS_NONE);
    assert_int_equal(s.facts.piece_id, 1);

    s = start(1); // one cell in row 0 is enough to live
    kit_row(&s, 1, 1u << 9);
    kit_piece(&s, TETRIS_T, TETRIS_EAST, 0, -2);
    kit_play(&s, "d");
    assert_int_equal(s.facts.end, TETRIS_RUNNING);
}

// T1.65
static void test_blocked_first_hold(void **unused)
{
    (void)unused;
    struct tetris_state s = start(1);
    kit_piece(&s, TETRIS_I, TETRIS_NORTH, 3, 10);
    kit_fill(&s, 4, -1);
    kit_play(&s, "h");
    assert_int_equal(s.facts.end, TETRIS_BLOCK_OUT);
    assert_int_equal(s.piece.kind, TETRIS_NONE);
    assert_int_equal(s.facts.hold, TETRIS_I);
}

// T1.66: 500 ms, the 32nd grounded tick.
static void test_lock_delay(void **unused)
{
    (void)unused;
    struct tetris_state s = start(1);
    kit_piece(&s, TETRIS_I, TETRIS_NORTH, 3, 18);
    assert_int_equal(kit_steps_to_lock(&s, 100), 32);
}

// T1.67: resets belong to the lowest row.
static void test_resets(void **unused)
{
    (void)unused;
    struct tetris_state s = start(1);
    kit_piece(&s, TETRIS_O, TETRIS_NORTH, 3, 18);
    kit_play(&s, "..........l");
    assert_int_equal(s.piece.lock_ms, 0);
    assert_int_equal(s.piece.resets, 1);
    for (int i = 0; i < 7; i++)
        kit_play(&s, ".r.l");
    assert_int_equal(s.piece.resets, 15);
    uint32_t locks = s.facts.board_id;
    kit_play(&s, ".");
    assert_int_equal(s.facts.board_id, locks + 1); // none left: locks in that tick

    s = start(1); // airborne: nothing is given back, and the delay stands
    kit_fill(&s, 4, 18);
    kit_piece(&s, TETRIS_O, TETRIS_NORTH, 3, 16);
    kit_play(&s, ".....l"); // still on (4,18)
    assert_int_equal(s.piece.resets, 1);
    kit_play(&s, "...ll"); // grounded before the first of them, airborne after
    assert_int_equal(s.piece.resets, 2);
    assert_int_equal(s.piece.lock_ms, 0);
    s.piece.lock_ms = 80;
    kit_play(&s, ".....");
    assert_int_equal(s.piece.lock_ms, 80);
    kit_play(&s, "s"); // a deeper row than ever
    assert_int_equal(s.piece.resets, 0);
    assert_int_equal(s.piece.lock_ms, 0);
    assert_int_equal(s.piece.deepest, 17);
}

// T1.68
static void test_rotation_flag(void **unused)
{
    (void)unused;
    struct tetris_state s = start(1);
    kit_piece(&s, TETRIS_T, TETRIS_NORTH, 3, 5);
    kit_play(&s, "ws");
    assert_false(s.piece.turned); // moved down
    kit_piece(&s, TETRIS_T, TETRIS_NORTH, 3, 5);
    kit_play(&s, "w");
    s.facts.drop_ms = 999;
    kit_play(&s, ".");
    assert_false(s.piece.turned); // gravity too
    kit_piece(&s, TETRIS_I, TETRIS_EAST, 3, 16);
    s.piece.turned = 1;
    kit_play(&s, "s");
    assert_true(s.piece.turned); // it did not move

    struct tetris_state standard = kit_new(TETRIS_STANDARD, 1);
    kit_piece(&standard, TETRIS_I, TETRIS_EAST, 3, 16);
    standard.piece.turned = 1;
    kit_play(&standard, "s");
    assert_false(standard.piece.turned);
}

static struct tetris_state spin_slot(void)
{
    struct tetris_state s = start(1);
    kit_row(&s, 19, 1u << 4);
    kit_row(&s, 18, 7u << 3);
    kit_fill(&s, 5, 17);
    kit_piece(&s, TETRIS_T, TETRIS_EAST, 3, 17);
    return s;
}

// T1.68: a hard drop of no rows keeps the spin; so does a placement.
static void test_spin_by_hard_drop(void **unused)
{
    (void)unused;
    struct tetris_state s = spin_slot();
    kit_play(&s, "wd");
    assert_int_equal(s.facts.lock.spin, TETRIS_SPIN_FULL);
    assert_int_equal(s.facts.score, 1200);
    s = spin_slot();
    struct game_action place = {.kind = TETRIS_PLACE, .arg = {3, TETRIS_SOUTH}};
    assert_int_equal(g->apply(&s, 0, place, NULL), OK);
    assert_int_equal(s.facts.lock.spin, TETRIS_SPIN_FULL);
}

// T1.69: the fifth kick makes a mini full.
static void test_fifth_kick(void **unused)
{
    (void)unused;
    for (int kicked = 0; kicked < 2; kicked++) {
        struct tetris_state s = start(1);
        kit_row(&s, 19, 7u << 3);
        kit_fill(&s, 3, 18);
        kit_piece(&s, TETRIS_T, TETRIS_NORTH, 3, 18);
        s.piece.turned = 1;
        s.piece.kicked = (uint8_t)kicked;
        kit_play(&s, "d");
        assert_int_equal(s.facts.lock.spin, kicked ? TETRIS_SPIN_FULL : TETRIS_SPIN_MINI);
        assert_int_equal(s.facts.lock.score, kicked ? 800 : 200);
    }
    // N>E, fifth test (-1,-2) negated: down two, left one, into a slot under an overhang.
    struct tetris_state s = start(1);
    kit_piece(&s, TETRIS_T, TETRIS_NORTH, 3, 10);
    kit_fill(&s, 5, 11 - 1); // (0,0): east needs (4,10) (4,11) (5,11) (4,12)
    kit_fill(&s, 4, 12);
    kit_fill(&s, 3, 10); // (-1,0) and (-1,-1): cells (3,..)
    kit_fill(&s, 4, 14); // (0,2)
    kit_play(&s, "w");
    assert_at(&s, TETRIS_EAST, 2, 12);
    assert_true(s.piece.kicked);
    kit_play(&s, "l");
    assert_int_equal(s.piece.kicked, s.piece.turned);
}

// T1.70, T1.42
static void test_line_values(void **unused)
{
    (void)unused;
    static const uint32_t values[] = {100, 300, 500, 800};
    for (int lines = 1; lines <= 4; lines++) {
        struct tetris_state s = start(1);
        kit_fill(&s, 0, 10);
        for (int y = 20 - lines; y < 20; y++)
            kit_row(&s, y, 1u << 9);
        kit_piece(&s, TETRIS_I, TETRIS_EAST, 7, 16);
        kit_play(&s, "d");
        assert_int_equal(s.facts.score, values[lines - 1]);
        assert_int_equal(s.facts.back_to_back, lines == 4);
    }
}

// T1.71: lost only by a clear that does not count; minis count.
static void test_back_to_back(void **unused)
{
    (void)unused;
    struct tetris_state s = start(1);
    s.facts.back_to_back = 1;
    kit_play(&s, "d");
    assert_true(s.facts.back_to_back);
    kit_row(&s, 19, 7u << 3);
    field_clear(&s.field, TETRIS_GUIDELINE);
    kit_fill(&s, 0, 10);
    kit_row(&s, 19, 7u << 3);
    kit_fill(&s, 3, 18);
    kit_piece(&s, TETRIS_T, TETRIS_NORTH, 3, 18);
    s.piece.turned = 1;
    kit_play(&s, "d");
    assert_int_equal(s.facts.lock.spin, TETRIS_SPIN_MINI);
    assert_int_equal(s.facts.lock.score, 300); // 200 * 3 / 2
    assert_true(s.facts.back_to_back);
    field_clear(&s.field, TETRIS_GUIDELINE);
    kit_fill(&s, 0, 10);
    kit_row(&s, 19, 15u << 3);
    kit_piece(&s, TETRIS_I, TETRIS_NORTH, 3, 18);
    kit_play(&s, "d");
    assert_int_equal(s.facts.lock.lines, 1);
    assert_false(s.facts.back_to_back);
}

// T1.72, T1.73
static void test_bonuses(void **unused)
{
    (void)unused;
    static const uint32_t plain[] = {100, 300, 500, 800}, perfect[] = {800, 1200, 1800, 2000};
    for (int lines = 1; lines <= 4; lines++)
        for (int level = 0; level < 2; level++) {
            struct tetris_rules r = kit_rules(TETRIS_GUIDELINE, 1);
            r.level = (uint8_t)level;
            struct tetris_state s = kit_start(&r);
            unsigned m = (unsigned)level + 1;
            for (int y = 20 - lines; y < 20; y++)
                kit_row(&s, y, lines == 2 ? 3u << 4 : lines == 1 ? 15u << 3 : 1u << 9);
            if (lines == 1)
                kit_piece(&s, TETRIS_I, TETRIS_NORTH, 3, 18);
            else if (lines == 2)
                kit_piece(&s, TETRIS_O, TETRIS_NORTH, 3, 18);
            else
                kit_piece(&s, TETRIS_I, TETRIS_EAST, 7, 16);
            kit_play(&s, "d");
            bool empty = lines != 3; // of I three rows go, one cell stays
            assert_int_equal(s.facts.lock.perfect, empty);
            assert_int_equal(s.facts.score, m * (plain[lines - 1] + (empty ? perfect[lines - 1] : 0)));
            assert_int_equal(s.facts.lock.score, m * plain[lines - 1]);
        }
    struct tetris_state s = start(1);
    s.facts.back_to_back = 1;
    s.facts.combo = 2;
    s.facts.level_base = 1, s.facts.level = 1;
    for (int y = 16; y < 20; y++)
        kit_row(&s, y, 1u << 9);
    kit_piece(&s, TETRIS_I, TETRIS_EAST, 7, 16);
    kit_play(&s, "d");
    assert_int_equal(s.facts.lock.score, 2 * 1200);
    assert_int_equal(s.facts.score, 2 * 1200 + 2 * 3200 + 50 * 3 * 2);
}

// T1.74
static void test_carry_over(void **unused)
{
    (void)unused;
    for (int ruleset = 0; ruleset < 2; ruleset++) {
        struct tetris_state s = kit_new(ruleset, 1);
        kit_play(&s, "s...d");
        assert_int_equal(s.facts.drop_ms, ruleset ? 0 : 48);
        assert_int_equal(s.piece.soft_ms, ruleset ? 0 : 150 - 48);
    }
}

// T2.21: the deepest row is in the hash.
static void test_hash(void **unused)
{
    (void)unused;
    struct tetris_state s = start(1), t = s;
    t.piece.deepest++;
    assert_int_not_equal(g->digest(&s, TETRIS_HASH_AGON), g->digest(&t, TETRIS_HASH_AGON));
    assert_int_equal(g->digest(&s, TETRIS_HASH_COMPAT), g->digest(&t, TETRIS_HASH_COMPAT));
    t = s;
    field_set(&t.field, 0, -4, TETRIS_GREY);
    assert_int_not_equal(g->digest(&s, TETRIS_HASH_AGON), g->digest(&t, TETRIS_HASH_AGON));
    assert_int_equal(g->digest(&s, TETRIS_HASH_COMPAT), g->digest(&t, TETRIS_HASH_COMPAT));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_hidden_rows),
        cmocka_unit_test(test_spawn),
        cmocka_unit_test(test_kicks),
        cmocka_unit_test(test_lock_out),
        cmocka_unit_test(test_blocked_first_hold),
        cmocka_unit_test(test_lock_delay),
        cmocka_unit_test(test_resets),
        cmocka_unit_test(test_rotation_flag),
        cmocka_unit_test(test_spin_by_hard_drop),
        cmocka_unit_test(test_fifth_kick),
        cmocka_unit_test(test_line_values),
        cmocka_unit_test(test_back_to_back),
        cmocka_unit_test(test_bonuses),
        cmocka_unit_test(test_carry_over),
        cmocka_unit_test(test_hash),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
