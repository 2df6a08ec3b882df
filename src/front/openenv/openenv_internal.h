// Shared by the files of this room: games, sessions, tables, and how a request gets its reply.
//
// A request becomes an entry of its session's inbox. A job handles the entries one after the other, so that a slow
// reply (a searching bot) delays nobody else; while a job uses a table, `busy` keeps others away from it. A reply that
// must wait for other sessions is pending: the session handles no further entry until it is sent.
#pragma once

#include "env/episode.h"
#include "front/openenv/openenv.h"
#include "front/openenv/openenv_read.h"
#include "net/loop.h"
#include "net/ws.h"

#include <sys/queue.h>

enum {
    ID_BYTES = 16,
    ID_DIGITS = 2 * ID_BYTES,
    BUCKETS = 1024,
    MAX_INBOX = 64,        // waiting requests of a session (O20)
    INBOX_BYTES = 1 << 18, // and their bytes
    MAX_TABLES = 1024,
    MAX_TRAIN = 10000, // tasks (O60)
    MAX_TEST = 1000,
    MAX_LISTINGS = 4,   // lists of tasks being written
    GUESSERS = 1024,    // counters of wrong join words, by address
    REASON_ROOM = 1024, // for the sentence that says why something is refused
};

// A served game, and what is computed once for it.
struct served {
    const struct game_kit *kit;
    const struct env_facts *facts;
    const struct bot *bot; // of seats that a reset does not name
    char params[OPENENV_PARAMS][40];
    int param_count;
    struct text schemas; // the reply to /schema
    LIST_HEAD(, table) tables;
};

// Where an entry came from, hence where its reply goes; ON_CLOCK: no client, or it is gone.
enum channel { ON_WS, ON_HTTP_RESET, ON_HTTP_STEP, ON_MCP, ON_MCP_WS, ON_CLOCK };

// One episode, of one session, or of several at a named table.
struct table {
    struct openenv *host;
    struct served *game;
    struct episode episode;
    bool begun;               // there is an episode, over or not
    bool busy;                // a job is using it
    struct work_waiters line; // and others wait until it has ended
    int players, seated;      // sessions that belong to it; 1: private
    // A seat in `ready` takes no part in the episode that is running: its session has reset (O51), or came later.
    seat_set taken, ready; // by sessions; of those, who wait for the next episode
    // Empty name: a private table, which no other session can find. Empty join: the name is enough to join (O50).
    char name[OPENENV_NAME], join[OPENENV_NAME];
    struct episode_setup setup;
    // O45: only then may a reset name a seed; otherwise one player could know the deal.
    bool seeded;
    uint64_t episodes;
    uint32_t question;  // the current one (struct game_turn)
    int64_t asked_us;   // since when: a pass inside a window does not restart the time (O54)
    int64_t guessed_us; // when wrong join words are forgotten (O55)
    struct session *at[GAME_MAX_SEATS];
    LIST_ENTRY(table) all;
};

enum pending { NOTHING, FIRST_OBSERVATION, NEXT_OBSERVATION }; // the kind of a pending reply

struct session {
    struct openenv *host;
    struct served *game;
    struct ws *ws; // NULL: no socket
    // 128 random bits: knowing it is the right to play the session.
    char id[ID_DIGITS + 1];
    // Who opened it, for sessions_per_client (net/admission.h); 0: not counted.
    uint64_t client;
    bool owned;   // it ends with its socket
    bool rpc;     // its socket uses JSON-RPC (/mcp)
    bool turned;  // no session: an error was sent, the socket will be closed (O28)
    bool ending;  // its socket is closing
    bool greeted; // something was received on it
    // at_work: a job of it has begun or is queued, and nobody else may free it. doomed: it is destroyed when no job
    // uses it or its table. closing: the last reply was sent, and the socket closes with the next message or soon
    // (O28).
    bool at_work, doomed, closing;
    bool once;    // ends with its first reply
    bool opening; // by the reset in progress: ends if that is refused
    // The last byte, pongs included; the last request, from which the idle limit counts; the last ping; since when a
    // reply is pending, or the socket is closing.
    int64_t heard_us, active_us, pinged_us, pending_us;
    struct table *table; // NULL: no reset yet
    int seat;
    struct openenv_reset options; // its options; spans in it are not valid
    char *warnings;               // JSON, or NULL
    char episode_id[OPENENV_EPISODE];
    uint64_t steps;
    int refused; // refused actions in a row
    bool is_new; // nothing of the current episode was reported yet
    // Not NOTHING: the reply is pending, and the session takes no further entry, or replies would overtake each other
    // (O20).
    enum pending pending;
    enum channel channel; // of the entry in progress
    bool tool;            // a tool call: its reply has that format
    char tool_name[16];
    struct http_request *request; // of that entry; NULL: none, or its peer has disconnected
    bool under_way;               // an HTTP entry is not answered yet, whether its peer is connected or not
    struct text id_json;          // of a JSON-RPC request
    struct text inbox, entry;
    int waiting;                      // entries in the inbox
    char request_id[OPENENV_EPISODE]; // of the HTTP request in progress; "": none
    char done_id[OPENENV_EPISODE];    // of the last one answered
    struct text done_body;            // and its reply (O17)
    int done_status;
    LIST_ENTRY(session) all;
};

struct openenv {
    struct openenv_options options;
    struct work *work;
    struct event *timer;
    struct episode_scratch episode_scratch;
    struct served *games;
    int game_count;
    // One set for all sessions: what they hold is lost when a job gives way, as at openenv_begin_work.
    struct text out, scratch, extra;
    LIST_HEAD(, session) sessions[BUCKETS];
    int64_t sweep_us;
    bool stopping;
    int listings;
    int64_t guessed_us[GUESSERS]; // by client address, as at a table
    struct openenv_figures figures;
};

// How long a reply may be pending: as its reset said, else as the server's options do.
static inline double session_wait_s(const struct session *s)
{
    return s->options.wait_s >= 0 ? s->options.wait_s : s->host->options.wait_s;
}

// --- sessions (openenv_session.c)

struct session *session_create(struct openenv *o, struct served *g, uint64_t client); // NULL: no room (O28)
struct session *session_make(struct openenv *o, struct served *g, uint64_t client);   // whether there is room or not
void session_end(struct session *s);                                                  // now, or when its job has ended
void session_destroy(struct session *s); // no job of its own or at its table may be in progress
struct session *session_find(struct openenv *o, const struct served *g, struct span id);
bool session_add(struct session *s, enum channel channel, struct span bytes); // false: too many are waiting
void session_lose_socket(struct session *s);                                  // what came on it is not answered
void session_run(struct session *s);                                          // handles waiting entries, in a job
bool session_is_due(const struct session *s);                                 // what its seat waits for has happened
void session_leave_table(struct session *s);
// Waits for a suspended job of another session at the table.
void openenv_begin_work(struct session *s, struct table *b);
// The episode has advanced: sends pending replies, and handles entries that came meanwhile.
void openenv_end_work(struct table *b);

// --- resets (openenv_reset.c)

void session_reset(struct session *s, const struct openenv_reset *options);
bool session_begin_default(struct session *s); // O38: a tool before any reset; false: refused, and reported
void session_set_pending(struct session *s, enum pending what);
void session_observe(struct session *s,
                     enum pending kind); // sends the observation, or makes the reply pending until there is one

// --- steps (openenv_step.c)

void session_act(struct session *s, const struct openenv_action *a);
void session_pass(struct session *s); // its turn took too long

// --- replies (openenv_reply.c)

void reply_begin(struct openenv *o); // empties o->out, with room for the head of a frame
void reply_observation(struct session *s, enum pending kind, struct span error); // what the seat sees; takes its reward
void reply_now(struct session *s, enum pending kind); // the same, or that other players are missing: no episode yet
void reply_rules(struct session *s);
void reply_state(struct session *s);
void reply_error(struct session *s, const char *code, const char *message); // for /ws; over HTTP by status
void reply_fault(struct session *s, const struct openenv_fault *f, bool body);
void reply_tools(struct session *s);
void reply_tool_error(struct session *s, const char *type, const char *message);
void reply_send(struct session *s, int status); // sends o->out to where the entry came from
void reply_write_state(struct text *t, const struct session *s);
struct span reply_refusal(struct session *s, const char *reason, const char *message); // JSON, in o->extra

// --- the wires

void openenv_ws_open(struct openenv *o, struct served *g, struct http_request *r, bool rpc);
void openenv_ws_message(struct session *s, struct span text); // an entry, in its job
void openenv_ws_close(struct session *s, uint16_t code, const char *why);
void openenv_ws_refuse(struct session *s); // O28: an error was sent; it closes soon
void openenv_http_step(struct session *s, struct span body);
void openenv_http_reset(struct session *s, struct span body);
void openenv_http_detail(struct http_request *r, int status, const char *detail);
void openenv_mcp_post(struct openenv *o, struct served *g, struct http_request *r);
void openenv_mcp_message(struct session *s, struct span text); // an entry of its own, or of /ws
void openenv_mcp_call(struct session *s, struct json_string tool, struct span arguments);
void openenv_tasks(struct openenv *o, struct served *g, struct http_request *r, struct span path);
bool openenv_task_seed(const struct game_kit *k, const char *split, int64_t index, uint64_t *seed);
void openenv_write_metadata(struct text *t, const struct openenv *o, const struct served *g);
void openenv_write_openapi(struct text *t, const struct openenv *o, const struct served *g, const char *base);
