// Shared by the files of this room: tables, clients and the functions between them.
#pragma once

#include "front/lines/adapter.h"
#include "front/lines/message.h"

#include <sys/queue.h>

enum {
    STEP_US = 16000,        // T1.31
    STEPS_PER_TURN = 8,     // T2.3
    BACKLOG_US = 250000,    // T2.3
    COMMANDS_PER_STEP = 32, // T2.1
    GAP_US = 3000,          // T3.72
    EPISODE_GAP_US = 8000,  // T3.72, first observation of an episode
    PATIENCE_US = 12000,    // T3.72, for a client that leaves no gap
    REST_US = 250000,       // longest rest after a restart (docs/decisions/017)
    QUIET_US =
        100000, // no periodic observation for so long after the welcome snapshot, unless the client sends something
    EVENTS_KEPT = 4,      // T3.66
    REPLIES_WAITING = 64, // T3.75
    LINE_ROOM = 4096,     // T3.13: no message of ours is longer
    HELD_BYTES = 65536,   // T3.83: a lock-step client with more unread output is not read from
    LOCAL_ACTIONS = 32,
    IDLE_POLL_US = 100000, // how often silent clients are searched for, if there is an idle timeout
};

// A lock, numbered over the life of its table, so that each client gets it once.
struct lock_event {
    uint64_t number;
    struct tetris_lock lock;
};

// An observation that waits to be sent; all but its head is already written (T3.62, T3.74).
struct pending_observation {
    bool is_filled, immediate;
    uint64_t last_event; // the newest lock in it
    int64_t since_us;
    struct text body;
    char bytes[LINE_ROOM];
};

struct adapter_client {
    struct adapter *adapter;
    struct table *table; // NULL before hello
    const struct adapter_link *link;
    void *conn;
    // Counted over the life of the process and never used again, so the lowest id of a table came first (T3.26).
    uint64_t id;
    uint64_t last_seq;     // consumed (T3.46)
    uint64_t observations; // written to it (T3.62)
    int64_t last_write_us, last_heard_us;
    int64_t quiet_until_us;              // no periodic observation before
    struct pending_observation *pending; // NULL: it gets no stream of observations
    struct lock_event events[EVENTS_KEPT];
    int event_count;
    // Thousandths of an observation, or milliseconds if the period is given (observation_ms).
    int cadence;           // T3.64
    int replies;           // since all were sent
    uint32_t episode_seen; // of the last observation written
    uint8_t major;         // of its protocol; 0 before hello
    uint8_t frame_skip;
    // Stays false for an observer that has claimed control and lost it again (T3.27).
    bool eligible;                            // for promotion (T3.26)
    bool lockstep;                            // asked for it
    char address_table[MESSAGE_MAX_NAME + 1]; // of its address, or empty
    LIST_ENTRY(adapter_client) all;
    TAILQ_ENTRY(adapter_client) seated; // of its table, lowest id first
};

// Cached hash of a field, valid for one (episode_id, board_id) (T2.10).
struct field_hash {
    uint64_t hash;
    uint32_t episode_id, board_id;
    bool known;
};

struct command {
    struct adapter_client *from; // NULL if it has disconnected: the command is still applied (T3.29)
    uint64_t seq;
    struct message_command what;
};

struct table {
    struct adapter *adapter;
    char name[MESSAGE_MAX_NAME + 1];
    struct match match;
    uint64_t logical_step;
    uint64_t locks; // numbered so far
    // T3.55: the `compat` hash of an ack covers it.
    struct tetris_lock step_lock; // the last one of the step in progress; kind 0: none
    struct field_hash field_hash;
    struct game_events events; // of the input in progress
    // At most one (T3.20); NULL: none. Its socket may be closed already: a request for control calls
    // drop_dead_controller first.
    struct adapter_client *controller;
    TAILQ_HEAD(, adapter_client) clients;
    // Accepted, and applied even if the client leaves (T3.29).
    struct command *queue; // a ring of max_pending
    int queue_first, queue_count;
    struct game_action local[LOCAL_ACTIONS];
    int local_count;
    bool running; // the real-time clock moves
    int64_t step_due_us, beat_due_us;
    int64_t rest_until_us; // no step before this time: the first step of an episode is being shown
    int64_t controlled_us; // since when the controller has had control
    int64_t unattended_us; // since when nobody controls it; INT64_MAX while somebody does
    int64_t empty_us;      // since when nobody is connected
    bool woken;            // something arrived that may change what is due
    TAILQ_ENTRY(table) all, wake;
};

struct adapter {
    struct adapter_options options;
    TAILQ_HEAD(tables, table) tables; // main comes first
    struct tables woken;              // in the list until the next adapter_advance
    int64_t due_us;                   // no other table is due before
    int table_count;
    // Nothing here reads a clock: tests drive the tables in virtual time.
    int64_t now_us; // of the call in progress
    LIST_HEAD(, adapter_client) clients;
    int client_count;
    uint64_t last_client_id;
    struct text *log; // of the table main
    adapter_listener listener;
    void *listener_owner;
};

// table.c: one game, its clock and its queue
struct table *table_create(struct adapter *a, const char *name);
void table_destroy(struct table *t);
bool table_has_room(const struct table *t);
void table_enqueue(struct table *t, struct adapter_client *from, const struct message *m);
void table_remove_client(struct table *t, const struct adapter_client *c); // its queued commands stay
void table_lockstep(struct table *t, struct adapter_client *from, const struct message *m);
void table_wake(struct table *t); // the next adapter_advance advances it even if it is not due
void table_advance(struct table *t);
int64_t table_next_due(const struct table *t);
void table_control_changed(struct table *t);
void table_end_rest(struct table *t); // its controller has sent a command: time continues
bool table_in_lockstep(const struct table *t);
const struct tetris_state *table_state(const struct table *t);

// observations.c: who gets which observation, and when
void observations_send_periodic(struct table *t);       // T3.64
void observations_send_now(struct table *t);            // T3.65
void observations_send_reply(struct adapter_client *c); // as a reply, at once: welcome and lock-step
void observations_send_waiting(struct table *t);        // sends waiting observations that may be sent now
bool observations_wanted(const struct table *t);        // somebody gets a stream of observations
int64_t observations_next_due(const struct table *t);
void observations_add_lock(struct table *t, const struct tetris_lock *lock); // T3.66
void observations_clear_locks(struct table *t);

// server_message_write.c: what the adapter sends
void write_welcome(struct text *out, const struct adapter_client *c);
void write_ack(struct text *out, const struct adapter_client *c, uint64_t seq);
void write_command_ack(struct text *out, const struct adapter_client *c, uint64_t seq);
void write_error(struct text *out, const struct adapter_client *c, uint64_t seq, const char *code, const char *message);
void write_observation_head(struct text *out, const struct adapter_client *c); // up to ts, open
void write_observation_body(struct text *out, const struct adapter_client *c); // from logical_step to the end

// adapter.c
void adapter_reply(struct adapter_client *c, struct text *line); // adds the LF
void adapter_error(struct adapter_client *c, uint64_t seq, const char *code, const char *message);
struct table *adapter_find_table(const struct adapter *a, const char *name); // NULL: none
void adapter_note(struct adapter *a, char direction, uint64_t id, struct span line);
int64_t adapter_unix_ms(const struct adapter *a);
