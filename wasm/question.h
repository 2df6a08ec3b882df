// What a bot is asked, as plain bytes: the page carries them from the rules' module to the bots'. Bots get views and
// never states, so nothing that is hidden travels along.
#pragma once

#include "bots/bot.h"

struct question {
    int32_t seat, seats;
    int32_t count; // of choices
    float aggro;
    struct game_action fallback;
    struct rng dice;
    struct game_choice choices[GAME_MAX_CHOICES];
    union game_view view;
};
