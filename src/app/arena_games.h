// What the arena plays: rows for the lobby, made of the games' dialects.
#pragma once

#include "tours/tours.h"

#include <stddef.h>

const struct lobby_game *arena_games(void);       // those that are offered, ended by a row without a codec
const struct tours_game *arena_tours_games(void); // all of them, with their house bots, ended likewise

void arena_games_name(char *out, size_t room); // all of them: "coup, ...", cut when it does not fit
// "a,b": offers these alone, in the usual order. False, and `bad` names the stranger, when one is unknown.
bool arena_games_choose(const char *names, char *bad, size_t room);
// Players that a game's tables need, or take at most, where the general number is not meant (F3.2). False: `bad` tells
// what would be right.
bool arena_games_set_table(struct span game, bool most, int number, char *bad, size_t room);
// Whether every game's tables take as many as they need, by its own numbers or these; else `bad` names one.
bool arena_games_fit(int table_min, int table_max, char *bad, size_t room);
// GAME={"max_hands":5}: other rules than the usual ones (F6.T1, F6.B3). False: `bad` tells what is wrong.
bool arena_games_set_rules(const char *text, char *bad, size_t room);
