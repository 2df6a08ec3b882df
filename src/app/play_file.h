// Where a game that was quit is kept: a replay without an end, one for each game.
#pragma once

#include "base/span.h"

#include <stdbool.h>

enum { PLAY_PATH = 512 };

void play_file_path(char path[PLAY_PATH], const char *game);    // below XDG_STATE_HOME, or ~/.local/state
void play_scores_path(char path[PLAY_PATH], const char *game);  // the best scores, in the same folder
void play_guest_path(char path[PLAY_PATH], const char *server); // the key of a guest there, in the same folder
// Makes the folders and replaces the file as a whole. False: `why` says what failed.
bool play_file_write(const char *path, struct span bytes, char *why, size_t room);
