// What a seat may hold, and how likely each hand is by its own known play: the computation of N14.5 (AIVAT), for any
// game. A weight is the probability of everything the seat did, if it holds that hand; impossible hands have 0.
#pragma once

#include <stdbool.h>

// For the hands that would act like this (`share`; NULL: all): their part of the whole range, and their mean `value`.
// Both 0 if nothing is left.
struct range_part {
    double chance, mean;
};
struct range_part range_part(const double *weight, const float *share, const float *value, int hands);

// The seat did act like this. Returns false, and changes nothing, if no hand would have.
bool range_narrow(double *weight, const float *share, int hands);

// What a draw gave: the value of what came minus the mean over all that could come. Its mean is 0 for any values.
double range_luck(const double *chance, const double *worth, int count, int came);
