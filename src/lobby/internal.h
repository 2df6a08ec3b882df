// The lobby's state, for the files of this room; each concern has a header of its own.
// An agent's way through the files: presence.c (it connects), eligibility.c, queue.c and standby.c (it waits),
// candidate.c (it is asked to confirm), live_match.c, turns.c and results.c (it plays), watch.c (others look on). With
// several nodes: nodes.c uses the store alone, mesh.c, gateway.c, matchmaker.c and match_order.c the bus.
#pragma once

#include "crypto/crypto.h"
#include "lobby/agent.h"
#include "lobby/candidate.h"
#include "lobby/deal_chain.h"
#include "lobby/house.h"
#include "lobby/live_match.h"
#include "lobby/matchmaker.h"
#include "lobby/queue.h"
#include "lobby/tables.h"
#include "lobby/timer.h"
#include "lobby/watch.h"
#include "stats/glicko.h"

#include <sys/queue.h>

enum {
    LOBBY_HOUSE_MAX = 16,      // most house agents of one game
    LOBBY_QUEUE_BUCKETS = 256, // of the hash table of queues, by game and mode
    LOBBY_LISTENERS = 8,       // most callbacks for ends of matches
    LOBBY_MAX_LOG = 1 << 20,   // most bytes of one match's log
    LOBBY_LINGER_MS = 60000,   // how long an unused agent stays in memory
    // How long a finished match stays in memory; longer (LOBBY_LINGER_MS) while a player may not have received
    // game_over.
    LOBBY_OVER_MS = 1000,
    LOBBY_FIRES_PER_TICK = 256, // timers of one tick, so that connections get their turn
    LOBBY_HOUSE_PER_TICK = 16,  // moves of house bots, since a bot may think
    LOBBY_OVERDUE_MS = 3600000, // F4.19: an undelivered game_over is sent at a reconnect up to this age
    LOBBY_UNDELIVERED = 64,     // most such messages for one returning agent
    LOBBY_STARTS = 10000,       // most matches of one day that are counted; no cap is higher
    LOBBY_DAY_MS = 86400000,
    LOBBY_GUEST_DAYS = 30, // a guest that has not played for so long is removed
    LOBBY_HOUR_MS = 3600000,
};

// A match whose rules this node does not have and which was passed on (S63).
enum { LOBBY_UNKNOWNS = 32 }; // remembered at once
struct lobby_unknown_rules {
    struct uuid match;
    int64_t since_ms;
    int times;
};

struct listener {
    void (*call)(void *owner, const struct store_match *m);
    void *owner;
};

enum { LOBBY_CODES = 64 }; // remembered while their use may not be durable yet

struct lobby {
    struct lobby_options o;
    int games;
    struct store *store;
    int64_t now_ms; // the latest time passed by a caller
    bool draining;
    uint8_t used_code[LOBBY_CODES][STORE_HASH]; // ring buffer of hashes of pairing codes used recently
    uint32_t used_codes;
    bool closing;     // the server is stopping: nothing waits for the store any more
    bool cut_off;     // not connected to the bus
    uint64_t created; // number of matches ever created; gives the next seed (F6.1)
    uint64_t rating_reads;
    struct timers timers;
    struct timer sweep;
    int64_t described_ms;            // when other nodes were last told this node's load
    struct timer nodes;              // next check for what ended nodes have left
    const struct lobby_peers *peers; // NULL: no other nodes can be reached
    void *peers_owner;
    uint32_t listings;                    // number of comparisons with the store's list of connected agents
    struct timer census;                  // the next comparison
    unsigned handed_over;                 // matches handed over so far; other nodes are chosen in turn
    int64_t cut_ms;                       // since when other nodes cannot be reached; 0: they can
    struct timer strays;                  // next check of agents whose matches are at other nodes
    STAILQ_HEAD(, lobby_ends) ends_due;   // agents whose host is gone and whose ends are to be read
    int ends_readers;                     // jobs that read them
    struct timer guests;                  // next check for guests to remove
    int64_t guests_after;                 // row up to which guests were checked
    struct lobby_agent **by_id, **by_key; // hash tables; the size is a power of two
    uint32_t buckets, agents;
    struct lobby_agent *newest, *oldest;
    struct lobby_agent *online, *online_last;
    struct lobby_agent *house[LOBBY_GAMES][LOBBY_HOUSE_MAX];
    struct lobby_agent *model_agent[LOBBY_GAMES][LOBBY_MODELS];
    int houses;
    uint32_t house_turn; // counter that rotates the house agents
    struct queue *queue[LOBBY_QUEUE_BUCKETS];
    struct candidate *candidates;
    uint32_t checks;                       // readiness checks in progress
    struct live_match *running, *finished; // newest first
    struct live_match *starting;           // likewise: not granted by the store yet
    int64_t away_ms;                       // since when the store is away; 0: it is not
    struct listener listener[LOBBY_LISTENERS];
    int listeners;
    struct lobby_figures figures;
    struct deals deals;
    struct mesh mesh;
    struct peer_request *requests;                      // requests to other nodes that jobs wait for
    int tournament_requests;                            // requests from other nodes in progress
    struct lobby_unknown_rules unknown[LOBBY_UNKNOWNS]; // ring buffer
    uint32_t unknowns;
    void (*unknown_call)(void *owner, const struct store_match *m, uint64_t to);
    void *unknown_owner;
    lobby_tournament_handler *tournament_handler; // handles requests about tournaments from other nodes; NULL: none
    void *tournament_owner;
    struct challenges *challenges; // NULL: not open
    struct rematches *rematches;   // NULL: not open
    uint8_t random[1024];          // random bytes in stock
    size_t random_left;
    struct lobby_agent **pool; // scratch space of the sweep
    int pool_count, pool_room;
    // Every step overwrites it (turns_listen): what must last is copied into the match's history.
    struct game_events happened; // scratch space of a step
};

void *lobby_alloc(size_t size);               // zeroed memory; aborts if there is none
void *lobby_realloc(void *at, size_t size);   // likewise
struct uuid lobby_random_id(struct lobby *l); // never derived from a match key (F6.1)
bool lobby_may_begin(const struct lobby *l);  // false while draining or when the disk is nearly full

static inline const struct game *game_of(const struct lobby_game *g)
{
    return g->codec->game;
}
static inline const char *name_of(const struct lobby_game *g)
{
    return g->codec->game->name;
}

// nodes.c
void nodes_open(struct lobby *l, int64_t now_ms);
void nodes_count_places(struct lobby *l, struct lobby_agent *a); // in a job, at most once a second for each agent
// The store refused a match because a player has no place left: finds out who.
bool nodes_refuse(struct lobby *l, struct uuid match, store_ticket refused);
// Reads again what the store knows of the agent, including what it did at other nodes.
void nodes_reload_agent(struct lobby *l, struct lobby_agent *a);
