// A decision of a house bot: its view, choices, dice, mind, work space and, if it has a time limit, a clock.
#pragma once

#include "bots/minds.h"
#include "match/match.h"

// The move of a bot at this seat, which must be asked. Every decision has its own section in the stream of its seat, so
// that one seat's questions never affect another's, and asking twice gives the same answer. `decision` is its number:
// the steps of the match.
//
// The mind is that of the match's listener. For a bot that is not seated there, the mind is built from the log, which
// takes as long as replaying it; without a log it knows only the view.
struct game_action house_ask(const struct match *m, const struct bot *bot, int seat, uint32_t decision, float aggro);

// The same for a caller that keeps match_bot_stream of the seat: `dice` is the section of the decision.
struct game_action house_ask_with(const struct match *m, const struct bot *bot, int seat, struct rng dice, float aggro);

// The mind that house_ask would use: the existing one, or `room` (BOT_MAX_MIND bytes) filled from the log; NULL: none.
const void *house_mind(const struct match *m, const struct bot *bot, int seat, void *room);
// The same with this mind: for threads that have a copy of the match without its log.
struct game_action house_ask_minded(const struct match *m, const struct bot *bot, int seat, struct rng dice,
                                    float aggro, const void *mind);

// Adds what a question needs and the caller does not have: the bot, scratch space and clock; then asks.
struct game_action house_choose(const struct bot *bot, struct bot_ask *ask);

void house_mind_begin(const struct bot *bot, void *mind, const struct bot_ask *ask); // with the default rules
// A mind that begins at this view: for protocols that do not tell what came before. Needs no mind_begin.
void house_mind_late(const struct bot *bot, void *mind, const struct bot_ask *ask);

struct rng house_dice(const struct match *m, int seat, uint32_t decision);
