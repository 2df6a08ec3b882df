// Options and scenarios.
#pragma once

#include "games/tetris/rules/tetris.h"

#include <string.h>

extern const char *const tetris_scenarios[];

void tetris_defaults(void *rules);
int tetris_scenario(void *rules, int index);
void tetris_seed(void *rules, uint64_t seed);
bool rules_are_good(const struct tetris_rules *r);
bool rules_have_board(const struct tetris_rules *r);
