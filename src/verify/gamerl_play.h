// Assertions about whole matches and about legality; rows of test_single_agent.
#pragma once

struct gamerl;

void gamerl_after_done(struct gamerl *g);
void gamerl_tick_limit(struct gamerl *g);
void gamerl_available(struct gamerl *g);
void gamerl_mask(struct gamerl *g);
void gamerl_all_scenarios(struct gamerl *g);
void gamerl_observe(struct gamerl *g);
