// The table of this engine's functions.
#include "store/pg/internal.h"

const struct store_engine store_pg = {.name = "postgresql",
                                      .open = pg_open,
                                      .close = pg_close,
#define ANSWER(type, name, parameters, arguments) .name = pg_##name,
#define ACT(name, parameters, arguments)          .name = pg_##name,
                                      ENGINE_ANSWERS(ANSWER) ENGINE_ACTS(ACT)
#undef ANSWER
#undef ACT
};
