// What an environment is made of: agents, tables, groups of tables, connections, calls that wait, and the host.
//
// A connection sits at a group: one table, or the numbered ones of --tables. A table is one environment. A call that
// has to wait for other connections is parked; it becomes an advance of its table when all have committed (G12.8).
#pragma once

#include "base/json_write.h"
#include "env/env.h"
#include "env/limits.h"
#include "match/match.h"
#include "match/question.h"
#include "traj/traj.h"

// What an agent has not been told yet: JSON objects one after the other.
struct env_events {
    struct text text;
    uint32_t begins[2 * ENV_NEWS];
    uint32_t count;
    uint64_t dropped;
    uint32_t messages; // unread ones among them, for their limit (G16.3)
};

struct env_notice { // the end of an episode that has not been told (G10.10)
    bool due, done, truncated;
    uint8_t ending;
    double earned[GAME_MAX_REWARDS];
};

// A piece of env->recorded, as long as both numbers are still those of its table and of the text.
struct env_seen {
    uint64_t record, text;
    size_t at, size;
    bool drawn; // its streams show that moment
};

struct env_agent {
    struct env_agent *next;   // of the group, in the order of registration
    struct env_agent *beside; // of its table, likewise
    struct env_conn *conn;
    struct env_table *table;
    char id[ENV_ID_ROOM], uri[ENV_ID_ROOM + 32]; // uri: of its observation
    uint8_t id_size, type, scope, state, clock, profile, legal, capabilities;
    uint8_t vector; // version of the layout of its vector (V31)
    bool wants_hash;
    int seat;                        // or -1
    int team;                        // of a ColonyManager: 0, 1; or -1
    uint64_t keys;                   // of its profile, by place; those it asked for
    uint64_t masked;                 // actions it may not use, by place
    double weight[GAME_MAX_REWARDS]; // 0: the component is not asked for
    int64_t registered_us;
    uint64_t last_step;
    double total_reward;
    double earned[GAME_MAX_REWARDS]; // since its last answer
    double unkept[GAME_MAX_REWARDS]; // since its last entry in the recording
    bool kept_end;                   // the recording has the end of its episode
    struct env_seen seen;            // its observation in the last record
    uint64_t since;                  // where the recording stood when it came
    bool done, truncated;            // of its running episode, when TERMINAL
    bool end_reported;               // that it is TERMINAL
    uint8_t ending;
    struct env_notice notice; // of an episode before the running one
    struct env_events news;
    uint32_t parked; // calls
    int64_t talk_us; // begin of the running second,
    uint32_t talked; // messages in it
    bool was_to_act; // live: at the last boundary
    bool unseen;     // live: it newly must act, and no answer has said so
    bool woken;      // live: a message came

    struct env_streams *streams; // its pictures (env_vision.c); NULL: none
    struct env_player *player;   // its answers are text (player.h); NULL: they are JSON
};

struct env_house { // streams of the seats in `known`, of the match with this root
    struct rng root, stream[GAME_MAX_SEATS];
    unsigned known;
};

// What an episode of a shared table reveals when it is over (G17.6).
struct env_reveal {
    uint64_t episode; // 0: there is none
    uint8_t key[RNG_KEY_BYTES], salt[32];
    bool has_seed, seeded;
    int64_t seed;
};

struct env_table {
    struct env_group *group;
    struct env_agent *agents; // those of the group that are here
    int number;
    struct traj_keep *kept;   // the recording; NULL: nothing yet
    struct traj_tape *tape;   // --record; NULL: none, or it failed
    uint64_t records;         // so far: any change of the state is one
    char hash[ENV_HASH_ROOM]; // of the last step's
    bool tape_failed;
    struct env_play *play; // step by step, or as time goes
    const struct env_game *row;
    const struct env_facts *kit;
    struct match match;
    struct house_room *minds;   // of the match: of every bot of the row at every seat, since seats change hands
    union game_history history; // of the match: what vector 2 shows and the state does not keep
    struct game_events happened;
    struct game_event *past; // what everybody has seen, oldest first
    uint32_t past_count;
    uint64_t past_ticks[ENV_PAST]; // when
    uint64_t episode;              // 0: none yet
    bool running;                  // an episode is on; false: none yet, or over
    bool paused;
    bool acting;                      // actions of calls are being applied: none of these calls may go now,
    bool cut_off;                     // though their episode has ended; afterwards (env_settle_cut)
    uint8_t phase;                    // told last
    seat_set killed;                  // by kill_entity
    const struct env_parked *watcher; // who wants to know how an advance goes on
    int scenario;
    char scenario_name[64];
    uint64_t tick, max_ticks;
    int64_t started_us;
    int64_t world_us; // when a tick was told last as a change of game://world
    uint8_t key[RNG_KEY_BYTES], salt[32];
    uint8_t hash_version; // 2: with a secret salt, and digests that never repeat
    bool has_seed;        // the running episode has one
    bool seeded;          // somebody chose its seed or its deal, or may know its key
    bool bared;           // somebody had debug in it
    int64_t seed;
    struct env_reveal last; // of the episode before
    struct env_house house;
    struct match_question question; // that of the running episode, for the numbers of house decisions
    uint8_t level[GAME_MAX_SEATS];  // of the house bots
    float aggro[GAME_MAX_SEATS];
    uint8_t hour, minute;
    uint32_t age[GAME_MAX_SEATS];                // live: ticks since the seat is asked
    int64_t due_us;                              // live: the next boundary; 0: the clock stands
    int64_t idle_us;                             // live: when the episode ended
    int64_t house_us;                            // live: when the house decides
    uint32_t house_wait;                         // live: ticks until then
    uint64_t seat_wins[GAME_MAX_SEATS], matches; // of house seats (G23.5)
    double visual[3];                            // values of the visual randomisation
    char *conversation[ENV_TALK];                // JSON, oldest first
    int conversation_count;
    char *drawn; // domain_randomization of the running episode, as JSON
    struct env_digests *digests;
};

struct env_play;
struct env_saving;
struct env_pass;
struct env_job;
struct env_group {
    struct env_group *next;
    struct env_job *held; // a job is at work here: nothing else changes the tables until it has ended; NULL: none
    bool again;           // whether all have committed must be looked at (env_try_advance)
    bool unsettled;       // env_live_settle is due
    struct env *env;
    char name[ENV_NAME_ROOM]; // "": a connection's own
    bool shared, pinned;
    bool shadow;                    // plays a trajectory again: nobody sits here, nothing is recorded
    int bot_delay_ms, turn_limit_s; // live: the host's, or those of a trajectory
    int refs;
    uint64_t step_id;
    uint64_t message_id;
    struct env_agent *agents; // in the order of registration
    int agent_count;
    bool seeded; // it was ever given a seed
    struct env_parked *parked;
    struct env_place *place; // of the one agent here, in the arena; NULL: the table is our own
    int64_t left_us;         // when the last connection went
    uint64_t client;         // who made it (env_hooks.client)
    bool used;               // it has had an agent
    struct env_pass *passes; // shared: who owns the table, who has shown the join secret
    char owner_secret[ENV_SECRET_ROOM], join_secret[ENV_SECRET_ROOM]; // join_secret "": everybody may join
    int wrong;                                                        // secrets in the running minute,
    int64_t wrong_us;                                                 // which began then
    int count;
    struct env_table table[];
};

struct env_conn {
    struct env_conn *next;
    struct env *env;
    struct env_group *group;
    struct env_group *home; // where it sat before it went to the arena; NULL: it did not
    const struct env_hooks *hooks;
    void *owner;
    int agent_count;
    uint64_t held_episode; // the last one in which it had a seat
    int wrong;             // secrets it has given
    bool gone;
    char caller[TRAJ_CALLER_ROOM];
    bool leaving;                 // gone, and forgotten when the job at its table has ended
    char handle[ENV_HANDLE_ROOM]; // of its one player, for whoever plays; empty: it has none
};

// An action as it was accepted.
struct env_command {
    const struct env_action *row; // NULL: wait
    struct game_action move;      // of a seat or of the master
    int seat;                     // whom it moves or concerns, or -1
    double vector[2];             // of a continuous action
    bool is_vector;
    int index;          // the action's number, or -1
    struct span params; // merged, as JSON; lives as long as the call
    struct span source; // the action as it came
};

struct env_answer_part { // within `told` of a call
    size_t at, size;
};

struct env_item {
    struct env_agent *agent;
    struct env_command command;
    struct span action;               // as it came
    uint32_t ticks;                   // 0: those of the call
    bool notice;                      // answered by a terminal notice
    bool dropped;                     // it had become illegal when its time came
    size_t answer_at, answer_size;    // in `told`: its answer, when that is written already
    struct env_answer_part strangers; // refusals of steps before it whose agents are not the caller's
};

// A step or a batch, checked and ready. One that need not wait lives on the host.
struct env_parked {
    struct env_parked *next;
    struct env_conn *conn;
    uint64_t call;
    bool progress, batch;
    bool outside; // the barrier: async, or live under a training clock
    bool applied; // its actions are in the state
    bool ready;   // live: nothing more to wait for
    bool dropped; // cancelled while a job was at work at its table: it goes when that has ended
    uint8_t sync;
    uint32_t ticks, left;
    int turn;     // of a sequence: the step that acts now; behind the last: all have been answered
    char *params; // its parameters
    int64_t since_us, sent_us;
    char *arguments;
    struct text answers;              // answers of single items: refusals, and steps of a sequence
    struct env_answer_part strangers; // behind the last item
    int count;
    struct env_item item[];
};

// The schemas of tools and actions, ready for use.
struct env_schema;
struct env_schemas {
    struct {
        const void *of;
        const struct env_schema *schema;
    } at[ENV_MAX_SCHEMAS];
    int count;
    struct env_schema *all;
};

// A member of an action that is being read (form.h).
struct env_member {
    struct json_string key;
    struct json_value value;
    uint32_t params;
};
struct env_members {
    struct env_member *at;
    size_t count, room;
};

// Where a call writes. Each job has its own, which stands in `struct env` while the job runs.
#define ENV_DESK                                                                                                       \
    struct text out;   /* the answer */                                                                                \
    struct text error; /* its data */                                                                                  \
    struct text view, scratch, merged, aliased, hashed, recorded;                                                      \
    struct env_members members;                                                                                        \
    uint64_t recorded_texts; /* the number of the text that stands in `recorded` */                                    \
    size_t record_at;        /* of the record being written */                                                         \
    struct env_parked *call; /* the running one */                                                                     \
    int64_t call_us;         /* by the stopwatch, when the running call began */
struct env_desk {
    ENV_DESK
};

struct env {
    struct env_options o;
    struct env_group *groups;
    struct env_conn *conns;
    union {
        struct {
            ENV_DESK
        };
        struct env_desk desk;
    };
    char message[1536];
    struct env_schemas schemas;
    struct game_action **numbers; // by game and number, where the number alone decides the action (actions.h)
    int64_t now_us;

    uint32_t players; // numbered so far
    uint64_t client;  // who makes tables in the running call (env_hooks.client)
    uint64_t tables_refused;
    uint64_t vision_bytes;                  // in all streams
    uint32_t vision_session, vision_number; // for their names; session 0: not drawn yet
    bool ending;                            // everybody has been told
    struct env_play *plays;
    struct env_saving *savings; // trajectories that are being saved
    struct traj_shelf *shelf;
    struct traj_pool *recordings;               // their memory
    uint64_t texts;                             // how often a `recorded` was begun anew
    struct env_job *job;                        // the one that runs now; NULL: the loop
    struct env_job *jobs;                       // all that have not ended
    struct env_job *saver;                      // the one that saves; NULL: none is under way
    struct env_waiting *waiting, **waiting_end; // calls whose table is held, in the order of arrival
    struct env_desk loop_desk;                  // of the loop, while a job runs
    struct env_desk *desks;                     // of jobs that have ended, for the next ones
    int desk_count;
};
