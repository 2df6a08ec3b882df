// Texas Hold'em on the arena's wire, both sides.
#pragma once

#include "kit/action_request.h"

extern const struct arena_dialect texas_holdem_arena;
extern const struct arena_reader texas_holdem_arena_reader;
