// A replay file, read into memory: what every `agon replay` command begins with.
//
// A step log (AGT1, T2.17) is taken as well: it becomes a replay on the way in.
#pragma once

#include "app/games.h"
#include "playback/tape.h"

enum { TAPE_MAX_BYTES = 1 << 30 };

// "-" reads standard input. `key` may be NULL. APP_USAGE: the file cannot be read; APP_FAILED: it is no replay, it is
// damaged, its game is unknown, or its key does not fit the commitment. A damaged file is kept as far as it is known.
int tape_open(struct tape *t, const char *path, const uint8_t *key);
int tape_take(struct tape *t, const char *path, struct span bytes,
              const uint8_t *key); // bytes of the heap, now the tape's
void tape_close(struct tape *t);

// Ends the program with its status and sentence when the tape cannot be opened or played.
void tape_demand(struct tape *t, const char *path, const uint8_t *key);

struct span tape_read_file(const char *path, char *why, size_t room); // heap; at is NULL and say told when it fails
int tape_write_file(const char *path, struct span bytes); // NULL or "-": standard output; OK or -1 with errno
bool tape_is_step_log(struct span bytes);
bool tape_read_key(const char *hex, uint8_t key[RNG_KEY_BYTES]); // 64 hex digits
