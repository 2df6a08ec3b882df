// A replay file read into memory: the beginning of every `agon replay` command.
//
// A step log (AGT1, T2.17) is accepted too, and converted to a replay.
#pragma once

#include "app/games.h"
#include "playback/loaded_replay.h"

enum { TAPE_MAX_BYTES = 1 << 30 };

// "-" reads standard input. `key` may be NULL. APP_USAGE: the file cannot be read; APP_FAILED: it is not a replay, is
// damaged, has an unknown game, or its key does not match the commitment. A damaged file is kept as far as it is
// readable.
int tape_open(struct loaded_replay *t, const char *path, const uint8_t *key);
int tape_take(struct loaded_replay *t, const char *path, struct span bytes,
              const uint8_t *key); // takes ownership of `bytes`, which are on the heap
void tape_close(struct loaded_replay *t);

// Ends the program with its status and message if the tape cannot be opened or played.
void tape_demand(struct loaded_replay *t, const char *path, const uint8_t *key);

// On the heap; at is NULL and `why` is set if it fails.
struct span tape_read_file(const char *path, char *why, size_t room);
int tape_write_file(const char *path, struct span bytes); // NULL or "-": standard output; OK, or -1 with errno
bool tape_is_step_log(struct span bytes);
bool tape_read_key(const char *hex, uint8_t key[RNG_KEY_BYTES]); // 64 hex digits
