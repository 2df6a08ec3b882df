// The house players of Liar's Dice, from a beginner to a solved strategy (N5).
#pragma once

#include "bots/bot.h"
#include "games/liars_dice/rules/liars_dice.h"

extern const struct bot liars_dice_rules_bot;   // weighs bids by what the hidden dice make likely
extern const struct bot liars_dice_novice_bot;  // by the odds, and a quarter of its answers is anything
extern const struct bot liars_dice_plain_bot;   // by the odds alone
extern const struct bot liars_dice_beliefs_bot; // imagines the dice of the others by what they bid, and plays on
extern const struct bot liars_dice_solved_bot;  // between two by a table, else by beliefs

static inline struct game_action liars_dice_answer(int rank) // 0: challenge
{
    return (struct game_action){.kind = rank ? LIARS_DICE_BID : LIARS_DICE_CHALLENGE, .amount = rank};
}
