// The values of the answers to one question, over the same imagined worlds (N20).
//
// The caller lists the answers and says which one was played. Every world adds a value for each of them. Stored are
// means, and the errors of their differences to the played answer, which are much smaller than the errors of the
// values.
#pragma once

#include "game/game.h"

enum { ACTION_VALUES_MAX = GAME_MAX_CHOICES };

struct action_values {
    int count, played;
    struct game_action action[ACTION_VALUES_MAX];
    float share[ACTION_VALUES_MAX]; // how often the reference plays it; all 0: unknown
    uint64_t worlds;
    double weight, weights;           // sums over worlds: of the weight, and of its square
    double sum[ACTION_VALUES_MAX];    // weight x value
    double ahead[ACTION_VALUES_MAX];  // weight squared x lead over the played answer
    double square[ACTION_VALUES_MAX]; // weight squared x square of that lead
    double points[ACTION_VALUES_MAX]; // weight x a secondary value of the game, such as card points; 0: none
    double scale;                     // units of the report for a value of one; 0: one
    bool exact;                       // all possible worlds were enumerated
};

void action_values_add(struct action_values *w, const double value[], double weight);
int action_values_find(const struct action_values *w, struct game_action a); // its index, or -1
double action_values_mean(const struct action_values *w, int answer);        // the mean
double action_values_lead(const struct action_values *w, int answer);        // mean lead over the played answer
double action_values_variance(const struct action_values *w, int answer);    // of that mean; 0 if exact
double action_values_points(const struct action_values *w, int answer);      // mean of the secondary value
int action_values_best(const struct action_values *w);                       // the played answer if none is better
