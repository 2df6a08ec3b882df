// How a result changes a player's rating and counts (F7.1 to F7.7). Shared by the end of a match and the recomputation
// from replays.
#pragma once

#include "stats/glicko.h"
#include "store/store.h"

// Sets winner, is_draw and everybody's result from the payoffs (F2.3, F7.7).
void scoring_set_results(struct store_match *m);
struct store_rating scoring_initial_rating(struct uuid agent, const char *game);
// The rating, with the uncertainty of idle days (F7.5).
struct glicko scoring_strength(const struct store_rating *r, int64_t now_ms);
// Updates all ratings after a rated match that has its payoffs; rows by seat.
void scoring_rate(struct store_rating *const rows[], const struct store_match *m, int64_t now_ms);
// The same, but a pair that has met often counts less (F7.9). `meetings` returns how often seats i and k have met in
// rated matches of this game within a day, this one included.
void scoring_rate_damped(struct store_rating *const rows[], const struct store_match *m,
                         int (*meetings)(void *owner, int i, int k), void *owner, int64_t now_ms);
// Counts the result of a match ('w', 'l' or 'd'), rated or not.
void scoring_count(struct store_rating *r, char result, int64_t now_ms);
