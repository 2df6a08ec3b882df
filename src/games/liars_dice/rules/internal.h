// What the files of this room share: the parts of liars_dice_game that do not move the match.
#pragma once

#include "games/liars_dice/rules/dice.h"
#include "games/liars_dice/rules/liars_dice.h"

enum { LIARS_DICE_VECTOR = 32 };

extern const struct game_rows liars_dice_rows;

// The larger events. `out` must not be NULL.
void liars_dice_describe_challenge(const struct liars_dice_state *s, struct game_events *out);
void liars_dice_tell_round(const struct liars_dice_state *s, struct game_events *out);

struct game_action liars_dice_action(const void *state, int seat, int number); // as struct game_rows has it
void liars_dice_see(const void *state, int viewer, void *view);
void liars_dice_vector(const void *view, float *out);
void liars_dice_payoffs(const void *state, int32_t out[GAME_MAX_SEATS]);
// G26.4, where d is what the seat that loses the dice started with: so each die's rewards add up to nothing.
void liars_dice_reward_loss(const struct liars_dice_state *s, int loser, int dice, struct game_rewards *out);
void liars_dice_rewards(const void *state, const struct game_events *happened, struct game_rewards *out);
void liars_dice_imagine(void *state, const void *view, struct rng *dice);
void liars_dice_resample(void *state, int viewer, struct rng *dice);
const char *liars_dice_check(const void *state);
