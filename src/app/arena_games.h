// What the arena plays: rows for the lobby, made of the games' dialects.
#pragma once

#include "tournaments/tournaments.h"

#include <stddef.h>

const char *const *arena_game_names(void);                   // of those, ended by NULL
const struct lobby_game *arena_games(void);                  // those that are offered, ended by a row without a codec
const struct tournaments_game *arena_tournament_games(void); // all of them, with their house bots, ended likewise

void arena_games_name(char *out, size_t room); // all of them: "this, that", cut when it does not fit
const char *arena_games_gated(void);           // those that a client must declare (F6.B1): "this,that"

enum { ARENA_GAMES_WHY = 512 }; // enough room for every `bad` below

// "a,b": offer only these, in the default order. False: one is unknown, and `bad` says which.
bool arena_games_choose(const char *names, char *bad, size_t room);
// Fewest or most players at the tables of one game (F3.2). False: `bad` says why not.
bool arena_games_set_table(struct span game, bool most, int number, char *bad, size_t room);
// Whether the fewest players are at most the most for every game, by its own numbers or these; else `bad` names one.
bool arena_games_fit(int table_min, int table_max, char *bad, size_t room);
// GAME={"max_hands":5}: changes rules (F6.T1, F6.B3). False: `bad` says what is wrong.
bool arena_games_set_rules(const char *text, char *bad, size_t room);
