// Luck correction for matches of hands (game/hands.h), by the known strategy of one seat (N14.5): all possible cards
// are enumerated.
#pragma once

#include "kit/known.h"

enum { HIDDEN_CARDS = 8 };

struct hidden_facts {
    const struct game *game;
    int cards; // in the deck
    // An estimate of the hand's result; with any estimate the mean of luck is 0. NULL: the better hand wins what both
    // have put in.
    double (*worth)(const void *state, int seat);
};

struct hidden {
    const struct hidden_facts *facts;
    const struct bot *bot;
    int seat;
    uint32_t hand;
    double weight[HIDDEN_CARDS];
    double luck;
};

// Members of struct known_facts whose `more` is a struct hidden_facts.
bool hidden_knows(const struct bot *bot); // any bot with a mixed strategy and without memory
void hidden_begin(void *work, const struct known_facts *f, const struct bot *bot, int seat, struct rng dice);
void hidden_step(void *work, const struct known_step *s);
double hidden_luck(const void *work);

// With the better hand as its result.
#define HIDDEN_FACTS(of, count)                                                                                        \
    &(const struct hidden_facts)                                                                                       \
    {                                                                                                                  \
        .game = of, .cards = count                                                                                     \
    }
#define HIDDEN_KNOWN                                                                                                   \
    .knows = hidden_knows, .size = sizeof(struct hidden), .begin = hidden_begin, .step = hidden_step,                  \
    .luck = hidden_luck
