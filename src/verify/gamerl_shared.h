// Assertions about several connections at one table; rows of test_multi_agent.
#pragma once

struct gamerl;

void gamerl_barrier(struct gamerl *g);
void gamerl_deadline(struct gamerl *g);
void gamerl_clock_stops(struct gamerl *g);
void gamerl_clock_runs(struct gamerl *g);
void gamerl_broadcasts(struct gamerl *g);
void gamerl_foreign(struct gamerl *g);
void gamerl_connector(struct gamerl *g);
