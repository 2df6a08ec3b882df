// Luck correction for small games of two seats with one hidden card each, by the known strategy of one seat (N14.5):
// all possible cards are enumerated.
#pragma once

#include "kit/known.h"

enum { HIDDEN_CARDS = 8 };

struct hidden_facts {
    const struct game *game;
    int cards;
    // Gives this card to the seat in exchange for its own. Returns false if the other seat has it or it is public.
    bool (*hold)(void *state, int seat, int card);
    // Sets the n-th order of the remaining cards, all equally likely. Returns false if there are no more.
    bool (*reorder)(void *state, int number);
    uint32_t (*hand)(const void *state); // number of the hand; 0: the match is over
    double (*worth)(const void *state,
                    int seat); // estimate of the hand's result; with any estimate the mean of luck is 0
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

#define HIDDEN_KNOWN                                                                                                   \
    .knows = hidden_knows, .size = sizeof(struct hidden), .begin = hidden_begin, .step = hidden_step,                  \
    .luck = hidden_luck
