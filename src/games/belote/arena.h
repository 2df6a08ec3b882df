// Belote on the arena's wire, both sides.
#pragma once

#include "kit/action_request.h"

extern const struct arena_dialect belote_arena;
extern const struct arena_reader belote_arena_reader;
