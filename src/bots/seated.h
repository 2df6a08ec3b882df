// A house bot at a seat of a match: it gets its seat's view, the choices, and a stream of its own.
#pragma once

#include "bots/bot.h"
#include "match/match.h"

enum { SEATED_PACE = 30 }; // ticks between two moves of a bot, where time moves the game (G24.1)

// What a bot does at this seat, which is asked. Every decision has a section of its own in the stream of its seat, so
// that one seat's questions never shift another's, and asking twice gives the same answer. `decision` numbers it: the
// steps of the match do.
struct game_action seated_ask(const struct match *m, const struct bot *bot, int seat, uint32_t decision, float aggro);

// The same for whoever keeps match_bot_stream of the seat: `dice` is the section of the decision.
struct game_action seated_ask_with(const struct match *m, const struct bot *bot, int seat, struct rng dice,
                                   float aggro);

// Whose move comes next, where everybody is asked in turn: a seat, or -1: let time pass. The match is not over.
int seated_next(const struct match *m);
