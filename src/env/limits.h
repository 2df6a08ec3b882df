// Limits, costs, and the words of Game-RL with their names on the wire.
#pragma once

#include "kit/environment.h"

#define RL_GAME_RL_VERSION "1.0.0"

enum {
    RL_AGENTS = 16,       // at a table, unless --max-agents says otherwise (G21.1)
    RL_MAX_AGENTS = 4096, // of --max-agents, and of a trajectory
    RL_ID_ROOM = 129,
    RL_NAME_ROOM = 65,
    RL_MAX_TICKS = 100000,
    RL_MAX_BATCH = 256,
    RL_NEWS = 256, // events in one answer
    RL_PAST = 2048,
    RL_TALK = 50, // lines of conversation that are kept
    RL_MAX_KEYS = 64,
    RL_COMMON_KEYS = 9, // of a seat's observation, before those of the game (G22.4)
    RL_MAX_ACTIONS = 32,
    RL_HASH_ROOM = 72, // "sha256:", 64 digits, NUL
    RL_LIVE_QUEUE = 8,
    RL_MAX_SCHEMAS = 128,
    RL_SECRET_LEAST = 12, // characters of a join secret
    RL_SECRET_ROOM = 65,
    RL_MAX_TABLES = 1024,       // named ones of a host
    RL_MAX_WAITING = 64,        // calls of a connection that wait for the end of a long one at their table,
    RL_WAITING_BYTES = 1 << 20, // and their arguments together
};

// What work costs, in units of about a microsecond (work/work.h), measured with the release build.
enum {
    RL_COST_TICK = 5,         // a tick of the game, with what it tells
    RL_COST_MOVE = 5,         // a decision of a house bot that does not search, and its effects
    RL_COST_RECORD = 10,      // a record of the recording
    RL_COST_PLAYED = 50,      // a record of a file that is played again
    RL_COST_BYTES = 256,      // so many bytes of a record that is written cost one unit more
    RL_COST_STEP = 15,        // a step object in an answer
    RL_COST_CALL = 10,        // a call besides
    RL_COST_PIXELS = 1000,    // so many pixels cost one unit
    RL_AWAY_PIXELS = 1 << 18, // more are painted by a thread
    RL_AWAY_RECORDS = 200,    // of a file, read or written by a thread at once
};

enum rl_scope { RL_EMBODIED, RL_SYSTEMIC };
enum rl_state { RL_REGISTERED, RL_ACTIVE, RL_TERMINAL };
enum rl_clock { RL_TRAINING, RL_LIVE };
enum rl_profile { RL_FULL, RL_COMPACT, RL_VECTOR };
enum rl_legal { RL_LEGAL_FULL, RL_LEGAL_MASK, RL_LEGAL_NONE };
enum rl_ending { RL_NOT_ENDED, RL_SUCCESS, RL_FAILURE, RL_TIMEOUT, RL_EXTERNAL };
enum rl_sync { RL_BARRIER, RL_SEQUENTIAL, RL_ASYNC, RL_LIVE_TICK }; // the last: of records only, told as async
enum rl_talk { RL_TALK_FREE, RL_TALK_PUBLIC, RL_TALK_OFF };

extern const char *const rl_type_names[]; // by their enums, each ended by NULL
extern const char *const rl_scope_names[];
extern const char *const rl_state_names[];
extern const char *const rl_clock_names[];
extern const char *const rl_profile_names[];
extern const char *const rl_legal_names[];
extern const char *const rl_ending_names[];
extern const char *const rl_capability_names[]; // by bit
extern const char *const rl_session_names[];    // exclusive, shared
extern const char *const rl_sync_names[];
