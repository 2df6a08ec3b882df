// A game on the arena's wire by its codec alone: what stands in for the parts that its dialect leaves out.
#pragma once

#include "kit/dialect.h"

// Members of an open object each, like the functions of struct arena_dialect.
void dialect_generic_rules(const struct codec *c, struct text *t, const void *rules, int seats);
void dialect_generic_state(const struct codec *c, struct text *t, const struct arena_observation *seen);
void dialect_generic_params(const struct codec *c, struct text *t, const struct codec_table *table,
                            struct game_choice choice);
// `data`: a JSON object. Whole numbers may be written as 4.0 (F4.4), which codecs do not read.
int dialect_generic_read_params(const struct codec *c, struct span data, const struct codec_table *table,
                                struct game_action *a);
// The client's side: a legal action as written above, and the view out of a state.
bool dialect_generic_read_choice(const struct codec *c, struct span item, const struct codec_table *table,
                                 struct game_choice *out);
// `asked`: the viewer is to play from it; else it is only looked at.
bool dialect_generic_read_view(const struct codec *c, struct span state, const struct codec_table *table, bool asked,
                               void *view);
