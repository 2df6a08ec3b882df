// Golden pictures: what a terminal of a given size shows of a given game.
#include "tui/tetris_scene.h"

#include "base/text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static union game_state game;
static struct tetris_scene scene;
static struct frame frame;
static int64_t now_us;

static void begin(uint32_t seed)
{
    struct tetris_rules rules;
    tetris_game.defaults(&rules);
    tetris_game.seed(&rules, seed);
    assert_int_equal(tetris_game.init(game.byte, &rules, 1, (struct rng){0}, NULL), OK);
    scene = (struct tetris_scene){
        .has_view = true, .help = "q quit", .resume_hint = "p goes on", .over = {"r plays again"}, .over_count = 1};
    snprintf(scene.panel[0], sizeof scene.panel[0], "ADAPTER");
    snprintf(scene.panel[1], sizeof scene.panel[1], "tcp://127.0.0.1:7777");
    now_us = 0;
}

static void look(void)
{
    tetris_game.view(game.byte, GAME_SPECTATOR, &scene.view);
    tetris_effect_update(&scene.effect, &scene.view, now_us);
}

static void act(struct game_action a)
{
    look();
    assert_int_equal(tetris_game.apply(game.byte, 0, a, NULL), OK);
    look();
}

static void press(enum tetris_action kind)
{
    act((struct game_action){.kind = (uint8_t)kind});
}

static void place(int column, int rotation)
{
    act((struct game_action){.kind = TETRIS_PLACE, .arg = {(uint8_t)column, (uint8_t)rotation}});
}

static void tick(int count)
{
    for (int i = 0; i < count; i++) {
        tetris_game.tick(game.byte, NULL);
        now_us += 16000;
        look();
    }
}

// The frame as text: lines of boxes in ASCII, blanks at the end of a line cut.
static const char *picture(int columns, int rows)
{
    static char bytes[FRAME_ROWS * (FRAME_COLUMNS + 1) + 1];
    struct text t = text_on(bytes, sizeof bytes);
    tetris_scene_draw(&scene, columns, rows, &frame);
    for (int y = 0; y < frame.rows; y++) {
        for (int x = 0; x < frame.columns; x++) {
            int glyph = frame.cell[y][x].glyph;
            text_put_char(&t, (char)(glyph < 128 ? glyph : glyph == 0x2500 ? '-' : glyph == 0x2502 ? '|' : '+'));
        }
        while (t.size && t.at[t.size - 1] == ' ')
            t.size--;
        text_put_char(&t, '\n');
    }
    text_put_char(&t, 0);
    return bytes;
}

static struct frame_cell cell_of(int x, int y) // of the field, in the whole layout
{
    return frame.cell[y + 1][17 + 2 * x];
}

static void test_whole(void **state)
{
    (void)state;
    begin(1);
    place(0, TETRIS_NORTH);
    press(TETRIS_HOLD);
    tick(9);
    assert_string_equal(picture(80, 24), " HOLD used      +--------------------+   NEXT\n"
                                         "   []           | . . .[][] . . . . .|   [][]\n"
                                         " [][][]         | . . . .[][] . . . .|   [][]\n"
                                         "                | . . . . . . . . . .|\n"
                                         "                | . . . . . . . . . .|       []\n"
                                         " SCORE          | . . . . . . . . . .|   [][][]\n"
                                         " 36             | . . . . . . . . . .|\n"
                                         "                | . . . . . . . . . .|     [][]\n"
                                         " LEVEL          | . . . . . . . . . .|   [][]\n"
                                         " 0              | . . . . . . . . . .|\n"
                                         "                | . . . . . . . . . .|   []\n"
                                         " LINES          | . . . . . . . . . .|   [][][]\n"
                                         " 0              | . . . . . . . . . .|\n"
                                         "                | . . . . . . . . . .|       []\n"
                                         " TIME           | . . . . . . . . . .|   [][][]\n"
                                         " 0:00           | . . . . . . . . . .|\n"
                                         "                | . . . . . . . . . .|   ADAPTER\n"
                                         "                | . . . . . . . . . .|   tcp://127.0.0.1:7777\n"
                                         "                | . . . . . . . . . .|\n"
                                         "                | . . .:::: . . . . .|\n"
                                         "                |[][][][]:::: . . . .|\n"
                                         "                +--------------------+\n"
                                         "\n"
                                         "q quit\n");
    assert_int_equal(cell_of(0, 19).colour, TETRIS_I);
    assert_int_equal(cell_of(0, 19).style, STYLE_SOLID);
    assert_int_equal(cell_of(3, 0).colour, TETRIS_Z);
    assert_int_equal(cell_of(3, 0).style, STYLE_SOLID | STYLE_BOLD);
    assert_int_equal(cell_of(4, 18).colour, TETRIS_Z); // the ghost
    assert_int_equal(cell_of(4, 18).style, 0);
    static char whole[sizeof frame];
    snprintf(whole, sizeof whole, "%s", picture(72, 24));
    const char *last = strstr(whole, "\n\nq quit");
    assert_non_null(last);
    whole[last - whole + 1] = 0; // two rows less: all but the help
    assert_string_equal(picture(72, 22), whole);
}

static void test_narrow(void **state)
{
    (void)state;
    begin(1);
    press(TETRIS_HOLD);
    tick(1);
    assert_string_equal(picture(71, 23), "+--------------------+  NEXT\n"
                                         "| . . . .[] . . . . .|  [][]\n"
                                         "| . . .[][][] . . . .|    [][]\n"
                                         "| . . . . . . . . . .|\n"
                                         "| . . . . . . . . . .|  [][]\n"
                                         "| . . . . . . . . . .|  [][]\n"
                                         "| . . . . . . . . . .|\n"
                                         "| . . . . . . . . . .|      []\n"
                                         "| . . . . . . . . . .|  [][][]\n"
                                         "| . . . . . . . . . .|\n"
                                         "| . . . . . . . . . .|    [][]\n"
                                         "| . . . . . . . . . .|  [][]\n"
                                         "| . . . . . . . . . .|\n"
                                         "| . . . . . . . . . .|  []\n"
                                         "| . . . . . . . . . .|  [][][]\n"
                                         "| . . . . . . . . . .|  HOLD used\n"
                                         "| . . . . . . . . . .|  [][][][]\n"
                                         "| . . . . . . . . . .|\n"
                                         "| . . . . . . . . . .|  SCORE 0\n"
                                         "| . . . .:: . . . . .|  LEVEL 0\n"
                                         "| . . .:::::: . . . .|  LINES 0\n"
                                         "+--------------------+\n");
}

static void test_too_small(void **state)
{
    (void)state;
    begin(1);
    look();
    assert_string_equal(picture(37, 30),
                        "too small\nneed 38x22\nhave 37x30\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n");
    assert_string_equal(picture(100, 21), "too small\nneed 38x22\nhave 100x21\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n");
    assert_string_equal(picture(5, 2), "too s\nneed\n");
    assert_string_equal(picture(1, 1), "t\n");
}

// Rows 9 to 13 of a picture: where overlays are.
static const char *overlay(void)
{
    static char part[5 * 21 + 1];
    picture(72, 22);
    struct text t = text_on(part, sizeof part);
    for (int y = 8; y < 13; y++) {
        for (int x = 17; x < 37; x++) {
            int glyph = frame.cell[y][x].glyph;
            text_put_char(&t, (char)(glyph < 128 ? glyph : '#'));
        }
        text_put_char(&t, '\n');
    }
    part[t.size] = 0;
    return part;
}

static void test_overlays(void **state)
{
    (void)state;
    begin(1);
    press(TETRIS_PAUSE);
    assert_string_equal(overlay(), "####################\n"
                                   "#      PAUSED      #\n"
                                   "#                  #\n"
                                   "#    p goes on     #\n"
                                   "####################\n");
    scene.prompt = true;
    snprintf(scene.seed, sizeof scene.seed, "42");
    assert_string_equal(overlay(), "####################\n"
                                   "#       SEED       #\n"
                                   "#                  #\n"
                                   "#       42_        #\n"
                                   "####################\n");
    scene.prompt = false;
    press(TETRIS_PAUSE);
    while (!scene.view.facts.end)
        press(TETRIS_HARD_DROP);
    assert_string_equal(overlay(), "####################\n"
                                   "#    GAME OVER     #\n"
                                   "#                  #\n"
                                   "#  r plays again   #\n"
                                   "####################\n");
}

static void test_landing_flashes(void **state)
{
    (void)state;
    begin(1);
    press(TETRIS_HARD_DROP);
    picture(72, 22);
    assert_int_equal(cell_of(3, 19).colour, COLOUR_WHITE);
    tick(7);
    picture(72, 22);
    assert_int_equal(cell_of(3, 19).colour, COLOUR_WHITE);
    tick(1); // T1.31: 120 ms
    picture(72, 22);
    assert_int_equal(cell_of(3, 19).colour, TETRIS_I);
}

// Fills row 19 but for the columns of the next piece, an I; seed 1 begins with it.
static void set_field(int row_count, int hole)
{
    struct tetris_rules rules;
    tetris_game.defaults(&rules);
    tetris_game.seed(&rules, 1);
    for (int y = TETRIS_HEIGHT - row_count; y < TETRIS_HEIGHT; y++)
        for (int x = 0; x < TETRIS_WIDTH; x++)
            if (x < hole || x >= hole + (row_count == 1 ? 4 : 1))
                rules.board[(y * TETRIS_WIDTH + x) / 2] |= (uint8_t)(TETRIS_GREY << (x % 2 ? 4 : 0));
    assert_int_equal(tetris_game.init(game.byte, &rules, 1, (struct rng){0}, NULL), OK);
}

static int filled_in_row(int y)
{
    int count = 0;
    picture(72, 22);
    for (int x = 0; x < TETRIS_WIDTH; x++)
        count += cell_of(x, y).glyph == '[';
    return count;
}

static void test_rows_vanish(void **state)
{
    (void)state;
    begin(1);
    set_field(1, 3);
    place(3, TETRIS_NORTH);
    assert_int_equal(scene.effect.rows, 1u << 19);
    assert_int_equal(filled_in_row(19), 10); // already gone in the state, still seen
    assert_int_equal(cell_of(0, 19).colour, COLOUR_WHITE);
    static const int left[] = {8, 8, 6, 6, 4, 4, 2, 2, 2, 0, 0, 0};
    for (int i = 0; i < 12; i++) { // T1.31: 180 ms
        tick(1);
        assert_int_equal(filled_in_row(19), left[i]);
    }
    assert_int_equal(scene.effect.rows, 0);
}

// What cannot be explained by one lock is not guessed.
static void test_lost_locks_have_no_rows(void **state)
{
    (void)state;
    begin(1);
    set_field(1, 3);
    look();
    tetris_game.apply(game.byte, 0, (struct game_action){.kind = TETRIS_PLACE, .arg = {3}}, NULL);
    tetris_game.apply(game.byte, 0, (struct game_action){.kind = TETRIS_HARD_DROP}, NULL);
    look();
    assert_int_equal(scene.effect.rows, 0);
    press(TETRIS_RESTART);
    assert_int_equal(scene.effect.rows, 0);
    assert_int_equal(scene.effect.notices, 0);
}

// The notices after a lock, joined; the lock is put into the view as the game would.
static const char *notices_of(struct tetris_lock lock, bool was_back_to_back)
{
    static char joined[TETRIS_EFFECT_NOTICES * (TETRIS_EFFECT_NOTICE_ROOM + 1)];
    struct tetris_effect e = {0};
    struct tetris_view v = {0};
    v.facts.back_to_back = was_back_to_back;
    tetris_effect_update(&e, &v, 0);
    v.facts.board_id = 1;
    v.facts.lock = lock;
    tetris_effect_update(&e, &v, 1000);
    struct text t = text_on(joined, sizeof joined - 1);
    for (int i = 0; i < e.notices; i++) {
        text_puts(&t, i ? "/" : "");
        text_puts(&t, e.notice[i]);
    }
    joined[t.size] = 0;
    v.facts.piece_id = 2;
    tetris_effect_update(&e, &v, 1000 + TETRIS_EFFECT_NOTICE_US - 1);
    int before = e.notices;
    tetris_effect_update(&e, &v, 1000 + TETRIS_EFFECT_NOTICE_US);
    assert_int_equal(before != 0, joined[0] != 0);
    assert_int_equal(e.notices, 0);
    return joined;
}

static void test_notices(void **state)
{
    (void)state;
    struct tetris_lock lock = {.kind = TETRIS_T, .lines = 1, .combo = 0};
    assert_string_equal(notices_of(lock, false), "");
    lock.lines = 4;
    lock.back_to_back = 1;
    assert_string_equal(notices_of(lock, false), "TETRIS");
    lock.combo = 3;
    assert_string_equal(notices_of(lock, true), "TETRIS/BACK-TO-BACK/COMBO 3");
    lock =
        (struct tetris_lock){.kind = TETRIS_T, .lines = 2, .spin = TETRIS_SPIN_FULL, .back_to_back = 1, .perfect = 1};
    assert_string_equal(notices_of(lock, true), "T-SPIN DOUBLE/BACK-TO-BACK/PERFECT CLEAR");
    lock = (struct tetris_lock){.kind = TETRIS_T, .spin = TETRIS_SPIN_FULL, .combo = -1};
    assert_string_equal(notices_of(lock, true), "T-SPIN");
    lock.spin = TETRIS_SPIN_MINI;
    lock.lines = 1;
    assert_string_equal(notices_of(lock, false), "MINI SINGLE");
}

static void test_a_note_takes_the_place_of_the_help(void **state)
{
    (void)state;
    begin(1);
    look();
    assert_non_null(strstr(picture(72, 24), "\nq quit\n"));
    snprintf(scene.note, sizeof scene.note, "tetris.conf:1: no");
    assert_null(strstr(picture(72, 24), "q quit"));
    assert_non_null(strstr(picture(72, 24), "\ntetris.conf:1: no\n"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_whole),
        cmocka_unit_test(test_narrow),
        cmocka_unit_test(test_too_small),
        cmocka_unit_test(test_overlays),
        cmocka_unit_test(test_landing_flashes),
        cmocka_unit_test(test_rows_vanish),
        cmocka_unit_test(test_lost_locks_have_no_rows),
        cmocka_unit_test(test_notices),
        cmocka_unit_test(test_a_note_takes_the_place_of_the_help),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
