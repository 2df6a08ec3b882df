// Spectators and matches on different nodes (S48, S49).
//
// A node with spectators of a match elsewhere (a gateway) subscribes to the match's subject and asks its host for it,
// once a second. The host publishes what a spectator sees, frame by frame, as it would send it to its own spectators:
// with the match's delay, and not before it is durable. It publishes once, however many nodes listen; it stops if
// nobody has asked for a while. Lost frames are requested again. If the match has moved to another host, everything
// after the last shown event is requested.
//
// Lists of running matches are requested from all nodes when a client wants one, at most once a second.
#pragma once

#include "front/arena/hub.h"
#include "front/arena/node_bus.h"

struct feeds;

struct feeds_options {
    struct hub *hub;
    uint64_t epoch;          // of this node
    int64_t (*now_ms)(void); // monotonic
    bool by_hand;            // the owner calls feeds_tick; else it is called automatically, twice a second
    void *owner;
    bool (*publish)(void *owner, const char *name, struct span bytes); // as node_bus_publish; may be lost
    void *(*listen)(void *owner, const char *name, node_bus_notice_call *call, void *who);
    void (*ignore)(void *owner, void *subscription);
    bool (*is_away)(void *owner); // the bus is unreachable
    // Other nodes that would answer now. Returns how many were written.
    int (*list_peers)(void *owner, uint64_t *epochs, int room);
    // A read: where the match is, or that it is not running. Returns false without an answer.
    bool (*find)(void *owner, struct uuid live, uint64_t *host);
};

struct feeds *feeds_open(const struct feeds_options *o); // NULL without memory, or if the bus refuses the subscription
struct feeds *feeds_open_on(struct node_bus *b, struct hub *h); // over the node bus
void feeds_give_up(struct feeds *f);                  // before jobs are ended: nobody waits for other nodes any more
void feeds_close(struct feeds *f);                    // before the node bus and the hub; disconnects spectators
void feeds_tick(struct feeds *f);                     // requests missing frames again, or gives up
void feeds_end_node(struct feeds *f, uint64_t epoch); // the node is gone

struct feeds_figures {
    uint64_t hosted, followed; // current matches: watched from elsewhere; watched here and played elsewhere
    uint64_t published, heard, gaps;
};
void feeds_figures(const struct feeds *f, struct feeds_figures *out);

// --- lists of running matches

// A row of such a list, as written by its host.
struct feeds_row {
    int64_t started_ms;
    uint32_t spectators, swing, seq;
    bool rated;
    struct span json; // an object
};
// Called to answer another node: writes rows with feeds_put_row. Returns how many matches are running in total.
enum { FEEDS_STATES = 1, FEEDS_BY_INTEREST = 2, FEEDS_QUERIES = 4 }; // flags of a query
typedef int feeds_write(void *owner, unsigned query, struct text *out);
void feeds_set_writer(struct feeds *f, feeds_write *call, void *owner);
void feeds_put_row(struct text *out, const struct feeds_row *row);

struct feeds_answer {
    uint64_t epoch;
    int64_t at_ms;
    uint8_t query;
    int total;        // matches that it plays
    struct text rows; // to be read with feeds_next_row
};
bool feeds_next_row(struct span *rows, struct feeds_row *out);
// In a job: waits until all nodes have answered, at most half a second, unless they did within the last second. Valid
// until the job is suspended; NULL: no answer of this node.
void feeds_fetch(struct feeds *f, unsigned query);
const struct feeds_answer *feeds_find_answer(const struct feeds *f, uint64_t epoch, unsigned query);

// --- earlier events of a match, for a spectator who comes late

struct feeds_page {
    struct uuid live;
    uint32_t from, limit; // events
};
// Called to answer another node: JSON. False: the match is not here.
typedef bool feeds_write_events(void *owner, const struct feeds_page *page, struct text *out);
void feeds_set_events_writer(struct feeds *f, feeds_write_events *call, void *owner);
// Inside a job: what the host writes, behind what `out` has. SILENT: it has not answered for some seconds.
enum feeds_events { FEEDS_EVENTS_SILENT, FEEDS_EVENTS_NONE, FEEDS_EVENTS_FOUND };
enum feeds_events feeds_fetch_events(struct feeds *f, uint64_t host, const struct feeds_page *page, struct text *out);
