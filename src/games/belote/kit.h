// Parts of the descriptor of Malagasy Belote (kit.c) that other files of this folder define.
#pragma once

#include "kit/kit.h"

extern const struct env_facts belote_environment;
extern const struct render_picture belote_picture;
extern const struct contest_facts belote_contest;
struct belote_deal;
// B14.11: the announcing team got more match points than the other, or made the Colour sweep itself. 0-0 is no success.
bool belote_is_made(const struct belote_deal *d);
extern const struct game_counters belote_counters;
swing_chances belote_chances;
extern const struct game_kit belote_kit;
