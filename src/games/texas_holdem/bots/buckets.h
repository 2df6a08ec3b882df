// Hands that play alike (N6.2): 169 classes before the flop, and after it steps of equity against a random hand, on
// flop and turn times steps of how far the cards to come will move it. Training and play use the same functions.
//
// Equity here counts all hands that the board leaves, also those that share a card with the own one: so one count of a
// board serves every hand. Nothing is drawn: a flop is run out with a fixed choice of boards.
#pragma once

#include "game/cards.h"

#include <stdbool.h>

enum {
    BUCKET_CLASSES = 169,
    BUCKET_STEPS = 12,  // of equity on flop and turn
    BUCKET_SPREADS = 3, // within each
    BUCKET_MIDDLE = BUCKET_STEPS * BUCKET_SPREADS,
    BUCKET_RIVER = 30,
    BUCKET_HANDS = 1326,
    BUCKET_BOARD_HANDS = 47 * 46 / 2, // that a board of five leaves
};

// Equity in 65535ths, and the variance of it over the boards to come in 262140ths.
struct bucket_feature {
    uint16_t equity, spread;
};

// Upper ends of the steps, both of the flop and of the turn.
struct bucket_cuts {
    uint16_t step[2][BUCKET_STEPS - 1];
    uint16_t spread[2][BUCKET_STEPS][BUCKET_SPREADS - 1];
    uint16_t river[BUCKET_RIVER - 1];
};

int bucket_class(const uint8_t hole[2]); // 13 x high + low rank when suited, 13 x low + high when not
int bucket_count(int street);            // how many there are: 0 preflop to 3 river

// Features of hands on a board of 3 to 5 cards, none of which they hold.
void bucket_features(const uint8_t (*hole)[2], int hands, const uint8_t *board, int count, struct bucket_feature *out);
int bucket_of(const struct bucket_cuts *c, int street, struct bucket_feature f);
// By class before the flop, else by features: the bucket of one hand.
int bucket_find(const struct bucket_cuts *c, const uint8_t hole[2], const uint8_t *board, int count);

// The strengths of all hands on a board of five: hand i < j of the cards left is at bucket_place(i, j).
struct bucket_board {
    uint8_t card[47];
    uint8_t place[CARDS_IN_DECK]; // of a card in `card`; 255: on the board
    uint16_t strength[BUCKET_BOARD_HANDS];
};

void bucket_fill_board(struct bucket_board *b, const uint8_t board[5]);
void bucket_sort(const struct bucket_board *b, uint16_t order[BUCKET_BOARD_HANDS]); // its hands, weakest first

static inline int bucket_place(int i, int j)
{
    return i < j ? j * (j - 1) / 2 + i : i * (i - 1) / 2 + j;
}
