// What a result does to a player's row of a game (F7.1 to F7.7): shared by the end of a match and by the recomputation
// from replays.
#pragma once

#include "match/glicko.h"
#include "store/store.h"

struct store_rating tally_start(struct uuid agent, const char *game);
struct glicko tally_before(const struct store_rating *r, int64_t now_ms); // F7.5: with the idle days
// Everybody's rating after a rated match that has its payoffs; rows by seat.
void tally_rate(struct store_rating *const rows[], const struct store_match *m, int64_t now_ms);
void tally_set(struct store_rating *r, struct glicko after, int64_t now_ms); // one of them
void tally_count(struct store_rating *r, char result, int64_t now_ms);       // 'w', 'l', 'd'; rated or not
