// Numbers the decisions of the house, so that a match has the same house everywhere: a contest asks the lowest of the
// seats that are asked, again and again, and numbers decisions by the steps of the match before them (house_ask). Who
// asks several seats at once, or lets clients answer in any order, gets the same numbers from here (G17.5).
#pragma once

#include "match/match.h"

struct match_question {
    uint64_t first;   // steps of the match before the question
    uint64_t foreign; // steps so far that no contest has: what overseers did
    uint32_t number;  // game_turn.number of the question
    seat_set asked;   // when it was put
    bool is_known;    // false: none has been followed yet
    bool by_number;   // by questions alone, as recordings up to 0.2 have it
    uint8_t unused[4];
};

// After the start and after every step of the match.
void question_follow(struct match_question *q, const struct match *m);
uint32_t question_decision(const struct match_question *q, int seat); // of the question that was followed last
