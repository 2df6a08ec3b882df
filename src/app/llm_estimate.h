// What a game will take of a model, before it is asked: from games between house bots.
#pragma once

#include "app/setup.h"

struct llm_estimate {
    double decisions;     // of one seat in a game
    double prompt_tokens; // of a decision, by 4 bytes a token
};

struct llm_estimate llm_estimate_game(const struct setup *s);
