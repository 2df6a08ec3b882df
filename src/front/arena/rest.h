// The arena over plain HTTP (F5): requests of agents, web pages and the operator.
//
// A table of routes says who may call what, and how often; the OpenAPI document is generated from the same table.
// Replies wait until what they report is durable (F8.1). All functions are called on the loop's thread.
#pragma once

#include "lobby/challenge.h"
#include "net/http.h"
#include "tournaments/tournaments.h"

struct arena_rest;
struct node_bus;
struct feeds;

extern const char arena_rest_json[]; // content type of all JSON (F5.1)

struct arena_rest_options {
    struct lobby *lobby;
    struct tournaments *tournaments; // NULL: no tournaments
    struct work *work;               // for long requests; NULL: they block the loop
    int64_t (*now_ms)(void);         // wall clock
    const char *public_url;          // "https://host[:port]" (F1.15); NULL: from the request's Host header
    const char *address;             // "127.0.0.1:8080", if a request does not say
    bool tls;                        // the port itself speaks TLS
    const char *admin_token;         // token of operator requests (F5.10); NULL or "": they are disabled
    bool admin_anywhere;             // operator requests may come from other machines
    bool limit_loopback;             // F5.11
    bool god_view;                   // replays show hidden cards (F7.13)
    bool hide_seed;                  // keys of finished matches are not published (F6.1)
    bool no_device_binding;          // F1.4
    int64_t rename_cooldown_ms;
    const char *terms_version, *privacy_version; // currently required
    const char *bridge_minimum, *bridge_recommended, *bridge_latest,
        *bridge_update;        // versions of the public client; may be NULL
    const char *backup_folder; // where POST /api/admin/backup writes; NULL: disabled
    // S60: makes the node of this name leave. Returns 1 if it is this one, 0 if it was told, ERR_UNKNOWN if there is
    // none, ERR_RANGE if it cannot. Its owner is that of write_metrics; NULL: no nodes.
    int (*drain_node)(void *owner, struct span name);
    // Writes further lines for /metrics; may be NULL.
    void (*write_metrics)(void *owner, struct text *t);
    void *metrics_owner;
    void (*more_metrics)(void *owner, struct text *t); // likewise
    void *more_owner;
    // Writes tables outside the arena as a JSON array, for the list of live matches; NULL: none.
    void (*write_tables)(void *owner, struct text *t);
    void *tables_owner;
};

void arena_rest_defaults(struct arena_rest_options *o);
// JSON; `me`: epoch of this node.
void arena_rest_write_cluster(struct text *t, const struct store_cluster *c, uint64_t me);
struct arena_rest *arena_rest_open(const struct arena_rest_options *o);
// Changes token, versions and switches. Addresses, folders and other rooms' objects stay as they were.
void arena_rest_reload(struct arena_rest *rest, const struct arena_rest_options *o);
void arena_rest_close(struct arena_rest *rest);
// Connects it with other nodes: for heavy clients, changed records, running matches. Until arena_rest_close.
void arena_rest_join(struct arena_rest *rest, struct node_bus *b, struct feeds *f);

// For http_handler.on_head, for any path: bodies of at most 64 KiB (F5.1), none with GET; sets whether the request has
// the operator's token.
void arena_rest_head(struct arena_rest *rest, const struct http_request *r, struct http_terms *t);
// Replies now or later. Returns false, leaving r alone, if the path is not one of its own.
bool arena_rest_request(struct arena_rest *rest, struct http_request *r);
void arena_rest_missing(struct arena_rest *rest, struct http_request *r); // replies that nothing is served here
// Writes the body of a reply to something that HTTP refused: too large, too slow, not HTTP.
void arena_rest_refuse(int status, struct text *body);
// The peer disconnected; unknown requests are ignored.
void arena_rest_disconnected(struct arena_rest *rest, struct http_request *r);
void arena_rest_release(struct arena_rest *rest, store_ticket durable);
void arena_rest_set_bus_away(struct arena_rest *rest, bool away);      // for /api/health
void arena_rest_set_unready(struct arena_rest *rest, const char *why); // for /api/ready; NULL: ready
void arena_rest_note_commit(struct arena_rest *rest, int64_t us);      // for /metrics: time from put to durable

void arena_rest_tick(struct arena_rest *rest, int64_t now_ms); // for challenges
int64_t arena_rest_next_due(const struct arena_rest *rest);
