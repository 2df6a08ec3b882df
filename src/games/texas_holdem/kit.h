// Parts of the descriptor of Texas Hold'em (kit.c) that other files of this folder define.
#pragma once

#include "kit/kit.h"

extern const struct env_facts texas_holdem_environment;
extern const struct render_picture texas_holdem_picture;
extern const struct contest_facts texas_holdem_contest;
extern const struct game_counters texas_holdem_counters;
swing_chances texas_holdem_chances;
extern const struct game_kit texas_holdem_kit;
