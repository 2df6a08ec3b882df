// What the files of the rules share: gameplay (pieces spawn, fall, lock and score, T1), bag, garbage, master,
// placements.
#pragma once

#include "games/tetris/rules/field.h"

// Pieces to come (T1.10-T1.13).
void bag_start(struct tetris_state *s, uint32_t seed);
int bag_peek(const struct tetris_state *s);
int bag_take(struct tetris_state *s);
// Kinds of the next pieces, whatever the preview: a place in the state, or `room`.
const uint8_t *bag_next(const struct tetris_state *s, uint8_t room[TETRIS_NEXT]);

// A fresh episode with this seed (T2.14); the first one too.
void gameplay_start(struct tetris_state *s, uint32_t seed, struct game_events *out);
void gameplay_tick(struct tetris_state *s, struct game_events *out);
void gameplay_end(struct tetris_state *s, int end, struct game_events *out);
void gameplay_set_level(struct tetris_state *s, int level);

bool gameplay_spawn(struct tetris_state *s, struct game_events *out);
void gameplay_hold(struct tetris_state *s, struct game_events *out); // can_hold must be set
void gameplay_soft_drop(struct tetris_state *s, struct game_events *out);
void gameplay_hard_drop(struct tetris_state *s, struct game_events *out);

// T1.41: lock, score, and what follows. `rows_dropped` by a hard drop; `fresh` as facts.fresh has it.
void gameplay_lock(struct tetris_state *s, int rows_dropped, int fresh, struct game_events *out);
void gameplay_gain(struct tetris_facts *f, uint64_t points);
bool gameplay_reached_goal(const struct tetris_state *s);
uint16_t gameplay_goal_left(const struct tetris_state *s); // lines, garbage rows or ticks
uint32_t gameplay_interval(const struct tetris_facts *f);  // ms a row of gravity takes, without soft drop

// Garbage (G24.7-G24.9).
void garbage_start(struct tetris_state *s);
void garbage_add(struct tetris_state *s, int rows, int hole); // hole: column + 1, 0: drawn when it rises
void garbage_tick(struct tetris_state *s);
bool garbage_rise(struct tetris_state *s, struct game_events *out); // what is pending; false: buried

// The master: GAME_DROP and the actions above 31.
int master_apply(struct tetris_state *s, struct game_action a, struct game_events *out);

// T3.50-T3.53
// The piece that would be placed: the active one, or what hold would bring (T3.50.2).
enum tetris_refusal place_take(const struct tetris_state *s, bool hold, struct tetris_piece *p);
// T3.50.3: the shorter way first, clockwise on a tie; then the other way round. False: nothing changed.
bool place_turn(const struct tetris_field *f, struct tetris_piece *p, int rotation, int ruleset);
int place_list(const struct tetris_state *s, struct game_choice *out); // those of path "simple"
uint64_t place_mask(const struct tetris_state *s, bool hold);          // the same, bit 10 rotation + column
// As struct game_rows has them.
void tetris_mask(const void *state, int seat, const uint64_t wanted[GAME_FLAT_WORDS], uint64_t out[GAME_FLAT_WORDS]);
struct game_action tetris_action(const void *state, int seat, int number);
// Plays a placement, or refuses and leaves every byte.
__attribute__((noinline)) int place_play(struct tetris_state *s, struct game_action a, struct game_events *out);
