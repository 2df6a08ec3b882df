#include "store/engine.h"

struct store *store_open(const struct store_options *o, char *why, size_t room)
{
    return (o->engine ? o->engine : &store_sqlite)->open(o, why, room);
}

static const struct store_engine *engine_of(const struct store *s)
{
    return ((const struct store_head *)(const void *)s)->engine;
}

void store_close(struct store *s)
{
    if (s)
        engine_of(s)->close(s);
}

// clang-format off
#define ANSWER(type, name, parameters, arguments) type store_##name parameters { return engine_of(s)->name arguments; }
#define ACT(name, parameters, arguments) void store_##name parameters { engine_of(s)->name arguments; }
// clang-format on
ENGINE_ANSWERS(ANSWER)
ENGINE_ACTS(ACT)
