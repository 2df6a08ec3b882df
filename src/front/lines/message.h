// What a client of the Tetris AI Adapter may send (T3.44), parsed once into a struct.
#pragma once

#include "base/span.h"

#include <stdbool.h>
#include <stdint.h>

enum {
    MESSAGE_MAX_BYTES = 65536, // T3.3, without its LF
    MESSAGE_MAX_DEPTH = 16,    // T3.4
    MESSAGE_MAX_ACTIONS = 32,  // T3.48
    MESSAGE_MAX_NAME = 64,
};

enum message_type { MESSAGE_UNKNOWN, MESSAGE_HELLO, MESSAGE_CONTROL, MESSAGE_COMMAND };

enum message_action { // in the order of T3.48
    ACTION_MOVE_LEFT,
    ACTION_MOVE_RIGHT,
    ACTION_SOFT_DROP,
    ACTION_HARD_DROP,
    ACTION_ROTATE_CW,
    ACTION_ROTATE_CCW,
    ACTION_HOLD,
    ACTION_PAUSE,
    ACTION_RESTART,
};

enum message_role { ROLE_AUTO, ROLE_CONTROLLER, ROLE_OBSERVER };

struct message_hello {
    char version[MESSAGE_MAX_NAME]; // protocol_version; empty if it is too long
    char table[MESSAGE_MAX_NAME + 1];
    bool has_table, has_json, stream, lockstep;
    uint8_t role, frame_skip;
};

struct message_place {
    int64_t x, y;
    int8_t rotation; // 0..3; -1: unknown text
    int8_t path;     // 0 simple, 1 full; -1: unknown text
    bool hold, has_y, given;
};

struct message_command {
    bool place_mode, has_restart, has_seed;
    uint8_t count;
    uint8_t actions[MESSAGE_MAX_ACTIONS];
    uint32_t seed;
    struct message_place place;
};

struct message {
    enum message_type type;
    uint64_t seq;
    const char *wrong; // NULL, or what is wrong with the syntax, for the error message
    bool is_claim;     // control: claim, else release
    bool bad_seed;     // semantic error: a seed out of range, or a restart object of the wrong type
    union {
        struct message_hello hello;
        struct message_command command;
    };
};

// First step (T3.47). Returns false if the line is not a JSON object with a type and a seq; then m->wrong says why, and
// m->seq is the best guess (T3.56).
bool message_open(struct message *m, struct span line);
// Second step, for a known type: the rest of the message. Returns false if its syntax is wrong (m->wrong).
bool message_read(struct message *m, struct span line);

extern const char *const message_rotations[]; // "north", "east", ..., ended by NULL

// A complete semantic version (T3.12): its major number, or -1.
int message_version_major(const char *version);
bool message_is_table_name(const char *name); // T3.9
