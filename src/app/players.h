// House bots at the seats of a match.
#pragma once

#include "app/games.h"
#include "match/match.h"

struct players {
    const struct bot *bot[GAME_MAX_SEATS]; // NULL: a model, or nobody
    const char *model[GAME_MAX_SEATS];     // its address; NULL: none. Lives as long as the program
};

// "a,b" for four seats is a, b, a, b. A name that no bot of the game has ends the program with status 2; so do more
// names than seats. NULL: the best bot everywhere.
// With `models` "llm:MODEL@URL#KEY=VALUE,.." may stand in the list.
struct players players_from_list(const char *command, const struct game_kit *row, const char *names, int seats,
                                 bool models);
struct players players_from_names(const char *command, const struct game_kit *row, const char *names, int seats);
