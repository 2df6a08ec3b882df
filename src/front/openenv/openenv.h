// OpenEnv: every game as an environment server for trainers of language models (docs/protocols/openenv.md, rules O).
// One address per game on an HTTP server: plain HTTP, a WebSocket for a session, JSON-RPC at /mcp.
#pragma once

#include "kit/kit.h"
#include "net/http.h"
#include "net/web_access.h"

struct openenv;

enum {
    OPENENV_MAX_BODY = 64 << 10, // bytes of a body or a message (O14, O29)
    OPENENV_CLASS = 64,          // room of a name for programs
};

struct openenv_options {
    struct loop *loop;
    const struct game_kit *const *kits; // the served ones, ended by NULL
    struct web_access access;
    bool any_host;           // Host is not checked: it listens on more than the loopback
    const char *token;       // required in every request; NULL: none
    const char *bots;        // default house bot of other seats; NULL: "rules", or the nearest
    const char *version;     // of agon
    bool production;         // no reset, step and state over HTTP and /ws (O5)
    int max_sessions;        // [4096]
    int sessions_per_client; // (net/admission.h); 0: no limit [0]
    int idle_s;              // a session on a socket ends after so much silence [1800]
    int http_idle_s;         // and one without a socket [300]
    int wait_s;              // longest time of a reply if others must act first [20]
    int turn_limit_s;        // after which a silent seat of a shared table is played for [120]
};

struct openenv_figures {
    int sessions, tables; // tables: shared ones
    uint64_t opened, refused, steps;
};

void openenv_defaults(struct openenv_options *o);
// Call it before http_listen on the same loop, so that what it produces at the end of a turn is sent in that turn.
// Returns NULL without memory.
struct openenv *openenv_create(const struct openenv_options *o);
void openenv_stop(struct openenv *o);    // the loop has ended: ends sessions, before the HTTP server is closed
void openenv_destroy(struct openenv *o); // after it

// Requests below /openenv/GAME, or everywhere if `root` names the only served game. Returns false for others.
bool openenv_request(struct openenv *o, struct http_request *r, const char *root);
bool openenv_owns(const struct openenv *o, const struct http_request *r); // by its path, below /openenv
void openenv_disconnected(struct openenv *o, struct http_request *r);
void openenv_figures(const struct openenv *o, struct openenv_figures *f);

// What a client is generated from: {"action":S,"observation":S,"state":S} (O12).
void openenv_write_schemas(struct text *t, const struct game_kit *k);
void openenv_name_class(const struct game_kit *k, char out[OPENENV_CLASS]); // "old_game" is OldGame
