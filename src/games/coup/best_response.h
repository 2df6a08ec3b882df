// What a best response wins from a bot of Coup (N3.7), for `agon exploit`.
#pragma once

#include "solve/facts.h"

extern const struct solve_facts coup_best_response;
