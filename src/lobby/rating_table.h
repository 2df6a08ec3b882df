// Ratings computed from results, in memory. Used to recompute all ratings, and to check the stored ones against their
// history.
#pragma once

#include "store/store.h"

struct rating_table;
// Called for a new row, to set what results do not tell.
typedef void rating_table_new(void *owner, struct store_rating *r);

// `damped`: repeated meetings of a pair count less (F7.9).
struct rating_table *rating_table_open(bool damped, rating_table_new *on_new, void *owner);
void rating_table_close(struct rating_table *r);
// Counts a finished match. Call it in the order in which results were counted (S41). Sets `row` to the rows of its
// players after the match, by seat; valid until the next call.
void rating_table_count(struct rating_table *r, const struct store_match *m, struct store_rating *row[STORE_SEATS]);
struct store_rating *rating_table_find(const struct rating_table *r, struct uuid agent, const char *game); // NULL: none
uint32_t rating_table_size(const struct rating_table *r); // number of rows
