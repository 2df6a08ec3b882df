// Standings of a tournament: who met whom, ratings fitted to all games at once, and who meets whom next (B14.19).
#pragma once

#include "match/stats.h"

#include <stdbool.h>

enum { STANDING_ENTRANTS = 64 };

struct standing {
    int entrants;
    double score[STANDING_ENTRANTS][STANDING_ENTRANTS];   // of the row against the column; a draw is 1/2 to each
    uint32_t games[STANDING_ENTRANTS][STANDING_ENTRANTS]; // both ways
};

void standing_add(struct standing *s, int a, int b, double score_of_a);

struct standing_rating {
    double elo;                     // mean of all entrants 0
    struct stats_interval interval; // 95 %, of the distance from that mean
};
// Bradley and Terry, with one drawn game added between every two that met, so that who won or lost everything has a
// finite rating. Entrants that no chain of games joins are rated as if they were equal on the whole.
void standing_fit(const struct standing *s, struct standing_rating out[STANDING_ENTRANTS]);

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
