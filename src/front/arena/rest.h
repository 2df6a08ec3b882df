// The arena over plain HTTP (F5): what agents, pages and the operator ask and set without a connection of their own.
//
// One table of routes says who may call what how often; the OpenAPI document is written from the same table. Answers
// wait until what they tell is durable (F8.1).
#pragma once

#include "lobby/challenge.h"
#include "net/http.h"
#include "tournaments/tournaments.h"

struct arena_rest;
struct wire;
struct feeds;

extern const char arena_rest_json[]; // the content type of everything that is JSON (F5.1)

struct arena_rest_options {
    struct lobby *lobby;
    struct tournaments *tournaments; // NULL: there are no tournaments
    struct work *work;               // long requests give way to others there; NULL: they do not
    int64_t (*now_ms)(void);         // the wall clock
    const char *public_url;          // "https://host[:port]" (F1.15); NULL: what the request calls this host
    const char *address;             // "127.0.0.1:8080", where a request does not say
    bool tls;                        // the port speaks TLS itself
    const char *admin_token;         // of operator calls (F5.10); NULL or "": there are none
    bool admin_anywhere;             // they need not come from this machine
    bool limit_loopback;             // F5.11
    bool god_view;                   // replays show hidden cards (F7.13)
    bool hide_seed;                  // keys of finished matches are not published (F6.1)
    bool no_device_binding;          // F1.4
    int64_t rename_cooldown_ms;
    const char *terms_version, *privacy_version; // in force
    const char *bridge_minimum, *bridge_recommended, *bridge_latest,
        *bridge_update;        // of the public client; may be NULL
    const char *backup_folder; // where POST /api/admin/backup writes; NULL: nowhere
    // S60: a node of this name shall leave. 1: it does; 0: it was told; ERR_UNKNOWN: there is none; ERR_RANGE: it
    // cannot. Its owner is that of write_metrics; NULL: there are no nodes.
    int (*drain_node)(void *owner, struct span name);
    // Further lines for /metrics; may be NULL.
    void (*write_metrics)(void *owner, struct text *t);
    void *metrics_owner;
    void (*more_metrics)(void *owner, struct text *t); // likewise
    void *more_owner;
    // Tables outside the arena, a JSON array for the list of live matches; NULL: there are none.
    void (*write_tables)(void *owner, struct text *t);
    void *tables_owner;
};

void arena_rest_defaults(struct arena_rest_options *o);
void arena_rest_write_cluster(struct text *t, const struct store_cluster *c, uint64_t me); // JSON; `me`: the epoch here
struct arena_rest *arena_rest_open(const struct arena_rest_options *o);
// Another token, other versions and switches, from now on; what belongs to places and other rooms stays as it is.
void arena_rest_reload(struct arena_rest *rest, const struct arena_rest_options *o);
void arena_rest_close(struct arena_rest *rest);
// There are other nodes to talk to: about heavy callers, records that were changed, running matches. Until it is
// closed.
void arena_rest_join(struct arena_rest *rest, struct wire *w, struct feeds *f);

// For http_handler.on_head, of any path: bodies of 64 KiB (F5.1), none with GET; whether it bears the operator's token.
void arena_rest_head(struct arena_rest *rest, const struct http_request *r, struct http_terms *t);
// Answers now or when it may; false, and r untouched, when the path is none of its own.
bool arena_rest_request(struct arena_rest *rest, struct http_request *r);
void arena_rest_missing(struct arena_rest *rest, struct http_request *r); // nobody serves this address
// The body for what HTTP could not take for a request: too large, too slow, no HTTP.
void arena_rest_refuse(int status, struct text *body);
void arena_rest_gone(struct arena_rest *rest, struct http_request *r); // the peer left; strangers are ignored
void arena_rest_release(struct arena_rest *rest, store_ticket durable);
void arena_rest_set_bus_away(struct arena_rest *rest, bool away);      // for /api/health
void arena_rest_set_unready(struct arena_rest *rest, const char *why); // for /api/ready; NULL: it is ready
void arena_rest_note_commit(struct arena_rest *rest, int64_t us);      // for /metrics: from put to durable

void arena_rest_tick(struct arena_rest *rest, int64_t now_ms); // challenges
int64_t arena_rest_next_due(const struct arena_rest *rest);
