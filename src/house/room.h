// Memory for the minds of a match, for runners that may allocate.
#pragma once

#include "bots/minds.h"

// NULL as long as no bot with a memory was seated.
struct house_room;

// Seats the bots of a match that has just started with the events `first` (may be NULL): bots[s] at seat s, NULL: none.
// Reuses an existing room; `*room` belongs to the match until house_room_free.
void house_seat(struct house_room **room, struct match *m, const struct bot *const *bots,
                const struct game_events *first);
// The same in the middle of a match, from its log.
void house_seat_again(struct house_room **room, struct match *m, const struct bot *const *bots);
// For any of these bots at any of the seats.
void house_seat_all(struct house_room **room, struct match *m, const struct bot *const *bots, int count,
                    const struct game_events *first);
// The match `m` is a copy of the one that `from` follows: makes *room a copy too.
void house_room_copy(struct house_room **room, const struct house_room *from, struct match *m);
void house_room_free(struct house_room *room);

bool house_is_minded(const struct bot *const *bots, int count); // one of them has a memory
