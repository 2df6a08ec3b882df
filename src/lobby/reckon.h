// Ratings computed from results, in memory. Used to recompute all ratings, and to check the stored ones against their
// history.
#pragma once

#include "store/store.h"

struct reckoning;
typedef void reckon_new(void *owner, struct store_rating *r); // called for a new row, to set what results do not tell

// `damped`: repeated meetings of a pair count less (F7.9).
struct reckoning *reckoning_open(bool damped, reckon_new *on_new, void *owner);
void reckoning_close(struct reckoning *r);
// Counts a finished match. Call it in the order in which results were counted (S41). Sets `row` to the rows of its
// players after the match, by seat; valid until the next call.
void reckoning_count(struct reckoning *r, const struct store_match *m, struct store_rating *row[STORE_SEATS]);
struct store_rating *reckoning_find(const struct reckoning *r, struct uuid agent, const char *game); // NULL: none
uint32_t reckoning_size(const struct reckoning *r);                                                  // number of rows
