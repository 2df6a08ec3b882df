// What one node says to one other in one turn (S51): a head and entries, integers little endian.
//
//     struct bundle head;
//     struct bundle_reader r;
//     if (bundle_open(&r, bytes, &head) == OK)            // the whole of it is sound
//         for (struct entry e; bundle_next(&r, &e);)
//             ...
#pragma once

#include "base/err.h"
#include "base/uuid.h"

enum {
    BUNDLE_MAX = 256 << 10,
    BUNDLE_HEAD = 40,
    BUNDLE_MINOR = 0, // of the wire's version; the major one is in the subject
    ENTRY_HEAD = 44,
    ENTRY_MOST = BUNDLE_MAX - BUNDLE_HEAD - ENTRY_HEAD, // bytes of one entry's payload
};

enum entry_kind {
    ENTRY_NOTHING,  // forgotten by its sender: it keeps its number
    ENTRY_FRAME,    // host to gateway: as it goes to the socket
    ENTRY_ASK,      // likewise; the clock of a question starts when it is written
    ENTRY_OVER,     // likewise; a pong shall show that it has arrived
    ENTRY_REPLY,    // likewise; answers a message
    ENTRY_SAY,      // gateway to host: an agent's message that names a match
    ENTRY_WRITTEN,  // the question has left
    ENTRY_PONG,     // what asked for it has arrived
    ENTRY_COME,     // an agent is here
    ENTRY_GONE,     // it is not any more
    ENTRY_JOIN,     // gateway to matchmaker
    ENTRY_QUIT,     //
    ENTRY_CONFIRM,  //
    ENTRY_READY,    //
    ENTRY_ENTRIES,  //
    ENTRY_ORDER,    // matchmaker to host
    ENTRY_BEGUN,    // and back
    ENTRY_REFUSED,  //
    ENTRY_REPLACED, // gateway to gateway; host to gateway
    ENTRY_NOT_HERE, // host to gateway
    ENTRY_ADOPT,    // taker to host
    ENTRY_AGAIN,    // about the link itself, without a number: send from this entry on
    ENTRY_RESET,    // likewise: what was before this entry is lost
    ENTRY_KINDS,    // later ones are skipped (S63)
};

enum {
    ENTRY_MORE = 1,  // flag: the next entry goes on with the payload
    ENTRY_START = 2, // flag of a frame: game_start, a pong shall show that it has arrived
    ENTRY_MOVED = 4, // flag of ENTRY_ADOPT and ENTRY_NOT_HERE: about a session, not about an agent
};

struct bundle {
    uint64_t from, to; // epochs
    uint64_t first;    // number of the first entry, or of the next one when there is none; 0: entries without numbers
    uint64_t handled;  // all entries of the other direction below this number have been
    uint16_t count, minor;
};

struct entry {
    uint8_t kind, flags;
    uint16_t seat;
    uint64_t agent; // its public number, with ENTRY_COME
    uint64_t conn;  // number of the agent's connection
    struct uuid id; // session, or the agent with ENTRY_COME
    uint32_t ask;
    struct span payload;
};

struct bundle_reader {
    const char *at;
    uint16_t left;
};

// OK; ERR_TOO_LONG, ERR_VERSION, ERR_FORMAT: nothing of it must be used. `r` may be NULL: the head alone.
int bundle_open(struct bundle_reader *r, struct span bytes, struct bundle *head);
bool bundle_next(struct bundle_reader *r, struct entry *e); // its payload is part of the bundle

void bundle_put_head(struct text *t, const struct bundle *head);
void entry_put(struct text *t, const struct entry *e);
size_t entry_size(const char *at); // of the whole entry that begins here, which entry_put wrote
void entry_forget(char *at);       // it becomes ENTRY_NOTHING
uint8_t entry_kind_at(const char *at);

// A number as the payload of ENTRY_AGAIN and ENTRY_RESET; 0: it is none.
void entry_write_number(char out[8], uint64_t number);
uint64_t entry_read_number(struct span payload);
