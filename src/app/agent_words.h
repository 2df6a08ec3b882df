// Events of the arena's wire in the neutral form, as local programs get them in matches, and in words.
#pragma once

#include "base/text.h"

// `event` is {"type","player","data",..}: appends {"type","seat",..} to `json`, with pids as names of seats, and a line
// to `words`. False when it is no such object; then nothing was added.
bool agent_words_put(struct text *json, struct text *words, struct span event);
// A line without its end for a person: "Player 2 raises 400". Seat s is called names[s]; there are ten names.
struct game_kit;
bool agent_words_tell(struct text *words, struct span event, const struct game_kit *k, const char *const *names,
                      int seats);
uint64_t agent_words_seq(struct span event); // its number; UINT64_MAX when there is none
