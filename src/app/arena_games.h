// The games of the arena: rows for the lobby, made from the games' dialects.
#pragma once

#include "tournaments/tournaments.h"

#include <stddef.h>

const char *const *arena_game_names(void);                   // ended by NULL
const struct lobby_game *arena_games(void);                  // the offered ones; ends with a row without a codec
const struct tournaments_game *arena_tournament_games(void); // all games with their house bots; ends likewise

void arena_games_name(char *out, size_t room); // all names, "this, that"; truncated if it does not fit
const char *arena_games_gated(void);           // games that a client must declare (F6.B1): "this,that"

enum { ARENA_GAMES_WHY = 512 }; // enough room for every `bad` below

// "a,b": offers only these, in the default order. Returns false and sets `bad` if one is unknown.
bool arena_games_choose(const char *names, char *bad, size_t room);
// Fewest or most players at tables of one game (F3.2). Returns false and sets `bad` to the reason.
bool arena_games_set_table(struct span game, bool most, int number, char *bad, size_t room);
// Checks for every game that the fewest players are not more than the most, by its own numbers or these; otherwise sets
// `bad` to one of them.
bool arena_games_fit(int table_min, int table_max, char *bad, size_t room);
// GAME={"max_hands":5}: changes rules (F6.T1, F6.B3). Returns false and sets `bad`.
bool arena_games_set_rules(const char *text, char *bad, size_t room);
