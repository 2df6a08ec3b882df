// What the tests of Tetris share: states made by hand, inputs by letters.
#pragma once

#include "games/tetris/rules/field.h"
#include "games/tetris/rules/tetris.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

static const struct game *const g = &tetris_game;

static inline struct tetris_rules kit_rules(int ruleset, uint32_t seed)
{
    struct tetris_rules r;
    g->defaults(&r);
    g->seed(&r, seed);
    r.ruleset = (uint8_t)ruleset;
    return r;
}

static inline struct tetris_state kit_start(const struct tetris_rules *r)
{
    struct tetris_state s;
    memset(&s, 0xA5, sizeof s); // init sets every byte
    struct rng chance = {.key = {1, 2, 3}};
    assert_int_equal(g->init(&s, r, 1, chance, NULL), OK);
    assert_null(g->check(&s));
    return s;
}

static inline struct tetris_state kit_new(int ruleset, uint32_t seed)
{
    struct tetris_rules r = kit_rules(ruleset, seed);
    return kit_start(&r);
}

static inline void kit_fill(struct tetris_state *s, int x, int y)
{
    field_set(&s->field, x, y, TETRIS_GREY);
}

// A row without the columns of `gaps`.
static inline void kit_row(struct tetris_state *s, int y, unsigned gaps)
{
    for (int x = 0; x < TETRIS_WIDTH; x++)
        if (!(gaps >> x & 1))
            kit_fill(s, x, y);
}

static inline void kit_piece(struct tetris_state *s, int kind, int rotation, int x, int y)
{
    s->piece = (struct tetris_piece){.kind = (uint8_t)kind,
                                     .rotation = (uint8_t)rotation,
                                     .x = (int8_t)x,
                                     .y = (int8_t)y,
                                     .deepest = (int8_t)(s->rules.ruleset == TETRIS_GUIDELINE ? y : 0)};
    assert_true(field_fits(&s->field, field_shapes[kind][rotation], x, y));
}

static inline int kit_do(struct tetris_state *s, int kind)
{
    return g->apply(s, 0, (struct game_action){.kind = (uint8_t)kind}, NULL);
}

static inline void kit_ticks(struct tetris_state *s, int count)
{
    while (count-- > 0)
        g->tick(s, NULL);
}

// l r move, w cw, c ccw, s soft, d hard, h hold, p pause, R restart, . tick
static inline void kit_play(struct tetris_state *s, const char *inputs)
{
    static const char keys[] = "?lrwcsdh?pR";
    for (; *inputs; inputs++)
        if (*inputs == '.')
            g->tick(s, NULL);
        else
            kit_do(s, (int)(strchr(keys, *inputs) - keys));
}

// Idle steps until the next lock, counted; at most `limit`.
static inline int kit_steps_to_lock(struct tetris_state *s, int limit)
{
    uint32_t locks = s->facts.board_id;
    for (int step = 1; step <= limit; step++) {
        g->tick(s, NULL);
        if (s->facts.board_id != locks)
            return step;
    }
    return 0;
}

static inline void assert_at(const struct tetris_state *s, int rotation, int x, int y)
{
    assert_int_equal(s->piece.rotation, rotation);
    assert_int_equal(s->piece.x, x);
    assert_int_equal(s->piece.y, y);
}
