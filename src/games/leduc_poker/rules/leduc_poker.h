// Leduc poker (K1, K3): six cards, two betting rounds, a public card. What it shares with other matches of hands is in
// game/hands.h.
#pragma once

#include "game/hands.h"

enum { LEDUC_POKER_ROUNDS = 2, LEDUC_POKER_ACTIONS = 4, LEDUC_POKER_RAISES = 2 }; // actions and raises: in a round

// What a raise adds to the bet of the other seat (K3.2).
enum { LEDUC_POKER_RAISE_FIRST = 2, LEDUC_POKER_RAISE_SECOND = 4 };

enum leduc_poker_phase { LEDUC_POKER_FIRST, LEDUC_POKER_SECOND, LEDUC_POKER_DONE };

// The betting of a hand, which everybody knows.
struct leduc_poker_bets {
    uint8_t action[LEDUC_POKER_ROUNDS][LEDUC_POKER_ACTIONS]; // in order; 0 behind the last
    uint8_t acted[LEDUC_POKER_ROUNDS];                       // how many there are
    uint8_t paid[HANDS_SEATS];                               // into the pot, ante included
    uint8_t round;                                           // 0 or 1
    uint8_t unused[3];
};

struct leduc_poker_state {
    struct leduc_poker_bets bets;
    struct hands hands;
    uint32_t unused;
    struct hands_deck deck;
};

extern const struct game leduc_poker_game;
