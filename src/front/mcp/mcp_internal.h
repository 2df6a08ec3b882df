// Shared by the files of a session.
#pragma once

#include "base/json_write.h"
#include "front/mcp/mcp_modern.h"
#include "front/mcp/mcp_session.h"

#include <sys/queue.h>

// MCP_ROOM: an agent's name of up to 128 bytes, a colon, a handle of 20 characters (M22).
enum { MCP_MAX_SUBSCRIPTIONS = 64, MCP_MAX_URI = 192, MCP_MAX_NAME = 64, MCP_ROOM = 160 }; // G5.7, G1.7

// In order of time, because they are compared: what a revision has, later ones have too.
enum mcp_revision { REVISION_NONE, R2024_11_05, R2025_03_26, R2025_06_18, R2025_11_25, R2026_07_28 };

// An array of messages (G2.6): answered as one, when the last of its calls is.
struct mcp_batch {
    uint64_t tag;
    int open; // messages not answered yet; plus one while it is being read
    struct text text;
    struct mcp_session *session; // while it is being read; NULL: it is gone
    struct span message;         // what is being read; its own copy
    LIST_ENTRY(mcp_batch) all;   // list of those being read
};

// A tool call that env is executing; it may be answered at once or much later.
// Taken from the host's list `spare` and put back there, so that a call allocates nothing.
struct mcp_call {
    // Unique in the host: a party or a seat finds the call of an answer by this number alone, in whichever session it
    // is.
    uint64_t number;      // for env
    struct env_conn *env; // at this connection
    uint64_t tag;
    struct mcp_batch *batch; // or NULL
    // G6.7: each must be above the one before.
    uint64_t progress;       // the last one reported
    int64_t progress_us;     // when; INT64_MIN: not yet
    struct mcp_id id, token; // token: size 0 if progress is not wanted
    bool modern;             // of revision 2026-07-28
    char known_as[MCP_ROOM]; // the agent's handle, if it was used instead of its name; empty: it was not
    char unknown[160];       // unknown arguments; empty: none
    TAILQ_ENTRY(mcp_call) all;
};

enum { MCP_LISTENED = 64 }; // M43: most uris in one subscription

// subscriptions/listen: a request whose reply is a stream (M41).
struct mcp_listen {
    struct mcp_id id;
    uint64_t tag;
    struct mcp_subscription *at; // MCP_LISTENED elements
    LIST_ENTRY(mcp_listen) all;
};

struct mcp_subscription {
    // As the client wrote it: the notification has to repeat it exactly.
    char uri[MCP_MAX_URI]; // empty: free
    // INT64_MIN / 2: never, and far enough back for the first change to be sent at once.
    int64_t sent_us;
    bool changed;
};

struct mcp_session {
    struct mcp_host *host;
    const struct mcp_link *link;
    void *conn;
    struct env_conn *env; // NULL before initialize
    TAILQ_HEAD(, mcp_call) calls;
    struct mcp_subscription *subscriptions; // MCP_MAX_SUBSCRIPTIONS elements; NULL: never subscribed
    LIST_HEAD(, mcp_listen) listens;        // modern ones
    // Points into the request: set only while its message is being handled.
    const struct mcp_headers *headers; // of the current request; NULL: none
    struct mcp_party *party;           // of a stateless one, whose env it uses; NULL: unknown yet
    int status;                        // HTTP status of the next reply
    bool stateless;                    // one modern request over HTTP
    bool player;                       // it has the tools of players
    // Only with --mcp-fixtures: no tool of agon asks its client anything (M50).
    struct mcp_question *question; // a fixture's question to the client; NULL: none
    struct text later;             // notifications after the reply, each ended by LF
    int64_t free_us;               // rate limit: when everything so far is paid for
    uint64_t client;               // client that tables are counted for; 0: none
    // enum mcp_revision, REVISION_NONE before initialize (a modern request needs none); enum mcp_level.
    uint8_t revision, level;
    // mcp_session_close has begun: what env reports from now on is dropped.
    bool closing;
    char caller[64];                                      // the client's address; empty: the user who runs the server
    char table[MCP_MAX_NAME + 1], game[MCP_MAX_NAME + 1]; // from the URL; empty: none
    LIST_ENTRY(mcp_session) all;
};

enum { MCP_HANDLE = 20 }; // characters of a handle (M22)

// A player at a table: a connection of its own, identified by its handle on every transport (M53).
struct mcp_seat {
    struct mcp_host *host;
    struct env_conn *env;
    // NULL when that session has ended: the seat stays, and any client that knows the handle can use it (M53).
    const struct mcp_session *owner; // who joined; only for clients that name no seat
    int64_t heard_us;
    char handle[MCP_HANDLE + 1];
    LIST_ENTRY(mcp_seat) all;
};

// Owners of agents without a connection (M20-M25): a name chosen by the client, or a random handle.
// Ends with its last request if it has no agent then, and otherwise after idle_s of silence (M25).
struct mcp_party {
    struct mcp_host *host;
    struct env_conn *env;
    int64_t heard_us;
    // While there is one, also a subscriptions/listen, silence does not end the party (M25).
    int users; // requests in progress
    char name[MCP_MAX_PARTY + 1];
    char handle[MCP_HANDLE + 1];
    LIST_ENTRY(mcp_party) all;
};

struct mcp_host {
    struct mcp_options options;
    struct env *env;
    // One for all sessions: a message is complete when it is passed to the link, and then the next one may be written.
    struct text out;  // the message being written
    struct text body; // a resource or guide to be inserted
    uint64_t calls;   // numbered so far
    // Passed in with the latest message or mcp_host_advance; no file of a session reads a clock.
    int64_t now_us;
    int count;
    bool notes, changes; // some session has waiting notifications; has changed subscriptions
    LIST_HEAD(, mcp_session) sessions;
    LIST_HEAD(, mcp_seat) seats;
    LIST_HEAD(, mcp_party) parties;
    int64_t parties_us; // when they are checked next
    struct text params; // of a request, rewritten
    uint8_t fixture_key[64];
    bool has_fixture_key;
    // There mcp_end_result puts what modern results have besides (M10). `extra` is emptied by mcp_begin_result.
    size_t result_at;  // offset of the result in `out`
    struct text extra; // members of its _meta, for a modern one
    int64_t seats_us;  // when they are checked next
    LIST_HEAD(, mcp_batch) reading;
    TAILQ_HEAD(, mcp_call) spare;
};

// A request being answered.
struct mcp_request {
    struct mcp_session *s;
    const struct mcp_id *id;
    struct span params;                 // raw; empty: none
    const struct mcp_call_params *call; // the same, parsed; NULL: not yet
    struct mcp_batch *batch;
    uint64_t tag;
    const char *unknown;         // of a tool call: unknown arguments to warn of; NULL or empty: none
    const char *known_as;        // of a tool call: see struct mcp_call
    const struct mcp_meta *meta; // of a modern request; NULL: a legacy one, or answered later
    bool modern;
    bool shared;    // the same for every client (M12)
    bool asks;      // the result is a question: input_required
    int64_t ttl_ms; // how long it may be cached; -1: not said
};

// --- writing (mcp_write.c)

bool mcp_grow(struct text *t, size_t more);
// {"jsonrpc":"2.0","id":...,"result": and what follows; then call end.
struct text *mcp_begin_result(const struct mcp_request *a);
void mcp_end_result(const struct mcp_request *a);
// `data`: members besides name, without braces; "" for none.
void mcp_refuse(const struct mcp_request *a, int code, const char *name, const char *message, struct span data);
void mcp_refuse_params(const struct mcp_request *a, const char *path, const char *expected); // -32602
void mcp_answer_empty(const struct mcp_request *a);                                          // {}
void mcp_write_tool_result(const struct mcp_request *a, const struct env_result *r);
void mcp_write_player_result(const struct mcp_request *a, const struct env_result *r);
void mcp_write_error(struct text *t, struct span id, int code, const char *name, const char *message, struct span data);
void mcp_notify(struct mcp_session *s, const char *method, struct span params);       // now; belongs to no request
void mcp_notify_later(struct mcp_session *s, const char *method, struct span params); // after the reply that caused it
void mcp_batch_leave(struct mcp_session *s, struct mcp_batch *b);
void mcp_batch_free(struct mcp_batch *b);

// --- methods (mcp_methods.c, mcp_resources.c, mcp_prompts.c, mcp_calls.c)

void mcp_do_initialize(const struct mcp_request *a);
void mcp_do_tools_list(const struct mcp_request *a);
void mcp_do_tools_call(const struct mcp_request *a);
void mcp_do_resources_list(const struct mcp_request *a);
void mcp_do_templates_list(const struct mcp_request *a);
void mcp_do_resources_read(const struct mcp_request *a);
void mcp_do_subscribe(const struct mcp_request *a);
void mcp_do_unsubscribe(const struct mcp_request *a);
void mcp_do_prompts_list(const struct mcp_request *a);
void mcp_do_prompts_get(const struct mcp_request *a);
void mcp_do_complete(const struct mcp_request *a);
void mcp_do_set_level(const struct mcp_request *a);
void mcp_cancel(struct mcp_session *s, struct span params);
extern const struct env_hooks mcp_hooks;
struct mcp_call *mcp_call_find(struct mcp_session *s, uint64_t number); // NULL: none

// --- players (mcp_player.c)

// The tool of this name for this client; NULL: none.
const struct env_tool *mcp_tools_of(const struct mcp_session *s);
// The connection on which a player's tool runs. NULL: refused.
struct env_conn *mcp_seat_find_conn(const struct mcp_request *a, const struct env_tool *tool, struct span arguments);
void mcp_seat_end_call(struct mcp_host *h, struct env_conn *env,
                       bool gone);                             // a call has ended; gone: gives the seat up
int64_t mcp_seats_advance(struct mcp_host *h, int64_t now_us); // removes silent players; returns when to check again
void mcp_seats_end_session(struct mcp_host *h, const struct mcp_session *s); // a session ends
void mcp_seats_close(struct mcp_host *h);

// --- modern requests (mcp_stateless.c, mcp_party.c)

static inline enum mcp_revision mcp_revision_of(const struct mcp_request *a)
{
    return a->modern ? R2026_07_28 : (enum mcp_revision)a->s->revision;
}
void mcp_run_era(struct mcp_session *s, const struct mcp_message *m, enum mcp_era era, const struct mcp_meta *meta,
                 uint64_t tag);
void mcp_refuse_status(const struct mcp_request *a, int status, int code, const char *name, const char *message,
                       struct span data);
// The members name, title and version of serverInfo; `titled`: with a title.
void mcp_put_server(struct text *t, const struct mcp_session *s, const struct env_game *pinned, bool titled);
void mcp_put_instructions(struct text *t, const struct env_game *pinned, bool exclusive, bool player);
bool mcp_connect(const struct mcp_request *a, const char *table, const char *game); // sets s->env; false: refused
// Sets s->env to the connection of a modern request; refuses and returns false if there is none. The params may name an
// agent by its handle; then known_as is set to it, and the params are a copy with the name. `tool`: refusals are
// results (M17).
bool mcp_party_connect(struct mcp_request *a, bool tool, char known_as[MCP_ROOM]);
// A party without a name has registered an agent: sets known_as to the agent_id it is told (M22).
void mcp_party_name(struct mcp_session *s, const struct env_result *r, char known_as[MCP_ROOM]);
bool mcp_is_too_fast(const struct mcp_request *a); // and refused (G21.1)
void mcp_party_leave(struct mcp_session *s);
int64_t mcp_parties_advance(struct mcp_host *h, int64_t now_us);
void mcp_parties_close(struct mcp_host *h);
void mcp_make_handle(char out[MCP_HANDLE + 1]);
void mcp_mark_changed(struct mcp_session *s, const char *uri);
void mcp_end_listen(struct mcp_session *s, struct mcp_listen *l, bool tell);
void mcp_call_free(struct mcp_session *s, struct mcp_call *c);

// --- fixtures of the conformance package (mcp_fixtures.c); false: no such fixture, and nothing was sent

void mcp_fixtures_put_tools(struct text *t);
void mcp_fixtures_put_prompts(struct text *t);
void mcp_fixtures_put_resources(struct text *t, bool templates);
bool mcp_fixture_call(const struct mcp_request *a, struct json_string name, const struct mcp_id *token);
bool mcp_fixture_read(const struct mcp_request *a, const char *uri);
bool mcp_fixture_prompt(const struct mcp_request *a, const char *name);
bool mcp_fixture_is_prompt(const char *name);
void mcp_fixture_answered(struct mcp_session *s, const struct mcp_message *m); // the client has replied to something

// A reader inside the params, or at an empty object; refuses and returns false if they are not an object.
bool mcp_enter_params(const struct mcp_request *a, struct json_reader *r);
bool mcp_is_first_page(const struct mcp_request *a); // false, and refused, if it has a cursor (G6.6)
// Copies a string member to `out`; returns false, skipping the value, if it is not a string or does not fit.
bool mcp_read_text(struct json_reader *r, char *out, size_t room);
