// Dice in hands: rolling, counting, from faces.
#pragma once

#include "games/liars_dice/rules/liars_dice.h"

enum {
    EVERY_DIGIT = 011111,          // octal: one in each die's place
    DICE_WAYS = 6 * 6 * 6 * 6 * 6, // that five dice can fall
};

// The first `count` dice of the hand.
static inline liars_dice_hand dice_first(liars_dice_hand hand, int count)
{
    return hand & (liars_dice_hand)((1u << 3 * count) - 1u);
}

// A number below 6^5 is five dice: its digits in base 6, each plus one. Reading the digits as octal, sum of
// (n/6^i mod 6) 8^i, is the sum below, because each digit is n/6^i - 6 n/6^(i+1). 16 bits hold all of it.
static inline liars_dice_hand dice_of(uint16_t n)
{
    int octal = n + 2 * (n / 6 + 8 * (n / 36) + 64 * (n / 216) + 512 * (n / 1296));
    return (liars_dice_hand)(octal + EVERY_DIGIT);
}

// `count` dice out of one draw, unbiased like the draw.
static inline liars_dice_hand dice_roll(struct rng_draw *d, int count)
{
    return dice_first(dice_of((uint16_t)rng_draw_below(d, DICE_WAYS)), count);
}

// Every die of the hands that shows `face`, and every one too when wild is set (F6.L4).
int dice_count(const liars_dice_hand *hand, int hands, int face, bool wild);

int dice_in(liars_dice_hand hand);

// A hand of faces 1..6, then zeros; -1 when they are anything else.
int dice_from_faces(const uint8_t *faces, int count);
