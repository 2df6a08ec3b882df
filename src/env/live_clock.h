// The live clock.
#pragma once

#include "env/model.h"

void env_live_clock_tick(struct env_table *t, struct env_item **items, int count); // one tick boundary, without replies
// Handles the boundaries that are due; returns when the next one is.
int64_t env_live_clock_run(struct env_table *t, int64_t now_us);
void env_live_clock_update(struct env_table *t, int64_t now_us); // starts or stops the clock if needed

void env_live_clock_answer(struct env_table *t, int64_t now_us); // something happened between two boundaries
