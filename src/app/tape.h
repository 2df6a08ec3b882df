// A replay file in memory, with the game and the key it needs: what every `agon replay` command begins with.
//
// A step log (AGT1, T2.17) is taken as well: it becomes a replay on the way in.
#pragma once

#include "app/games.h"
#include "match/replay.h"

enum { TAPE_SAY_ROOM = 320, TAPE_MAX_BYTES = 1 << 30 };

struct tape {
    const char *path;
    struct span file;           // the replay
    const struct game_kit *row; // NULL: a game nobody knows here
    struct replay_head head;
    uint8_t key[RNG_KEY_BYTES];
    bool has_key;  // from outside, the file or its seed; it fits the commitment
    bool complete; // it has its end
    bool torn;     // it stops inside an entry
    uint64_t steps;
    uint64_t actions;
    uint64_t ticks;
    uint64_t stacks;
    uint64_t hashes;
    uint64_t silent; // actions played for a silent seat
    int32_t payoffs[GAME_MAX_SEATS];
    uint64_t last_hash;
    char why[TAPE_SAY_ROOM]; // what was wrong, when something was
};

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
const char *tape_seat_name(const struct tape *t, int seat);      // as the file has it, or the house name
