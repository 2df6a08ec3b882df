// Means and proportions with their 95 % intervals, for tables of results.
//
// Sums are kept so that parts can be merged. Floating-point sums depend on the order: for the same digits on every run,
// merge the parts in the same order, whichever finished first.
#pragma once

#include <stdbool.h>
#include <stdint.h>

// A running mean (Welford): no squares of large sums, so no digits are lost.
struct stats_mean {
    uint64_t count;
    double mean;
    double squares; // of the distances from the mean
};

// An end that is not finite is open: results allow anything on that side. Both ends open: there is no interval.
struct stats_interval {
    double low, high;
};
struct stats_interval stats_no_interval(void);
bool stats_is_interval(struct stats_interval i);

void stats_add(struct stats_mean *s, double value);
double stats_deviation(const struct stats_mean *s); // of the sample; 0 when there are fewer than two values

// Where the mean lies with 95 % confidence, by Student's distribution; none when there are fewer than two values.
struct stats_interval stats_mean_interval(const struct stats_mean *s);

// Wilson: where the chance of success lies with 95 % confidence; 0..1 when nothing was tried. Weights of ties may be
// fractions (half a win for a draw).
struct stats_interval stats_proportion_interval(double successes, uint64_t tries);

// The same for a mean of scores between 0 and 1, of which `tries` (perhaps a fraction) say as much as independent wins
// and losses would: the mid-P interval (Lancaster 1961; Berry and Armitage 1995), with the effective number of tries in
// place of a count (Korn and Graubard 1998). It takes 0.6 of the chance of the very result instead of half: then it
// covers 93 % at the least from 20 tries on, not 92, and 95 to 96 on average. Wilson's falls below 88 near 0 and 1.
struct stats_interval stats_share_interval(double mean, double tries);

double stats_beta(double x, double a, double b);     // regularised incomplete beta function; a, b > 0
double stats_student_test(double t, double freedom); // two-sided p of Student's t; freedom > 0
double stats_student(uint64_t freedom);              // the 97.5 % point of Student's distribution; freedom > 0
