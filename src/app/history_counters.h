// S90: recounts how agents play from the logs and compares it with what is stored (stats/counters.h).
#pragma once

#include "lobby/replayed.h"
#include "store/store.h"

struct history_counters;
struct history_counters *history_counters_open(void);
void history_counters_close(struct history_counters *h);
void history_counters_add_stored(struct history_counters *h, struct uuid agent,
                                 const struct store_counters *stored); // before any match
// Finished matches, in the order in which their results were counted. If a log is unreadable, its players are no longer
// compared. An arena may be older than its counters: these begin with the first match that ended at the time of a
// stored row.
void history_counters_count(struct history_counters *h, const struct replayed *past);
void history_counters_skip(struct history_counters *h, const struct store_match *m);

typedef void history_counters_report(void *owner, struct uuid agent, const char *game, const char *sentence);
void history_counters_compare(const struct history_counters *h, history_counters_report *tell, void *owner);
