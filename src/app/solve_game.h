// Which games `agon solve` and `agon exploit` know, and what both print while they compute.
#pragma once

#include "app/games.h"
#include "solve/small_game.h"

// Some games support best responses, but no table.
enum solve_purpose { SOLVE_TABLES, SOLVE_BEST_RESPONSES };

// Reads the argument GAME into `row`. Ends the program for a game that does not support it, or a second argument.
void solve_read_game(const struct game_kit **row, struct argp_state *state, const char *name,
                     enum solve_purpose purpose);
// Ends the program if no game was given, and lists those that it could be.
void solve_require_game(const struct game_kit *row, struct argp_state *state, enum solve_purpose purpose);

struct game_tree *solve_plant_tree(const struct game_kit *row); // of a small game, on the heap

// A line on the terminal, redrawn at most once a second.
struct progress_line {
    double drawn_s; // when it was drawn last; 0: never
};
bool progress_line_is_due(struct progress_line *l); // true: it was cleared, and the caller writes what is done
void progress_line_end(const struct progress_line *l);
