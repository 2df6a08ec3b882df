// Dice in hands: rolling, counting, from faces.
#pragma once

#include "games/liars_dice/liars_dice.h"

enum { EVERY_DIGIT = 011111 }; // octal: one in each die's place

// The first `count` dice of the hand.
static inline liars_dice_hand dice_first(liars_dice_hand hand, int count)
{
    return hand & (liars_dice_hand)((1u << 3 * count) - 1u);
}

// A draw below 6^count is `count` independent dice: its digits in base 6. One 32-bit word thus makes a whole hand, and
// rng_draw_below keeps it unbiased. Reading those digits as octal, sum of (v/6^i mod 6) 8^i, is the sum below because
// each digit is v/6^i - 6 v/6^(i+1).
static inline liars_dice_hand dice_roll(struct rng_draw *d, int count)
{
    static const uint32_t ways[LIARS_DICE_DICE + 1] = {1, 6, 36, 216, 1296, 7776};
    uint32_t v = rng_draw_below(d, ways[count]);
    uint32_t octal = v + 2 * (v / 6) + 2 * 8 * (v / 36) + 2 * 64 * (v / 216) + 2 * 512 * (v / 1296);
    return dice_first((liars_dice_hand)(octal + EVERY_DIGIT), count);
}

// Every die of the hands that shows `face`, and every one too when wild is set (F6.L4).
int dice_count(const liars_dice_hand *hand, int hands, int face, bool wild);

int dice_in(liars_dice_hand hand);

// A hand of faces 1..6, then zeros; -1 when they are anything else.
int dice_from_faces(const uint8_t *faces, int count);
