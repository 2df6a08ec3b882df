// Where an unfinished game is kept: a replay without an end, one for each game.
#pragma once

#include "base/span.h"

#include <stdbool.h>

enum { PLAY_PATH = 512 };

void play_file_path(char path[PLAY_PATH], const char *game);    // below XDG_STATE_HOME or ~/.local/state
void play_scores_path(char path[PLAY_PATH], const char *game);  // best scores, in the same folder
void play_guest_path(char path[PLAY_PATH], const char *server); // key of a guest at this server, in the same folder
// Creates the folders and replaces the file atomically. Returns false and sets `why`.
bool play_file_write(const char *path, struct span bytes, char *why, size_t room);
