// The live clock.
#pragma once

#include "env/model.h"

void env_live_tick(struct env_table *t, struct env_item **items, int count); // one boundary, without answers
int64_t env_live_run(struct env_table *t, int64_t now_us); // the boundaries that are due; when the next one is
void env_live_poke(struct env_table *t, int64_t now_us);   // whether the clock starts or stops now

void env_live_settle(struct env_table *t, int64_t now_us); // something came between two boundaries
