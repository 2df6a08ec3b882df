// Shared by the files of feeds.
#pragma once

#include "cluster/feed.h"
#include "front/arena/feeds.h"
#include "front/arena/hub_internal.h"
#include "work/work.h"

enum {
    // S48; lost messages are noticed by the tick at the latest.
    FEEDS_TICK_MS = 500,
    FEEDS_ASK_MS = 1000,    // how often a gateway asks
    FEEDS_AGAIN_MS = 250,   // and how often for the same thing
    FEEDS_SILENT_MS = 3000, // after which a host is searched again
    FEEDS_FORGET_MS = 5000, // after which a gateway is forgotten
    FEEDS_KEEP_MS = 10000,  // how long an ended match is kept, for those who missed the end
    FEEDS_MORE = 256 << 10, // most bytes of events in one message
    // Lists of two queries from every node; the oldest is replaced.
    FEEDS_ANSWERS = 2 * STORE_NODES,
};

struct subscriber {
    uint64_t epoch;
    int64_t heard_ms;
    // Spectators at that node; the host adds them to its own.
    uint32_t watchers;
};

// A match of this node that is watched from others.
struct feed {
    struct feeds *feeds;
    struct hub_conn *conn; // without a socket
    struct uuid live, owner;
    // Until then events cannot be repeated: they may be lost with this node (F8.1).
    store_ticket opened; // what was shown before is durable with this ticket
    uint64_t number;     // frames sent so far
    uint32_t seq;        // events sent so far
    // Repeated behind missed events, so that a gateway knows whose turn it is.
    struct text turn; // the frame of the last turn that was sent
    // Repeated for FEEDS_KEEP_MS to gateways that still ask.
    struct text end; // the last frame
    int64_t ended_ms;
    bool over; // its match has moved to another node: to be closed
    struct subscriber subscriber[STORE_NODES];
    int subscribers;
    LIST_ENTRY(feed) link;
    char name[NODE_BUS_SUBJECT];
};

// WAITS_PICTURE: gets nothing before the current state. WAITS_MORE: nothing before the events from `from` on. BEHIND:
// too much is unread, so it will get the state instead (F4.27).
enum remote_watch_state { REMOTE_WAITS_PICTURE, REMOTE_WAITS_MORE, REMOTE_FOLLOWS, REMOTE_BEHIND };

struct remote_watch { // a spectator of a match at another node
    struct remote_match *match;
    struct hub_conn *conn;
    struct remote_watch *next; // of the connection
    uint32_t from;             // with REMOTE_WAITS_MORE
    uint8_t state;             // enum remote_watch_state
    LIST_ENTRY(remote_watch) link;
};

struct remote_match { // a match at another node
    struct feeds *feeds;
    struct uuid live, owner, match;
    struct feed_place place;
    void *subscription;
    // When the host was last asked, last heard, and last searched for in the store.
    int64_t asked_ms, heard_ms, sought_ms;
    bool seeking; // a job is searching its host
    LIST_HEAD(, remote_watch) watches;
    LIST_ENTRY(remote_match) link;
    char name[NODE_BUS_SUBJECT];
};

struct feeds {
    struct feeds_options o;
    struct event *timer;
    void *asks, *lists, *answers; // subscriptions
    LIST_HEAD(, feed) hosted;
    LIST_HEAD(, remote_match) followed;
    struct text out; // being written
    struct feeds_figures figures;
    // Lists (feeds_list.c).
    feeds_write *write;
    void *write_owner;
    struct feeds_answer answer[FEEDS_ANSWERS];
    struct work_waiters waiting;
    int64_t list_ms[FEEDS_QUERIES]; // when they were asked for
    // is_waiting: jobs sleep in `waiting`. If none do, ticks and answers need not wake them.
    bool is_waiting, closing;
    // Pages of earlier events (feeds_events.c).
    feeds_write_events *write_events;
    void *events_owner;
    void *events_asks, *events_answers; // subscriptions
    LIST_HEAD(, events_request) events_requests;
    uint64_t events_number; // of the newest question
};

static inline int64_t feeds_now(const struct feeds *f)
{
    return f->o.now_ms();
}
void feeds_name(char out[NODE_BUS_SUBJECT], struct uuid live, struct uuid owner); // subject of a match
void feeds_publish(struct feeds *f, const char *name, const struct feed_message *m);

// feeds_host.c
void feeds_receive_ask(void *owner, uint64_t from, struct span bytes);
void feeds_tick_hosted(struct feeds *f);
void feeds_close_hosted(struct feeds *f);
// feeds_gateway.c
void feeds_tick_followed(struct feeds *f);
void feeds_close_followed(struct feeds *f);
// feeds_list.c
bool feeds_open_lists(struct feeds *f);
void feeds_wake_jobs(struct feeds *f); // jobs that wait for other nodes look again
void feeds_tick_lists(struct feeds *f);
void feeds_close_lists(struct feeds *f);
// feeds_events.c
bool feeds_open_events(struct feeds *f);
void feeds_close_events(struct feeds *f);
