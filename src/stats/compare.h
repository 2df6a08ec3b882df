// Is A better than B? Scores of single games and of mirrored pairs, with intervals, exact tests and Elo (B14).
//
// A score is 1 for a won game, 1/2 for a draw, 0 for a lost one. A pair is the same game played twice with the seats
// exchanged; its score is the mean of the two, so luck of the deal falls out and an interval of the same width needs
// fewer games.
#pragma once

#include "stats/stats.h"

#include <stdbool.h>

enum { COMPARE_PAIR_KINDS = 5 }; // a pair scores 0, 1/4, 1/2, 3/4 or 1

struct compare_games {
    uint64_t wins, draws, losses;
};

struct compare_pairs {
    uint64_t count[COMPARE_PAIR_KINDS];
    uint64_t drawn; // games of these pairs
};

double compare_game_score(const struct compare_games *g);                    // the mean; 1/2 when nothing was played
void compare_add_pair(struct compare_pairs *p, double first, double second); // scores of its two games

struct compare_mean {
    uint64_t pairs;        // or games
    double mean, variance; // of their scores; the variance is that of B14.14, divided by their number
    struct stats_interval interval;
};
struct compare_mean compare_pair_mean(const struct compare_pairs *p);
struct compare_mean compare_game_mean(const struct compare_games *g); // of games that are independent of each other

// How much less (or more) information a set of games has than a single won or lost game: the variance of a set's mean
// score over m (1 - m), which is the variance of one game without draws (Kish's design effect). It is pooled over
// groups of sets in which the same players met. A handful of sets gives no useful variance, so four sets of independent
// games with as many draws as were seen are added. n sets are worth n / effect games in stats_share_interval.
struct compare_design {
    double set_squares, set_room;   // sums over groups of two sets or more: n / (n - 1) x squares, n m (1 - m)
    double game_squares, game_room; // the same over all games, without n / (n - 1)
    double set_games;               // games of a set
    double most;                    // the largest effect there can be: opponents in a game
};
double compare_design_effect(const struct compare_design *d);

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
//
// A grain is the least deviation of a unit that the game knows. It keeps units that happen to be all alike from looking
// certain.
struct compare_rate {
    uint64_t units;
    double value, parts;                       // their means over the units
    double value_squares, parts_squares, both; // of the distances from them, and of one times the other
    double grain;                              // of a part; 0: none
    uint64_t least;                            // units that an interval needs; 0: COMPARE_LEAST_UNITS
};
void compare_add_unit(struct compare_rate *r, double value, double parts);

// Fewer units give no interval and no test: of skewed results, as Hold'em's are, Student's then covers as little as 76
// %.
enum { COMPARE_LEAST_UNITS = 10, COMPARE_LEAST_SKEWED = 30, COMPARE_LEAST_SHAPE = 50 };

struct compare_estimate {
    double mean, error;             // for a part; the standard error
    struct stats_interval interval; // 95 %, by Student's distribution; none of less than COMPARE_LEAST_UNITS
};
struct compare_estimate compare_rate_mean(const struct compare_rate *r);
// The same of all units of several rates, whose means may differ: those against one opponent each.
struct compare_estimate compare_pooled_mean(const struct compare_rate *const *rates, int count);
double compare_rate_test(const struct compare_rate *r); // two-sided p of a mean of 0, by Student's t; 1: too few units

// The lead in deviations of a single game, on the scale of Elo (normalised Elo, Van den Bergh 2020): 800 / ln 10 times
// mean / deviation, which is the usual Elo of small differences where games are won or lost. NAN when games do not
// differ. `shape` has as value of a set the sum of its games' leads and as parts the sum of their squares: how the two
// vary together is the error of their ratio (delta method).
struct compare_estimate compare_shape_elo(const struct compare_rate *shape, int set_games);

// As compare_pair_gain, of a rate: `games` has every game as a unit, `pairs` the same games in pairs.
double compare_rate_gain(const struct compare_rate *games, const struct compare_rate *pairs);

// --- as testers of engines count

// N11.1: what became of the two games of a pair, as testers of chess engines count it. A pair of the middle kind is one
// win and one loss, or two draws.
extern const char *const compare_pair_names[COMPARE_PAIR_KINDS]; // "LL", "LD", "DD+WL", "WD", "WW"
uint64_t compare_drawn_pairs(const struct compare_pairs *p);     // of the middle kind, those of two draws

// N11.2: likelihood of superiority, the probability that the first is the better one: by the normal distribution around
// the mean, with the deviation that was seen. Scores that are all alike have none: then by the exact test. 1/2 when
// nothing was played.
double compare_pair_los(const struct compare_pairs *p);
double compare_game_los(const struct compare_games *g);
double compare_rate_los(const struct compare_rate *r); // of points: by Student's t; 1/2 of too few units

// N11.3: normalised Elo of won games (Van den Bergh 2020): 800 / ln 10 times (score - 1/2) / deviation of a game. Of
// pairs that is the root of two times the deviation of a pair's score, so that it shows how many games a test takes.
// NAN, without an interval, when scores do not differ.
struct compare_estimate compare_pair_normalised(const struct compare_pairs *p);
struct compare_estimate compare_game_normalised(const struct compare_games *g);

// --- Elo

double elo_of_score(double score);           // B14.15; -inf at 0, +inf at 1
double elo_expect(double own, double other); // E of B14.16
double elo_update(double own, double other, double score, double k);
double elo_swiss_score(double won, double lost, double target); // the winner's S of B14.17; the loser's is 1 - S
double elo_swiss_k(double k_min, double k_max, double half_life, uint64_t played);

// --- order statistics

double stats_percentile(const double *sorted, uint64_t count, double percent); // nearest rank (B14.9); 0 when empty
// B14.10: the middle value of the second half of a run is more than twice that of the first. Sorts `values` by halves.
bool stats_is_slowing(double *values, uint64_t count, double *first, double *second);
void stats_sort(double *values, uint64_t count);
