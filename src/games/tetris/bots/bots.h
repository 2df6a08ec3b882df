// House players of Tetris.
#pragma once

#include "bots/bot.h"

// Searches over all shown pieces and hold, with a beam, tucks and spins; plays for four lines at once, for garbage or
// for few inputs, as the table has it.
extern const struct bot tetris_beam_bot;
extern const struct bot tetris_glance_bot; // the same with a small part of the work

// Looks at every placement and at what the next piece could do after it.
extern const struct bot tetris_rules_bot;

// The same without a look ahead and without hold; one decision in twelve, of the novice one in three, is any legal one.
extern const struct bot tetris_plain_bot;
extern const struct bot tetris_novice_bot;
