// Shared by the files of this room.
#pragma once

#include "analysis/analysis.h"
#include "bots/action_values.h"

struct bot_ask analysis_ask_of(const struct analysis_question *p, const struct bot *reference, struct rng *dice);
const struct analysis_facts *facts_of(const struct game_kit *k); // never NULL
uint32_t part_of(const struct game_kit *k, const void *state);
bool is_over(const struct game *g, const void *state);
bool is_stopped(const struct analysis_options *o);

// --- enumerate.c: games that are enumerated completely

bool enumerate_is_possible(const struct game_kit *k, const struct bot *reference);
void enumerate_answers(const struct analysis_question *p, const struct bot *reference, struct action_values *w);
void enumerate_deal_luck(const struct game_kit *k, const struct bot *reference, const void *state, int seats,
                         double out[GAME_MAX_SEATS]);

// --- playouts.c: all games

struct playout;
struct playout *playout_create(const struct game_kit *k, const struct bot *reference, int seats);
void playout_destroy(struct playout *p);
const struct bot *playout_bot(const struct game_kit *k, const struct bot *reference);
// From a state to the end of its part. Minds begin there.
void playout_run(struct playout *p, union game_state *s, struct rng dice);
void playout_answers(const struct analysis_question *p, struct playout *on, const struct bot *reference,
                     uint32_t worlds, struct rng dice, struct action_values *w);
const void *playout_belief(const struct playout *p); // of the last question; NULL: the game has none
