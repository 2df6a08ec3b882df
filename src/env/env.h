// Game-RL: tables, agents, steps, episodes (G9-G28). It knows no transport and reads no clock: a front such as an MCP
// session passes tool calls and the time, and delivers replies and notifications. Times are microseconds and never go
// back. All functions are called on one thread.
#pragma once

#include "base/json_read.h"
#include "base/text.h"
#include "bots/bot.h"
#include "codec/codec.h"
#include "env/arena.h"
#include "kit/environment.h"
#include "kit/kit.h"
#include "render/render.h"
#include "work/work.h"

enum { ENV_MAX_REQUEST = 256 << 10 }; // most bytes of one request if other clients share the loop

struct env;      // a host: its games and tables
struct env_conn; // one connection, with its agents

// A game as an environment: what the rooms below know of it, and its house bots by level 0..3 (G22.10).
struct env_game {
    const struct game *game;
    const struct codec *codec;
    const struct env_facts *environment; // NULL: `kit` has it made when it is needed, by observing random games
    const struct game_kit *kit;
    const struct render_picture *picture;
    const struct bot *bots[4]; // NULL above 0: the previous one
};

// The contents of a trajectory (G19.3), as it happens: one JSON object each, whose first member `k` is its kind. There
// is one step per advance, with what was accepted, so that a list of records can be replayed in lockstep; house bots
// follow from the seed.
struct env_record {
    const char *kind;  // reset, step, message, agent
    const char *table; // "" for a connection's own table
    int number;        // number of the table in its group
    uint64_t episode;
    struct span json;
};

struct env_options {
    const struct env_game *games; // ends with a NULL game
    const char *pinned;           // --game; NULL: unpinned (G22.3)
    const char *scenario;         // --scenario, NULL: the game's
    int seats;                    // --seats, 0: the scenario's
    bool has_seed;
    int64_t seed;  // --seed, for the first episode
    int bot_level; // --bots [2]
    bool strict, allow_debug, metrics, brief;
    int tables;                                                 // --tables [1] (G1.6)
    int min_agents, turn_limit_s, bot_delay_ms, auto_restart_s; // for the live clock; auto_restart_s -1: off
    int step_deadline_ms, poll_max_ms;
    int max_agents;
    const char *table_talk;        // free, public, off; NULL: by the session
    const char *data_dir;          // for trajectories only; created when needed
    int traj_files, traj_mib;      // limits of what clients may save there [0: no limit]
    int own_files, own_mib;        // and of each of them
    const char *record;            // --record, or NULL
    size_t record_bytes;           // of a recording in memory [64 MiB]; 0: none, so nothing can be saved (G19.1)
    uint64_t record_steps;         // likewise [1000000]
    const char *results_url;       // or NULL
    const char *vision_dir;        // absolute path; NULL: POSIX shared memory (G20.4)
    int vision_memory_mib;         // of all vision streams together [256]
    bool vision_crc;               // frames have a checksum
    const char *version;           // of agon
    bool named_tables;             // config.table of register_agent may name a table (G1.7): shared hosts
    int tables_per_client;         // named tables that a client may create (env_hooks.client) [0: no limit]
    int linger_s;                  // how long named tables without connections are kept [300]; 0: for ever
    const struct env_arena *arena; // for config.queue (G1.9); NULL: none
    const char *unix_socket;       // address of the host, for the manifest; NULL: none
    int64_t epoch_us;              // plus now_us it is the time since 1970, UTC
    void (*on_record)(void *recorder, const struct env_record *r); // in addition; may be NULL
    void *recorder;
    int64_t (*stopwatch_us)(void); // measures steps for their metrics; NULL: they report 0
    // Random bytes for keys, salts and secrets. NULL: from the system; tests pass fixed ones.
    void (*entropy)(void *owner, void *out, size_t size);
    void *entropy_owner;
    struct work *work; // for long calls; NULL: no other clients (stdio)
};

// The result of a tool call or a resource: `body` is one JSON value.
struct env_result {
    int code;         // 0, or a JSON-RPC error code (G9.1)
    const char *name; // of the error: data.name
    const char *message;
    // Code 0: the structured content; else the members of data besides name, without braces ("" for none).
    struct span body;
};

// Callbacks of a connection. `owner` is the session's. Spans are valid during the call, and no callback may call the
// host. What is reported during env_call belongs after the reply to that call (G5.8, G16.5).
struct env_hooks {
    void (*on_answer)(void *owner, uint64_t call, const struct env_result *r); // of a pending call
    void (*on_notify)(void *owner, const char *method, struct span params);    // notifications/event
    void (*on_changed)(void *owner, const char *uri); // a resource; the session may combine several
    void (*on_progress)(void *owner, uint64_t call, uint64_t progress, uint64_t total);
    void (*on_log)(void *owner, const char *level, const char *message);
    uint64_t (*client)(void *owner); // number that tables are counted by, 0: none; may be NULL
};

struct env_tool {
    const char *name, *title, *description;
    const char *input, *output; // JSON Schemas (G4.2); output NULL: the reply is text
    bool read_only, destructive, idempotent;
    // The input schema shown to clients, with @G for the games, @M for examples of moves; NULL: unchanged.
    const char *shown;
};
extern const struct env_tool env_tools[]; // in the order of G4.1; ends with a NULL name
// For language models: one seat of a connection of its own, text in and out (M52). Bodies are {"text","step","image"?}.
extern const struct env_tool *const env_player_tools; // ended by a NULL name
void env_write_input(const struct env *env, const struct env_tool *tool, struct text *t);
void env_name_seat(struct env_conn *c, const char *handle); // the seat's handle, for the reply to join

void env_defaults(struct env_options *o);
struct env *env_create(const struct env_options *o); // owns tables and recordings
// G21.5: announces to all clients that all agents leave. Afterwards they leave one by one and nothing advances.
void env_announce_end(struct env *env);
void env_destroy(struct env *env);
int env_count_tables(const struct env *env);       // named tables
uint64_t env_count_refused(const struct env *env); // named tables refused so far: no room, or too many of one client
// Live clocks and deadlines; returns when to call again at the latest.
int64_t env_advance(struct env *env, int64_t now_us);

// Connects to a table by name (shared), or NULL: its own table (exclusive). `game` for a new table, or NULL. Returns
// NULL and sets `refused` if the host is pinned to another game. The client that names a new table owns it
// (access.c).
struct env_conn *env_connect(struct env *env, const struct env_hooks *hooks, void *owner, const char *table,
                             const char *game, struct env_result *refused);
void env_disconnect(struct env_conn *c, int64_t now_us);
// Identifies the client for what outlives its connection: its address, or "local" (the default) for the user who runs
// the server. Sessions do not count as clients, because anybody can open another.
void env_name_caller(struct env_conn *c, const char *caller);

// A tool call; `call` identifies it for on_answer and env_cancel, `progress`: on_progress is wanted. Returns true if
// `r` is the reply, valid until the next call on this host; false if the call is pending.
bool env_call(struct env_conn *c, uint64_t call, struct span tool, struct span arguments, bool progress, int64_t now_us,
              struct env_result *r);
bool env_is_argument(const struct env *env, const struct env_tool *tool,
                     struct json_string key); // its own, or an alias
void env_cancel(struct env_conn *c, uint64_t call);
bool env_is_busy(
    const struct env_conn *c);         // a call of this connection is in progress as a job: its news wait for the reply
void env_finish_jobs(struct env *env); // before closing: ends long calls early

// Resources (G5). Returns false if this connection has no such uri. The list is fixed: env_resources.
struct env_resource {
    const char *uri, *name, *description, *mime; // a template if the uri has braces
};
extern const struct env_resource env_resources[];
bool env_read(struct env_conn *c, struct span uri, struct text *out, const char **mime);

// What initialize and prompts need to know about the connection's game.
const struct env_facts *env_facts_of(const struct env_game *g);
const struct env_game *env_game_of(const struct env_conn *c);
bool env_is_pinned(const struct env_conn *c);
const struct env_game *env_pinned_game(const struct env *env); // of the whole host; NULL: none
bool env_is_exclusive(const struct env_conn *c);
bool env_has_agents(const struct env_conn *c);
struct env_guide {
    const char *agent_id, *scenario, *seat; // each NULL: unknown
    const struct env_arena *arena;          // whose rules apply; NULL: the scenario's
};
void env_write_guide(struct text *out, const struct env_game *g, const struct env_guide *of); // G6.2
// Agent ids of the connection that begin with `prefix`, as JSON strings in an open array (G6.4).
void env_complete_agents(const struct env_conn *c, struct span prefix, struct text *out, int most);
