// A sequential test of two players (SPRT): H0 says that they differ by elo0, H1 by elo1. It looks after every game or
// set and stops as soon as the log-likelihood ratio reaches a bound of Wald's; the chances of the two errors are alpha
// and beta.
//
// Won or lost: the generalised SPRT of a multinomial distribution (Van den Bergh, "A practical introduction to the
// GSPRT"): both hypotheses get the frequencies that fit the results best among those with their mean score. Of games
// without draws that is Wald's own test. Points: the same of a normal distribution, in normalised Elo.
#pragma once

#include "stats/compare.h"

struct sprt {
    double p0, p1;       // expected scores
    double t0, t1;       // leads in deviations of a game
    double lower, upper; // bounds of the log-likelihood ratio
};
enum sprt_verdict { SPRT_GO_ON, SPRT_H0, SPRT_H1 };

bool sprt_init(struct sprt *s, double elo0, double elo1, double alpha, double beta); // false: out of range
double sprt_llr_games(const struct sprt *s, const struct compare_games *g);
double sprt_llr_pairs(const struct sprt *s, const struct compare_pairs *p);
double sprt_llr_points(const struct sprt *s, const struct compare_rate *shape, int set_games); // compare_shape_elo
enum sprt_verdict sprt_judge(const struct sprt *s, double llr);

// A variance estimated from a handful of games is worthless: no verdict before so many pairs, or so many sets if points
// are counted, because large leads are rare.
enum { SPRT_LEAST_PAIRS = 32, SPRT_LEAST_SETS = 100 };
enum sprt_verdict sprt_judge_games(const struct sprt *s, const struct compare_games *g);
enum sprt_verdict sprt_judge_pairs(const struct sprt *s, const struct compare_pairs *p);
enum sprt_verdict sprt_judge_points(const struct sprt *s, const struct compare_rate *shape, int set_games);
