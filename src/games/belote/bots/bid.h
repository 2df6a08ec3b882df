// A simple model of how players bid, by the five cards that they hold during the negotiation.
//
// It stands in for the others when the rest of a negotiation is imagined, and it tells how likely imagined cards are,
// given what was said (B15.7).
#pragma once

#include "games/belote/rules/belote.h"

// By mode, the card points beyond one half that the own team may expect with a hand.
struct outlook {
    int16_t points[BELOTE_MODES];
};

struct outlook bid_estimate(const uint8_t *hand, int cards);

int bid_say(const struct belote_state *s, const struct outlook *own); // the word of the seat in turn

// How likely the seat in turn says it, 0..1; nothing is impossible.
float bid_chance(const struct belote_state *s, const struct outlook *own, int word);
