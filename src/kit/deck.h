// A known deal of a game, for checks that hidden things stay hidden: members of initial_state.
#pragma once

struct kit_deck {
    const char *key, *items; // items is a JSON array, with ' for "
    int swapped[2];          // two of the items that another seat gets, or nobody yet; seat 0 sees neither
    const char *more;        // members of initial_state besides, as a JSON object, likewise
};
