// House players. They get views, never states, and draw from a stream of their own.
#pragma once

#include "game/game.h"

struct bot_ask {
    const struct game *game;
    const void *view; // this seat's view
    int seat;
    int seats;
    const struct game_choice *choices; // what the seat may do; at least one
    int count;
    struct game_action fallback; // the game's answer for the silent
    float aggro;                 // 0..1, 0.5 as a rule: shifts raising and bluffing (G22.10)
    struct rng *dice;
    uint32_t effort; // of those who search: so many times the usual work; 0: once
    // NULL: work by effort, so that answers repeat. Else they search until it says true, which they ask often.
    bool (*out_of_time)(void *clock);
    void *clock;
};

struct bot {
    const char *name; // "random"
    const char *game; // the one game it plays; NULL: any
    struct game_action (*choose)(const struct bot_ask *ask);
    bool thinks; // for milliseconds and more: a server lets it decide beside its loop
};

struct game_action bot_pick_uniform(const struct game_choice *choices, int count, struct rng *dice);

extern const struct bot bot_random;   // one of the choices with equal chance, then an amount with equal chance
extern const struct bot bot_fallback; // what the game plays for the silent
