// The live clock.
#pragma once

#include "env/model.h"

void rl_live_tick(struct rl_table *t, struct rl_item **items, int count); // one boundary, without answers
int64_t rl_live_run(struct rl_table *t, int64_t now_us); // the boundaries that are due; when the next one is
void rl_live_poke(struct rl_table *t, int64_t now_us);   // whether the clock starts or stops now

void rl_live_settle(struct rl_table *t, int64_t now_us); // something came between two boundaries
