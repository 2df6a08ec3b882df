// Standings of a tournament: who met whom, ratings fitted to all games at once, and who meets whom next (B14.19).
#pragma once

#include "stats/compare.h"

#include <stdbool.h>

enum { STANDING_ENTRANTS = 64 };

// The sets that two entrants have played, from the view of the one with the lower number: its mean score in a set, and
// its lead in points. For an entrant with itself, at tables of more than two: its scores against all others of its
// table together, and its lead over their mean.
struct standing_sets {
    struct stats_mean score;
    struct compare_rate lead;    // of a set, by its parts (deals, hands, or games)
    struct stats_mean game_lead; // of a game
    struct compare_pairs pairs;  // of mirrored pairs of games
};

struct standing {
    int entrants;
    double score[STANDING_ENTRANTS][STANDING_ENTRANTS];   // of the row against the column; a draw is 1/2 to each
    uint32_t games[STANDING_ENTRANTS][STANDING_ENTRANTS]; // both ways
    uint64_t draws;
    struct standing_sets sets[STANDING_ENTRANTS][STANDING_ENTRANTS]; // by the lower number, then the higher
    double set_games;                                                // games of a set
    bool tables;                                        // more than two meet in a game: all of them, in every one
    double cross[STANDING_ENTRANTS][STANDING_ENTRANTS]; // how their scores in a set vary together: sums of products
};

void standing_add(struct standing *s, int a, int b, double score_of_a);
void standing_add_table(struct standing *s, const double *score); // of a set: everyone's mean score against all others

struct standing_rating {
    double elo;                     // NAN: anything on the open side of the interval would do
    struct stats_interval interval; // 95 %, of the distance from the anchor; of the anchor itself there is none
};

// Bradley and Terry, fitted to all games at once: Elo relative to `anchor`, which has 0. The interval of a difference
// follows from the covariance of all strengths and the design effects of sets (the sandwich estimate, Huber 1967), as
// the interval of a score that says as much (stats_share_interval). Where no chain of won games leads from the anchor
// to an entrant, results set no upper limit: there is a lower bound, from the games of these two, or nothing; and the
// other way round.
void standing_fit(const struct standing *s, int anchor, struct standing_rating out[STANDING_ENTRANTS]);
// The same from leads in points: least squares, as normalised Elo (compare_shape_elo).
void standing_fit_leads(const struct standing *s, int anchor, struct standing_rating out[STANDING_ENTRANTS]);
// An entrant's share of the wins against all it met (not of tables): the intervals against each of them, put together
// by the squares of their arms (MOVER, Zou and Donner 2008).
struct stats_interval standing_share(const struct standing *s, int entrant);

// One pairing, in order of the table, or a bye (second -1).
struct standing_pair {
    int first, second;
};

// The next round of a Swiss tournament: entrants in `order` (points, Elo, name, as the caller sorted them); the first
// unpaired meets, among the next four unpaired, the one met least often, then the highest placed. With an odd number
// the bye goes to `bye`, who must be one of them. The number of pairs.
int standing_pair_swiss(const struct standing *s, const int *order, int count, int bye, struct standing_pair *out);

// Everyone against everyone (cycles of them, by the circle method), or the first against each other.
int standing_pair_round_robin(int entrants, int round, struct standing_pair *out); // round 0 .. rounds-1
int standing_rounds_round_robin(int entrants);
int standing_pair_gauntlet(int entrants, struct standing_pair *out);
