// Work space for decisions: one block per thread, allocated when the thread first needs it, grown if a bot needs more,
// and freed when the thread ends. So a decision allocates nothing once its thread has the largest block (N1.8).
#pragma once

#include "bots/bot.h"

void *scratch_for(const struct bot *bot); // NULL if it needs none
