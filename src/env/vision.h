// Pictures of a table, and the streams that carry them.
#pragma once

#include "env/observe.h"

void rl_vision_sweep(const struct rl *rl);                                 // what dead processes left behind
void rl_vision_release(struct rl_agent *a);                                // its streams are closed
void rl_vision_tick(struct rl_table *t);                                   // live: a boundary has passed
void rl_put_frames(struct text *t, struct rl_agent *a, enum rl_look look); // draws, and tells frame_ids
void rl_put_streams(struct text *t, const struct rl_agent *a);             // of a record
bool rl_vision_imagine(struct rl_agent *a, struct span streams); // as recorded, without rings; false: they are none
uint64_t rl_put_pictures(struct text *t, struct rl_agent *a);    // frames of an entry; their bytes
void rl_put_profiles(struct text *t, const struct rl_game *row); // of the manifest
void rl_put_cameras(struct text *t, const struct rl_game *row);
