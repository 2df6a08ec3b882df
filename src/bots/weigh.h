// The values of the answers to one question, over the same imagined worlds (N20).
//
// The caller lists the answers and says which one was played. Every world adds a value for each of them. Stored are
// means, and the errors of their differences to the played answer, which are much smaller than the errors of the
// values.
#pragma once

#include "game/game.h"

enum { WEIGH_ANSWERS = GAME_MAX_CHOICES };

struct weighing {
    int count, played;
    struct game_action action[WEIGH_ANSWERS];
    float share[WEIGH_ANSWERS]; // how often the reference plays it; all 0: unknown
    uint64_t worlds;
    double weight, weights;       // sums over worlds: of the weight, and of its square
    double sum[WEIGH_ANSWERS];    // weight x value
    double ahead[WEIGH_ANSWERS];  // weight squared x lead over the played answer
    double square[WEIGH_ANSWERS]; // weight squared x square of that lead
    double points[WEIGH_ANSWERS]; // weight x a secondary value of the game, such as card points; 0: none
    double scale;                 // units of the report for a value of one; 0: one
    bool exact;                   // all possible worlds were enumerated
};

void weigh_add(struct weighing *w, const double value[], double weight);
int weigh_find(const struct weighing *w, struct game_action a); // its index, or -1
double weigh_value(const struct weighing *w, int answer);       // the mean
double weigh_ahead(const struct weighing *w, int answer);       // mean lead over the played answer
double weigh_variance(const struct weighing *w, int answer);    // of that mean; 0 if exact
double weigh_points(const struct weighing *w, int answer);      // mean of the secondary value
int weigh_best(const struct weighing *w);                       // the played answer if none is better
