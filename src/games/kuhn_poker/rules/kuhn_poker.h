// Kuhn poker (K1, K2): three cards, one bet. What it shares with other matches of hands is in game/hands.h.
#pragma once

#include "game/hands.h"

enum { KUHN_POKER_ACTIONS = 3 }; // in a hand, at most

// Their numbers are also those of the numbered actions (K2.3).
enum kuhn_poker_action { KUHN_POKER_FOLD = 1, KUHN_POKER_CHECK, KUHN_POKER_CALL, KUHN_POKER_BET };

enum kuhn_poker_phase { KUHN_POKER_BETTING, KUHN_POKER_DONE };

struct kuhn_poker_state {
    uint8_t action[KUHN_POKER_ACTIONS]; // of this hand, in order; 0 behind the last
    uint8_t acted;                      // how many there are
    struct hands hands;
    struct hands_deck deck;
};

struct kuhn_poker_view {
    uint8_t action[KUHN_POKER_ACTIONS];
    uint8_t acted;
    struct hands hands;
    uint8_t viewer;
    uint8_t card; // the viewer's own; CARD_NONE for spectators
    uint16_t unused;
};

extern const struct game kuhn_poker_game;
