// Kuhn poker (K1, K2): three cards, one bet. What it shares with other matches of hands is in game/hands.h.
#pragma once

#include "game/hands.h"

enum { KUHN_POKER_ACTIONS = 3 }; // in a hand, at most

enum kuhn_poker_phase { KUHN_POKER_BETTING, KUHN_POKER_DONE };

struct kuhn_poker_state {
    uint8_t action[KUHN_POKER_ACTIONS]; // of this hand, in order; 0 behind the last
    uint8_t acted;                      // how many there are
    struct hands hands;
    struct hands_deck deck;
};

extern const struct game kuhn_poker_game;
