// What a player who knows a bot of Coup wins from it (N3.7), for `agon exploit`.
#pragma once

#include "solve/facts.h"

extern const struct solve_facts coup_best_response;
