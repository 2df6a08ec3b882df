// What an adapter of the Tetris AI Adapter Standard sends, 2.x or 3.x, parsed by a client (message_write.h writes to
// the adapter). `fields` says which members were present.
#pragma once

#include "base/text.h"

#include <stdbool.h>
#include <stdint.h>

enum server_type { SERVER_UNKNOWN, SERVER_WELCOME, SERVER_OBSERVATION, SERVER_ACK, SERVER_ERROR };

enum { SERVER_CELLS = 200, SERVER_NEXT = 5, SERVER_EVENTS = 4, SERVER_TEXT = 64 };

// Fields of an observation, as bits of `fields`.
enum server_field {
    SERVER_SEQ = 1 << 0,
    SERVER_TS = 1 << 1,
    SERVER_PLAYABLE = 1 << 2,
    SERVER_PAUSED = 1 << 3,
    SERVER_GAME_OVER = 1 << 4,
    SERVER_EPISODE_ID = 1 << 5,
    SERVER_SEED = 1 << 6,
    SERVER_PIECE_ID = 1 << 7,
    SERVER_STEP_IN_PIECE = 1 << 8,
    SERVER_BOARD = 1 << 9,
    SERVER_BOARD_ID = 1 << 10,
    SERVER_ACTIVE = 1 << 11,
    SERVER_GHOST_Y = 1 << 12,
    SERVER_NEXT_PIECE = 1 << 13,
    SERVER_NEXT_QUEUE = 1 << 14,
    SERVER_HOLD = 1 << 15,
    SERVER_CAN_HOLD = 1 << 16,
    SERVER_LAST_EVENT = 1 << 17,
    SERVER_EVENT_LIST = 1 << 18,
    SERVER_STATE_HASH = 1 << 19,
    SERVER_SCORE = 1 << 20,
    SERVER_LEVEL = 1 << 21,
    SERVER_LINES = 1 << 22,
    SERVER_TIMERS = 1 << 23,
    SERVER_LOGICAL_STEP = 1 << 24,
    SERVER_CONTROLLER_ID = 1 << 25,
};

struct server_event {
    uint8_t lines;
    uint8_t spin; // 0 none, 1 mini, 2 full
    bool back_to_back;
    int32_t combo;
    uint32_t score;
};

struct server_observation {
    uint32_t fields;
    bool playable, paused, game_over, can_hold;
    uint8_t cells[SERVER_CELLS]; // row 0 first
    uint8_t kind;                // of the active piece, 1..7 for i o t s z j l; 0: none
    uint8_t rotation;
    int x, y, ghost_y; // in the adapter's coordinates
    uint8_t next, queue[SERVER_NEXT], hold;
    struct server_event last, events[SERVER_EVENTS];
    int event_count;
    uint64_t logical_step, episode_id, seed, piece_id, step_in_piece, board_id, score, level, lines;
    uint64_t drop_ms, lock_ms, line_clear_ms;
    uint64_t controller_id; // 0: null or absent
    char state_hash[SERVER_TEXT];
};

struct server_welcome {
    char protocol_version[SERVER_TEXT], game_id[SERVER_TEXT], role[SERVER_TEXT];
    char ruleset[SERVER_TEXT], coordinates[SERVER_TEXT], clock[SERVER_TEXT], hash[SERVER_TEXT],
        table[SERVER_TEXT];            // may be empty
    uint64_t client_id, controller_id; // 0: null or absent
    uint32_t always;                   // features_always, as fields
    uint32_t fields;                   // SERVER_SEQ.. are not used here: bits of enum server_welcome_field
    bool lockstep;                     // among the features
};

enum server_welcome_field {
    WELCOME_PROTOCOL = 1 << 0,
    WELCOME_CLIENT_ID = 1 << 1,
    WELCOME_ROLE = 1 << 2,
    WELCOME_CONTROLLER = 1 << 3,
    WELCOME_GAME_ID = 1 << 4,
    WELCOME_FORMATS = 1 << 5,
    WELCOME_MODES = 1 << 6,
    WELCOME_FEATURES = 1 << 7,
    WELCOME_POLICY = 1 << 8,
    WELCOME_ALWAYS = 1 << 9,
};

struct server_message {
    enum server_type type;
    uint64_t seq;
    int64_t ts;
    const char *wrong; // NULL, or the first violation of the standard
    union {
        struct server_welcome welcome;
        struct server_observation observation;
        struct {
            uint64_t applied_step; // UINT64_MAX: absent
            char state_hash[SERVER_TEXT];
        } ack;
        struct {
            char code[SERVER_TEXT];
            int64_t retry_after_ms; // 0: absent
            uint64_t controller_id;
        } error;
    };
};

bool server_message_read(struct server_message *m, struct span line); // false: not a message at all; m->wrong says why
