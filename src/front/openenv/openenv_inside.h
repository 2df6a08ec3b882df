// What the files of this room share: games, sessions, tables, and how a request finds its reply.
//
// A request becomes an entry of its session's inbox. A job takes the entries one after the other, so that a reply that
// takes long (a searching bot) holds up nobody else; while a job is at work at a table, `busy` keeps others away from
// it. A reply that must wait for other sessions is parked: the session takes no further entry until it is sent.
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
    MAX_INBOX = 64,        // requests of a session that wait (O20),
    INBOX_BYTES = 1 << 18, // and their bytes
    MAX_TABLES = 1024,
    MAX_TRAIN = 10000, // tasks (O60)
    MAX_TEST = 1000,
    MAX_LISTINGS = 4,   // lists of tasks that are being written
    GUESSERS = 1024,    // counters of wrong join words by address
    REASON_ROOM = 1024, // of the sentence that says why something is refused
};

// A game that is served, and what is written once for it.
struct served {
    const struct game_kit *kit;
    const struct env_facts *facts;
    const struct bot *bot; // of seats that a reset gives none
    char params[OPENENV_PARAMS][40];
    int param_count;
    struct text schemas; // the answer of /schema
    LIST_HEAD(, table) tables;
};

// Where an entry came from, and so where its reply goes; ON_CLOCK: nobody asked, or nobody is there any more.
enum channel { ON_WS, ON_HTTP_RESET, ON_HTTP_STEP, ON_MCP, ON_MCP_WS, ON_CLOCK };

// One episode, of one session, or of several at a table with a name.
struct table {
    struct openenv *host;
    struct served *game;
    struct episode episode;
    bool begun;            // there is an episode, over or not
    bool busy;             // a job is at work here,
    struct work_line line; // and others sleep until it has ended
    int players, seated;   // sessions that belong to it; 1: private
    seat_set taken, ready; // by sessions; of those, who wait for the next episode
    char name[OPENENV_NAME], join[OPENENV_NAME];
    struct episode_setup setup;
    bool seeded;
    uint64_t episodes;
    uint32_t question;  // that is put now (struct game_turn),
    int64_t asked_us;   // since when: a pass inside a window starts nobody's time anew (O54)
    int64_t guessed_us; // when so many wrong join words are forgotten (O55)
    struct session *at[GAME_MAX_SEATS];
    LIST_ENTRY(table) all;
};

enum pending { NOTHING, FIRST_LOOK, NEXT_LOOK }; // what a parked reply will be

struct session {
    struct openenv *host;
    struct served *game;
    struct ws *ws; // NULL: it has no socket
    char id[ID_DIGITS + 1];
    uint64_t client;
    bool owned;   // it ends with its socket
    bool rpc;     // its socket speaks JSON-RPC (/mcp)
    bool turned;  // no session: an error was sent, the socket closes soon (O28)
    bool ending;  // its socket is closing
    bool greeted; // something came on it
    bool at_work, doomed, closing;
    bool once;    // ends with its first reply
    bool opening; // by the reset that it is answering: it ends if that is refused
    int64_t heard_us, active_us, pinged_us, parked_us;
    struct table *table; // NULL: no reset yet
    int seat;
    struct openenv_reset order; // its options; spans in it are not valid
    char *warnings;             // JSON, or NULL
    char episode_id[OPENENV_EPISODE];
    uint64_t steps;
    int refused; // actions in a row
    bool is_new; // nothing of the running episode has been told
    enum pending pending;
    enum channel channel; // of the entry that is being answered
    bool tool;            // it is a call of a tool: its reply has that form
    char tool_name[16];
    struct http_request *request; // of that entry; NULL: none, or its peer has left
    bool under_way;               // an entry came over HTTP and is not answered, whether its peer has left or not
    struct text id_json;          // of a JSON-RPC request
    struct text inbox, entry;
    int waiting;                      // entries in the inbox
    char request_id[OPENENV_EPISODE]; // of the running HTTP request; "": none
    char done_id[OPENENV_EPISODE];    // of the last one that was answered,
    struct text done_body;            // and its answer (O17)
    int done_status;
    LIST_ENTRY(session) all;
};

struct openenv {
    struct openenv_options options;
    struct work *work;
    struct event *timer;
    struct episode_desk desk;
    struct served *games;
    int game_count;
    struct text out, scratch, aside;
    LIST_HEAD(, session) sessions[BUCKETS];
    int64_t sweep_us;
    bool stopping;
    int listings;
    int64_t guessed_us[GUESSERS]; // by client address, as at a table
    struct openenv_figures figures;
};

// How long a reply may be parked: as its reset said, else as the server's options do.
static inline double session_wait_s(const struct session *s)
{
    return s->order.wait_s >= 0 ? s->order.wait_s : s->host->options.wait_s;
}

// --- sessions (openenv_session.c)

struct session *session_create(struct openenv *o, struct served *g, uint64_t client); // NULL: no room (O28)
struct session *session_make(struct openenv *o, struct served *g, uint64_t client);   // whether there is room or not
void session_end(struct session *s);                                                  // now, or when its job has ended
void session_destroy(struct session *s); // no job of its own or at its table is under way
struct session *session_find(struct openenv *o, const struct served *g, struct span id);
bool session_add(struct session *s, enum channel channel, struct span bytes); // false: too much waits
void session_lose_socket(struct session *s);                                  // what came on it is not answered
void session_kick(struct session *s);                                         // what waits is taken, as a job
bool session_is_due(const struct session *s);                                 // what its seat waits for has come
void session_leave_table(struct session *s);
// A job of another session may be at work at the table, and have given way: this one comes after it.
void openenv_begin_work(struct session *s, struct table *b);
// The episode has gone on: whoever waited for that is told, and who came meanwhile is heard.
void openenv_end_work(struct table *b);

// --- resets (openenv_reset.c)

void session_reset(struct session *s, const struct openenv_reset *order);
bool session_begin_default(struct session *s); // O38: a tool before any reset; false: refused, and told
void session_park(struct session *s, enum pending what);
void session_look(struct session *s, enum pending kind); // at the table: the reply, or it is parked until there is one

// --- steps (openenv_step.c)

void session_act(struct session *s, const struct openenv_action *a);
void session_pass(struct session *s); // its turn took too long

// --- replies (openenv_reply.c)

void reply_begin(struct openenv *o); // o->out is empty, with room for the head of a frame
void reply_observation(struct session *s, enum pending kind, struct span error); // what the seat sees; takes its reward
void reply_now(struct session *s, enum pending kind); // the same, or that other players are missing: no episode yet
void reply_rules(struct session *s);
void reply_state(struct session *s);
void reply_error(struct session *s, const char *code, const char *message); // of /ws; over HTTP by status
void reply_fault(struct session *s, const struct openenv_fault *f, bool body);
void reply_tools(struct session *s);
void reply_tool_error(struct session *s, const char *type, const char *message);
void reply_send(struct session *s, int status); // what stands in o->out, to where the entry came from
void reply_write_state(struct text *t, const struct session *s);
struct span reply_refusal(struct session *s, const char *reason, const char *message); // JSON, in o->aside

// --- the wires

void openenv_ws_open(struct openenv *o, struct served *g, struct http_request *r, bool rpc);
void openenv_ws_message(struct session *s, struct span text); // an entry, in its job
void openenv_ws_close(struct session *s, uint16_t code, const char *why);
void openenv_ws_turn_away(struct session *s); // O28: an error was sent; it closes soon
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
