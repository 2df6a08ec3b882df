// Luck taken off in small games of two seats with one hidden card each, by the known strategy of one of them (N14.5):
// everything that might have been is counted.
#pragma once

#include "kit/known.h"

enum { HIDDEN_CARDS = 8 };

struct hidden_facts {
    const struct game *game;
    int cards;
    // Puts the card of that number at the seat, in exchange for its own; false: the other seat has it, or all can see
    // it.
    bool (*hold)(void *state, int seat, int card);
    // The order of that number of what is still to come, all equally likely; false: there are no more.
    bool (*reorder)(void *state, int number);
    uint32_t (*hand)(const void *state); // its number; 0: the match is over
    double (*worth)(const void *state,
                    int seat); // what the hand may come to: whatever it says, the mean of luck is 0
};

struct hidden {
    const struct hidden_facts *facts;
    const struct bot *bot;
    int seat;
    uint32_t hand;
    double weight[HIDDEN_CARDS];
    double luck;
};

// Of struct known_facts, whose `more` is a struct hidden_facts.
bool hidden_knows(const struct bot *bot); // any that has a mix and no memory
void hidden_begin(void *work, const struct known_facts *f, const struct bot *bot, int seat, struct rng dice);
void hidden_step(void *work, const struct known_step *s);
double hidden_luck(const void *work);

#define HIDDEN_KNOWN                                                                                                   \
    .knows = hidden_knows, .size = sizeof(struct hidden), .begin = hidden_begin, .step = hidden_step,                  \
    .luck = hidden_luck
