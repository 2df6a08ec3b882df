// Pictures: every size and type, the values of depth and classes, light, noise, jitter, flow (G29).
#include "render/render.h"
#include "base/hash.h"
#include "games/coup/rules/coup.h"
#include "games/games.h"
#include "games/liars_dice/rules/liars_dice.h"
#include "games/tetris/rules/tetris.h"
#include "games_found.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
// clang-format off
#include <cmocka.h>
// clang-format on

// A table after some play, and its picture list for seat 0.
struct table {
    const struct game *game;
    union game_state state;
    int seats;
    union game_view view[GAME_MAX_SEATS];
    struct render_list list;
};

static const struct game *find_game(const char *name)
{
    int g = 0;
    while (strcmp(games_found[g]->name, name) != 0)
        g++;
    return games_found[g];
}

static void play(struct table *t, const struct game *g, int steps)
{
    union game_rules rules;
    struct rng chance = {.key = {1, 2, 3}}, dice = {.key = {4}};
    *t = (struct table){.game = g};
    g->defaults(&rules);
    t->seats = g->scenario(&rules, 0);
    if (g->seed)
        g->seed(&rules, 5);
    assert_int_equal(g->init(&t->state, &rules, t->seats, chance, NULL), OK);
    for (int i = 0; i < steps; i++) {
        struct game_choice list[GAME_MAX_CHOICES];
        struct game_turn turn = g->turn(&t->state);
        if (turn.kind == TURN_OVER)
            return;
        int seat = __builtin_ctz(turn.seats), count = g->choices(&t->state, seat, list);
        assert_int_equal(g->apply(&t->state, seat, list[rng_below(&dice, (uint32_t)count)].first, NULL), OK);
        if (g->tick)
            g->tick(&t->state, NULL);
    }
}

enum who { SEAT_0, NOBODY, ALL };

static void draw(struct table *t, enum who who)
{
    struct render_eyes e = {.picture = games_find(t->game->name)->picture, .view = &t->view[0], .seats = t->seats};
    e.to_act = t->game->turn(&t->state).seats;
    for (int s = 0; s < t->seats; s++) {
        t->game->view(&t->state, who == NOBODY ? GAME_SPECTATOR : s, &t->view[s]);
        if (who == ALL || (who == SEAT_0 && s == 0))
            e.hand[s] = &t->view[s];
    }
    render_draw(&t->list, &e);
}

static uint8_t *paint(const struct table *t, struct render_frame f)
{
    size_t size = (size_t)f.width * (size_t)f.height * (size_t)render_pixel_size(f.type);
    uint8_t *pixels = malloc(size); // to the byte, so that a sanitizer sees one too many
    memset(pixels, 0xee, size);
    if (!f.light)
        f.light = 65536;
    render_paint(&t->list, &f, pixels);
    return pixels;
}

// Every type at sizes of every shape, before, in and after an episode.
static void test_sizes(void **state)
{
    static const int sizes[][2] = {{1, 1}, {1, 4096}, {4096, 1}, {2, 3}, {224, 224}, {640, 480}, {97, 311}};
    struct table t;
    (void)state;
    for (int g = 0; games_found[g]; g++)
        for (int steps = 0; steps <= 400; steps += 100) {
            play(&t, games_found[g], steps);
            draw(&t, steps ? SEAT_0 : ALL);
            for (unsigned i = 0; i < sizeof sizes / sizeof *sizes; i++)
                for (int type = 0; type < RENDER_TYPES; type++)
                    free(paint(&t, (struct render_frame){
                                       .type = (enum render_type)type, .width = sizes[i][0], .height = sizes[i][1]}));
        }
    render_draw(&t.list, &(struct render_eyes){.picture = games_find("coup")->picture}); // no episode
    assert_true(t.list.count > 0);
    free(paint(&t, (struct render_frame){.type = RENDER_RGB, .width = 64, .height = 64}));
}

// G29.1: equal inputs give equal bytes on every machine, so the bytes are known.
static void test_same_everywhere(void **state)
{
    static const struct {
        const char *game;
        uint64_t rgb, segmentation, depth;
    } cases[] = {
        {"tetris", 0x98be897dd47e76af, 0xe31072a0cdb8115a, 0x41e0dc0c1fa05380},
        {"texas_holdem", 0x0b64209851622b56, 0xae81c7a4675cfe75, 0x9b3158b3769d8b30},
        {"liars_dice", 0x926dfdf853e696bb, 0xa754428819e63aab, 0xe8f504eeb9fa818e},
        {"coup", 0x465903033c2f3a85, 0x3a31abaa95fa3bed, 0x1b4bf9c095e8eeae},
        {"belote", 0x8fe1292786722bc7, 0xeba9bbdc7bd0294e, 0xa05a79dfa68f6385},
    };
    struct table t;
    int strange = 0;
    (void)state;
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        play(&t, find_game(cases[i].game), 12);
        draw(&t, SEAT_0);
        const uint64_t wanted[] = {cases[i].rgb, cases[i].segmentation, cases[i].depth};
        const enum render_type types[] = {RENDER_RGB, RENDER_SEGMENTATION, RENDER_DEPTH};
        for (int k = 0; k < 3; k++) {
            struct render_frame f = {.type = types[k], .width = 224, .height = 224};
            uint8_t *pixels = paint(&t, f);
            uint64_t hash = hash_bytes(pixels, (size_t)224 * 224 * (size_t)render_pixel_size(f.type));
            if (hash != wanted[k])
                print_error("%s, type %d: 0x%016llx\n", cases[i].game, (int)types[k], (unsigned long long)hash);
            strange += hash != wanted[k];
            free(pixels);
        }
    }
    assert_int_equal(strange, 0);
}

static bool is_among(float value, const float *list)
{
    for (; *list > 0; list++)
        if (*list == value)
            return true;
    return false;
}

// G29.4: metres.
static void test_depth(void **state)
{
    static const float board[] = {1.0f, 0.95f, 0.9f, 0.85f, 0}, cups[] = {2.0f, 1.984f, 1.9f, 0};
    struct table t;
    float pixel;
    (void)state;
    for (int i = 0; i < 2; i++) {
        play(&t, i ? &liars_dice_game : &tetris_game, 30);
        draw(&t, SEAT_0);
        uint8_t *pixels = paint(&t, (struct render_frame){.type = RENDER_DEPTH, .width = 100, .height = 100});
        for (int k = 0; k < 100 * 100; k++) {
            memcpy(&pixel, pixels + 4 * k, 4);
            assert_true(is_among(pixel, i ? cups : board));
        }
        free(pixels);
    }
    play(&t, &coup_game, 0);
    draw(&t, NOBODY);
    uint8_t *pixels = paint(&t, (struct render_frame){.type = RENDER_DEPTH, .width = 200, .height = 200});
    float nearest = 9;
    for (int k = 0; k < 200 * 200; k++) {
        memcpy(&pixel, pixels + 4 * k, 4);
        nearest = pixel < nearest ? pixel : nearest;
    }
    struct coup_view *v = (struct coup_view *)&t.view[0];
    assert_true(nearest == (float)(20000 - 20 * v->deck_count) / 10000.0f); // the top of the court deck
    free(pixels);
}

// What is seen by class, and by owner: hidden things are backs and cups (G29.3, G29.5).
static void count_classes(struct table *t, enum who who, int classes[RENDER_CLASSES], int faces[GAME_MAX_SEATS + 1])
{
    memset(classes, 0, RENDER_CLASSES * sizeof *classes);
    memset(faces, 0, (GAME_MAX_SEATS + 1) * sizeof *faces);
    draw(t, who);
    uint8_t *pixels = paint(t, (struct render_frame){.type = RENDER_SEGMENTATION, .width = 300, .height = 300});
    for (int i = 0; i < 300 * 300; i++) {
        const uint8_t *p = pixels + 4 * i;
        assert_true(p[0] < RENDER_CLASSES && p[2] <= t->seats && p[3] == 255);
        assert_true((p[0] == RENDER_BACKGROUND) == (p[1] == 0));
        classes[p[0]]++;
        faces[p[2]] += p[0] == RENDER_CARD_FACE || p[0] == RENDER_DIE;
    }
    free(pixels);
}

static void test_classes(void **state)
{
    static const struct {
        const char *game;
        int steps;
        uint32_t own, table, all; // sets of classes that must be there
    } cases[] = {
        {"tetris", 12, 1 << RENDER_LOCKED | 1 << RENDER_ACTIVE | 1 << RENDER_GHOST, 1 << RENDER_ACTIVE, 0},
        {"texas_holdem", 0, 1 << RENDER_CARD_FACE | 1 << RENDER_CARD_BACK | 1 << RENDER_CHIP | 1 << RENDER_MARKER,
         1 << RENDER_CARD_BACK, 1 << RENDER_CARD_FACE},
        {"liars_dice", 1, 1 << RENDER_DIE | 1 << RENDER_CUP, 1 << RENDER_CUP, 1 << RENDER_DIE},
        {"coup", 0, 1 << RENDER_CARD_FACE | 1 << RENDER_CARD_BACK | 1 << RENDER_COIN, 1 << RENDER_CARD_BACK,
         1 << RENDER_CARD_FACE},
        {"belote", 2, 1 << RENDER_CARD_FACE | 1 << RENDER_CARD_BACK, 1 << RENDER_CARD_BACK, 1 << RENDER_CARD_FACE},
    };
    struct table t;
    int classes[RENDER_CLASSES], faces[GAME_MAX_SEATS + 1];
    (void)state;
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        play(&t, find_game(cases[i].game), cases[i].steps);
        for (int who = SEAT_0; who <= ALL; who++) {
            uint32_t wanted = who == SEAT_0 ? cases[i].own : who == NOBODY ? cases[i].table : cases[i].all;
            count_classes(&t, (enum who)who, classes, faces);
            assert_true(classes[RENDER_FELT] && classes[RENDER_TEXT]);
            for (int c = 0; c < RENDER_CLASSES; c++)
                if (wanted >> c & 1 && !classes[c])
                    fail_msg("%s, camera %d: class %d is missing", cases[i].game, who, c);
            for (int s = 0; s < t.seats; s++)
                if (who == NOBODY || (who == SEAT_0 && s))
                    assert_int_equal(faces[s + 1], 0);
        }
    }
}

// G29.6: light scales colours, noise changes each byte by at most so much, both leave the other types alone.
static void test_light_and_noise(void **state)
{
    struct table t;
    (void)state;
    play(&t, &coup_game, 10);
    draw(&t, SEAT_0);
    uint8_t *day = paint(&t, (struct render_frame){.type = RENDER_RGB, .width = 90, .height = 90});
    uint8_t *dusk = paint(&t, (struct render_frame){.type = RENDER_RGB, .width = 90, .height = 90, .light = 32768});
    uint8_t *glare = paint(&t, (struct render_frame){.type = RENDER_RGB, .width = 90, .height = 90, .light = 98304});
    struct render_frame f = {.type = RENDER_RGB, .width = 90, .height = 90, .noise = 16, .grain = 77};
    uint8_t *grain = paint(&t, f), *again = paint(&t, f);
    f.grain = 78;
    uint8_t *other = paint(&t, f);
    int widest = 0;
    for (int i = 0; i < 90 * 90 * 3; i++) {
        int change = abs(grain[i] - day[i]);
        assert_int_equal(dusk[i], day[i] / 2);
        assert_int_equal(glare[i], day[i] * 3 / 2 < 255 ? day[i] * 3 / 2 : 255);
        assert_true(change <= 16);
        widest = change > widest ? change : widest;
    }
    assert_int_equal(widest, 16);
    assert_memory_equal(grain, again, 90 * 90 * 3);
    assert_memory_not_equal(grain, other, 90 * 90 * 3);
    struct render_frame depth = {.type = RENDER_DEPTH, .width = 90, .height = 90};
    uint8_t *plain = paint(&t, depth);
    depth.noise = 16;
    depth.light = 100;
    uint8_t *dark = paint(&t, depth);
    assert_memory_equal(plain, dark, 90 * 90 * 4);
    uint8_t *all[] = {day, dusk, glare, grain, again, other, plain, dark};
    for (unsigned i = 0; i < sizeof all / sizeof *all; i++)
        free(all[i]);
}

// Jitter moves all types alike.
static void test_jitter(void **state)
{
    enum { SIZE = 200, RIGHT = 10, UP = 6 };
    struct table t;
    (void)state;
    play(&t, &belote_game, 10);
    draw(&t, SEAT_0);
    for (int type = RENDER_RGB; type <= RENDER_SEGMENTATION; type++) {
        struct render_frame f = {.type = (enum render_type)type, .width = SIZE, .height = SIZE};
        int pixel = render_pixel_size(f.type);
        uint8_t *still = paint(&t, f);
        f.shift_x = RIGHT * 65536 / SIZE + 1;
        f.shift_y = -UP * 65536 / SIZE;
        uint8_t *moved = paint(&t, f);
        for (int y = 0; y < SIZE - UP; y++)
            assert_memory_equal(moved + (y * SIZE + RIGHT) * pixel, still + (y + UP) * SIZE * pixel,
                                (size_t)((SIZE - RIGHT) * pixel));
        free(still);
        free(moved);
    }
}

static void flow_at(const uint8_t *pixels, const uint8_t *classes, float active[2], float rest[2])
{
    for (int i = 0; i < 256 * 256; i++)
        memcpy(classes[4 * i] == RENDER_ACTIVE ? active : rest, pixels + 8 * i, 8);
}

// Flow: the active piece by whole cells, in pixels; a new piece has not moved.
static void test_flow(void **state)
{
    static const struct {
        int action;
        float x, y;
    } cases[] = {
        {0, 0, 0},
        {TETRIS_MOVE_RIGHT, 12, 0}, // a cell is 48 of 1024 units
        {TETRIS_MOVE_LEFT, -12, 0},
        {TETRIS_SOFT_DROP, 0, 12},
        {TETRIS_HARD_DROP, 0, 0},
    };
    struct table t;
    struct render_past past = {0};
    (void)state;
    play(&t, &tetris_game, 0);
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        float active[2] = {9, 9}, rest[2] = {9, 9};
        struct game_action a = {.kind = (uint8_t)cases[i].action};
        if (a.kind)
            assert_int_equal(tetris_game.apply(&t.state, 0, a, NULL), OK);
        draw(&t, SEAT_0);
        struct render_frame f = {.type = RENDER_FLOW, .width = 256, .height = 256, .past = &past};
        uint8_t *pixels = paint(&t, f);
        f.type = RENDER_SEGMENTATION;
        f.past = NULL;
        uint8_t *classes = paint(&t, f);
        flow_at(pixels, classes, active, rest);
        assert_true(active[0] == cases[i].x && active[1] == cases[i].y);
        assert_true(rest[0] == 0 && rest[1] == 0);
        free(pixels);
        free(classes);
    }
    assert_true(games_find("tetris")->picture->flows);
    assert_false(games_find("coup")->picture->flows);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sizes),   cmocka_unit_test(test_same_everywhere), cmocka_unit_test(test_depth),
        cmocka_unit_test(test_classes), cmocka_unit_test(test_light_and_noise), cmocka_unit_test(test_jitter),
        cmocka_unit_test(test_flow),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
