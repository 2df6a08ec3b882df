// What the files of a session share.
#pragma once

#include "base/json_write.h"
#include "front/mcp/mcp_modern.h"
#include "front/mcp/mcp_session.h"

#include <sys/queue.h>

enum { MCP_MAX_SUBSCRIPTIONS = 64, MCP_MAX_URI = 192, MCP_MAX_NAME = 64, MCP_ROOM = 160 }; // G5.7, G1.7

enum mcp_revision { REVISION_NONE, R2024_11_05, R2025_03_26, R2025_06_18, R2025_11_25, R2026_07_28 };

// An array of messages (G2.6): answered as one, when the last of its calls is.
struct mcp_batch {
    uint64_t tag;
    int open; // messages not yet answered; one more while it is being read
    struct text text;
    struct mcp_session *session; // while it is read; NULL: it has gone
    struct span message;         // what is read, its own copy
    LIST_ENTRY(mcp_batch) all;   // of those being read
};

// A tool call that env has; it may be answered at once or much later.
struct mcp_call {
    uint64_t number;      // for env,
    struct env_conn *env; // at this connection
    uint64_t tag;
    struct mcp_batch *batch; // or NULL
    uint64_t progress;       // the last one told
    int64_t progress_us;     // when; INT64_MIN: not yet
    struct mcp_id id, token; // token: size 0 when no progress is wanted
    bool modern;             // it came by 2026-07-28
    char known_as[MCP_ROOM]; // the agent's handle, where it stood for its name; empty: it did not
    char unknown[160];       // arguments that the tool does not have; empty: none
    TAILQ_ENTRY(mcp_call) all;
};

enum { MCP_LISTENED = 64 }; // M43: uris in one subscription

// subscriptions/listen: a request whose answer is a stream (M41).
struct mcp_listen {
    struct mcp_id id;
    uint64_t tag;
    struct mcp_subscription *at; // MCP_LISTENED of them
    LIST_ENTRY(mcp_listen) all;
};

struct mcp_subscription {
    char uri[MCP_MAX_URI]; // empty: free
    int64_t sent_us;
    bool changed;
};

struct mcp_session {
    struct mcp_host *host;
    const struct mcp_link *link;
    void *conn;
    struct env_conn *env; // NULL before initialize
    TAILQ_HEAD(, mcp_call) calls;
    struct mcp_subscription *subscriptions; // MCP_MAX_SUBSCRIPTIONS of them; NULL: never subscribed
    LIST_HEAD(, mcp_listen) listens;        // modern ones
    const struct mcp_headers *headers;      // of the request that is being handled; NULL: there are none
    struct mcp_party *party;                // of a stateless one, whose env it uses; NULL: not known yet
    int status;                             // of HTTP, for what is sent next
    bool stateless;                         // one modern request over HTTP
    bool player;                            // its list of tools is that of players
    struct mcp_question *question;          // what a fixture has asked the client; NULL: nothing
    struct text later;                      // notifications that follow the answer, each ended by LF
    int64_t free_us;                        // rate: when all that came has been paid for
    uint64_t client;                        // for whom tables are counted; 0: nobody
    uint8_t revision, level;
    bool closing;
    char caller[64];                                      // its client's address; empty: the user who runs the server
    char table[MCP_MAX_NAME + 1], game[MCP_MAX_NAME + 1]; // of the address; empty: none
    LIST_ENTRY(mcp_session) all;
};

enum { MCP_HANDLE = 20 }; // characters of a handle (M22)

// A player at a table: a connection of its own, known by its handle on every transport (M53).
struct mcp_seat {
    struct mcp_host *host;
    struct env_conn *env;
    const struct mcp_session *owner; // who joined; only for those who name no seat
    int64_t heard_us;
    char handle[MCP_HANDLE + 1];
    LIST_ENTRY(mcp_seat) all;
};

// Who owns agents without a connection (M20-M25): a name that the caller chose, or a handle that was drawn.
struct mcp_party {
    struct mcp_host *host;
    struct env_conn *env;
    int64_t heard_us;
    int users; // requests that are being answered
    char name[MCP_MAX_PARTY + 1];
    char handle[MCP_HANDLE + 1];
    LIST_ENTRY(mcp_party) all;
};

struct mcp_host {
    struct mcp_options options;
    struct env *env;
    struct text out;  // the message being written
    struct text body; // a resource or a guide on its way into it
    uint64_t calls;   // numbered so far
    int64_t now_us;
    int count;
    bool notes, changes; // some session has notifications waiting; has subscriptions that changed
    LIST_HEAD(, mcp_session) sessions;
    LIST_HEAD(, mcp_seat) seats;
    LIST_HEAD(, mcp_party) parties;
    int64_t parties_us; // when they are looked through next
    struct text params; // of a request, rewritten
    uint8_t fixture_key[64];
    bool has_fixture_key;
    size_t result_at;  // where the result begins in `out`
    struct text extra; // members of its _meta, for a modern one
    int64_t seats_us;  // when they are looked through next
    LIST_HEAD(, mcp_batch) reading;
    TAILQ_HEAD(, mcp_call) spare;
};

// A request while it is being answered.
struct mcp_ask {
    struct mcp_session *s;
    const struct mcp_id *id;
    struct span params;                 // as they came; empty: none
    const struct mcp_call_params *call; // the same, taken apart; NULL: that is to be done
    struct mcp_batch *batch;
    uint64_t tag;
    const char *unknown;         // of a tool call: arguments to warn of; NULL or empty: none
    const char *known_as;        // of a tool call: see struct mcp_call
    const struct mcp_meta *meta; // of a modern request; NULL: a legacy one, or answered later
    bool modern;
    bool shared;    // whoever asks gets the same (M12)
    bool asks;      // the result is a question: input_required
    int64_t ttl_ms; // how long it may be kept; -1: that is not said
};

// --- writing (mcp_write.c)

bool mcp_grow(struct text *t, size_t more);
// {"jsonrpc":"2.0","id":...,"result": and what follows; then end.
struct text *mcp_begin_result(const struct mcp_ask *a);
void mcp_end_result(const struct mcp_ask *a);
// `data`: members besides name, without braces; "" for none.
void mcp_refuse(const struct mcp_ask *a, int code, const char *name, const char *message, struct span data);
void mcp_refuse_params(const struct mcp_ask *a, const char *path, const char *expected); // -32602
void mcp_answer_empty(const struct mcp_ask *a);                                          // {}
void mcp_write_tool_result(const struct mcp_ask *a, const struct env_result *r);
void mcp_write_player_result(const struct mcp_ask *a, const struct env_result *r);
void mcp_write_error(struct text *t, struct span id, int code, const char *name, const char *message, struct span data);
void mcp_notify(struct mcp_session *s, const char *method, struct span params);       // now, belonging to no request
void mcp_notify_later(struct mcp_session *s, const char *method, struct span params); // after the answer that caused it
void mcp_batch_leave(struct mcp_session *s, struct mcp_batch *b);

// --- methods (mcp_methods.c, mcp_resources.c, mcp_prompts.c, mcp_calls.c)

void mcp_do_initialize(const struct mcp_ask *a);
void mcp_do_tools_list(const struct mcp_ask *a);
void mcp_do_tools_call(const struct mcp_ask *a);
void mcp_do_resources_list(const struct mcp_ask *a);
void mcp_do_templates_list(const struct mcp_ask *a);
void mcp_do_resources_read(const struct mcp_ask *a);
void mcp_do_subscribe(const struct mcp_ask *a);
void mcp_do_unsubscribe(const struct mcp_ask *a);
void mcp_do_prompts_list(const struct mcp_ask *a);
void mcp_do_prompts_get(const struct mcp_ask *a);
void mcp_do_complete(const struct mcp_ask *a);
void mcp_do_set_level(const struct mcp_ask *a);
void mcp_cancel(struct mcp_session *s, struct span params);
extern const struct env_hooks mcp_hooks;
struct mcp_call *mcp_call_find(struct mcp_session *s, uint64_t number); // NULL: none

// --- players (mcp_player.c)

// The tool of this name for whoever asks; NULL: none.
const struct env_tool *mcp_tools_of(const struct mcp_session *s);
// The connection at which a player's tool runs. NULL: refused.
struct env_conn *mcp_seat_take(const struct mcp_ask *a, const struct env_tool *tool, struct span arguments);
void mcp_seat_settle(struct mcp_host *h, struct env_conn *env, bool gone); // a call is over; gone: give the seat up
int64_t mcp_seats_advance(struct mcp_host *h, int64_t now_us);             // the silent go; when to look again
void mcp_seats_forget(struct mcp_host *h, const struct mcp_session *s);    // a session that ends
void mcp_seats_close(struct mcp_host *h);

// --- modern requests (mcp_stateless.c, mcp_party.c)

static inline enum mcp_revision mcp_revision_of(const struct mcp_ask *a)
{
    return a->modern ? R2026_07_28 : (enum mcp_revision)a->s->revision;
}
void mcp_run_era(struct mcp_session *s, const struct mcp_message *m, enum mcp_era era, const struct mcp_meta *meta,
                 uint64_t tag);
void mcp_refuse_status(const struct mcp_ask *a, int status, int code, const char *name, const char *message,
                       struct span data);
void mcp_write_server(struct text *t, const struct mcp_session *s); // {"name","title","version"}
void mcp_put_instructions(struct text *t, const struct env_game *pinned, bool exclusive, bool player);
bool mcp_connect(const struct mcp_ask *a, const char *table, const char *game); // s->env; false: refused
// The connection of a modern request into s->env; false, and refused, where there is none. The params may name an agent
// by its handle; known_as gets it, and the params are then a copy with the name. `tool`: refusals are results (M17).
bool mcp_party_take(struct mcp_ask *a, bool tool, char known_as[MCP_ROOM]);
// A party without a name has registered an agent: known_as gets the agent_id that it is told (M22).
void mcp_party_name(struct mcp_session *s, const struct env_result *r, char known_as[MCP_ROOM]);
bool mcp_is_too_fast(const struct mcp_ask *a); // and refused (G21.1)
void mcp_party_leave(struct mcp_session *s);
int64_t mcp_parties_advance(struct mcp_host *h, int64_t now_us);
void mcp_parties_close(struct mcp_host *h);
void mcp_make_handle(char out[MCP_HANDLE + 1]);
void mcp_mark_changed(struct mcp_session *s, const char *uri);
void mcp_end_listen(struct mcp_session *s, struct mcp_listen *l, bool tell);
void mcp_call_free(struct mcp_session *s, struct mcp_call *c);

// --- fixtures of the conformance package (mcp_fixtures.c); false: there is none by this name, and nothing was sent

void mcp_fixtures_put_tools(struct text *t);
void mcp_fixtures_put_prompts(struct text *t);
void mcp_fixtures_put_resources(struct text *t, bool templates);
bool mcp_fixture_call(const struct mcp_ask *a, struct json_string name, const struct mcp_id *token);
bool mcp_fixture_read(const struct mcp_ask *a, const char *uri);
bool mcp_fixture_prompt(const struct mcp_ask *a, const char *name);
bool mcp_fixture_is_prompt(const char *name);
void mcp_fixture_answered(struct mcp_session *s, const struct mcp_message *m); // the client has replied to something

// A reader that stands inside the params, or at an empty object; false, and refused, when they are no object.
bool mcp_enter_params(const struct mcp_ask *a, struct json_reader *r);
bool mcp_is_first_page(const struct mcp_ask *a); // false, and refused: it names a cursor (G6.6)
// A string member into `out`; false, the value skipped, when it is no string or does not fit.
bool mcp_read_text(struct json_reader *r, char *out, size_t room);
