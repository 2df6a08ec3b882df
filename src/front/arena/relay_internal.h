// Shared by the files of the relay.
#pragma once

#include "front/arena/hub_internal.h"
#include "front/arena/relay.h"

enum {
    RELAY_BUCKETS = 1024,
    // Four bytes of capabilities, one of flags, two lengths, and the texts.
    RELAY_COME = 7 + 2 * 64, // most bytes of the payload of ENTRY_COME
    RELAY_SENT = 128, // starts and ends that a connection remembers as sent: twice as many as may be sent at once
};

// A match of an agent that is not where the agent is.
struct route {
    struct uuid session; // none: the node only knows of the agent
    uint64_t host;
    uint32_t asks; // newest question: at the host, that it has asked; at the gateway, that was written to the socket
    uint32_t answered; // at the gateway: the newest question that the agent has answered
    int64_t left_ms;   // at the host: since when `written` is awaited; 0: it is not
    uint64_t moved; // the node that takes the match over; 0: it does not move. At the gateway: until it is heard from
};

struct come {
    char instance[HUB_INSTANCE], address[64];
};

// The first or the last frame of a match.
struct sent_frame {
    struct uuid session;
    enum hub_kind kind;
};

struct relay_conn {
    struct hub_conn *conn;
    struct uuid agent;
    uint64_t number;  // of the connection
    uint64_t gateway; // at the host: the node that it is connected to; 0: this one
    uint64_t last;    // at the host: number on the link of the last frame for it
    uint32_t heard;   // at the host: the newest question that had been written when it said what is being read
    // Grows by realloc: a pointer to a route is valid until the next relay_set_route or relay_drop_route.
    struct route *route;
    int routes, room;
    bool waits; // to be greeted
    bool dead;  // freed at the end of the turn
    bool reset; // it was greeted because its link lost something: its gateway will say again that it is there
    uint32_t capabilities;
    struct come *come;              // at the host: content of ENTRY_COME
    struct sent_frame *sent;        // starts and ends written to the socket, a ring of the last RELAY_SENT
    uint32_t sent_count, sent_room; // how many there were
    LIST_ENTRY(relay_conn) by_number, by_agent;
    TAILQ_ENTRY(relay_conn) greet;
};

LIST_HEAD(bucket, relay_conn);

struct relay {
    struct relay_options o;
    struct links links;
    struct bucket by_number[RELAY_BUCKETS], by_agent[RELAY_BUCKETS];
    TAILQ_HEAD(, relay_conn) greet;      // with those that are dead
    TAILQ_HEAD(, delayed_forward) later; // messages to send again (relay_migration.c)
    int64_t check_ms;                    // when a request counts as written; INT64_MAX: none waits
    struct relay_figures figures;
    char out[BUNDLE_MAX];
};

// The lobby's clock, which may be set back; and the monotonic clock of the links.
static inline int64_t relay_lobby_ms(const struct relay *r)
{
    return r->o.hub->options.now_ms();
}

static inline int64_t relay_link_ms(const struct relay *r)
{
    return r->o.now_ms();
}

// relay.c: connections by number and by agent, routes, entries
struct relay_conn *relay_find_number(struct relay *r, uint64_t number);
struct relay_conn *relay_find_agent(struct relay *r, struct uuid agent); // the newest
struct relay_conn *relay_add(struct relay *r, struct hub_conn *c, struct uuid agent, uint64_t number);
struct route *relay_find_route(const struct hub_conn *c, struct uuid session);
struct route *relay_set_route(struct relay_conn *x, struct uuid session, uint64_t host); // NULL without memory
void relay_drop_route(struct relay_conn *x, struct route *route);
struct entry relay_entry(const struct relay_conn *x, enum entry_kind kind);
struct span relay_write_come(const struct relay_conn *x, char out[RELAY_COME]); // the payload of ENTRY_COME
bool relay_read_come(struct relay_conn *x, struct span payload);

// relay_host.c: players of other nodes
struct lobby_presence relay_presence(const struct relay_conn *x);
// The player connects, or reconnects: frames sent before may not have arrived (F4.19).
void relay_connect_player(struct relay *r, struct relay_conn *x, struct lobby_agent *a);
void relay_receive_come(struct relay *r, uint64_t gateway, const struct entry *e);
void relay_receive_player(struct relay *r, uint64_t gateway, const struct entry *e); // SAY, WRITTEN, PONG, GONE
void relay_remove_players(struct relay *r, uint64_t gateway);                        // of one gateway, or of all (0)
void relay_check_written(struct relay *r, int64_t now_ms);                           // S56
void relay_greet_waiting(struct relay *r);

// relay_gateway.c: agents that are connected here and play at other nodes
void relay_put_come(struct relay *r, const struct relay_conn *x, uint64_t host);
void relay_put_gone(struct relay *r, uint64_t host, uint64_t number); // the connection is no longer here
void relay_receive_frame(struct relay *r, uint64_t host, const struct entry *e);
void relay_receive_replaced(struct relay *r, const struct entry *e);
// S26: notifies the node to which the agent was connected before. The store does so too, up to a second later.
void relay_replace_older(struct relay *r, const struct hub_conn *c, const struct store_presence *before);

// relay_migration.c: matches that change nodes (S60)
void relay_answer_unknown_match(struct relay *r, uint64_t gateway, const struct entry *say, const struct relay_conn *x);
void relay_receive_not_here(struct relay *r, uint64_t host, const struct entry *e);
void relay_receive_moved(struct relay *r, uint64_t host, const struct entry *e);
void relay_leave_host(struct relay *r, struct relay_conn *x, uint64_t host); // unless that host has another match of it
void relay_retry_forwards(struct relay *r, int64_t now_ms);                  // messages that were answered "not here"
int64_t relay_later_ms(const struct relay *r);
void relay_drop_later(struct relay *r);
