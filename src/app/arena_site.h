// The arena on an event loop: store, lobby, agents' connections and REST.
//
// At the end of a turn everything that was put is handed to the store's writer; frames and replies are sent when what
// they wait for has become durable (F8.1).
#pragma once

#include "app/arena_options.h"
#include "app/serve_mesh.h"
#include "app/serve_tournaments.h"

#include <limits.h>

struct arena_site {
    struct loop *loop;
    struct store *store;
    struct lobby *lobby;
    struct hub *hub;
    struct arena_rest *rest;
    struct remote_players *remote;
    struct serve_models *models; // NULL: no house agent is a model
    struct mcp_queue *queue;
    struct tournaments *tournaments;
    struct serve_bus *bus;                     // to the other nodes; NULL: none
    struct node_bus *node_bus;                 // over the bus
    struct serve_mesh mesh;                    // its node_bus is NULL: this node seats its agents alone
    struct feeds *feeds;                       // likewise, for spectators
    const char *node;                          // name of this one
    int64_t drain_ms;                          // since when it is leaving; 0: it is not
    int64_t drain_check_ms;                    // when to continue with that
    bool given;                                // all its matches were handed over, which was reported
    bool is_alone;                             // it alone has lost the bus
    bool has_no_agents;                        // it is no gateway
    bool warned;                               // that other nodes have a bus, and this one has not
    int64_t looked_us;                         // when that was last checked
    struct serve_tournaments tournament_nodes; // of a store that several nodes may share
    char tournaments_folder[PATH_MAX];
    struct event *durable, *timer;
    int64_t timer_ms;            // when it fires; INT64_MAX: never
    store_ticket durable_ticket; // the newest reported one
    store_ticket timed;          // one put at a time is timed until it is durable; 0: none
    int64_t timed_us;            // since when
    int64_t batch_us;            // end of the interval in which messages are counted for batching
    uint64_t batch_from;         // messages before it
    bool crowded;                // there were many in the previous one: they are handled together
    bool damaged;                // damage was found and reported
    bool away;                   // the store is unreachable
    int64_t away_us;
    char absence[160]; // why
    int64_t lease_us;  // of several nodes: after so long agents are sent to other nodes (S16); 0: never
    bool sent_away;    // they were
    bool failed;       // the store has failed (F8.6): the loop was stopped
    bool fenced;       // because this node was taken over: it may join again (S15)
};

int64_t arena_now_ms(void); // the clock of the arena: starts at the wall clock's time and never jumps

// Returns APP_DONE, or APP_USAGE after printing the message. Call it before http_listen on the same loop, so that what
// it produces at the end of a turn is sent in that turn.
int arena_site_open(struct arena_site *a, struct loop *l, const struct arena_settings *s, const char *folder);
int arena_site_check_models(struct loop *l,
                            const struct arena_settings *s); // the same for --house only; closed again
// Applies settings that take effect at run time (arena_option_is_live). `s` has all settings and must stay valid.
void arena_site_reload(struct arena_site *a, const struct arena_settings *s);
bool arena_site_request(struct arena_site *a, struct http_request *r); // false: not one of its paths
void arena_site_missing(struct arena_site *a, struct http_request *r); // a path that nothing serves: 404
void arena_site_gone(struct arena_site *a, struct http_request *r);

// S60: hands its matches over to other nodes, then disconnects its agents, then stops the loop. Returns false, without
// doing anything, if no node can take them.
bool arena_site_drain(struct arena_site *a);
// For arena_site.c: at the end of a turn; returns when the next one is due.
int64_t arena_site_check_drain(struct arena_site *a);

// F8.4: disconnects everybody, and makes what was accepted durable. Then close the HTTP server, then this.
void arena_site_stop(struct arena_site *a);
void arena_site_close(struct arena_site *a);
