// The memory of bots of Hold'em: the betting of the running hand (N6.6).
#pragma once

#include "bots/bot.h"
#include "games/texas_holdem/rules/texas_holdem.h"

enum { BETTING_HISTORY_MOVES = 120 };

struct betting_history_move {
    int32_t total; // what the seat has put in after it, in the whole hand
    uint8_t seat;
    uint8_t action; // enum holdem_action, of players; blinds too
    uint8_t phase;
    uint8_t unused;
};

struct betting_history {
    uint32_t hand;               // its number; 0: none yet
    int32_t chips[HOLDEM_SEATS]; // at its beginning
    int32_t big_blind;
    uint8_t count;
    uint8_t phase;
    uint8_t unused[2];
    struct betting_history_move move[BETTING_HISTORY_MOVES];
};

void betting_history_observe(void *mind, const struct bot_news *news);
// The mind of the question. If its bytes are invalid (a snapshot may hold any), `room` filled from the view instead.
const struct betting_history *betting_history_of(const struct bot_ask *ask, struct betting_history *room);
int betting_history_count(const struct betting_history *m); // the valid moves at the front, at most
                                                            // BETTING_HISTORY_MOVES, even if the bytes are invalid
