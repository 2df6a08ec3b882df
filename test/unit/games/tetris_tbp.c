// The Tetris Bot Protocol: coordinates of all pieces and orientations, messages, and the situation both sides keep.
#include "games/tetris/tbp.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <string.h>
#include <cmocka.h>

// Cells of each piece relative to its centre as SRS draws them (columns to the right, rows up), written down from the
// published drawings and not from the tables of the rules.
static const struct {
    uint8_t kind, rotation;
    int8_t at[4][2];
} drawn[] = {
    {TETRIS_I, TETRIS_NORTH, {{-1, 0}, {0, 0}, {1, 0}, {2, 0}}},
    {TETRIS_I, TETRIS_EAST, {{0, 1}, {0, 0}, {0, -1}, {0, -2}}},
    {TETRIS_I, TETRIS_SOUTH, {{-2, 0}, {-1, 0}, {0, 0}, {1, 0}}},
    {TETRIS_I, TETRIS_WEST, {{0, 2}, {0, 1}, {0, 0}, {0, -1}}},
    {TETRIS_O, TETRIS_NORTH, {{0, 0}, {1, 0}, {0, 1}, {1, 1}}},
    {TETRIS_O, TETRIS_EAST, {{0, 0}, {1, 0}, {0, -1}, {1, -1}}},
    {TETRIS_O, TETRIS_SOUTH, {{0, 0}, {-1, 0}, {0, -1}, {-1, -1}}},
    {TETRIS_O, TETRIS_WEST, {{0, 0}, {-1, 0}, {0, 1}, {-1, 1}}},
    {TETRIS_T, TETRIS_NORTH, {{-1, 0}, {0, 0}, {1, 0}, {0, 1}}},
    {TETRIS_T, TETRIS_EAST, {{0, 1}, {0, 0}, {0, -1}, {1, 0}}},
    {TETRIS_T, TETRIS_SOUTH, {{-1, 0}, {0, 0}, {1, 0}, {0, -1}}},
    {TETRIS_T, TETRIS_WEST, {{0, 1}, {0, 0}, {0, -1}, {-1, 0}}},
    {TETRIS_S, TETRIS_NORTH, {{-1, 0}, {0, 0}, {0, 1}, {1, 1}}},
    {TETRIS_S, TETRIS_EAST, {{0, 1}, {0, 0}, {1, 0}, {1, -1}}},
    {TETRIS_S, TETRIS_SOUTH, {{-1, -1}, {0, -1}, {0, 0}, {1, 0}}},
    {TETRIS_S, TETRIS_WEST, {{-1, 1}, {-1, 0}, {0, 0}, {0, -1}}},
    {TETRIS_Z, TETRIS_NORTH, {{-1, 1}, {0, 1}, {0, 0}, {1, 0}}},
    {TETRIS_Z, TETRIS_EAST, {{1, 1}, {1, 0}, {0, 0}, {0, -1}}},
    {TETRIS_Z, TETRIS_SOUTH, {{-1, 0}, {0, 0}, {0, -1}, {1, -1}}},
    {TETRIS_Z, TETRIS_WEST, {{0, 1}, {0, 0}, {-1, 0}, {-1, -1}}},
    {TETRIS_J, TETRIS_NORTH, {{-1, 1}, {-1, 0}, {0, 0}, {1, 0}}},
    {TETRIS_J, TETRIS_EAST, {{1, 1}, {0, 1}, {0, 0}, {0, -1}}},
    {TETRIS_J, TETRIS_SOUTH, {{-1, 0}, {0, 0}, {1, 0}, {1, -1}}},
    {TETRIS_J, TETRIS_WEST, {{0, 1}, {0, 0}, {0, -1}, {-1, -1}}},
    {TETRIS_L, TETRIS_NORTH, {{1, 1}, {-1, 0}, {0, 0}, {1, 0}}},
    {TETRIS_L, TETRIS_EAST, {{0, 1}, {0, 0}, {0, -1}, {1, -1}}},
    {TETRIS_L, TETRIS_SOUTH, {{-1, 0}, {0, 0}, {1, 0}, {-1, -1}}},
    {TETRIS_L, TETRIS_WEST, {{-1, 1}, {0, 1}, {0, 0}, {0, -1}}},
};

static void test_coordinates(void **unused)
{
    (void)unused;
    assert_int_equal(sizeof drawn / sizeof *drawn, 7 * 4);
    for (size_t i = 0; i < sizeof drawn / sizeof *drawn; i++) {
        struct tbp_move m = {.kind = drawn[i].kind, .rotation = drawn[i].rotation, .x = 5, .y = 7};
        struct tetris_piece p = tbp_piece(m);
        struct tbp_move back = tbp_move_of(p.kind, p.rotation, p.x, p.y);
        assert_memory_equal(&m, &back, sizeof m);
        const struct tetris_cell *cell = tetris_cells(p.kind, p.rotation);
        for (int k = 0; k < 4; k++) {
            int found = 0;
            for (int c = 0; c < 4; c++)
                found += p.x + cell[c].x == 5 + drawn[i].at[k][0] &&
                         TETRIS_HEIGHT - 1 - (p.y + cell[c].y) == 7 + drawn[i].at[k][1];
            assert_int_equal(found, 1);
        }
    }
}

static void test_same_cells(void **unused)
{
    (void)unused;
    struct tbp_move north = {.kind = TETRIS_I, .rotation = TETRIS_NORTH, .x = 4, .y = 0};
    struct tbp_move south = {.kind = TETRIS_I, .rotation = TETRIS_SOUTH, .x = 5, .y = 0};
    struct tbp_move o = {.kind = TETRIS_O, .x = 0, .y = 0}, west = {.kind = TETRIS_O, .rotation = 3, .x = 1, .y = 0};
    assert_true(tbp_same_cells(north, south));
    south.x = 4;
    assert_false(tbp_same_cells(north, south));
    assert_true(tbp_same_cells(o, west));
    assert_false(tbp_same_cells(o, north));
}

static const struct {
    const char *line;
    int type;
    bool good;
} lines[] = {
    {"{\"type\":\"rules\"}", TBP_RULES, true},
    {"{\"type\":\"rules\",\"randomizer\":\"seven_bag\"}", TBP_RULES, true}, // unknown members are ignored
    {"{\"type\":\"garbage\",\"lines\":[1]}", TBP_OTHER, true},              // and unknown types
    {"{\"type\":\"error\",\"reason\":\"unsupported_rules\"}", TBP_ERROR, true},
    {"{\"piece\":\"T\",\"type\":\"new_piece\"}", TBP_NEW_PIECE, true},
    {"{\"type\":\"new_piece\"}", TBP_NEW_PIECE, false},
    {"{\"type\":\"new_piece\",\"piece\":\"G\"}", TBP_NEW_PIECE, false},
    {"{\"type\":\"new_piece\",\"piece\":3}", TBP_NEW_PIECE, false},
    {"{\"type\":\"suggestion\",\"moves\":[]}", TBP_SUGGESTION, true},
    {"{\"type\":\"suggestion\"}", TBP_SUGGESTION, false},
    {"{\"type\":\"play\",\"move\":{\"location\":{\"type\":\"T\",\"orientation\":\"north\",\"x\":4,\"y\":0},\"spin\":"
     "\"none\"}}",
     TBP_PLAY, true},
    {"{\"type\":\"play\",\"move\":{\"location\":{\"type\":\"T\",\"orientation\":\"north\",\"x\":4}}}", TBP_PLAY, false},
    {"{\"type\":\"play\",\"move\":{\"location\":{\"type\":\"T\",\"orientation\":\"up\",\"x\":4,\"y\":0}}}", TBP_PLAY,
     false},
    {"{\"type\":\"play\",\"move\":{\"location\":{\"type\":\"T\",\"orientation\":\"east\",\"x\":10,\"y\":0}}}", TBP_PLAY,
     false},
    {"{\"type\":\"start\",\"hold\":null,\"queue\":[\"T\"],\"board\":[]}", TBP_START, false},
    {"{\"type\":\"start\"}", TBP_START, false},
    {"{\"kind\":\"rules\"}", TBP_OTHER, false},
    {"[1]", TBP_OTHER, false},
    {"", TBP_OTHER, false},
    {"{\"type\":\"rules\"} x", TBP_OTHER, false},
};

static void test_lines(void **unused)
{
    (void)unused;
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        struct tbp_message m;
        bool good = tbp_read(&m, (struct span){lines[i].line, strlen(lines[i].line)});
        assert_int_equal(good, lines[i].good);
        assert_int_equal(!m.wrong, good);
        if (good)
            assert_int_equal(m.type, lines[i].type);
    }
}

static void test_start_comes_back(void **unused)
{
    (void)unused;
    static char bytes[1 << 15];
    struct text t = text_on(bytes, sizeof bytes);
    struct tbp_game g = {.hold = TETRIS_Z, .queue = {TETRIS_T, TETRIS_I}, .count = 2, .combo = 3, .back_to_back = true};
    struct tbp_message m;
    memset(g.cells[0], TETRIS_GREY, 9);
    g.cells[39][0] = TETRIS_L;
    tbp_write_start(&t, &g);
    assert_int_equal(t.at[t.size - 1], '\n');
    assert_true(tbp_read(&m, text_span(&t)));
    assert_memory_equal(&m.game, &g, sizeof g);
}

static void test_play_and_hold(void **unused)
{
    (void)unused;
    struct tbp_game g = {.queue = {TETRIS_T, TETRIS_I, TETRIS_O}, .count = 3}, before = g;
    struct tbp_move i = {.kind = TETRIS_I, .rotation = TETRIS_EAST, .x = 9, .y = 2};
    assert_false(tbp_game_play(&g, (struct tbp_move){.kind = TETRIS_O, .x = 0, .y = 0})); // not at hand
    assert_false(tbp_game_play(&g, (struct tbp_move){.kind = TETRIS_T, .x = 0, .y = 0})); // through the wall
    assert_false(tbp_game_play(&g, (struct tbp_move){.kind = TETRIS_I, .rotation = TETRIS_EAST, .x = 9, .y = 1}));
    assert_memory_equal(&g, &before, sizeof g);
    memset(g.cells[0], TETRIS_GREY, 9);
    assert_true(tbp_game_play(&g, i)); // the first hold takes the next piece
    assert_int_equal(g.hold, TETRIS_T);
    assert_int_equal(g.count, 1);
    assert_int_equal(g.queue[0], TETRIS_O);
    assert_int_equal(g.combo, 1);
    assert_int_equal(g.cells[0][0], 0); // the row went, the rest came down
    assert_int_equal(g.cells[2][9], TETRIS_I);
    assert_int_equal(g.cells[3][9], 0);
    assert_false(tbp_game_play(&g, i)); // taken
    assert_true(tbp_game_add(&g, TETRIS_S));
    assert_true(tbp_game_play(&g, (struct tbp_move){.kind = TETRIS_T, .x = 1, .y = 0})); // a swap
    assert_int_equal(g.hold, TETRIS_O);
    assert_int_equal(g.queue[0], TETRIS_S);
}

// A game by the rules and its mirror by moves stay the same, field by field.
static void test_mirror(void **unused)
{
    (void)unused;
    for (int ruleset = 0; ruleset < 2; ruleset++) {
        struct tetris_rules r;
        struct tetris_state s;
        struct tetris_view v;
        struct tbp_game g, now;
        tetris_game.defaults(&r);
        tetris_game.seed(&r, 11);
        r.ruleset = (uint8_t)ruleset;
        r.listed = TETRIS_LIST_PLACEMENTS;
        assert_int_equal(tetris_game.init(&s, &r, 1, (struct rng){0}, NULL), OK);
        tetris_game.view(&s, 0, &v);
        tbp_game_of(&g, &v);
        for (uint32_t i = 0; !s.facts.end; i++) {
            struct game_choice list[GAME_MAX_CHOICES];
            int count = tetris_game.choices(&s, 0, list);
            assert_int_equal(tetris_game.apply(&s, 0, list[i * 7919 % (uint32_t)count].first, NULL), OK);
            const struct tetris_lock *l = &s.facts.lock;
            assert_true(tbp_game_play(&g, tbp_move_of(l->kind, l->rotation, l->x - tetris_left(l->kind, l->rotation),
                                                      l->y - tetris_top(l->kind, l->rotation))));
            if (s.facts.end)
                break;
            tetris_game.view(&s, 0, &v);
            tbp_game_of(&now, &v);
            while (g.count < now.count)
                tbp_game_add(&g, now.queue[g.count]);
            assert_memory_equal(g.cells, now.cells, sizeof g.cells);
            assert_memory_equal(g.queue, now.queue, (size_t)now.count);
            assert_int_equal(g.hold, now.hold);
        }
    }
}

// As a state again: the same field, piece, hold, and no more pieces than were told.
static void test_state(void **unused)
{
    (void)unused;
    struct tbp_game g = {.queue = {TETRIS_S, TETRIS_Z}, .count = 2, .hold = TETRIS_L}, back;
    struct tetris_state s;
    struct tetris_view v;
    g.cells[0][3] = TETRIS_GREY;
    g.cells[20][0] = TETRIS_J; // the lowest hidden row
    assert_true(tbp_game_state(&g, TETRIS_GUIDELINE, TETRIS_LIST_BOTH, &s, &v));
    tbp_game_of(&back, &v);
    assert_memory_equal(back.cells, g.cells, sizeof g.cells);
    assert_int_equal(back.count, 2);
    assert_int_equal(back.queue[1], TETRIS_Z);
    assert_int_equal(back.hold, TETRIS_L);
    g.cells[20][4] = g.cells[21][4] = TETRIS_J;
    assert_false(tbp_game_state(&g, TETRIS_GUIDELINE, TETRIS_LIST_BOTH, &s, &v)); // no room for a piece
    g.count = 0;
    assert_false(tbp_game_state(&g, TETRIS_GUIDELINE, TETRIS_LIST_BOTH, &s, &v));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_coordinates),
        cmocka_unit_test(test_same_cells),
        cmocka_unit_test(test_lines),
        cmocka_unit_test(test_mirror),
        cmocka_unit_test(test_start_comes_back),
        cmocka_unit_test(test_play_and_hold),
        cmocka_unit_test(test_state),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
