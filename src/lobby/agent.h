// An agent in memory. Private to the lobby.
#pragma once

#include "lobby/matchmaker.h"

// Forgotten a day after the end (F7.9).
struct encounter { // two agents met in a rated match
    struct uuid match, opponent;
    int64_t at_ms;
    char game[24];
};

struct agent_rating {
    struct store_rating row;
    uint64_t read_no; // differs whenever the row was read again
};

struct agent_cache { // what is known of an agent besides its record (agent_cache.h)
    int64_t *start;  // when matches of the last day began, oldest first; without one_shot matches
    uint32_t starts, start_room;
    struct encounter *meeting;
    uint32_t meetings, meeting_room;
    bool has_starts, has_meetings; // the lists have been read
};

struct lobby_agent {
    struct lobby *lobby;
    struct gateway_entry *remote_entry;     // NULL: nothing of it is at other nodes
    struct remote_agent *remote;            // NULL: it is connected here, or nowhere
    struct lobby_agent *id_next, *key_next; // hash chains
    struct lobby_agent *newer, *older;      // list ordered by last use
    struct lobby_agent *online_next, *online_before;
    struct lobby_agent *queue_next, *queue_before;
    struct lobby_seat *seats;     // running and just over; empty for house agents
    struct agent_rating *ratings; // by game; NULL: not read
    struct queue *queue;
    struct candidate *candidate;
    const struct lobby_game *again; // game to queue for again when the cooldown is over (F3.9)
    struct lobby_presence presence; // link NULL: offline
    struct timer again_timer, ready_timer;
    int64_t touched_ms;
    int64_t joined_ms;         // when it entered its queue
    int64_t ready_ms;          // when it last reported ready (F3.12)
    int64_t left_out_until_ms; // standby skips it until then
    int64_t failed_ms[3];      // missed confirmations, newest first (F3.16)
    int64_t barred_until_ms;   // because of these
    struct agent_cache cache;
    store_ticket saved; // ticket of the last put of its record
    uint32_t holds;     // lobby_agent_hold
    int active;         // running matches that it was not dropped from
    uint32_t *marks;    // hashes of the record's fields when it was last read or put; NULL: only this node changes it
    // With `active` it counts against max_concurrent. Only an estimate, since matches there end unseen: before it
    // refuses anything it is counted again (nodes_count_places).
    int elsewhere;                     // running matches that other nodes host
    int64_t asked_ms;                  // when their number was last asked for
    uint32_t listed;                   // number of the last comparison in which the store's list had it (S26)
    int64_t sought_ms;                 // when it was last looked for at other nodes
    uint64_t invited_at, invited_conn; // where a tournament of this node found it connected; 0: not looked for, or here
    uint64_t conn;                     // number of its connection among all nodes; 0: not counted
    bool had_remote_matches;           // it had matches at other nodes when it connected
    uint64_t newest;                   // number of its newest connection to any node, as far as known here
    int64_t connected_ms;              // when it connected
    bool forgot;                       // its process did not know its matches when it was synced
    struct uuid ready_request;
    uint8_t key_hash[STORE_HASH];             // by which it is in the table of keys
    bool has_key;                             // it is in the table of keys
    bool one_shot;                            // of its queue entry
    struct lobby_table_request table_request; // likewise, in QUEUE_TABLES
    bool synced;                              // lobby_sync was called: it may be told of matches
    char again_mode[LOBBY_MODE_ROOM];
    char instance[65];
    char address[64]; // of the current or the last connection; empty: loopback or unknown
    struct store_agent record;
};

static inline bool is_online(const struct lobby_agent *a)
{
    return a->presence.link != NULL;
}
// Connected to this node itself, which is therefore its gateway.
static inline bool is_here(const struct lobby_agent *a)
{
    return is_online(a) && !a->presence.relayed;
}

// What identity_remove leaves of an agent.
static inline bool is_deleted(const struct store_agent *a)
{
    return a->disabled && !a->has_key && a->kind != STORE_REMOTE;
}

// agents.c
void agents_open(struct lobby *l);
void agents_close(struct lobby *l);
void agents_evict(struct lobby *l, int64_t now_ms);
// Updates the record as read from the store.
void agents_renew(struct lobby *l, struct lobby_agent *a, const struct store_agent *record);
struct store_rating *agents_rating(struct lobby *l, struct lobby_agent *a, int game);
int64_t agents_last_over(struct lobby *l, struct lobby_agent *a); // when its last match ended; 0: never

// guests.c
void guests_open(struct lobby *l, int64_t now_ms);
