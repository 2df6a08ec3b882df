// Placements (T3.50-T3.53) against the inputs they stand for, played one by one.
#include "tetris_kit.h"

static struct game_action place(int x, int rotation, int flags, int y)
{
    return (struct game_action){.kind = TETRIS_PLACE,
                                .arg = {(uint8_t)x, (uint8_t)rotation, (uint8_t)flags},
                                .amount = flags & TETRIS_PLACE_AT_ROW ? y : 0};
}

static bool press(struct tetris_state *s, int input)
{
    struct tetris_piece before = s->piece;
    assert_int_equal(kit_do(s, input), OK);
    return before.x != s->piece.x || before.y != s->piece.y || before.rotation != s->piece.rotation;
}

static bool hold_by_hand(struct tetris_state *s)
{
    return kit_do(s, TETRIS_HOLD) == OK && !s->facts.end;
}

static bool turn_by_hand(struct tetris_state *s, int times, int input)
{
    while (times-- > 0)
        if (!press(s, input))
            return false;
    return true;
}

// T3.50, literally.
static bool place_by_hand(struct tetris_state *s, struct game_action a)
{
    if ((a.arg[2] & TETRIS_PLACE_HOLD) && !hold_by_hand(s))
        return false;
    int rotation = s->piece.kind == TETRIS_O ? s->piece.rotation : a.arg[1];
    int ahead = (rotation - s->piece.rotation) & 3;
    struct tetris_state start = *s;
    bool cw_first = ahead <= 2;
    if (!turn_by_hand(s, cw_first ? ahead : 4 - ahead, cw_first ? TETRIS_ROTATE_CW : TETRIS_ROTATE_CCW)) {
        *s = start;
        if (!turn_by_hand(s, cw_first ? 4 - ahead : ahead, cw_first ? TETRIS_ROTATE_CCW : TETRIS_ROTATE_CW))
            return false;
    }
    int x = a.arg[0] - tetris_left(s->piece.kind, rotation);
    while (s->piece.x != x)
        if (!press(s, x < s->piece.x ? TETRIS_MOVE_LEFT : TETRIS_MOVE_RIGHT))
            return false;
    return kit_do(s, TETRIS_HARD_DROP) == OK;
}

// One state against all 80 placements: refused alike and untouched, or the same bytes.
static int compare_all(const struct tetris_state *s)
{
    struct game_choice list[GAME_MAX_CHOICES];
    int count = g->choices(s, 0, list), legal = 0;
    for (int index = 8; index < TETRIS_FLAT; index++) {
        int n = index - 8;
        struct game_action a = place(n % 10, n / 10 % 4, n / 40, 0), flat = {0};
        struct tetris_state fast = *s, slow = *s;
        int err = g->apply(&fast, 0, a, NULL);
        bool by_hand = place_by_hand(&slow, a);
        assert_int_equal(err, by_hand ? OK : ERR_ACTION);
        assert_memory_equal(&fast, by_hand ? &slow : s, sizeof fast);
        assert_int_equal(g->legal(s, 0, a), by_hand);
        assert_int_equal(g->flat(s, 0, index, &flat), by_hand);
        assert_int_equal(game_has_choice(list, count, a), by_hand);
        if (by_hand)
            assert_true(game_same_action(flat, a));
        legal += by_hand;
    }
    return legal;
}

static void test_simple_path(void **unused)
{
    (void)unused;
    struct rng dice = {.key = {7}};
    struct rng_draw d;
    rng_begin(&d, &dice);
    int states = 0, legal = 0;
    for (uint32_t seed = 0; seed < 60; seed++) {
        struct tetris_state s = kit_new(seed % 2, seed);
        for (int i = 0; i < 60 && !s.facts.end; i++) {
            legal += compare_all(&s);
            states++;
            for (int k = 0; k < 8; k++)
                if (!s.facts.end)
                    kit_do(&s, 1 + (int)rng_draw_below(&d, TETRIS_HOLD)),
                        kit_ticks(&s, 1 + (int)rng_draw_below(&d, 30));
        }
    }
    assert_true(states > 500 && legal > 10000);
}

// T3.53 with state copies and nothing clever.
struct node {
    struct tetris_state s;
    int from, input;
};

enum { NODES = 1500 };
static struct node nodes[NODES];
static bool visited[4][32][16];

static bool *visit(const struct tetris_piece *p)
{
    return &visited[p->rotation][p->y + 8][p->x + 3];
}

static int explore(const struct tetris_state *start)
{
    static const int inputs[] = {TETRIS_MOVE_LEFT, TETRIS_MOVE_RIGHT, TETRIS_ROTATE_CW, TETRIS_ROTATE_CCW,
                                 TETRIS_SOFT_DROP};
    int count = 1;
    memset(visited, 0, sizeof visited);
    nodes[0] = (struct node){.s = *start, .from = -1};
    *visit(&start->piece) = true;
    for (int i = 0; i < count; i++)
        for (int k = 0; k < 5; k++) {
            struct tetris_state next = nodes[i].s;
            kit_do(&next, inputs[k]);
            if (*visit(&next.piece))
                continue;
            *visit(&next.piece) = true;
            assert_true(count < NODES);
            nodes[count++] = (struct node){.s = next, .from = i, .input = inputs[k]};
        }
    return count;
}

// The state after the inputs to a node, its last soft drops replaced by the hard drop.
static struct tetris_state finish(int at)
{
    while (nodes[at].input == TETRIS_SOFT_DROP)
        at = nodes[at].from;
    struct tetris_state s = nodes[at].s;
    kit_do(&s, TETRIS_HARD_DROP);
    return s;
}

static int find_goal(int count, int rotation, int x, int row)
{
    int goal = -1;
    for (int i = 0; i < count; i++) {
        const struct tetris_state *s = &nodes[i].s;
        if (s->piece.rotation != rotation || s->piece.x != x || !piece_is_grounded(&s->field, &s->piece))
            continue;
        if (row != INT8_MIN ? s->piece.y == row : goal < 0 || s->piece.y > nodes[goal].s.piece.y)
            goal = goal < 0 || row == INT8_MIN ? i : goal;
    }
    return goal;
}

static int compare_full(const struct tetris_state *s)
{
    int count = explore(s), found = 0, kind = s->piece.kind;
    for (int r = 0; r < (kind == TETRIS_O ? 1 : 4); r++)
        for (int column = 0; column + tetris_span(kind, r) <= TETRIS_WIDTH; column++)
            for (int row = -5; row < TETRIS_HEIGHT; row++) {
                int x = column - tetris_left(kind, r), top = tetris_top(kind, r);
                int goal = find_goal(count, r, x, row == -5 ? INT8_MIN : row - top);
                struct game_action a = place(column, r, TETRIS_PLACE_FULL | (row == -5 ? 0 : TETRIS_PLACE_AT_ROW), row);
                struct tetris_state fast = *s, slow;
                assert_int_equal(g->legal(s, 0, a), goal >= 0);
                assert_int_equal(g->apply(&fast, 0, a, NULL), goal >= 0 ? OK : ERR_ACTION);
                if (goal >= 0)
                    slow = finish(goal), found++;
                assert_memory_equal(&fast, goal >= 0 ? &slow : s, sizeof fast);
            }
    return found;
}

static void test_full_path(void **unused)
{
    (void)unused;
    struct rng dice = {.key = {9}};
    struct rng_draw d;
    rng_begin(&d, &dice);
    int found = 0;
    for (int i = 0; i < 16; i++) {
        struct tetris_state s = kit_new(i % 2, (uint32_t)i);
        for (int n = 0; n < 70; n++) { // overhangs and caves; the top stays free
            int x = (int)rng_draw_below(&d, TETRIS_WIDTH), y = 5 + (int)rng_draw_below(&d, 15);
            kit_fill(&s, x, y);
        }
        for (int y = 5; y < 20; y++) // no full rows
            field_set(&s.field, y % 10, y, TETRIS_NONE);
        found += compare_full(&s);
    }
    assert_true(found > 400);
}

// T3.53: a tuck that no straight drop can reach.
static void test_tuck(void **unused)
{
    (void)unused;
    struct tetris_state s = kit_new(TETRIS_STANDARD, 2); // O
    for (int x = 0; x < 4; x++)
        kit_fill(&s, x, 17);
    struct game_action tuck = place(0, 0, TETRIS_PLACE_FULL | TETRIS_PLACE_AT_ROW, 18);
    struct tetris_state after = s;
    assert_int_equal(g->apply(&after, 0, tuck, NULL), OK);
    assert_int_equal(field_cell(&after.field, 0, 19), TETRIS_O);
    assert_int_equal(after.piece.soft_ms, 150);
    assert_int_equal(after.facts.score, 18); // all rows by soft drop, none left for the hard drop
    struct game_action straight = place(0, 0, TETRIS_PLACE_AT_ROW, 18);
    assert_int_equal(tetris_try_place(&s, straight), TETRIS_PLACE_INVALID);
    straight.amount = 15; // on top of the overhang
    assert_int_equal(tetris_try_place(&s, straight), TETRIS_PLACE_OK);
    after = s; // without y the lowest
    assert_int_equal(g->apply(&after, 0, place(0, 0, TETRIS_PLACE_FULL, 0), NULL), OK);
    assert_int_equal(after.facts.lock.y, 18);
}

// T3.50: the two ways to be refused.
static void test_refusals(void **unused)
{
    (void)unused;
    struct tetris_state s = kit_new(TETRIS_STANDARD, 123);                           // T O I
    assert_int_equal(tetris_try_place(&s, place(8, 0, 0, 0)), TETRIS_PLACE_INVALID); // cells outside
    assert_int_equal(tetris_try_place(&s, place(7, 0, 0, 0)), TETRIS_PLACE_OK);
    assert_int_equal(tetris_try_place(&s, place(8, 3, TETRIS_PLACE_HOLD, 0)), TETRIS_PLACE_OK); // O takes any rotation
    kit_play(&s, "h");
    assert_int_equal(tetris_try_place(&s, place(0, 0, TETRIS_PLACE_HOLD, 0)), TETRIS_PLACE_NO_HOLD);
    s = kit_new(TETRIS_STANDARD, 123);
    kit_fill(&s, 5, 1); // the next one cannot come in
    kit_piece(&s, TETRIS_T, TETRIS_NORTH, 3, 10);
    assert_int_equal(tetris_try_place(&s, place(0, 0, TETRIS_PLACE_HOLD, 0)), TETRIS_PLACE_INVALID);
    s.facts.hold = TETRIS_T; // nor the one from hold
    assert_int_equal(tetris_try_place(&s, place(0, 0, TETRIS_PLACE_HOLD, 0)), TETRIS_PLACE_NO_HOLD);
    struct game_action strange[] = {place(10, 0, 0, 0), place(0, 4, 0, 0),  place(0, 0, 8, 0),
                                    place(0, 0, 4, 20), place(0, 0, 4, -5), {.kind = TETRIS_PLACE, .amount = 3}};
    for (size_t i = 0; i < sizeof strange / sizeof *strange; i++) {
        struct tetris_state before = s;
        assert_int_equal(g->apply(&s, 0, strange[i], NULL), ERR_ACTION);
        assert_memory_equal(&s, &before, sizeof s);
    }
}

// T1.22: what is listed.
static void test_listed(void **unused)
{
    (void)unused;
    for (int listed = TETRIS_LIST_INPUTS; listed <= TETRIS_LIST_BOTH; listed++) {
        struct tetris_rules r = kit_rules(TETRIS_STANDARD, 1);
        r.listed = (uint8_t)listed;
        struct tetris_state s = kit_start(&r);
        struct game_choice list[GAME_MAX_CHOICES];
        int count = g->choices(&s, 0, list), inputs = 0, places = 0;
        for (int i = 0; i < count; i++) {
            inputs += list[i].first.kind <= TETRIS_HOLD;
            places += list[i].first.kind == TETRIS_PLACE;
            assert_true(g->legal(&s, 0, list[i].first));
            assert_int_equal(list[i].max_amount, 0);
        }
        assert_int_equal(inputs, listed & TETRIS_LIST_INPUTS ? 7 : 0);
        assert_int_equal(places, listed & TETRIS_LIST_PLACEMENTS ? 7 + 10 + 7 + 10 + 8 + 9 + 8 + 9 : 0);
        assert_int_equal(inputs + places, count);
        assert_int_equal(g->choices(&s, 1, list), 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_simple_path), cmocka_unit_test(test_full_path), cmocka_unit_test(test_tuck),
        cmocka_unit_test(test_refusals),    cmocka_unit_test(test_listed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
