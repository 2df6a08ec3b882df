// The rest of a deal when every seat plays by what it sees itself (N7.3): the card that weighs most.
//
// Open cards promise too much: whoever sees them all finesses every king. Here nobody does.
#pragma once

#include "games/belote/bots/weigh.h"

// What team `us` takes from here on, `card` being played now, as a solver gives it. `sweep` has bit t when team t took
// every trick so far.
int playout_value(struct table table, const uint32_t held[BELOTE_SEATS], int card, unsigned sweep, int us);
