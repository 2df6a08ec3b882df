// Ratings by Glicko-2 (F7): how strong a player is, how sure we are of it, and how steady the player's play.
//
// A rating period is one finished match (F7.3). Times are the caller's: before a match, and for display, a player's
// deviation first grows by the full days since the last rated match of that game (glicko_idle).
#pragma once

#include "game/game.h"

struct glicko {
    double rating;
    double deviation; // 30..350
    double volatility;
};

// One opponent of the period, as the opponent was before it.
struct glicko_result {
    struct glicko opponent;
    double score;  // 1, 0.5 or 0
    double weight; // 1; less dampens a pair that meets too often (F7.9)
};

struct glicko glicko_start(void);                                   // 1500, 350, 0.06
struct glicko glicko_idle(struct glicko player, int64_t full_days); // F7.5
double glicko_display(struct glicko player);                        // F7.8: what the player is worth at least
double glicko_damping(int meeting);                                 // F7.9: weight of the pair's n-th meeting in 24 h
struct glicko glicko_update(struct glicko player, const struct glicko_result *results, int count);

// Every seat is updated once, from what all were before the match. A seat in `dropped` loses to all that are not;
// two of them draw (F7.4). `teams` as in struct game: partners are not compared.
void glicko_match(struct glicko at[], int seats, int teams, const int32_t payoffs[], seat_set dropped);
