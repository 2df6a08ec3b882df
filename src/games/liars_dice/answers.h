// What a best answer wins from a bot in a round of Liar's Dice between two (N5.5, N5.6).
//
// The bot is asked with every hand it may hold. Its answers are taken to depend on its hand and the last ANSWERS_MEMORY
// bids: those of the house do.
#pragma once

#include "bots/bot.h"
#include "games/liars_dice/bots/round.h"

enum { ANSWERS_MEMORY = 3, ANSWERS_SAMPLES = 64 };

struct answers {
    const struct bot *bot;
    struct round_hands hands[LIARS_DICE_DICE + 1]; // by number of dice
    struct answers_cache *cache;
};

struct answers *answers_create(const struct bot *bot);
void answers_destroy(struct answers *a);

// The chance that a best answer with full memory wins a round with `own` dice against the bot with `other`; `opens`:
// it, not the bot, bids first.
double answers_best(struct answers *a, int own, int other, bool opens);
// The same of a player who knows the bot and looks one own decision further, over so many sampled rounds.
struct answers_sample {
    double mean, variance; // the second is that of the first
};
struct answers_sample answers_local(struct answers *a, int own, int other, bool opens, uint32_t rounds, uint64_t seed);
