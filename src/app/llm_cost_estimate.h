// Estimates what a game will cost a model, from games between house bots.
#pragma once

#include "app/game_setup.h"

struct llm_cost_estimate {
    double decisions;     // of one seat in a game
    double prompt_tokens; // of a decision, with 4 bytes per token
};

// With the rules and seats of the setup; its seed does not matter.
struct llm_cost_estimate llm_cost_estimate_game(const struct game_setup *s);
