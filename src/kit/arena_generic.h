// A game in the arena protocol by its codec alone: replaces the parts that its dialect leaves out.
#pragma once

#include "kit/arena_dialect.h"

// Each writes members of an open object, like the functions of struct arena_dialect.
void arena_generic_rules(const struct codec *c, struct text *t, const void *rules, int seats);
void arena_generic_state(const struct codec *c, struct text *t, const struct arena_observation *seen);
void arena_generic_params(const struct codec *c, struct text *t, const struct codec_table *table,
                          struct game_choice choice);
// `data`: a JSON object. Accepts whole numbers written as 4.0 (F4.4), which codecs do not.
int arena_generic_read_params(const struct codec *c, struct span data, const struct codec_table *table,
                              struct game_action *a);
// The client's side: reads a legal action as written above, and the view from a state.
bool arena_generic_read_choice(const struct codec *c, struct span item, const struct codec_table *table,
                               struct game_choice *out);
// `asked`: the viewer is about to play from it; otherwise it is only displayed.
bool arena_generic_read_view(const struct codec *c, struct span state, const struct codec_table *table, bool asked,
                             void *view);
