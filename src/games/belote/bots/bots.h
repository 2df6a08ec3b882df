// House players of belote, besides the general ones.
#pragma once

#include "bots/bot.h"

extern const struct bot belote_search_bot; // B15.4 "search": imagines the hidden cards and plays the deals out
extern const struct bot belote_rules_bot;  // B15.3 "rules": counts cards, weighs what each play wins and costs
extern const struct bot belote_calc_bot;   // B15.2 "calc": points, top cards and length; simple habits at the table
