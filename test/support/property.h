// The contract every game keeps (game.h), played out at random. One library for all games: the property test plays many
// matches of the real games with it, and a gate plays games with one planted fault each and demands that it is named.
#pragma once

#include "game/rows.h"

struct property_plan {
    int seats;
    int scenario; // whose rules; where they do not fit the number of seats, the defaults
    uint64_t seed;
    bool close;    // every claim after every step; else the costly ones after some
    bool resample; // what viewers cannot know is redrawn, and must change nothing they see
};

struct property_result {
    uint64_t steps;
    uint64_t hash;    // of the last state
    char broken[256]; // which claim, where; empty when all hold
};

// What must stay the same over all matches of a game.
struct property_memory {
    uint8_t flat_kind[GAME_MAX_FLAT]; // the kind of action behind each number, once seen
    uint32_t elements;                // of the newest vector, once read
    struct game_element element[GAME_MAX_VECTOR];
};

bool property_of_game(const struct game *g, struct property_result *r); // sizes, names, rules, scenarios, seats
bool property_of_match(const struct game *g, const struct property_plan *plan, struct property_memory *memory,
                       struct property_result *r);
