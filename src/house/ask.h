// A decision of a house bot: its view, its choices, its dice, its mind, work space and, where it has been given time, a
// clock.
#pragma once

#include "bots/minds.h"
#include "match/match.h"

// What a bot does at this seat, which is asked. Every decision has a section of its own in the stream of its seat, so
// that one seat's questions never shift another's, and asking twice gives the same answer. `decision` numbers it: the
// steps of the match do.
//
// The mind is that of the match's listener. A bot that was not seated there has its mind built from the log, which
// takes as long as replaying it; without a log it knows the view alone.
struct game_action house_ask(const struct match *m, const struct bot *bot, int seat, uint32_t decision, float aggro);

// The same for whoever keeps match_bot_stream of the seat: `dice` is the section of the decision.
struct game_action house_ask_with(const struct match *m, const struct bot *bot, int seat, struct rng dice, float aggro);

// The mind with which house_ask would ask: it, or `room` (BOT_MAX_MIND bytes) with what the log tells; NULL: none.
const void *house_mind(const struct match *m, const struct bot *bot, int seat, void *room);
// The same with this mind: for threads that have a copy of the match, without its log.
struct game_action house_ask_minded(const struct match *m, const struct bot *bot, int seat, struct rng dice,
                                    float aggro, const void *mind);

// Adds what a question needs and its asker does not have: the bot, scratch and clock; then asks.
struct game_action house_choose(const struct bot *bot, struct bot_ask *ask);

void house_mind_begin(const struct bot *bot, void *mind, const struct bot_ask *ask); // by the usual rules
// A mind that begins at this view: for wires on which nobody tells what came before. Needs no mind_begin.
void house_mind_late(const struct bot *bot, void *mind, const struct bot_ask *ask);

struct rng house_dice(const struct match *m, int seat, uint32_t decision);
