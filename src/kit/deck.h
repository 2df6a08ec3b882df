// A known deal of a game, as members of initial_state: for checks that hidden information stays hidden.
#pragma once

struct kit_deck {
    const char *key, *items; // items is a JSON array, with ' instead of "
    int swapped[2];   // indexes of two items that are dealt to another seat, or not dealt yet; seat 0 sees neither
    const char *more; // further members of initial_state, as a JSON object in the same notation
};
