// Solves a deal of belote with open cards: what both teams take with optimal play.
#pragma once

#include "games/belote/rules/belote.h"

enum {
    SOLVE_SWEEP = 60,     // what all eight tricks count on top of their card points, so that they are sought
    SOLVE_LOW = -1000,    // below and above every value
    SOLVE_HIGH = 1000,    //
    SOLVE_ROWS = 1 << 13, // positions remembered
    SOLVE_ALL = 8,        // depth: every trick is searched
    SOLVE_NONE = -1,      // depth: not even the first is
};

// A position between two tricks. Hands of one deal are told apart by the cards that are left.
struct solve_row {
    uint32_t left;
    uint16_t deal;
    uint8_t who;  // the leader, and whose sweep is still possible
    uint8_t move; // that was best
    int16_t low, high;
};

// The value of a position is what our team still takes, the last trick's 10 included, and SOLVE_SWEEP more, or less,
// when one team takes all eight.
struct solver {
    uint32_t held[BELOTE_SEATS];
    uint32_t beaten_by[BELOTE_CARDS]; // in this mode
    uint8_t points[BELOTE_CARDS];
    uint32_t left;  // all cards held
    uint32_t nodes; // cards played since the solver began
    uint16_t deal;  // number of the current hands
    uint8_t mode;
    uint8_t us;       // our team
    uint8_t guess_at; // cards in a hand from which on play is guessed; 0: never
    struct solve_row row[SOLVE_ROWS];
};

// The trick on the table.
struct solve_trick {
    uint8_t seat;  // whose turn it is
    uint8_t lying; // cards on it
    uint8_t led;
    uint8_t best;
    uint8_t taker;
    uint8_t points;
    uint8_t sweep; // bit t: team t has taken every trick so far
};

void solve_begin(struct solver *s, int us); // forgets everything; O(SOLVE_ROWS)
void solve_set_mode(struct solver *s, int mode);

// New hands, of which `depth` tricks beside the running one are searched, and the rest is guessed.
void solve_set_hands(struct solver *s, const uint32_t held[BELOTE_SEATS], int depth);

// The value, when it lies between low and high; else something at or below low, or at or above high.
int solve_trick(struct solver *s, struct solve_trick t, int low, int high);

// The same after one card, which is legal.
int solve_card(struct solver *s, struct solve_trick t, int card, int low, int high);

// Legal cards worth searching: of neighbouring cards without points, one is enough.
uint32_t solve_distinct(const struct solver *s, const struct solve_trick *t, uint32_t cards);
