// Spectators and matches on different nodes (S48, S49).
//
// A node that has spectators of a match elsewhere (a gateway) listens to the match's subject and asks its host for it,
// once a second. The host publishes what a spectator sees, frame by frame, as it would send it to one of its own: late
// by the match's delay, and not before it is durable. It does so once, however many nodes listen; when nobody has asked
// for a while it stops. What is lost is asked for again, and so is everything behind the last event that was shown when
// the match has got another host.
//
// Lists of running matches are asked for from all nodes when somebody wants to see one, at most once a second.
#pragma once

#include "front/arena/hub.h"
#include "front/arena/wire.h"

struct feeds;

struct feeds_options {
    struct hub *hub;
    uint64_t epoch;          // of this node
    int64_t (*now_ms)(void); // monotonic
    bool by_hand;            // whoever has opened it calls feeds_tick; else it does so itself, twice a second
    void *owner;
    bool (*publish)(void *owner, const char *name, struct span bytes); // as wire_publish; lost is lost
    void *(*listen)(void *owner, const char *name, wire_notice_call *call, void *who);
    void (*ignore)(void *owner, void *ear);
    bool (*is_away)(void *owner); // the bus is
    // The nodes that would answer now, but this one; how many were written.
    int (*list_peers)(void *owner, uint64_t *epochs, int room);
    // A read: where the match is, or an answer that it does not run. False: no answer.
    bool (*find)(void *owner, struct uuid live, uint64_t *host);
};

struct feeds *feeds_open(const struct feeds_options *o);    // NULL: without memory, or the bus takes no subject
struct feeds *feeds_open_on(struct wire *w, struct hub *h); // over the wire
void feeds_give_up(struct feeds *f); // before jobs are brought to their end: nobody waits for other nodes any more
void feeds_close(struct feeds *f);   // before the wire and the hub; spectators go
void feeds_tick(struct feeds *f);    // who is missing is asked for again, or forgotten
void feeds_end(struct feeds *f, uint64_t epoch); // that node is gone

struct feeds_figures {
    uint64_t hosted, followed; // matches now: watched from elsewhere; watched here and played elsewhere
    uint64_t published, heard, gaps;
};
void feeds_figures(const struct feeds *f, struct feeds_figures *out);

// --- lists of running matches

// A row of such a list as its host writes it.
struct feeds_row {
    int64_t started_ms;
    uint32_t spectators, swing, seq;
    bool rated;
    struct span json; // an object
};
// Called to answer another node: rows by feeds_put_row. How many run in all.
enum { FEEDS_STATES = 1, FEEDS_BY_INTEREST = 2, FEEDS_WISHES = 4 }; // a wish: of the first ones by age or interest
typedef int feeds_write(void *owner, unsigned wish, struct text *out);
void feeds_set_writer(struct feeds *f, feeds_write *call, void *owner);
void feeds_put_row(struct text *out, const struct feeds_row *row);

struct feeds_answer {
    uint64_t epoch;
    int64_t at_ms;
    uint8_t wish;
    int total;        // matches that it plays
    struct text rows; // to be read with feeds_next_row
};
bool feeds_next_row(struct span *rows, struct feeds_row *out);
// Inside a job: waits until all nodes have answered, for at most half a second, unless they did within the last one.
// Valid until the job gives way; NULL: there is none of this node.
void feeds_fetch(struct feeds *f, unsigned wish);
const struct feeds_answer *feeds_find_answer(const struct feeds *f, uint64_t epoch, unsigned wish);

// --- what somebody who comes late has missed of a match

struct feeds_page {
    struct uuid live;
    uint32_t from, limit; // events
};
// Called to answer another node: JSON. False: the match is not here.
typedef bool feeds_write_past(void *owner, const struct feeds_page *page, struct text *out);
void feeds_set_past_writer(struct feeds *f, feeds_write_past *call, void *owner);
// Inside a job: what the host writes, behind what `out` has. SILENT: it has not answered for some seconds.
enum feeds_past { FEEDS_PAST_SILENT, FEEDS_PAST_NONE, FEEDS_PAST_FOUND };
enum feeds_past feeds_fetch_past(struct feeds *f, uint64_t host, const struct feeds_page *page, struct text *out);
