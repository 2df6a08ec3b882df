// Coup on the arena's wire, both sides.
#pragma once

#include "kit/action_request.h"

extern const struct arena_dialect coup_arena;
extern const struct arena_reader coup_arena_reader;
