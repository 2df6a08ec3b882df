// Memory for the minds of a match, for runners that may allocate.
#pragma once

#include "bots/minds.h"

// NULL as long as no bot with a memory was seated.
struct mind_memory;

// Seats the bots of a match that has just started with the events `first` (may be NULL): bots[s] at seat s, NULL: none.
// Reuses an existing block; `*memory` belongs to the match until mind_memory_free.
void mind_memory_begin(struct mind_memory **memory, struct match *m, const struct bot *const *bots,
                       const struct game_events *first);
// The same in the middle of a match, from its log.
void mind_memory_resume(struct mind_memory **memory, struct match *m, const struct bot *const *bots);
// For any of these bots at any of the seats.
void mind_memory_begin_all(struct mind_memory **memory, struct match *m, const struct bot *const *bots, int count,
                           const struct game_events *first);
// The match `m` is a copy of the one that `from` follows: makes *memory a copy too.
void mind_memory_copy(struct mind_memory **memory, const struct mind_memory *from, struct match *m);
void mind_memory_free(struct mind_memory *memory);

bool mind_memory_is_needed(const struct bot *const *bots, int count); // one of them has a memory
