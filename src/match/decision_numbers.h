// Numbers the decisions of house bots, so that a match has the same house decisions everywhere. A contest asks the
// lowest of the asked seats, one after the other, and numbers decisions by the steps of the match before them
// (house_ask). A runner that asks several seats at once, or lets clients answer in any order, gets the same numbers
// from here (G17.5).
#pragma once

#include "match/match.h"

struct decision_numbers {
    uint64_t first;   // steps of the match before the question
    uint64_t foreign; // steps that no contest has: actions of overseers
    uint32_t number;  // game_turn.number of the question
    seat_set asked;   // when it was asked
    bool is_known;    // false: no question yet
    bool by_number;   // by questions only, as in recordings up to 0.2
    uint8_t unused[4];
};

// Call it after the start and after every step of the match.
void decision_numbers_follow(struct decision_numbers *q, const struct match *m);
uint32_t decision_numbers_get(const struct decision_numbers *q, int seat); // of the current question
