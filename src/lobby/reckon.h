// Ratings computed from results, in memory: what the recomputation writes, and what the history checker compares with.
#pragma once

#include "store/store.h"

struct reckoning;
typedef void reckon_new(void *owner, struct store_rating *r); // a row begins: what no result tells may be set

// `damped`: repeated meetings of a pair count less (F7.9).
struct reckoning *reckoning_open(bool damped, reckon_new *on_new, void *owner);
void reckoning_close(struct reckoning *r);
// A finished match, in the order in which results were counted (S41). `row` gets its players' rows as they are after
// it, by seat, valid until the next call.
void reckoning_count(struct reckoning *r, const struct store_match *m, struct store_rating *row[STORE_SEATS]);
struct store_rating *reckoning_find(const struct reckoning *r, struct uuid agent, const char *game); // NULL: none
uint32_t reckoning_size(const struct reckoning *r);                                                  // rows
