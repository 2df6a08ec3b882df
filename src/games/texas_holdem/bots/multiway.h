// Play with more than two players dealt in (N6.7): a chart before the flop, then equity against the hands that the
// others' betting suggests.
#pragma once

#include "bots/bot.h"
#include "games/texas_holdem/bots/betting_history.h"
#include "games/texas_holdem/bots/buckets.h"

struct multiway_work {
    struct bucket_feature feature[BUCKET_HANDS]; // of every hand on the board
    uint8_t hand[BUCKET_HANDS][2];               // those that may be held
    float weight[HOLDEM_SEATS][BUCKET_HANDS];    // summed up, by seat
    uint8_t rank[BUCKET_CLASSES];                // share of hands that are better before the flop, in 255ths
    int hands;
};

struct game_action holdem_multiway_choose(const struct bot_ask *ask); // its scratch has space for a multiway_work
