// What players of Liar's Dice remember: the bids of the running round.
#pragma once

#include "bots/bot.h"
#include "games/liars_dice/rules/liars_dice.h"

enum { DICE_MIND_BIDS = LIARS_DICE_FACES * LIARS_DICE_DICE * LIARS_DICE_SEATS };

struct dice_mind {
    uint8_t count;
    uint8_t round;
    uint8_t bid[DICE_MIND_BIDS];    // rising
    uint8_t bidder[DICE_MIND_BIDS]; // by bid
    uint8_t unused[6];
};

void dice_mind_observe(void *mind, const struct bot_news *news);
int dice_mind_count(const struct dice_mind *m); // whatever its bytes are, at most DICE_MIND_BIDS
