// Play with more than two dealt in (N6.7): a chart before the flop, then the equity against what the others show to
// have.
#pragma once

#include "bots/bot.h"
#include "games/texas_holdem/bots/buckets.h"
#include "games/texas_holdem/bots/line.h"

struct ring_work {
    struct bucket_feature feature[BUCKET_HANDS]; // of every hand on the board
    uint8_t hand[BUCKET_HANDS][2];               // those that may be held
    float weight[HOLDEM_SEATS][BUCKET_HANDS];    // summed up, by seat
    uint8_t rank[BUCKET_CLASSES];                // share of hands that are better before the flop, in 255ths
    int hands;
};

struct game_action holdem_ring_choose(const struct bot_ask *ask); // its scratch has room for a ring_work
