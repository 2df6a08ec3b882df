// What the tests of vector 2 share: random matches with their history kept and every event remembered. An oracle sees
// views and events, never the history.
#pragma once

#include "named_row.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
// cmocka needs the ones above
#include <cmocka.h>

enum { KIT_EVENTS = 40000, KIT_DROP_EVERY = 60 };

struct kit {
    const struct game *g;
    union game_rules rules;
    union game_state state;
    union game_history history;
    int seats, told, checks;
    struct rng picks;
    struct named_row row;      // what an oracle expects
    struct game_tokens tokens; // of the last step
    struct game_event at[KIT_EVENTS];
};

// A match: rules as they are in `rules`.
static inline void kit_begin(struct kit *k, const struct game *g, int seats, uint32_t seed)
{
    k->g = g;
    k->seats = seats;
    k->told = 0;
    k->tokens.count = 0;
    k->picks = (struct rng){.key = {seed, 2}};
    assert_int_equal(
        game_init_kept(g, &k->state, &k->history, &k->rules, seats, (struct rng){.key = {seed, 1}}, NULL, &k->tokens),
        OK);
}

static inline void kit_play_seat(struct kit *k, int seat, struct game_action a)
{
    static struct game_events happened;
    happened.count = happened.ticks = 0;
    k->tokens.count = 0;
    assert_int_equal(game_apply_kept(k->g, &k->state, &k->history, seat, a, &happened, &k->tokens), OK);
    assert_true(k->told + (int)happened.count <= KIT_EVENTS);
    memcpy(k->at + k->told, happened.at, happened.count * sizeof *happened.at);
    k->told += (int)happened.count;
}

// Any asked seat does any of its numbered actions, or leaves.
static inline void kit_play_any(struct kit *k)
{
    struct game_turn turn = k->g->turn(&k->state);
    struct game_action a;
    int seat, index;
    do
        seat = (int)rng_below(&k->picks, (uint32_t)k->seats);
    while (!(turn.seats & SEAT(seat)));
    if (rng_below(&k->picks, KIT_DROP_EVERY) == 0) {
        kit_play_seat(k, GAME_MASTER, (struct game_action){.kind = GAME_DROP, .arg = {(uint8_t)seat}});
        return;
    }
    do
        index = (int)rng_below(&k->picks, k->g->flat_size);
    while (!k->g->flat(&k->state, seat, index, &a));
    kit_play_seat(k, seat, a);
}

static inline bool kit_is_over(const struct kit *k)
{
    return k->g->turn(&k->state).kind == TURN_OVER;
}

#define kit_expect(k, value, ...) named_row_put(&(k)->row, (double)(value), __VA_ARGS__)

// The row of one viewer, another in every check, element by element through their names (V34). `expect` says what it
// is.
static inline void kit_check(struct kit *k, void (*expect)(int viewer))
{
    float row[GAME_MAX_VECTOR];
    int seat = k->checks++ % (k->seats + 1), viewer = seat < k->seats ? seat : GAME_SPECTATOR;
    named_row_begin(&k->row, k->g);
    expect(viewer);
    game_observe(k->g, &k->state, &k->history, viewer, 2, GAME_F32, row);
    assert_true(named_row_matches(&k->row, row));
}

static inline float kit_value(const struct kit *k, int viewer, const char *name)
{
    float row[GAME_MAX_VECTOR];
    int index = game_row_find(k->g, 2, name);
    assert_true(index >= 0);
    game_observe(k->g, &k->state, &k->history, viewer, 2, GAME_F32, row);
    return row[index];
}

// Tokens of the last step as text, absolute seats: "2:1(3,4) ..." is kind, seat + 1, arguments.
static inline const char *kit_tokens(const struct kit *k)
{
    static char text[GAME_MAX_TOKENS * 32];
    size_t size = 0;
    text[0] = 0;
    for (uint32_t i = 0; i < k->tokens.count; i++) {
        const struct game_token *t = &k->tokens.at[i];
        size += (size_t)snprintf(text + size, sizeof text - size, "%s%d:%d(%d,%d)", i ? " " : "", t->kind, t->seat,
                                 t->arg[0], t->arg[1]);
    }
    return text;
}
