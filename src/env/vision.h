// Pictures of a table, and their streams.
#pragma once

#include "env/step_result.h"

void env_paint_seat(struct env_agent *a, int width, int height, uint8_t *rgb); // what it sees, as rows of RGB

void env_vision_sweep(const struct env *env); // removes what dead processes left behind
void env_vision_release(struct env_agent *a); // closes its streams
void env_vision_tick(struct env_table *t);    // live: a boundary has passed
void env_put_frames(struct text *t, struct env_agent *a, enum env_step_purpose purpose); // draws, and tells frame_ids
void env_put_streams(struct text *t, const struct env_agent *a);                         // of a record
bool env_vision_imagine(struct env_agent *a, struct span streams); // as recorded, without rings; false: they are none
uint64_t env_put_pictures(struct text *t, struct env_agent *a);    // frames of an entry; their bytes
void env_put_profiles(struct text *t, const struct env_game *row); // of the manifest
void env_put_cameras(struct text *t, const struct env_game *row);
