// The inside of the Game-RL layer: what its files share. Nothing here is for a session.
//
// A connection sits at a group: one table, or the numbered ones of --tables. A table is one environment. A call that
// has to wait for other connections is parked; it becomes an advance of its table when all have committed (G12.8).
#pragma once

#include "base/json_write.h"
#include "env/env.h"
#include "match/match.h"
#include "traj/traj.h"

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

// --- rl_kit.c

extern const struct rl_initial rl_common_initial[]; // of every game
int rl_kit_key_count(const struct rl_kit *k);

// The actions a type has in a game, one after the other: row i, or NULL behind the last.
const struct rl_action *rl_action_at(const struct rl_kit *k, enum rl_type type, int i);
int rl_action_find(const struct rl_kit *k, enum rl_type type, const char *name);    // -1: none
bool rl_is_denied(enum rl_type type, const char *name);                             // G11.2
bool rl_is_of_scope(const char *name, enum rl_scope scope, const struct rl_kit *k); // G11.3: not of the other one

// --- the running things

// What an agent has not been told yet: JSON objects one after the other.
struct rl_news {
    struct text text;
    uint32_t begins[2 * RL_NEWS];
    uint32_t count;
    uint64_t dropped;
    uint32_t messages; // unread ones among them, for their limit (G16.3)
};

struct rl_notice { // the end of an episode that has not been told (G10.10)
    bool due, done, truncated;
    uint8_t ending;
    double earned[GAME_MAX_REWARDS];
};

// A piece of rl->recorded, as long as both numbers are still those of its table and of the text.
struct rl_seen {
    uint64_t record, text;
    size_t at, size;
    bool drawn; // its streams show that moment
};

struct rl_agent {
    struct rl_agent *next;   // of the group, in the order of registration
    struct rl_agent *beside; // of its table, likewise
    struct rl_conn *conn;
    struct rl_table *table;
    char id[RL_ID_ROOM], uri[RL_ID_ROOM + 32]; // uri: of its observation
    uint8_t id_size, type, scope, state, clock, profile, legal, capabilities;
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
    struct rl_seen seen;             // its observation in the last record
    uint64_t since;                  // where the recording stood when it came
    bool done, truncated;            // of its running episode, when TERMINAL
    bool told;                       // that it is TERMINAL
    uint8_t ending;
    struct rl_notice notice; // of an episode before the running one
    struct rl_news news;
    uint32_t parked; // calls
    int64_t talk_us; // begin of the running second,
    uint32_t talked; // messages in it
    bool was_to_act; // live: at the last boundary
    bool unseen;     // live: it newly must act, and no answer has said so
    bool woken;      // live: a message came

    struct rl_streams *streams; // its pictures (rl_vision.c); NULL: none
};

struct rl_house { // streams of the seats in `known`, of the match with this root
    struct rng root, stream[GAME_MAX_SEATS];
    unsigned known;
};

// What an episode of a shared table reveals when it is over (G17.6).
struct rl_reveal {
    uint64_t episode; // 0: there is none
    uint8_t key[RNG_KEY_BYTES], salt[32];
    bool has_seed, seeded;
    int64_t seed;
};

struct rl_table {
    struct rl_group *group;
    struct rl_agent *agents; // those of the group that are here
    int number;
    struct traj_keep *kept;  // the recording; NULL: nothing yet
    struct traj_tape *tape;  // --record; NULL: none, or it failed
    uint64_t records;        // so far: any change of the state is one
    char hash[RL_HASH_ROOM]; // of the last step's
    bool tape_failed;
    struct rl_play *play; // step by step, or as time goes
    const struct rl_game *row;
    const struct rl_kit *kit;
    struct match match;
    struct game_events happened;
    struct game_event *past; // what everybody has seen, oldest first
    uint32_t past_count;
    uint64_t past_ticks[RL_PAST]; // when
    uint64_t episode;             // 0: none yet
    bool running;                 // an episode is on; false: none yet, or over
    bool paused;
    bool acting;                     // actions of calls are being applied: none of these calls may go now,
    bool cut_off;                    // though their episode has ended; afterwards (rl_settle_cut)
    uint8_t phase;                   // told last
    seat_set killed;                 // by kill_entity
    const struct rl_parked *watcher; // who wants to know how an advance goes on
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
    struct rl_reveal last; // of the episode before
    struct rl_house house;
    uint8_t level[GAME_MAX_SEATS]; // of the house bots
    float aggro[GAME_MAX_SEATS];
    uint8_t hour, minute;
    uint32_t age[GAME_MAX_SEATS];                // live: ticks since the seat is asked
    int64_t due_us;                              // live: the next boundary; 0: the clock stands
    int64_t idle_us;                             // live: when the episode ended
    int64_t house_us;                            // live: when the house decides
    uint32_t house_wait;                         // live: ticks until then
    uint64_t seat_wins[GAME_MAX_SEATS], matches; // of house seats (G23.5)
    double visual[3];                            // values of the visual randomisation
    char *conversation[RL_TALK];                 // JSON, oldest first
    int conversation_count;
    char *drawn; // domain_randomization of the running episode, as JSON
    struct rl_digests *digests;
};

struct rl_play;
struct rl_saving;
struct rl_pass;
struct rl_job;
struct rl_group {
    struct rl_group *next;
    struct rl_job *held; // a job is at work here: nothing else changes the tables until it has ended; NULL: none
    bool again;          // whether all have committed must be looked at (rl_try_advance)
    bool unsettled;      // rl_live_settle is due
    struct rl *rl;
    char name[RL_NAME_ROOM]; // "": a connection's own
    bool shared, pinned;
    bool shadow;                    // plays a trajectory again: nobody sits here, nothing is recorded
    int bot_delay_ms, turn_limit_s; // live: the host's, or those of a trajectory
    int refs;
    uint64_t step_id;
    uint64_t message_id;
    struct rl_agent *agents; // in the order of registration
    int agent_count;
    bool seeded; // it was ever given a seed
    struct rl_parked *parked;
    struct rl_place *place; // of the one agent here, in the arena; NULL: the table is our own
    int64_t left_us;        // when the last connection went
    uint64_t client;        // who made it (rl_hooks.client)
    bool used;              // it has had an agent
    struct rl_pass *passes; // shared: who owns the table, who has shown the join secret
    char owner_secret[RL_SECRET_ROOM], join_secret[RL_SECRET_ROOM]; // join_secret "": everybody may join
    int wrong;                                                      // secrets in the running minute,
    int64_t wrong_us;                                               // which began then
    int count;
    struct rl_table table[];
};

struct rl_conn {
    struct rl_conn *next;
    struct rl *rl;
    struct rl_group *group;
    struct rl_group *home; // where it sat before it went to the arena; NULL: it did not
    const struct rl_hooks *hooks;
    void *owner;
    int agent_count;
    uint64_t held_episode; // the last one in which it had a seat
    int wrong;             // secrets it has given
    bool gone;
    char caller[TRAJ_CALLER_ROOM];
    bool leaving; // gone, and forgotten when the job at its table has ended
};

// An action as it was accepted.
struct rl_deed {
    const struct rl_action *row; // NULL: wait
    struct game_action move;     // of a seat or of the master
    int seat;                    // whom it moves or concerns, or -1
    double vector[2];            // of a continuous action
    bool is_vector;
    int index;          // the action's number, or -1
    struct span params; // merged, as JSON; lives as long as the call
    struct span source; // the action as it came
};

struct rl_told { // within `told` of a call
    size_t at, size;
};

struct rl_item {
    struct rl_agent *agent;
    struct rl_deed deed;
    struct span action;        // as it came
    uint32_t ticks;            // 0: those of the call
    bool notice;               // answered by a terminal notice
    bool dropped;              // it had become illegal when its time came
    size_t told_at, told_size; // in `told`: its answer, when that is written already
    struct rl_told strangers;  // refusals of steps before it whose agents are not the caller's
};

// A step or a batch, checked and ready. One that need not wait lives on the host.
struct rl_parked {
    struct rl_parked *next;
    struct rl_conn *conn;
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
    int64_t since_us, told_us;
    char *arguments;
    struct text told;         // answers of single items: refusals, and steps of a sequence
    struct rl_told strangers; // behind the last item
    int count;
    struct rl_item item[];
};

// The schemas of tools and actions, ready for use.
struct rl_schema;
struct rl_schemas {
    struct {
        const void *of;
        const struct rl_schema *schema;
    } at[RL_MAX_SCHEMAS];
    int count;
    struct rl_schema *all;
};

// Where a call writes. Each job has its own, which stands in `struct rl` while the job runs.
#define RL_DESK                                                                                                        \
    struct text out;   /* the answer */                                                                                \
    struct text error; /* its data */                                                                                  \
    struct text view, scratch, merged, aliased, hashed, recorded;                                                      \
    uint64_t recorded_texts; /* the number of the text that stands in `recorded` */                                    \
    size_t record_at;        /* of the record being written */                                                         \
    struct rl_parked *call;  /* the running one */                                                                     \
    int64_t call_us;         /* by the stopwatch, when the running call began */
struct rl_desk {
    RL_DESK
};

struct rl {
    struct rl_options o;
    struct rl_group *groups;
    struct rl_conn *conns;
    union {
        struct {
            RL_DESK
        };
        struct rl_desk desk;
    };
    char message[512];
    struct rl_schemas schemas;
    int64_t now_us;

    uint64_t client; // who makes tables in the running call (rl_hooks.client)
    uint64_t tables_refused;
    uint64_t vision_bytes;                  // in all streams
    uint32_t vision_session, vision_number; // for their names; session 0: not drawn yet
    bool ending;                            // everybody has been told
    struct rl_play *plays;
    struct rl_saving *savings; // trajectories that are being saved
    struct traj_shelf *shelf;
    struct traj_pool *recordings;              // their memory
    uint64_t texts;                            // how often a `recorded` was begun anew
    struct rl_job *job;                        // the one that runs now; NULL: the loop
    struct rl_job *jobs;                       // all that have not ended
    struct rl_job *saver;                      // the one that saves; NULL: none is under way
    struct rl_waiting *waiting, **waiting_end; // calls whose table is held, in the order of arrival
    struct rl_desk loop_desk;                  // of the loop, while a job runs
    struct rl_desk *desks;                     // of jobs that have ended, for the next ones
    int desk_count;
};

// --- rl_host.c
struct rl_result rl_refuse(struct rl *rl, int code, const char *name, const char *message); // body empty so far
void rl_refusal_put(struct rl *rl, struct rl_result *r, const char *key, const char *value);
void rl_refusal_raw(struct rl *rl, struct rl_result *r, const char *key, struct span json);
struct rl_result rl_refuse_say(struct rl *rl, int code, const char *name, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
void rl_refusal_int(struct rl *rl, struct rl_result *r, const char *key, int64_t value);
struct rl_result rl_bad(struct rl *rl, const char *path, const char *expected, const char *reason); // -32602
// What is expected where there are few: "one of a, b, c", word by word.
struct rl_known {
    char text[256];
};
void rl_known_add(struct rl_known *k, const char *word);
struct rl_agent *rl_find_agent(const struct rl_group *g, struct json_string id);
struct rl_agent *rl_own_agent(struct rl_conn *c, struct json_string id, struct rl_result *r); // NULL: refused
void rl_tell_changed(struct rl_table *t, const char *what); // a resource of everybody at this table
bool rl_text_grow(struct text *t, size_t more);
bool rl_is_known_seed(const struct rl_table *t, const struct rl_conn *c); // G5.5: who may know the seed
bool rl_has(const struct rl_conn *c, enum rl_capability what);
struct rl_agent *rl_agent_at(const struct rl_table *t, int seat); // the one that plays there, ACTIVE or not; or NULL
int rl_seat_of_name(const struct rl_kit *k, const char *name);
bool rl_move(struct rl_conn *c, const char *table, struct rl_result *r); // to a named table
void rl_move_back(struct rl_conn *c, struct rl_group *before);
struct rl_table *rl_move_apart(struct rl_conn *c, const struct rl_game *row); // to a fresh table of its own
void rl_group_leave(struct rl_group *g, int64_t now_us);                      // one connection less
void rl_seat_table(struct rl_table *t, const struct rl_game *row);            // another game, no episode
const struct rl_game *rl_find_game(const struct rl *rl, const char *name);
bool rl_answer(struct rl *rl, struct rl_result *r); // what was written into rl->out
int rl_max_agents(const struct rl_group *g);
enum rl_clock rl_clock_of(const struct rl_table *t); // G12.1
void rl_unregister(struct rl_agent *a, const char *reason);
void rl_agent_enter(struct rl_agent *a); // the lists of its table and its group
void rl_agent_leave(struct rl_agent *a);
int rl_seats_of(const struct rl_table *t); // of the running episode, or of the one that a plain reset would begin
void rl_write_avatar(struct text *t, const struct rl_table *table, int seat);
void rl_write_location(struct text *t, const struct rl_table *table, int seat);              // [x,y,z] (G22.9)
void rl_write_agent(struct text *t, const struct rl_agent *a, const struct rl_conn *reader); // G5.4
void rl_write_spaces(struct text *t, const struct rl_agent *a);

// --- rl_owner.c: owners and secrets of shared tables
struct rl_entry { // what the config of a registration asks of its table
    bool owner;   // the connection is, or has shown the owner's secret
    bool sets;    // the join secret becomes `join`; "": everybody may join
    char join[RL_SECRET_ROOM];
};
void rl_entropy(const struct rl *rl, void *out, size_t size);
bool rl_is_owner(const struct rl_conn *c);    // of its table; alone at an exclusive one everybody is
bool rl_is_admitted(const struct rl_conn *c); // nothing stands between it and its table
bool rl_has_owner(const struct rl_group *g);  // the owner is connected
bool rl_refuse_owner(struct rl *rl, const char *what, struct rl_result *r); // "choose a seed"; always false
bool rl_refuse_stranger(struct rl *rl, struct rl_result *r);                // the join secret is missing; always false
void rl_owner_create(struct rl_conn *c);                                    // it has just created its table
void rl_owner_leave(struct rl_group *g, const struct rl_conn *c);
void rl_owner_release(struct rl_group *g);
bool rl_entry_check(struct rl_conn *c, struct span config, struct rl_entry *e, struct rl_result *r);
void rl_entry_apply(struct rl_conn *c, const struct rl_entry *e); // the registration has succeeded
void rl_put_owner(struct text *t, const struct rl_conn *c);       // members of its answer; shared tables only

// --- rl_reveal.c: what a shared table says about its chance
void rl_reveal_keep(struct rl_table *t);                              // its episode is about to be replaced
void rl_commitment(const struct rl_table *t, char out[RL_HASH_ROOM]); // to key and salt
void rl_put_warning(struct text *t, const struct rl_table *table);    // seeded and warning, if there is any
void rl_put_revealed(struct text *t, const struct rl_table *table);   // of the running episode, when it is over
void rl_put_previous(struct text *t, const struct rl_table *table);   // of the one before

// --- rl_job.c: long calls give way to other clients (docs/decisions/012-work-budget.md)
bool rl_call_now(struct rl_conn *c, uint64_t call, int tool, struct span arguments, bool progress,
                 struct rl_result *r); // rl_host.c
bool rl_may_be_long(const struct rl_conn *c, int tool, struct span arguments);
// A call as a job, or behind the one that holds its table; as rl_call.
bool rl_call_as_job(struct rl_conn *c, uint64_t call, int tool, struct span arguments, bool progress,
                    struct rl_result *r);
bool rl_cancel_job(struct rl_conn *c, uint64_t call);
void rl_cut_job(struct rl_job *j);      // nobody waits for it any more
void rl_job_lose(struct rl_group *g);   // the group goes: whoever holds it shall not let go of it
bool rl_leave_later(struct rl_conn *c); // true: rl_disconnect is done when the job at its table has ended
int64_t rl_run_group(struct rl_group *g, int64_t now_us); // what time brings; when next
int64_t rl_run_saving(struct rl *rl, int64_t now_us);
void rl_run_waiting(struct rl *rl);
void rl_drop_waiting(struct rl *rl, const struct rl_conn *c);
void rl_spend(struct rl *rl, uint32_t units); // may give way: what others may change is not to be relied on afterwards
void rl_away(struct rl *rl, work_run *run, void *arg); // on a thread, if this is a job
bool rl_wait_for(struct rl_group *g); // in a job: true when it has given way because another one holds the group
bool rl_is_cut(const struct rl *rl);  // nobody waits for the running job any more
void rl_desk_release(struct rl_desk *d);
void rl_desk_init(struct rl_desk *d);

// --- rl_schema.c: the part of JSON Schema 2020-12 that our schemas use
struct rl_fault {
    char path[256], expected[256];
    bool range; // the type is right, the value is not
};
// `of` is a tool or the row of an action, `path` where the value stands.
bool rl_schema_check(const struct rl_schemas *s, const void *of, struct span value, const char *path,
                     struct rl_fault *fault);
void rl_schemas_compile(struct rl_schemas *s, const struct rl_game *games);
void rl_schemas_add(struct rl_schemas *s, const void *of, struct span schema); // the text must stay
void rl_schemas_release(struct rl_schemas *s);
bool rl_json_member(struct span object, const char *key, struct span *value); // the last of this name
bool rl_json_is(struct span value, enum json_type type);
struct json_string rl_json_string(struct span value);
int64_t rl_json_int(struct span value); // beyond 64 bits: the nearest
bool rl_json_fits(struct span value);   // an integer in 64 bits
double rl_json_real(struct span value);

// --- the tools
// True: `r` is the answer; false: parked.
typedef bool rl_tool_run(struct rl_conn *c, struct rl_parked *call, struct span arguments, struct rl_result *r);
rl_tool_run rl_register, rl_deregister, rl_step, rl_reset, rl_state_hash, rl_batch, rl_message, rl_observe,
    rl_configure_streams, rl_save_trajectory, rl_load_trajectory;

// --- rl_actions.c
bool rl_action_read(struct rl *rl, struct rl_agent *a, struct span action, struct rl_deed *out, struct rl_result *r);
int rl_flat_mask(const struct rl_agent *a, int seat, char *mask); // "010..": its length; the table has an episode
void rl_write_available(struct text *t, const struct rl_agent *a, int seat); // of an agent's own seat, or of its team's
bool rl_is_asked(const struct rl_table *t, int seat);
bool rl_refuse_action(struct rl *rl, const struct rl_agent *a, struct span action, const char *reason, const char *say,
                      struct rl_result *r); // -32001; always false

// --- rl_advance.c
int rl_episode_begin(struct rl_table *t, const struct match *fresh, int64_t now_us); // the match is copied
void rl_episode_end(struct rl_table *t, struct rl_conn *by, enum rl_ending ending);  // what still runs ends for all
uint32_t rl_advance_table(struct rl_table *t, struct rl_item **items, int count, uint32_t ticks);
void rl_play_house(struct rl_table *t);
bool rl_play_house_once(struct rl_table *t);
const struct bot *rl_bot_at(const struct rl_table *t, int seat); // of the house, whoever sits there
void rl_apply_items(struct rl_table *t, struct rl_item **items, int count);
void rl_end_tick(struct rl_table *t);
void rl_tell_observations(struct rl_table *t); // they may have changed
void rl_tick_game(struct rl_table *t);         // where time moves the game
void rl_absorb(struct rl_table *t);            // what has just happened: past, news, rewards, ends
void rl_news_add(struct rl_agent *a, const char *type, uint64_t tick, int severity, struct span details);
void rl_news_begin(struct rl_agent *a, const char *type, uint64_t tick, int severity); // an object is open afterwards
void rl_news_end(struct rl_agent *a);
void rl_news_clear(struct rl_news *n);
void rl_news_drop_message(struct rl_agent *a); // the oldest unread one
void rl_activate(struct rl_agent *a);
void rl_terminate(struct rl_agent *a, bool truncated, enum rl_ending ending);
struct codec_table rl_codec_table(const struct rl_table *t, int viewer);

// --- rl_deeds.c: what systemic agents do
bool rl_deed_check(struct rl *rl, struct rl_agent *a, struct rl_deed *d, struct rl_result *r);
void rl_deed_do(struct rl_agent *a, const struct rl_deed *d);

// --- rl_observe.c, rl_told.c, rl_spaces.c
enum rl_look { RL_LOOK_STEP, RL_LOOK_ONLY, RL_LOOK_RESET }; // an answer; without consuming anything; after a reset
void rl_write_step(struct text *t, struct rl_agent *a, enum rl_look look);
void rl_write_notice(struct text *t, struct rl_agent *a);
void rl_put_reward(struct text *t, const char *key, double value);
// Of a record: what the agent is about to be told, if it has acted, or has ended and will be told some day.
void rl_put_outcome(struct text *t, struct rl_agent *a, bool acted);
void rl_write_spectator(struct text *t, struct rl_table *table);
void rl_write_observation(struct text *t, const struct rl_agent *a, enum rl_profile profile, uint64_t keys);
void rl_write_space(struct text *t, const struct rl_agent *a); // observation_space
void rl_write_action_space(struct text *t, const struct rl_kit *k, const struct game *g, enum rl_type type);
const struct rl_key *rl_key_at(const struct rl_kit *k, enum rl_type type, enum rl_profile profile, int i);

// --- rl_vision.c
void rl_vision_sweep(const struct rl *rl);                                 // what dead processes left behind
void rl_vision_release(struct rl_agent *a);                                // its streams are closed
void rl_vision_tick(struct rl_table *t);                                   // live: a boundary has passed
void rl_put_frames(struct text *t, struct rl_agent *a, enum rl_look look); // draws, and tells frame_ids
void rl_put_streams(struct text *t, const struct rl_agent *a);             // of a record
bool rl_vision_imagine(struct rl_agent *a, struct span streams); // as recorded, without rings; false: they are none
uint64_t rl_put_pictures(struct text *t, struct rl_agent *a);    // frames of an entry; their bytes
void rl_put_profiles(struct text *t, const struct rl_game *row); // of the manifest
void rl_put_cameras(struct text *t, const struct rl_game *row);

// --- rl_hash.c
struct rl_hashes {
    char all[RL_HASH_ROOM], entities[RL_HASH_ROOM], world[RL_HASH_ROOM], rng[RL_HASH_ROOM];
};
struct rl_digests *rl_digests_create(void);                           // NULL: no memory; released by free
void rl_hash_state(const struct rl_table *t, char out[RL_HASH_ROOM]); // as steps have it
void rl_hash_table(const struct rl_table *t, bool with_rng, struct rl_hashes *out);
void rl_hash_text(struct span bytes, char out[RL_HASH_ROOM]);

// --- rl_plan.c: an episode before it begins
struct rl_plan {
    struct rl_table *table;
    const struct rl_game *row;
    const struct rl_kit *kit;
    int scenario, seats;
    bool has_seed;
    bool deals; // initial_state decides what is hidden
    int64_t seed;
    uint64_t max_ticks;
    uint8_t key[RNG_KEY_BYTES];
    uint8_t level[GAME_MAX_SEATS];
    double visual[3];
    union game_rules rules;
    struct match match;
    struct text drawn;         // domain_randomization, as JSON
    struct game_events events; // large, and most of it unused: those behind the count are not set
};
struct rl_order {               // what a reset asks; absent spans are empty
    const uint8_t *key, *level; // of a recorded one, or NULL: those that it had
    int seats;                  // likewise, or 0
    bool has_seed;
    int64_t seed;
    struct span scenario, initial, random; // a string, objects
    const char *at;                        // where scenario and initial stand in the call; NULL: "/config"
};
// Refuses without a trace; rl_plan_begin makes it the running episode of its table.
bool rl_plan_make(struct rl_plan *p, struct rl_table *t, const struct rl_order *o, struct rl_result *r);
void rl_plan_begin(struct rl_plan *p, const struct rl_order *o, struct rl_conn *by);
bool rl_may_choose(const struct rl_conn *c, const struct rl_plan *p, const struct rl_order *o, struct rl_result *r);
void rl_plan_release(struct rl_plan *p);

// --- rl_step.c
bool rl_check_state(struct rl *rl, const struct rl_agent *a, struct rl_result *r);
void rl_parked_free(struct rl_parked *p);
void rl_parked_sweep(struct rl_group *g); // the dropped ones
void rl_parked_drop(struct rl_group *g, const struct rl_agent *a,
                    const struct rl_conn *c); // calls of either, unanswered
void rl_try_advance(struct rl_group *g);      // after a commit or a departure: whether all have committed now
void rl_try_soon(struct rl_group *g);         // likewise, as a job of its own where this is none
int64_t rl_step_deadlines(struct rl_group *g, int64_t now_us);
void rl_finish_call(struct rl_parked *p, struct rl_result *r); // its answer, into rl->out
void rl_answer_parked(struct rl_group *g, struct rl_parked *p);
void rl_answer_all(struct rl_table *t);
void rl_settle_cut(struct rl_table *t);                  // after an advance: answers what rl_answer_all had to leave
struct rl_agent *rl_actor_of(const struct rl_parked *p); // of the step that acts now; the first, if all do
struct rl_table *rl_table_of(const struct rl_parked *p); // where that is
void rl_keep_refusal(struct rl_parked *p, struct rl_item *item, const struct rl_result *r); // answers of single items
void rl_keep_step(struct rl_parked *p, struct rl_item *item);

// --- rl_sequence.c
void rl_sequence_run(struct rl_parked *p);   // nobody else is waited for
bool rl_sequence_next(struct rl_parked *p);  // whether a step waits for its advance now
bool rl_sequence_go_on(struct rl_parked *p); // the step has had its ticks: likewise for the rest; false: no sequence

// --- rl_record.c
void rl_put_hex(struct text *s, const char *key, const uint8_t *bytes, size_t size);
void rl_record_reset(struct rl_table *t, const struct rl_order *o);
void rl_record_step(struct rl_table *t, struct rl_item **items, int count, uint32_t ticks, enum rl_sync sync);
void rl_record_message(struct rl_agent *from, struct span to, struct span channel, struct span content, uint64_t id);
void rl_record_agent(struct rl_agent *a, bool comes);
void rl_record_streams(struct rl_agent *a);
void rl_record_return(struct rl_agent *a, const struct rl_order *o); // by a reset of this agent alone
// A playback has left the table: the recorded agents (of `shadow`) go, and those of the table come, where they differ.
void rl_record_cast(struct rl_table *t, const struct rl_group *shadow);
void rl_record_again(struct rl_table *t, enum traj_kind kind, struct span json); // as it was played from a file

// --- rl_traj.c: recordings in memory and on disk
void rl_traj_take(struct rl_table *t, enum traj_kind kind, struct span json);
void rl_traj_release(struct rl_table *t);
bool rl_traj_refuse(struct rl *rl, enum traj_fault fault, struct rl_result *r); // always true
// `by` saves it; NULL: nobody, it is the server's own.
void rl_traj_begin_header(struct text *s, const struct rl_table *t, bool partial, const char *by);
// A file that a client saves: whether it may be there, and how many bytes it may have. False: refused.
bool rl_traj_admit(struct rl_conn *c, const struct traj_place *p, bool overwrite, uint64_t *most, struct rl_result *r);
bool rl_traj_admit_size(struct rl_conn *c, const struct traj_place *p, uint64_t bytes, struct rl_result *r);
void rl_traj_put_manifest(struct text *s, struct rl_group *g); // its hash

// --- rl_save.c: a trajectory that is being saved
int64_t rl_save_run(struct rl *rl, int64_t now_us);               // what is due; when to call again
bool rl_save_is_of(const struct rl *rl, const struct rl_conn *c); // a trajectory is being saved for it
bool rl_save_cancel(struct rl_conn *c, uint64_t call);
void rl_save_leave(struct rl_conn *c); // its connection goes

// --- rl_replay.c
// A table's own recording once more, record by record, beside the table: what the agents' cameras saw.
struct rl_play *rl_play_rehearse(struct rl *rl, const struct rl_game *row);
bool rl_play_record(struct rl_play *p, enum traj_kind kind, struct span record); // false: it cannot be played
struct rl_agent *rl_play_find(const struct rl_play *p, struct json_string id);   // the virtual agent, or NULL
struct rl_agent *rl_play_agents(const struct rl_play *p);                        // all of them, the first
void rl_play_end(struct rl_play *p);
// A file that was just written, played once more before anybody hears that it is saved. It owns the reader.
enum { RL_VERIFY_BAD = -1, RL_VERIFY_GOOD, RL_VERIFY_MORE, RL_VERIFY_LATER };
struct rl_play *rl_play_verify(struct rl *rl, const struct rl_game *row, struct traj_reader *reader);
int rl_play_verify_next(struct rl_play *p, bool only_read, bool waits); // later: a child is still at it
bool rl_play_is_verified(const struct rl_play *p);    // so far: all hashes are those that were recorded
uint32_t rl_play_last_ticks(const struct rl_play *p); // of the step that was played last

// --- rl_play.c: trajectories played again
// Long work gives way to others after some milliseconds, or so much of it where nobody has a clock.
struct rl_slice {
    int64_t end_us;
    uint64_t ticks;
    int records;
};
struct rl_slice rl_slice_begin(const struct rl *rl);
bool rl_slice_over(const struct rl *rl, struct rl_slice *s, uint32_t ticks); // asked once for each record
bool rl_play_is_at(const struct rl_table *t);                  // its state is that of a playback that goes on
bool rl_play_is_waited_for(const struct rl_table *t);          // by the call that began it
void rl_play_stop(struct rl_table *t);                         // something else happens at the table
int64_t rl_play_run_group(struct rl_group *g, int64_t now_us); // what is due there; when next
bool rl_play_cancel(struct rl_conn *c, uint64_t call);
void rl_play_leave(struct rl_conn *c); // its connection goes

// --- rl_reset.c
bool rl_may_reset(struct rl_conn *c, const struct rl_table *t, struct rl_result *r); // G14.2
bool rl_put_back(struct rl_agent *a, const struct rl_order *o); // one agent; false: there is nothing to go back to

// --- rl_host.c, for shadows
struct rl_group *rl_shadow_create(struct rl *rl, const struct rl_game *row);
void rl_shadow_destroy(struct rl_group *g);

// --- rl_live.c
void rl_live_tick(struct rl_table *t, struct rl_item **items, int count); // one boundary, without answers
int64_t rl_live_run(struct rl_table *t, int64_t now_us); // the boundaries that are due; when the next one is
void rl_live_poke(struct rl_table *t, int64_t now_us);   // whether the clock starts or stops now

void rl_live_settle(struct rl_table *t, int64_t now_us); // something came between two boundaries

// --- rl_arena.c: a seat of the arena (G1.9)
// The table of an agent that wants a queue, or of a connection that has one already: then of the same agent only.
bool rl_arena_sit(struct rl_conn *c, const char *id, struct span queue, struct rl_table **table, struct rl_result *r);
bool rl_arena_join(struct rl_conn *c, struct span config, struct rl_result *r); // last of all checks
void rl_arena_seat(struct rl_agent *a);
void rl_arena_leave(struct rl_group *g);
bool rl_arena_answer(struct rl_group *g, struct game_action a); // false: too late
bool rl_arena_is_owed(const struct rl_group *g);                // an answer that has not taken effect
int64_t rl_arena_left_us(const struct rl_group *g);             // of the question's time

// --- rl_events.c: broadcasts (G16.5)
void rl_broadcast_event(struct rl_table *t, const struct game_event *e, int parts); // of the game's own
void rl_broadcast(struct rl_table *t, const char *type, unsigned visible, struct span details);
void rl_broadcast_seat(struct rl_table *t, int seat, const char *by); // has been taken; by NULL: by its holder

// --- rl_messages.c
bool rl_may_talk(struct rl *rl, struct rl_agent *a, bool to_all, struct rl_result *r); // G16.3
void rl_count_talk(struct rl_agent *a);
void rl_speak(struct rl_agent *a, const char *type, const char *key, struct span text, struct span to);
bool rl_is_addressed(const struct rl_agent *a, struct json_string to); // by id, seat or *
