// Plays the rest of a deal with every seat choosing by its own view (N7.3): the card of the highest weight.
//
// A search with open cards is too optimistic, because it wins every finesse. This is the correction.
#pragma once

#include "games/belote/bots/card_weight.h"

// What team `us` takes from here on, `card` being played now, as a solver gives it. `sweep` has bit t when team t took
// every trick so far.
int playout_value(struct table table, const uint32_t held[BELOTE_SEATS], int card, unsigned sweep, int us);
