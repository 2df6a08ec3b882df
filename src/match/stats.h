// What a table of results needs: means and proportions with their 95 % intervals.
//
// Sums are kept so that parts can be merged. Floating-point sums depend on the order: whoever wants the same digits on
// every run merges the parts in the same order, whichever finished first.
#pragma once

#include <stdint.h>

// A running mean (Welford): no squares of large sums, so no digits are lost.
struct stats_mean {
    uint64_t count;
    double mean;
    double squares; // of the distances from the mean
};

struct stats_interval {
    double low, high;
};

void stats_add(struct stats_mean *s, double value);
void stats_merge(struct stats_mean *into, const struct stats_mean *part);
double stats_deviation(const struct stats_mean *s); // of the sample; 0 when there are fewer than two values

// Where the mean lies with 95 % confidence, by Student's distribution; the mean itself when there are fewer than two.
struct stats_interval stats_mean_interval(const struct stats_mean *s);

// Wilson: where the chance of success lies with 95 % confidence; 0..1 when nothing was tried. Weights of ties may be
// fractions (half a win for a draw).
struct stats_interval stats_proportion_interval(double successes, uint64_t tries);

double stats_student(uint64_t freedom); // the 97.5 % point of Student's distribution; freedom > 0
