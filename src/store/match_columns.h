// The columns of matches and seats, for those who write and those who read them.
#pragma once

#include "store/db.h"
#include "store/store.h"

enum { STORE_MATCH_COLUMNS = 23, STORE_RESULT_COLUMNS = 11, STORE_SEAT_COLUMNS = 6 };

extern const struct column store_match_columns[STORE_MATCH_COLUMNS];
extern const struct column store_result_columns[STORE_RESULT_COLUMNS]; // what the end of a match changes
extern const struct column store_seat_columns[STORE_SEAT_COLUMNS];
