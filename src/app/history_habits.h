// S90: recounts how agents play from the logs and compares it with what is stored (stats/counters.h).
#pragma once

#include "lobby/replayed.h"
#include "store/store.h"

struct habits;
struct habits *habits_open(void);
void habits_close(struct habits *h);
void habits_add_stored(struct habits *h, struct uuid agent, const struct store_counters *stored); // before any match
// Finished matches, in the order in which their results were counted. If a log is unreadable, its players are no longer
// compared. An arena may be older than its counters: these begin with the first match that ended at the time of a
// stored row.
void habits_count(struct habits *h, const struct replayed *past);
void habits_skip(struct habits *h, const struct store_match *m);

typedef void habits_tell(void *owner, struct uuid agent, const char *game, const char *sentence);
void habits_compare(const struct habits *h, habits_tell *tell, void *owner);
