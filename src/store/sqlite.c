// The table of SQLite's functions.
#include "store/internal.h"

const struct store_engine store_sqlite = {.name = "sqlite",
                                          .open = lite_open,
                                          .close = lite_close,
#define ANSWER(type, name, parameters, arguments) .name = lite_##name,
#define ACT(name, parameters, arguments)          .name = lite_##name,
                                          ENGINE_ANSWERS(ANSWER) ENGINE_ACTS(ACT)
#undef ANSWER
#undef ACT
};
