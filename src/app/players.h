// House bots at the seats of a match.
#pragma once

#include "app/games.h"
#include "match/match.h"

struct players {
    const struct bot *bot[GAME_MAX_SEATS]; // NULL: a model, or none
    const char *model[GAME_MAX_SEATS];     // address of a model; NULL: none. Lives as long as the program
};

// "a,b" for four seats means a, b, a, b. An unknown name ends the program with status 2, and so do more names than
// seats. NULL: the best bot at every seat. With `models`, "llm:MODEL@URL#KEY=VALUE,.." is allowed.
struct players players_from_list(const char *command, const struct game_kit *row, const char *names, int seats,
                                 bool models);
struct players players_from_names(const char *command, const struct game_kit *row, const char *names, int seats);
