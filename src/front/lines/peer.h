// The client's side of the adapter protocol: parses what an adapter sends and writes what a client sends. Works with
// any adapter of the standard, 2.x or 3.x, and notes which fields were present.
#pragma once

#include "base/text.h"

#include <stdbool.h>
#include <stdint.h>

enum peer_type { PEER_UNKNOWN, PEER_WELCOME, PEER_OBSERVATION, PEER_ACK, PEER_ERROR };

enum { PEER_CELLS = 200, PEER_NEXT = 5, PEER_EVENTS = 4, PEER_TEXT = 64 };

// Fields of an observation, as bits of `fields`.
enum peer_field {
    PEER_SEQ = 1 << 0,
    PEER_TS = 1 << 1,
    PEER_PLAYABLE = 1 << 2,
    PEER_PAUSED = 1 << 3,
    PEER_GAME_OVER = 1 << 4,
    PEER_EPISODE_ID = 1 << 5,
    PEER_SEED = 1 << 6,
    PEER_PIECE_ID = 1 << 7,
    PEER_STEP_IN_PIECE = 1 << 8,
    PEER_BOARD = 1 << 9,
    PEER_BOARD_ID = 1 << 10,
    PEER_ACTIVE = 1 << 11,
    PEER_GHOST_Y = 1 << 12,
    PEER_NEXT_PIECE = 1 << 13,
    PEER_NEXT_QUEUE = 1 << 14,
    PEER_HOLD = 1 << 15,
    PEER_CAN_HOLD = 1 << 16,
    PEER_LAST_EVENT = 1 << 17,
    PEER_EVENT_LIST = 1 << 18,
    PEER_STATE_HASH = 1 << 19,
    PEER_SCORE = 1 << 20,
    PEER_LEVEL = 1 << 21,
    PEER_LINES = 1 << 22,
    PEER_TIMERS = 1 << 23,
    PEER_LOGICAL_STEP = 1 << 24,
    PEER_CONTROLLER_ID = 1 << 25,
};

struct peer_event {
    uint8_t lines;
    uint8_t spin; // 0 none, 1 mini, 2 full
    bool back_to_back;
    int32_t combo;
    uint32_t score;
};

struct peer_observation {
    uint32_t fields;
    bool playable, paused, game_over, can_hold;
    uint8_t cells[PEER_CELLS]; // row 0 first
    uint8_t kind;              // of the active piece, 1..7 for i o t s z j l; 0: none
    uint8_t rotation;
    int x, y, ghost_y; // in the adapter's coordinates
    uint8_t next, queue[PEER_NEXT], hold;
    struct peer_event last, events[PEER_EVENTS];
    int event_count;
    uint64_t logical_step, episode_id, seed, piece_id, step_in_piece, board_id, score, level, lines;
    uint64_t drop_ms, lock_ms, line_clear_ms;
    uint64_t controller_id; // 0: null or absent
    char state_hash[PEER_TEXT];
};

struct peer_welcome {
    char protocol_version[PEER_TEXT], game_id[PEER_TEXT], role[PEER_TEXT];
    char ruleset[PEER_TEXT], coordinates[PEER_TEXT], clock[PEER_TEXT], hash[PEER_TEXT],
        table[PEER_TEXT];              // may be empty
    uint64_t client_id, controller_id; // 0: null or absent
    uint32_t always;                   // features_always, as fields
    uint32_t fields;                   // PEER_SEQ.. are not used here: bits of enum peer_welcome_field
    bool lockstep;                     // among the features
};

enum peer_welcome_field {
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

struct peer_message {
    enum peer_type type;
    uint64_t seq;
    int64_t ts;
    const char *wrong; // NULL, or the first violation of the standard
    union {
        struct peer_welcome welcome;
        struct peer_observation observation;
        struct {
            uint64_t applied_step; // UINT64_MAX: absent
            char state_hash[PEER_TEXT];
        } ack;
        struct {
            char code[PEER_TEXT];
            int64_t retry_after_ms; // 0: absent
            uint64_t controller_id;
        } error;
    };
};

bool peer_read(struct peer_message *m, struct span line); // false: not a message at all; m->wrong says why

// Lines with their end. `more` is added to the object of the request, or NULL.
struct peer_hello {
    const char *name, *version, *role; // role NULL: none is named
    const char *table;                 // NULL: none is named
    bool stream, lockstep, place;
};
void peer_write_hello(struct text *t, const struct peer_hello *h);
void peer_write_control(struct text *t, uint64_t seq, const char *action);
void peer_write_actions(struct text *t, uint64_t seq, const char *const *actions, int count, const uint64_t *seed);
void peer_write_place(struct text *t, uint64_t seq, int x, int rotation, bool hold);
