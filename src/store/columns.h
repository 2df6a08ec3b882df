// The columns of structs that are stored, for writing and reading.
#pragma once

#include "store/column.h"
#include "store/store.h"

enum {
    STORE_AGENT_COLUMNS = 39,
    STORE_PAIRING_COLUMNS = 5,
    STORE_MATCH_COLUMNS = 23,
    STORE_RESULT_COLUMNS = 11,
    STORE_SEAT_COLUMNS = 6,
    STORE_RATING_COLUMNS = 15,
    STORE_CHALLENGE_COLUMNS = 8,
};

extern const struct column store_agent_columns[STORE_AGENT_COLUMNS];
extern const struct column store_pairing_columns[STORE_PAIRING_COLUMNS];
extern const struct column store_match_columns[STORE_MATCH_COLUMNS];
extern const struct column store_result_columns[STORE_RESULT_COLUMNS]; // what the end of a match changes
extern const struct column store_seat_columns[STORE_SEAT_COLUMNS];
extern const struct column store_rating_columns[STORE_RATING_COLUMNS];
extern const struct column store_challenge_columns[STORE_CHALLENGE_COLUMNS];

// F7.4: positive if `seat` did better than `other`. A dropped player loses to all others; two dropped players draw.
int store_compare_seats(const struct store_match *m, int seat, int other);
