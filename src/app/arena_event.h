// Events of the arena's wire in the neutral form, as local programs get them in matches, and in words.
#pragma once

#include "base/text.h"

// `event` is {"type","player","data",..}: appends {"type","seat",..} to `json`, with pids as names of seats, and a line
// to `words`. False when it is no such object; then nothing was added.
bool arena_event_translate(struct text *json, struct text *words, struct span event);
// A line without its end for a person: "Player 2 raises 400". Seat s is called names[s]; there are ten names.
struct game_kit;
bool arena_event_describe(struct text *words, struct span event, const struct game_kit *k, const char *const *names,
                          int seats);
uint64_t arena_event_number(struct span event); // its number; UINT64_MAX when there is none
