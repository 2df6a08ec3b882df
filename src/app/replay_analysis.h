// The analysis of a replay, as commands run it.
#pragma once

#include "analysis/analysis.h"

// A house bot that can be a reference; NULL: the game has none of this name. Ends the program for one with a clock.
const struct bot *replay_analysis_find_reference(const char *command, const char *option, const struct game_kit *k,
                                                 const char *name);
void replay_analysis_show_progress(void *owner, uint32_t done, uint32_t all); // for its options, on a terminal
// Opens and runs it; ends the program if the replay does not reproduce.
void replay_analysis_run(struct analysis *a, const struct loaded_replay *t, const struct analysis_options *o);
