// AIVAT for hands between two players of which one plays a solved table (N14.5 to N14.8): averages over all cards that
// it may hold, and subtracts the luck of its actions and of the cards.
#pragma once

#include "kit/aivat.h"

// What is subtracted: terms of mean 0, each times a constant that was fitted once.
enum {
    AIVAT_ENDS,                      // an action of the known seat that ends the betting
    AIVAT_CALLS,                     // by street, three each: one after which it goes on
    AIVAT_RAISES = AIVAT_CALLS + 12, // by street, six each
    AIVAT_BOARD = AIVAT_RAISES + 24, // by street from the flop on, two each
    AIVAT_DEALT = AIVAT_BOARD + 6,   // three each of a button and a big blind: the other's hand
    AIVAT_TERMS = AIVAT_DEALT + 6,
};
extern const struct aivat_facts texas_holdem_aivat; // `more`: the constants
