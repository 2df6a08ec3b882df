// The memory of bots of Liar's Dice: the bids of the running round.
#pragma once

#include "bots/bot.h"
#include "games/liars_dice/rules/liars_dice.h"

enum { BID_HISTORY_BIDS = LIARS_DICE_FACES * LIARS_DICE_DICE * LIARS_DICE_SEATS };

struct bid_history {
    uint8_t count;
    uint8_t round;
    uint8_t bid[BID_HISTORY_BIDS];    // rising
    uint8_t bidder[BID_HISTORY_BIDS]; // by bid
    uint8_t unused[6];
};

void bid_history_observe(void *mind, const struct bot_news *news);
int bid_history_count(const struct bid_history *m); // at most BID_HISTORY_BIDS, even if the bytes are invalid
