// The wire format between two nodes of a cluster (S51). A bundle is everything that one node sends to one other node in
// one turn of its loop: a head and entries. Integers are little endian.
//
//     struct bundle head;
//     struct bundle_reader r;
//     if (bundle_open(&r, bytes, &head) == OK)            // the whole bundle is well-formed
//         for (struct entry e; bundle_next(&r, &e);)
//             ...
//
// Roles: a gateway is the node that an agent is connected to, a host is the node that plays a match, a matchmaker is
// the node that keeps a game's queue. An epoch is the number of one run of a node.
#pragma once

#include "base/err.h"
#include "base/uuid.h"

enum {
    // S51; longer frames are several entries (ENTRY_MORE).
    BUNDLE_MAX = 256 << 10,
    // Bytes of struct bundle and struct entry on the wire: the tables of S51 (4+8+8+8+8+2+2 and 4+1+1+2+8+8+16+4).
    BUNDLE_HEAD = 40,
    BUNDLE_MINOR = 0, // minor version of the wire; the major one is part of the subject
    ENTRY_HEAD = 44,
    ENTRY_MOST = BUNDLE_MAX - BUNDLE_HEAD - ENTRY_HEAD, // most bytes of one entry's payload
};

enum entry_kind {
    ENTRY_NOTHING, // withdrawn by its sender; it keeps its number, so there is no gap
    ENTRY_FRAME,   // host to gateway: a frame to be written to the agent's socket as it is
    ENTRY_ASK,     // likewise, a question; its clock starts when the gateway has written it
    ENTRY_OVER,    // likewise, game_over; the gateway asks for a pong to know that it has arrived
    ENTRY_REPLY,   // likewise, the reply to a message of the agent
    ENTRY_SAY,     // gateway to host: an agent's message that names a match
    ENTRY_WRITTEN, // gateway to host: the question was written to the socket
    ENTRY_PONG,    // gateway to host: the agent's pong, so the frame has arrived
    ENTRY_COME,    // gateway to host: the agent is connected here
    ENTRY_GONE,    // gateway to host: the agent is no longer connected here
    ENTRY_JOIN,    // gateway to matchmaker and back, as the next four; their payloads are in note.h
    ENTRY_QUIT,
    ENTRY_CONFIRM,
    ENTRY_READY,
    ENTRY_ENTRIES,
    ENTRY_ORDER,    // matchmaker to host
    ENTRY_BEGUN,    // host to matchmaker, and matchmaker to gateways
    ENTRY_REFUSED,  // likewise
    ENTRY_REPLACED, // host or gateway to gateway: another connection has replaced the agent's
    ENTRY_NOT_HERE, // host to gateway: returns a message of an unknown agent, or says that the match is elsewhere
    ENTRY_ADOPT,    // host to gateway: report this agent (ENTRY_COME), or: this session is here from now on
    ENTRY_AGAIN,    // about the link itself, without a number: send again from this number on
    ENTRY_RESET,    // likewise: entries before this number that have not arrived are lost
    ENTRY_KINDS,    // a receiver skips kinds it does not know (S63)
};

enum {
    ENTRY_MORE = 1,  // flag: the payload continues in the next entry
    ENTRY_START = 2, // flag of a frame: it is a game_start; the gateway asks for a pong to know that it has arrived
    ENTRY_MOVED = 4, // flag of ENTRY_ADOPT and ENTRY_NOT_HERE: about a session, not about an agent
};

struct bundle {
    uint64_t from, to; // epochs
    uint64_t first;   // number of the first entry; of the next one to come if there is none; 0: entries without numbers
    uint64_t handled; // all entries of the other direction below this number were handled
    uint16_t count, minor;
};

struct entry {
    uint8_t kind, flags;
    uint16_t seat;
    uint64_t agent; // the agent's public number, with ENTRY_COME; else 0
    uint64_t conn;  // number of the agent's connection
    struct uuid id; // session; with ENTRY_COME the agent
    // Downward the number of the question, upward that of the newest question written before this was read (S55).
    uint32_t ask;
    struct span payload;
};

struct bundle_reader {
    const char *at;
    uint16_t left;
};

// Checks the whole bundle. Returns OK, or ERR_TOO_LONG, ERR_VERSION or ERR_FORMAT; then no part of it may be used. `r`
// may be NULL to read the head alone.
int bundle_open(struct bundle_reader *r, struct span bytes, struct bundle *head);
bool bundle_next(struct bundle_reader *r, struct entry *e); // the payload points into the bundle

void bundle_put_head(struct text *t, const struct bundle *head);
void entry_put(struct text *t, const struct entry *e);
size_t entry_size(const char *at); // size in bytes of the whole entry at `at`, as entry_put wrote it
void entry_clear(char *at);        // turns it into ENTRY_NOTHING
uint8_t entry_kind_at(const char *at);

// The payload of ENTRY_AGAIN and ENTRY_RESET. Reading returns 0 if the payload is not a number.
void entry_write_number(char out[8], uint64_t number);
uint64_t entry_read_number(struct span payload);
