// Luck correction for matches of hands (game/hands.h), by the known strategy of one seat (N14.5): all possible cards
// are enumerated.
#pragma once

#include "kit/aivat.h"

enum { AIVAT_HANDS_CARDS = 8 };

struct aivat_hands_facts {
    const struct game *game;
    int cards; // in the deck
    // An estimate of the hand's result; with any estimate the mean of luck is 0. NULL: the better hand wins what both
    // have put in.
    double (*worth)(const void *state, int seat);
};

struct aivat_hands {
    const struct aivat_hands_facts *facts;
    const struct bot *bot;
    int seat;
    uint32_t hand;
    double weight[AIVAT_HANDS_CARDS];
    double luck;
};

// Members of struct aivat_facts whose `more` is a struct aivat_hands_facts.
bool aivat_hands_knows(const struct bot *bot); // any bot with a mixed strategy and without memory
void aivat_hands_begin(void *work, const struct aivat_facts *f, const struct bot *bot, int seat, struct rng dice);
void aivat_hands_step(void *work, const struct aivat_step *s);
double aivat_hands_luck(const void *work);

// For `more`, with the better hand as its result.
#define AIVAT_HANDS_FACTS(of, count)                                                                                   \
    &(const struct aivat_hands_facts)                                                                                  \
    {                                                                                                                  \
        .game = of, .cards = count                                                                                     \
    }
#define AIVAT_HANDS                                                                                                    \
    .knows = aivat_hands_knows, .size = sizeof(struct aivat_hands), .begin = aivat_hands_begin,                        \
    .step = aivat_hands_step, .luck = aivat_hands_luck
