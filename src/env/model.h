// The data model of environments: agents, tables, groups of tables, connections, waiting calls, and the host.
//
// A connection is at a group: one table, or the numbered ones of --tables. A table is one environment. A call that has
// to wait for other connections is pending; it becomes an advance of its table when all have committed (G12.8).
#pragma once

#include "base/json_write.h"
#include "env/env.h"
#include "env/limits.h"
#include "match/decision_numbers.h"
#include "match/match.h"
#include "traj/traj.h"

// Events that no reply has shown to the agent yet: JSON objects, separated by commas.
struct env_events {
    struct text text;
    uint32_t begins[2 * ENV_NEWS];
    uint32_t count;
    uint64_t dropped;
    uint32_t messages; // unread messages among them, for their limit (G16.3)
};

struct env_notice { // the end of an episode that was not reported yet (G10.10)
    bool due, done, truncated;
    uint8_t ending;
    double earned[GAME_MAX_REWARDS];
};

// A part of env->recorded, valid while both numbers are still those of its table and of the text.
struct env_recorded_part {
    uint64_t record, text;
    size_t at, size;
    bool drawn; // its streams show that moment
};

struct env_agent {
    struct env_agent *next;          // of the group, in order of registration
    struct env_agent *next_at_table; // of its table, likewise
    struct env_conn *conn;
    struct env_table *table;
    char id[ENV_ID_ROOM], uri[ENV_ID_ROOM + 32]; // uri: of its observation
    uint8_t id_size, type, scope, state, clock, profile, legal, capabilities;
    uint8_t vector; // version of its vector's layout (V31)
    bool wants_hash;
    int seat;                        // or -1
    int team;                        // of a ColonyManager: 0, 1; or -1
    uint64_t keys;                   // requested keys of its profile, by position
    uint64_t masked;                 // actions it may not use, by position
    double weight[GAME_MAX_REWARDS]; // 0: the component was not requested
    int64_t registered_us;
    uint64_t last_step;
    double total_reward;
    double earned[GAME_MAX_REWARDS];     // since its last reply
    double unrecorded[GAME_MAX_REWARDS]; // since its last entry in the recording
    bool end_recorded;                   // the recording has the end of its episode
    struct env_recorded_part recorded;   // its observation in the last record
    uint64_t since;                      // position of the recording when it registered
    bool done, truncated;                // of its episode, when TERMINAL
    bool end_reported;                   // that it is TERMINAL was reported
    uint8_t ending;
    struct env_notice notice; // about an earlier episode
    struct env_events news;
    uint32_t pending; // number of pending calls
    int64_t talk_us;  // start of the current second
    uint32_t talked;  // messages in it
    bool was_to_act;  // live: at the last boundary
    bool unseen;      // live: it has to act now, and no reply has said so
    bool woken;       // live: a message arrived

    struct env_streams *streams; // its pictures (vision.c); NULL: none
    struct env_player *player;   // it gets text (player.h); NULL: it gets JSON
};

struct env_house { // random streams of house bots, for the seats in `known` of the match with this root
    struct rng root, stream[GAME_MAX_SEATS];
    unsigned known;
};

// What an episode of a shared table reveals at its end (G17.6).
struct env_reveal {
    uint64_t episode; // 0: none
    uint8_t key[RNG_KEY_BYTES], salt[32];
    bool has_seed, seeded;
    int64_t seed;
};

struct env_table {
    struct env_group *group;
    struct env_agent *agents; // linked by next_at_table, in order of registration
    int number;
    struct traj_recording *recording; // the recording; NULL: nothing yet
    struct traj_journal *journal;     // --record; NULL: none, or it failed
    uint64_t records;                 // number so far: every change of the state is one
    char hash[ENV_HASH_ROOM];         // of the last step
    bool journal_failed;
    struct env_replay *replay; // a trajectory being replayed, step by step or in real time
    const struct env_game *row;
    const struct env_facts *kit;
    struct match match;
    struct mind_memory *minds;  // for every bot of the row at every seat, because seats change hands
    union game_history history; // what vector 2 shows and the state does not have
    struct game_events happened;
    struct game_event *past; // public events, oldest first
    uint32_t past_count;
    uint64_t past_ticks[ENV_PAST]; // the ticks of these events
    uint64_t episode;              // 0: none yet
    bool running;                  // an episode is running; false: none yet, or over
    bool paused;
    bool acting;                       // actions of calls are being applied: none of these calls may be freed now
    bool answers_deferred;             // meanwhile their episode has ended (env_pending_answer_deferred)
    uint8_t phase;                     // reported last
    seat_set killed;                   // by kill_entity
    const struct env_pending *watcher; // call that wants progress reports of an advance
    int scenario;
    char scenario_name[64];
    uint64_t tick, max_ticks;
    int64_t started_us; // when the episode began
    int64_t world_us;   // when a tick was last reported as a change of game://world
    uint8_t key[RNG_KEY_BYTES], salt[32];
    uint8_t hash_version; // 2: with a secret salt, and digests that never repeat
    bool has_seed;        // the episode has one
    bool seeded;          // a client chose its seed or its deal, or may know its key
    bool had_debug;       // a client had debug in it
    int64_t seed;
    struct env_reveal last; // of the previous episode
    struct env_house house;
    struct decision_numbers question; // for the numbers of house decisions
    uint8_t level[GAME_MAX_SEATS];    // of the house bots
    float aggro[GAME_MAX_SEATS];      // how boldly they play, 0 to 1 (set_aggro)
    uint8_t hour, minute;             // ambient time of day: seen in observations and in the light of pictures
    uint32_t age[GAME_MAX_SEATS];     // live: ticks since the seat was asked
    int64_t due_us;                   // live: the next boundary; 0: the clock is stopped
    int64_t idle_us;                  // live: when the episode ended
    uint32_t house_wait;              // live: ticks since a house bot was asked
    uint64_t seat_wins[GAME_MAX_SEATS], matches; // of house seats (G23.5)
    double visual[3];                            // values of the visual randomisation
    char *conversation[ENV_TALK];                // JSON, oldest first
    int conversation_count;
    char *drawn; // domain_randomization of the episode, as JSON
    struct env_digests *digests;
};

struct env_replay;
struct env_saving;
struct env_pass;
struct env_job;
struct env_group {
    struct env_group *next;
    struct env_job *held; // a job is using the tables: nothing else changes them until it has ended; NULL: none
    bool recheck;         // has to be checked whether all have committed (env_try_advance)
    bool answers_due;     // env_live_clock_answer is due
    struct env *env;
    char name[ENV_NAME_ROOM]; // "": a connection's own
    bool shared, pinned;
    bool shadow;                    // replays a trajectory: has no connections, and is not recorded
    int bot_delay_ms, turn_limit_s; // live: the host's, or those of a trajectory
    int refs;                       // connections, and calls that may move one away
    uint64_t step_id, message_id;   // the last ones
    struct env_agent *agents;       // in order of registration
    int agent_count;
    bool seeded; // a seed was ever given
    struct env_pending *pending;
    struct env_arena_seat *arena_seat; // of its one agent; NULL: a table of ours
    int64_t left_us;                   // when the last connection left
    uint64_t client;                   // who created it (env_hooks.client)
    bool used;                         // it had an agent
    struct env_pass *passes;           // shared: who owns the table, who has given the join secret
    char owner_secret[ENV_SECRET_ROOM], join_secret[ENV_SECRET_ROOM]; // join_secret "": everybody may join
    int wrong_secrets;                                                // wrong secrets in the current minute
    int64_t wrong_us;                                                 // start of that minute
    int count;
    struct env_table table[];
};

struct env_conn {
    struct env_conn *next;
    struct env *env;
    struct env_group *group;
    struct env_group *home; // where it was before it went to the arena; NULL: it did not
    const struct env_hooks *hooks;
    void *owner;
    int agent_count;
    uint64_t held_episode; // the last one in which it had a seat
    int wrong_secrets;     // wrong secrets it has given
    bool gone;
    char caller[TRAJ_CALLER_ROOM];
    bool leaving;                 // disconnected; freed when the job at its table has ended
    char handle[ENV_HANDLE_ROOM]; // of its one player; empty: none
};

// An accepted action.
struct env_command {
    const struct env_action *row; // NULL: wait
    struct game_action move;      // of a seat or of the master
    int seat;                     // the seat it moves or concerns, or -1
    double vector[2];             // of a continuous action
    bool is_vector;
    int index;          // the action's number, or -1
    struct span params; // merged, as JSON; valid as long as the call
    struct span source; // as received
};

struct env_reply_part { // a part of env_pending.answers
    size_t at, size;
};

struct env_item {
    struct env_agent *agent;
    struct env_command command;
    struct span action;                     // as received
    uint32_t ticks;                         // 0: those of the call
    bool notice;                            // replied to with a terminal notice
    bool dropped;                           // it had become illegal when it was its turn
    size_t answer_at, answer_size;          // in env_pending.answers: its reply, if it is written already
    struct env_reply_part foreign_refusals; // refusals of earlier steps whose agents are not the client's
};

// A step or a batch, checked and ready. One that need not wait is stored in the host.
struct env_pending {
    struct env_pending *next;
    struct env_conn *conn;
    uint64_t call;
    bool progress, batch;
    bool outside; // not part of the barrier: async, or live under a training clock
    bool applied; // its actions are in the state
    bool ready;   // live: nothing more to wait for
    bool dropped; // cancelled while a job was using its table: freed when that has ended
    uint8_t sync;
    uint32_t ticks, left;
    int turn;     // of a sequence: the current step; after the last: all were replied to
    char *params; // its parameters
    int64_t since_us, sent_us;
    char *arguments;
    struct text answers;                    // replies to single items: refusals, and steps of a sequence
    struct env_reply_part foreign_refusals; // after the last item
    int count;
    struct env_item item[];
};

// The schemas of tools and actions, compiled.
struct env_schema;
struct env_schemas {
    struct {
        const void *of;
        const struct env_schema *schema;
    } at[ENV_MAX_SCHEMAS];
    int count;
    struct env_schema *all;
};

// A member of an action being read (action_input.h).
struct env_member {
    struct json_string key;
    struct json_value value;
    uint32_t params;
};
struct env_members {
    struct env_member *at;
    size_t count, room;
};

// Buffers of a call. Each job has its own, which is in `struct env` while the job runs.
#define ENV_BUFFERS                                                                                                    \
    struct text out;   /* the answer */                                                                                \
    struct text error; /* its data */                                                                                  \
    struct text view, scratch, merged, aliased, hashed, recorded;                                                      \
    struct env_members members;                                                                                        \
    uint64_t recorded_texts;  /* the number of the text that stands in `recorded` */                                   \
    size_t record_at;         /* of the record being written */                                                        \
    struct env_pending *call; /* the running one */                                                                    \
    int64_t call_us;          /* by the stopwatch, when the running call began */
struct env_buffers {
    ENV_BUFFERS
};

struct env {
    struct env_options o;
    struct env_group *groups;
    struct env_conn *conns;
    union {
        struct {
            ENV_BUFFERS
        };
        struct env_buffers buffers;
    };
    char message[1536]; // of the last refusal; env_result.message may point here
    struct env_schemas schemas;
    struct game_action **numbers; // by game and number, if the number alone determines the action (actions.h)
    int64_t now_us;

    uint32_t players; // numbered so far
    uint64_t client;  // who creates tables in the current call (env_hooks.client)
    uint64_t tables_refused;
    uint64_t vision_bytes;                  // in all streams
    uint32_t vision_session, vision_number; // for their names; session 0: not drawn yet
    bool ending;                            // all clients were notified
    struct env_replay *replays;
    struct env_saving *savings; // trajectories being saved
    struct traj_save_folder *save_folder;
    struct traj_pool *recordings;               // their memory
    uint64_t texts;                             // how often a `recorded` was restarted
    struct env_job *job;                        // the running one; NULL: the loop
    struct env_job *jobs;                       // all that have not ended
    struct env_job *saver;                      // the one that saves; NULL: none
    struct env_waiting *waiting, **waiting_end; // calls whose table is held, in order of arrival
    struct env_buffers loop_buffers;            // of the loop, while a job runs
    struct env_buffers *buffer_sets;            // of ended jobs, for reuse
    int buffer_set_count;
};
