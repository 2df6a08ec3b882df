// The columns of ratings, for those who write and those who read them.
#pragma once

#include "store/db.h"
#include "store/store.h"

enum { STORE_RATING_COLUMNS = 15 };

extern const struct column store_rating_columns[STORE_RATING_COLUMNS];
