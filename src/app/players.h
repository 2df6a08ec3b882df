// House bots at the seats of a match.
#pragma once

#include "app/games.h"
#include "match/match.h"

struct players {
    const struct bot *bot[GAME_MAX_SEATS];
};

// "a,b" for four seats is a, b, a, b. A name that no bot of the game has ends the program with status 2; so do more
// names than seats. NULL: the best bot everywhere.
struct players players_from_names(const char *command, const struct game_kit *row, const char *names, int seats);
