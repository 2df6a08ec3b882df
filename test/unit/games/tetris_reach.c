// The mask of placements against the inputs they stand for (T3.50), on boards of every height and piece anywhere.
#include "tetris_kit.h"

#include "games/tetris/rules/internal.h"

static bool turn_times(const struct tetris_field *f, struct tetris_piece *p, int times, bool back, int ruleset)
{
    struct tetris_piece turned = *p;
    while (times-- > 0)
        if (!piece_turn(f, &turned, back, ruleset))
            return false;
    *p = turned;
    return true;
}

// T3.50.3, then shifts to both sides until something is in the way.
static uint64_t reach_stepwise(const struct tetris_state *s, struct tetris_piece p, int rotation)
{
    const struct tetris_field *f = &s->field;
    int ahead = (rotation - p.rotation) & 3, ruleset = s->rules.ruleset;
    if (p.kind != TETRIS_O && !turn_times(f, &p, ahead == 3 ? 1 : ahead, ahead == 3, ruleset) &&
        !turn_times(f, &p, ahead == 3 ? 3 : 4 - ahead, ahead != 3, ruleset))
        return 0;
    uint64_t shape = field_shapes[p.kind][p.rotation], columns = 0;
    int left = tetris_left(p.kind, p.rotation);
    for (int x = p.x; field_fits(f, shape, x, p.y); x--)
        columns |= 1u << (x + left);
    for (int x = p.x; field_fits(f, shape, x, p.y); x++)
        columns |= 1u << (x + left);
    return columns;
}

static uint64_t mask_stepwise(const struct tetris_state *s, bool hold)
{
    struct tetris_piece p;
    uint64_t mask = 0;
    if (place_take(s, hold, &p) == TETRIS_PLACE_OK)
        for (int rotation = 0; rotation < 4; rotation++)
            mask |= reach_stepwise(s, p, rotation) << rotation * TETRIS_WIDTH;
    return mask;
}

// Cells in every row from a random height on, each with a random chance; now and then a roof or a wall with one gap.
static void fill(struct tetris_state *s, struct rng_draw *d)
{
    int top = field_top(s->rules.ruleset), height = (int)rng_draw_below(d, (uint32_t)(TETRIS_HEIGHT - top) + 1);
    uint32_t chance = 1 + rng_draw_below(d, 10);
    for (int y = TETRIS_HEIGHT - height; y < TETRIS_HEIGHT; y++)
        for (int x = 0; x < TETRIS_WIDTH; x++)
            if (rng_draw_below(d, 12) < chance)
                kit_fill(s, x, y);
    int row = top + (int)rng_draw_below(d, (uint32_t)(TETRIS_HEIGHT - top)), gap = (int)rng_draw_below(d, 10);
    switch (rng_draw_below(d, 4)) {
    case 0:
        kit_row(s, row, 1u << gap);
        break;
    case 1:
        for (int y = top; y < TETRIS_HEIGHT; y++)
            if (y != row)
                kit_fill(s, gap, y);
        break;
    default:
        break;
    }
    for (int y = top; y < TETRIS_HEIGHT; y++) // no full rows
        if (s->field.taken[y + FIELD_ABOVE] == FIELD_FULL)
            field_set(&s->field, (int)rng_draw_below(d, 10), y, TETRIS_NONE);
}

// A piece anywhere it fits, more often at the spawn; false when a few tries find nothing.
static bool put_piece(struct tetris_state *s, struct rng_draw *d)
{
    for (int i = 0; i < 20; i++) {
        int kind = TETRIS_I + (int)rng_draw_below(d, 7), rotation = kind == TETRIS_O ? 0 : (int)rng_draw_below(d, 4);
        int x = -2 + (int)rng_draw_below(d, 12), y = -4 + (int)rng_draw_below(d, 24);
        if (rng_draw_below(d, 2))
            rotation = 0, x = 3, y = piece_spawn_row(s->rules.ruleset);
        if (!field_fits(&s->field, field_shapes[kind][rotation], x, y))
            continue;
        kit_piece(s, kind, rotation, x, y);
        return true;
    }
    return false;
}

static void compare_with_flat(const struct tetris_state *s)
{
    uint64_t mask[GAME_FLAT_WORDS];
    struct game_action a;
    game_mask(g, s, 0, mask);
    for (int i = 0; i < TETRIS_FLAT; i++)
        assert_int_equal(mask[i / 64] >> i % 64 & 1, g->flat(s, 0, i, &a));
}

static void test_mask(void **unused)
{
    (void)unused;
    struct rng dice = {.key = {15}};
    struct rng_draw d;
    rng_begin(&d, &dice);
    const struct tetris_state fresh[2] = {kit_new(TETRIS_STANDARD, 1), kit_new(TETRIS_GUIDELINE, 1)};
    int boards = 0, open = 0, none = 0, kicked = 0;
    for (int i = 0; i < 60000; i++) {
        struct tetris_state s = fresh[i % 2];
        fill(&s, &d);
        if (!put_piece(&s, &d))
            continue;
        s.facts.hold = (uint8_t)rng_draw_below(&d, 8);
        s.facts.can_hold = rng_draw_below(&d, 4) != 0;
        for (int hold = 0; hold < 2; hold++) {
            uint64_t mask = place_mask(&s, hold);
            assert_int_equal(mask, mask_stepwise(&s, hold));
            open += !hold && __builtin_popcountll(mask) >= 34;
            none += mask == 0;
        }
        for (int r = 1; r < 4; r++)
            kicked += !field_fits(&s.field, field_shapes[s.piece.kind][r], s.piece.x, s.piece.y);
        if (i % 8 == 0)
            compare_with_flat(&s);
        boards++;
    }
    assert_true(boards > 40000 && open > 5000 && none > 5000 && kicked > 5000);
}

// Neither a paused game nor one that is over offers a place.
static void test_no_game(void **unused)
{
    (void)unused;
    struct tetris_state s = kit_new(TETRIS_STANDARD, 1);
    kit_play(&s, "p");
    compare_with_flat(&s);
    assert_int_equal(place_mask(&s, false) | place_mask(&s, true), 0);
    kit_play(&s, "p");
    assert_int_not_equal(place_mask(&s, false), 0);
    s.facts.end = TETRIS_DROPPED;
    assert_int_equal(place_mask(&s, false) | place_mask(&s, true), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_mask), cmocka_unit_test(test_no_game)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
