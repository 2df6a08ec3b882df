// Is A better than B? Scores of single games and of mirrored pairs, with intervals, exact tests and Elo (B14).
//
// A score is 1 for a won game, 1/2 for a draw, 0 for a lost one. A pair is the same game played twice with the seats
// exchanged; its score is the mean of the two, so luck of the deal falls out and an interval of the same width needs
// fewer games.
#pragma once

#include "match/stats.h"

#include <stdbool.h>

enum { COMPARE_PAIR_KINDS = 5 }; // a pair scores 0, 1/4, 1/2, 3/4 or 1

struct compare_games {
    uint64_t wins, draws, losses;
};

struct compare_pairs {
    uint64_t count[COMPARE_PAIR_KINDS];
};

double compare_game_score(const struct compare_games *g);                    // the mean; 1/2 when nothing was played
void compare_add_pair(struct compare_pairs *p, double first, double second); // scores of its two games

struct compare_mean {
    uint64_t pairs;
    double mean, variance; // of the pair scores; the variance is that of B14.14, divided by the number of pairs
    struct stats_interval interval;
};
struct compare_mean compare_pair_mean(const struct compare_pairs *p);

// Two-sided test of w wins in n decided games against a fair coin, exact (B14.13), and what the normal
// approximation would say. 1 when n is 0.
double compare_exact_test(uint64_t wins, uint64_t decided);
double compare_normal_test(uint64_t wins, uint64_t decided);
double compare_pair_test(const struct compare_pairs *p); // exact, of the pairs that one side won
const char *compare_words(double p_value);               // "highly significant".., "not significant"

// How many mirrored pairs need fewer games than single games for the same width of the interval: the variance of a
// single game's score over that of a pair's, per game played. 0 when there is nothing to tell.
double compare_pair_gain(const struct compare_pairs *p, const struct compare_games *g);

// --- points

// How much one side has more than the other, for each part of a game: points a deal. Games have different numbers of
// parts, and the parts of one game are not independent of each other; so what is added is a unit, the sums of a game or
// of a mirrored pair. The estimate is all points over all parts, its error that of a ratio: by how far units miss it.
struct compare_rate {
    uint64_t units;
    double value, parts;                       // their means over the units
    double value_squares, parts_squares, both; // of the distances from them, and of one times the other
};
void compare_add_unit(struct compare_rate *r, double value, double parts);

struct compare_estimate {
    double mean, error;             // for a part; the standard error
    struct stats_interval interval; // 95 %, by Student's distribution; the mean itself of less than two units
};
struct compare_estimate compare_rate_mean(const struct compare_rate *r);

// As compare_pair_gain, of a rate: `games` has every game as a unit, `pairs` the same games in pairs.
double compare_rate_gain(const struct compare_rate *games, const struct compare_rate *pairs);

// --- Elo

double elo_of_score(double score);           // B14.15; -inf at 0, +inf at 1
double elo_expect(double own, double other); // E of B14.16
double elo_update(double own, double other, double score, double k);
double elo_swiss_score(double won, double lost, double target); // the winner's S of B14.17; the loser's is 1 - S
double elo_swiss_k(double k_min, double k_max, double half_life, uint64_t played);

// --- sequential test (SPRT, B14.20): H0 says elo0, H1 says elo1

struct sprt {
    double p0, p1;       // expected scores
    double lower, upper; // bounds of the log-likelihood ratio
};
enum sprt_verdict { SPRT_GO_ON, SPRT_H0, SPRT_H1 };

bool sprt_init(struct sprt *s, double elo0, double elo1, double alpha, double beta); // false: out of range
double sprt_llr_games(const struct sprt *s, const struct compare_games *g); // a draw is half a win and half a loss
double sprt_llr_pairs(const struct sprt *s, const struct compare_pairs *p, bool draws); // draws: the game has them
enum sprt_verdict sprt_judge(const struct sprt *s, double llr);
// The variance of a handful of pairs is no estimate (one won pair would decide): no verdict before SPRT_LEAST_PAIRS.
enum { SPRT_LEAST_PAIRS = 32 };
enum sprt_verdict sprt_judge_pairs(const struct sprt *s, const struct compare_pairs *p, bool draws);

// --- order statistics

double stats_percentile(const double *sorted, uint64_t count, double percent); // nearest rank (B14.9); 0 when empty
// B14.10: the middle value of the second half of a run is more than twice that of the first. Sorts `values` by halves.
bool stats_is_slowing(double *values, uint64_t count, double *first, double *second);
void stats_sort(double *values, uint64_t count);
