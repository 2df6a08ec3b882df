// What the files of this room share.
#pragma once

#include "games/coup/rules/coup.h"

// deck.c: the deck is a multiset; its order is drawn from chance when cards are taken.
void deck_deal(struct coup_state *s, const struct coup_rules *r);
void deck_put(struct coup_state *s, uint8_t role);
void deck_shuffle(struct coup_state *s);
uint8_t deck_take(struct coup_state *s);
int coup_stack(void *state, const uint8_t *items, int count);

// choices.c
struct game_turn coup_turn(const void *state);
int coup_choices(const void *state, int seat, struct game_choice out[GAME_MAX_CHOICES]);
bool coup_flat(const void *state, int seat, int index, struct game_action *out);
struct game_action coup_action(const void *state, int seat, int number);
void coup_mask(const void *state, int seat, uint64_t out[GAME_FLAT_WORDS]);
struct game_action coup_fallback(const void *state, int seat);
bool coup_allows(const struct coup_state *s, int seat, struct game_action a); // of a seat that is asked

// play.c
int coup_apply(void *state, int seat, struct game_action a, struct game_events *out);

// view.c
void coup_see(const void *state, int viewer, void *view);
void coup_vector(const void *view, float *out);

// chance.c: what a viewer cannot know
void coup_resample(void *state, int viewer, struct rng *dice);
void coup_imagine(void *state, const void *view, struct rng *dice);

// G27.5. A seat that leaves loses all its influence at once.
void coup_reward_loss(struct game_rewards *r, int seats, int loser, int cards);
void coup_reward_end(struct game_rewards *r, unsigned won);

// rows.c
extern const struct game_rows coup_rows;

// play.c: the step after the loss that is asked now, by the log
uint8_t coup_then(const struct coup_state *s);

// check.c
unsigned coup_entitled(const struct coup_state *s); // F6.C4: who may be asked in this phase
const char *coup_check(const void *state);

static inline bool coup_is_window(int phase)
{
    return phase >= COUP_PHASE_CHALLENGE_ACTION && phase <= COUP_PHASE_CHALLENGE_BLOCK;
}

static inline uint8_t coup_answer_of(struct game_action a)
{
    return a.kind == COUP_PASS ? COUP_ANSWER_PASS : a.kind == COUP_CHALLENGE ? COUP_ANSWER_CHALLENGE : a.arg[0];
}

// F4.12: answers are asked for clockwise from the claimant.
static inline int coup_claimant(const struct coup_state *s)
{
    return s->phase == COUP_PHASE_CHALLENGE_BLOCK ? s->log.blocker : s->log.actor;
}
