// House players of belote, besides the general ones.
#pragma once

#include "bots/bot.h"

extern const struct bot belote_reader_bot; // N7 "reader": the same, and reads hands from the cards that were played
extern const struct bot belote_glance_bot; // "glance": the same with a tenth of the work
extern const struct bot belote_search_bot; // B15.4 "search": imagines the hidden cards and plays the deals out
extern const struct bot belote_rules_bot;  // B15.3 "rules": counts cards, weighs what each play wins and costs
extern const struct bot belote_calc_bot;   // B15.2 "calc": points, top cards and length; simple habits at the table
extern const struct bot belote_novice_bot; // "novice": calc, and every third answer is anything
