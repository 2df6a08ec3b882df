// Limits, costs, and the words of Game-RL with their names on the wire.
#pragma once

#include "kit/environment.h"

#define ENV_GAME_RL_VERSION "1.0.0"

enum {
    ENV_AGENTS = 16,             // at a table, unless --max-agents is given (G21.1)
    ENV_MAX_AGENTS = 4096,       // of --max-agents, and of a trajectory
    ENV_ID_ROOM = 129,           // of an agent: 128 characters and NUL
    ENV_NAME_ROOM = 65,          // of a table or a game: 64 characters and NUL
    ENV_HANDLE_ROOM = 24,        // of a seat handle (M22)
    ENV_MAX_TICKS = 100000,      // of one call
    ENV_MAX_BATCH = 256,         // steps of a batch_step
    ENV_NEWS = 256,              // events in one reply
    ENV_PAST = 2048,             // public events of an episode that are kept
    ENV_TALK = 50,               // lines of conversation kept
    ENV_MAX_KEYS = 64,           // of an observation: bits of env_agent.keys
    ENV_COMMON_KEYS = 9,         // of a seat's observation, before those of the game (G22.4)
    ENV_MAX_ACTIONS = 32,        // numbered actions of a systemic agent
    ENV_HASH_ROOM = 72,          // "sha256:", 64 digits, NUL
    ENV_LIVE_QUEUE = 8,          // waiting steps of an agent with the live clock (G12.15)
    ENV_MAX_SCHEMAS = 128,       // of all tools, and of the actions of all games
    ENV_SECRET_LEAST = 12,       // characters of a join secret
    ENV_SECRET_ROOM = 65,        // 64 bytes and NUL
    ENV_MAX_TABLES = 1024,       // named tables of a host
    ENV_MAX_WAITING = 64,        // calls of a connection that wait for a long one at their table
    ENV_WAITING_BYTES = 1 << 20, // total size of their arguments
};

// What work costs, in units of about a microsecond (work/work.h), measured with the release build.
enum {
    ENV_COST_TICK = 5,         // a tick of the game, with its events
    ENV_COST_MOVE = 5,         // a decision of a house bot that does not search, and its effects
    ENV_COST_RECORD = 10,      // a record in the recording
    ENV_COST_PLAYED = 50,      // a record of a file being replayed
    ENV_COST_BYTES = 256,      // bytes of a written record that cost one more unit
    ENV_COST_STEP = 15,        // a step object in a reply
    ENV_COST_CALL = 10,        // a call otherwise
    ENV_COST_PIXELS = 1000,    // pixels that cost one unit
    ENV_AWAY_PIXELS = 1 << 18, // larger pictures are painted by a worker thread
    ENV_AWAY_RECORDS = 200,    // records of a file, read or written by a worker thread at once
};

enum env_scope { ENV_EMBODIED, ENV_SYSTEMIC };
enum env_state { ENV_REGISTERED, ENV_ACTIVE, ENV_TERMINAL };
enum env_clock { ENV_TRAINING, ENV_LIVE };
enum env_profile { ENV_FULL, ENV_COMPACT, ENV_VECTOR };
enum env_legal { ENV_LEGAL_FULL, ENV_LEGAL_MASK, ENV_LEGAL_NONE };
enum env_ending { ENV_NOT_ENDED, ENV_SUCCESS, ENV_FAILURE, ENV_TIMEOUT, ENV_EXTERNAL };
enum env_sync { ENV_BARRIER, ENV_SEQUENTIAL, ENV_ASYNC, ENV_LIVE_TICK }; // the last: in records only, reported as async
enum env_talk { ENV_TALK_FREE, ENV_TALK_PUBLIC, ENV_TALK_OFF };

extern const char *const env_type_names[]; // by their enums, each ended by NULL
extern const char *const env_scope_names[];
extern const char *const env_state_names[];
extern const char *const env_clock_names[];
extern const char *const env_profile_names[];
extern const char *const env_legal_names[];
extern const char *const env_ending_names[];
extern const char *const env_capability_names[]; // by bit
extern const char *const env_session_names[];    // exclusive, shared
extern const char *const env_sync_names[];
