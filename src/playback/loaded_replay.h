// A replay in memory with its game and its key, as commands, servers and the browser use it.
#pragma once

#include "kit/kit.h"
#include "match/replay.h"

enum { LOADED_REPLAY_ERROR_ROOM = 320 };

struct loaded_replay {
    const char *path;
    struct span file;           // the replay
    const struct game_kit *row; // NULL: this program does not have the game
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
    char why[LOADED_REPLAY_ERROR_ROOM]; // why loaded_replay_read has failed
};

// Reads `t->file`; the other members except the path must be zero. `find` returns the game by its name, or NULL with
// the reason in t->why. `key` may be NULL. False: it is no replay, it is damaged, its game or rules are unknown, or its
// key does not match the commitment; then only the members read so far are set.
bool loaded_replay_read(struct loaded_replay *t, const struct game_kit *(*find)(struct loaded_replay *t),
                        const uint8_t *key);

const char *loaded_replay_seat_name(const struct loaded_replay *t, int seat); // as the file has it, or the house name

enum { LOADED_REPLAY_LABEL_ROOM = MATCH_NAME_ROOM + 8 };
// The name, with the number of the seat ("rules.2") if another seat has the same.
void loaded_replay_label_seat(const struct loaded_replay *t, int seat, char out[LOADED_REPLAY_LABEL_ROOM]);
