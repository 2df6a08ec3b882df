// What answers to one question are worth, over the same imagined worlds (N20).
//
// The asker lists the answers and says which one was played. Every world adds a value for each of them. Kept are means,
// and the errors of their differences to the one that was played, which are far smaller than those of the values.
#pragma once

#include "game/game.h"

enum { WEIGH_ANSWERS = GAME_MAX_CHOICES };

struct weighing {
    int count, played;
    struct game_action action[WEIGH_ANSWERS];
    float share[WEIGH_ANSWERS]; // how often the reference plays it; all 0: it does not tell
    uint64_t worlds;
    double weight, weights;       // sums over worlds: of the weight, and of its square
    double sum[WEIGH_ANSWERS];    // weight x value
    double ahead[WEIGH_ANSWERS];  // weight squared x how far it is ahead of what was played
    double square[WEIGH_ANSWERS]; // weight squared x the square of that
    double points[WEIGH_ANSWERS]; // weight x what else the game counts, as card points; 0: it does not tell
    double scale;                 // of values: how many units of the report one is; 0: one
    bool exact;                   // the worlds are all there are
};

void weigh_add(struct weighing *w, const double value[], double weight);
int weigh_find(const struct weighing *w, struct game_action a); // its index, or -1
double weigh_value(const struct weighing *w, int answer);       // the mean
double weigh_ahead(const struct weighing *w, int answer);       // the mean of the difference to what was played
double weigh_variance(const struct weighing *w, int answer);    // of that mean; 0 of exact ones
double weigh_points(const struct weighing *w, int answer);      // the mean of what else the game counts
int weigh_best(const struct weighing *w);                       // what was played where nothing is ahead of it
