// What a best response wins from a bot in a round of Liar's Dice between two (N5.5, N5.6).
//
// The bot is asked with every hand that it may hold. Its answers are assumed to depend only on its hand and the last
// BEST_RESPONSE_MEMORY bids, which is true of house bots.
#pragma once

#include "bots/bot.h"
#include "games/liars_dice/bots/round.h"

enum { BEST_RESPONSE_MEMORY = 3, BEST_RESPONSE_SAMPLES = 64 };

struct best_response {
    const struct bot *bot;
    struct round_hands hands[LIARS_DICE_DICE + 1]; // by number of dice
    struct best_response_cache *cache;
};

struct best_response *best_response_create(const struct bot *bot);
void best_response_destroy(struct best_response *a);

// The chance that a best response with full memory wins a round with `own` dice against the bot with `other`. `opens`:
// the response bids first.
double best_response_best(struct best_response *a, int own, int other, bool opens);
// The same for a player who knows the bot and looks one own decision ahead, from `rounds` sampled rounds.
struct best_response_sample {
    double mean, variance; // the second is that of the first
};
struct best_response_sample best_response_local(struct best_response *a, int own, int other, bool opens,
                                                uint32_t rounds, uint64_t seed);
