// The arena on an event loop: store, lobby, agents' connections and REST, joined.
//
// A turn of the loop ends with everything that was put being handed to the store's writer; what became durable releases
// the frames and answers that waited for it (F8.1).
#pragma once

#include "app/arena_options.h"
#include "app/serve_mesh.h"
#include "app/serve_tours.h"

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
    struct serve_bus *bus;    // to the other nodes; NULL: there is none
    struct wire *wire;        // over it
    struct serve_mesh mesh;   // its wire is NULL: this node seats its agents alone
    struct feeds *feeds;      // likewise: spectators
    const char *node;         // name of this one
    int64_t drain_ms;         // since when it leaves; 0: it does not
    int64_t tend_ms;          // when that is looked at next
    bool given;               // all its matches were, and that was told
    bool is_alone;            // without the bus that others have
    bool has_no_agents;       // it is no gateway
    bool warned;              // that other nodes have a bus, and this one has not
    int64_t looked_us;        // for them
    struct serve_tours tours; // of a store that several nodes may have
    char tournaments_folder[PATH_MAX];
    struct event *durable, *timer;
    int64_t timer_ms;            // when it fires; INT64_MAX: never
    store_ticket durable_ticket; // the newest that was told
    store_ticket timed;          // one put at a time is timed until it is durable; 0: none
    int64_t timed_us;            // since when
    int64_t gather_us;           // when the interval ends in which messages are counted
    uint64_t gather_from;        // messages before it
    bool crowded;                // there were many in the one before: they are heard together
    bool damaged;                // and told
    bool away;                   // the store is, and since when or until when
    int64_t away_us;
    char absence[160]; // why it is
    int64_t lease_us;  // of several nodes: away for so long, agents are sent elsewhere (S16); 0: never
    bool sent_away;    // they were
    bool failed;       // the store did (F8.6): the loop has been stopped
    bool fenced;       // because this node was taken over: it may join again (S15)
};

int64_t arena_now_ms(void); // the clock of all of it: it never jumps, and began at the wall clock's time

// APP_DONE, or APP_USAGE and the message has been printed. Before http_listen on the same loop, so that what it makes
// at the end of a turn leaves in that turn.
int arena_site_open(struct arena_site *a, struct loop *l, const struct arena_settings *s, const char *folder);
int arena_site_check_models(struct loop *l,
                            const struct arena_settings *s); // the same for --house alone, and closed again
// Settings that take effect while it runs (arena_option_is_live); `s` is a whole set and must stay valid.
void arena_site_reload(struct arena_site *a, const struct arena_settings *s);
bool arena_site_request(struct arena_site *a, struct http_request *r); // false: the path is none of its own
void arena_site_missing(struct arena_site *a, struct http_request *r); // nobody else's either: 404
void arena_site_gone(struct arena_site *a, struct http_request *r);

// S60: its matches go to other nodes, then its agents are closed, then the loop is stopped. False: there is nobody to
// take them, and nothing has begun.
bool arena_site_drain(struct arena_site *a);
int64_t arena_site_tend(struct arena_site *a); // for arena_site.c: at the end of a turn; when the next one is due

// F8.4: everybody is told goodbye, what was accepted is made durable. Then the HTTP server is closed, then this.
void arena_site_stop(struct arena_site *a);
void arena_site_close(struct arena_site *a);
