// What a bot is asked and what its seat sees, as plain bytes: the page carries them from the rules' module to the
// bots'. Bots get views and never states, so nothing that is hidden travels along.
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

// What a seat sees of a step (struct bot_news), for the minds of bots there.
struct news {
    int32_t seat, seats;
    int32_t begins; // the match begins: a mind begins with it, by these rules
    uint32_t ticks, count;
    union game_rules rules;
    union game_view view;
    struct game_event events[GAME_MAX_EVENTS]; // those that the seat may see; bytes behind the last need not be carried
};
