// Work space for decisions: one block a thread, made when the thread first needs it, grown where a bot wants more,
// freed when the thread ends. So a decision allocates nothing once its thread has asked for the largest (N1.8).
#pragma once

#include "bots/bot.h"

void *scratch_for(const struct bot *bot); // NULL where it wants none
