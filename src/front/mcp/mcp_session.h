// MCP sessions (G2-G6): JSON-RPC messages in and out, over Game-RL. They know no transport and read no clock: a
// transport opens sessions, passes messages and the time, and delivers messages.
//
// All sessions of a host share its buffers: a message is complete when it is passed to the link and invalid when the
// link returns. Handling a message allocates nothing once the buffers have grown.
#pragma once

#include "env/env.h"
#include "front/mcp/mcp_message.h"
#include "front/mcp/mcp_modern.h"

struct mcp_host;
struct mcp_session;

// Ordered: a client gets what is at its level or above (G6.5).
enum mcp_level { MCP_DEBUG, MCP_INFO, MCP_NOTICE, MCP_WARNING, MCP_ERROR, MCP_CRITICAL, MCP_ALERT, MCP_EMERGENCY };

extern const char *const mcp_levels[]; // by enum mcp_level, ended by NULL

struct mcp_options {
    const char *version;          // of agon
    const struct env_game *games; // ends with a NULL game
    size_t max_message;           // bytes, in both directions [8 MiB]
    int rate;                     // requests per second and session; 0: no limit
    bool errors_as_results;       // --tool-errors result (G4.7)
    bool brief;                   // --text brief (G4.3)
    bool player;                  // --tools player (M52)
    bool fixtures;                // --mcp-fixtures (M68)
    int idle_s;                   // until a silent player's seat is given up [1800]
    bool named_tables;            // initialize may choose a table and a game (G1.7)
    const char *table;            // for clients that name none; NULL: one of their own
    int tables;                   // of the one connection; above 1 each has a resource (G1.6)
    struct work *work;            // for long arrays; NULL: no other clients
};

// The kind of an outgoing message.
enum mcp_output {
    MCP_ANSWER,  // the reply to a request
    MCP_REFUSAL, // the reply to something that is not a request: its id is null
    MCP_NOTE,    // a notification
};

// Functions of a transport. `tag` is what mcp_session_handle got with the request that a message belongs to, 0 for
// messages that belong to none. Messages have no line end and no line break.
struct mcp_link {
    void (*send)(void *conn, uint64_t tag, enum mcp_output kind, struct span message);
    void (*stream)(void *conn, uint64_t tag); // notifications will come before the reply; may be NULL
    void (*end)(void *conn, uint64_t tag);    // nothing more belongs to this tag; may be NULL
};

void mcp_defaults(struct mcp_options *o);
// `env` stays the caller's and must outlive the host. Returns NULL without memory.
struct mcp_host *mcp_host_create(const struct mcp_options *o, struct env *env);
void mcp_host_destroy(struct mcp_host *h); // after its sessions
// Clocks, notifications; returns when to call again at the latest.
int64_t mcp_host_advance(struct mcp_host *h, int64_t now_us);
size_t mcp_host_max_message(const struct mcp_host *h);
int mcp_host_count(const struct mcp_host *h);                                     // number of sessions
void mcp_host_log(struct mcp_host *h, enum mcp_level level, const char *message); // to every session

// `table` and `game`: from the URL (G1.7), or NULL. Returns NULL without memory.
struct mcp_session *mcp_session_open(struct mcp_host *h, const struct mcp_link *link, void *conn, const char *table,
                                     const char *game);
void mcp_session_set_caller(struct mcp_session *s, const char *address); // of its client; else the local user's (env.h)
void mcp_session_set_client(struct mcp_session *s, uint64_t client); // before the first message; see env_hooks.client
void mcp_session_handle(struct mcp_session *s, struct span message, uint64_t tag, int64_t now_us);
// The same for HTTP, with the headers that modern requests repeat.
void mcp_session_handle_web(struct mcp_session *s, struct span message, uint64_t tag, int64_t now_us,
                            const struct mcp_headers *headers);
// Whether a message needs no session: it is modern, or refused as one (M2).
bool mcp_is_stateless(struct span message, const struct mcp_headers *headers);
void mcp_session_set_stateless(struct mcp_session *s);
void mcp_session_set_tools(struct mcp_session *s, bool player); // the list that its URL names (M40)
int mcp_session_status(struct mcp_session *s);                  // HTTP status of the reply that is being sent
void mcp_session_too_large(struct mcp_session *s);              // a message above the limit was discarded (G2.2)
void mcp_session_close(struct mcp_session *s, int64_t now_us);

bool mcp_session_is_reading(const struct mcp_session *s); // an array of messages, in pieces: others wait
bool mcp_session_is_ready(const struct mcp_session *s);   // initialize was answered
bool mcp_revision_is_known(struct span name);
bool mcp_session_is_bare(const struct mcp_session *s); // it has no agent, and nothing is in progress
bool mcp_session_primes(const struct mcp_session *s);  // G3.4: its event streams start with a priming event

// Whether a message is initialize; if not, `out` gets the reply to a message that may not open a session (G7.4).
bool mcp_is_initialize(struct span message, struct text *out);
