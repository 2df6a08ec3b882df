// What a seat may hold, and how likely each hand is by its own known play: the arithmetic of N14.5 (AIVAT), whatever
// the game. A weight is the chance of all that the seat did if it holds that hand; hands that cannot be have 0.
#pragma once

#include <stdbool.h>

// Of those that would act so (`share`; NULL: of all): their part of the whole range, and the mean of `value` among
// them. Nothing is left: both 0.
struct range_part {
    double chance, mean;
};
struct range_part range_part(const double *weight, const float *share, const float *value, int hands);

// It did act so. False, and nothing has changed, when no hand would have.
bool range_narrow(double *weight, const float *share, int hands);

// What a draw gave: the worth of what came less the mean over all that could, which has the mean 0 for any worths.
double range_luck(const double *chance, const double *worth, int count, int came);
