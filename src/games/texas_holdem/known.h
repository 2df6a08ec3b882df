// Hands between two in which one seat is a table: its cards averaged over all that it may hold, and what its actions
// and the cards gave taken off (N14.5 to N14.8).
#pragma once

#include "kit/known.h"

// What is taken off: terms of mean 0, each times a constant. By how much chips move with them was fitted once.
enum {
    KNOWN_ENDS,                      // an action of the known seat that ends the betting
    KNOWN_CALLS,                     // by street, three each: one after which it goes on
    KNOWN_RAISES = KNOWN_CALLS + 12, // by street, six each
    KNOWN_BOARD = KNOWN_RAISES + 24, // by street from the flop on, two each
    KNOWN_DEALT = KNOWN_BOARD + 6,   // three each of a button and a big blind: the other's hand
    KNOWN_TERMS = KNOWN_DEALT + 6,
};
extern const struct known_facts texas_holdem_known; // `more`: the constants
