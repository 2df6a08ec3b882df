// A replay file read into memory: the beginning of every `agon replay` command.
//
// A step log (AGT1, T2.17) is accepted too, and converted to a replay.
#pragma once

#include "app/games.h"
#include "playback/loaded_replay.h"

// "-" reads standard input. `key` may be NULL. APP_USAGE: the file cannot be read; APP_FAILED: it is not a replay, is
// damaged, has an unknown game, or its key does not match the commitment. A damaged file is kept as far as it is
// readable.
int replay_file_open(struct loaded_replay *t, const char *path, const uint8_t *key);
// The same for `bytes` on the heap, of which it takes ownership.
int replay_file_parse(struct loaded_replay *t, const char *path, struct span bytes, const uint8_t *key);
void replay_file_close(struct loaded_replay *t);

// Ends the program with its status and message if the file cannot be opened or played.
void replay_file_require(struct loaded_replay *t, const char *path, const uint8_t *key);

bool replay_file_is_step_log(struct span bytes);
bool replay_file_read_key(const char *hex, uint8_t key[RNG_KEY_BYTES]); // 64 hex digits
