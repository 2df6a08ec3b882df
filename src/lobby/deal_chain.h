// Where this node is in its chain of deals (deals.h), and the inputs of a key. Private to the lobby.
#pragma once

#include "lobby/deals.h"

struct deals {
    struct store_epoch *epoch; // oldest first
    int epochs;
    // A number is dealt only while next <= safe, so nobody can be dealt what is not in the public list yet.
    uint64_t next;            // number of the next match
    uint64_t published, safe; // numbers up to `published` are in the list; up to `safe` durably
    uint64_t ahead;           // how many numbers are published ahead; doubles when matches begin too fast
    store_ticket ticket;      // ticket of the last batch
    store_ticket left;        // ticket of entries added for other nodes' chains
    bool shared;              // several nodes have a chain each, and the store orders the list
    uint64_t places;          // number of entries in the list
    uint8_t link[STORE_HASH]; // hash of the last entry
    bool unreadable;          // the data is damaged: no deals, and ends of matches are not listed
};

// The inputs of a match's key.
struct deal {
    uint64_t number;
    uint8_t source; // enum deal_source
    uint8_t rules[STORE_HASH];
    const char *game;
    int seats;
    const uint8_t *entropy[GAME_MAX_SEATS]; // NULL: sent none. Sorted for the key; by seat in the list's entry
};

// deals.c
void deals_open(struct lobby *l, int64_t now_ms); // returns when what it published is durable
void deals_close(struct lobby *l);
bool deals_learn(struct lobby *l, uint64_t number); // finds the epoch of a number, perhaps in the store; false: unknown
// Closes some chains of nodes that are gone; may read. Returns false if there are none or it must wait.
bool deals_close_left(struct lobby *l, int64_t now_ms);
// The next number that is published and unused; or ERR_STORAGE.
int deals_next(struct lobby *l, uint64_t *number, int64_t now_ms);
void deals_make_key(const struct lobby *l, const struct deal *deal, uint8_t key[RNG_KEY_BYTES]);
// Uses the number: the entry goes into the store with the match, before any other entry is made.
void deals_deal(struct lobby *l, const struct deal *deal, const uint8_t commitment[STORE_HASH], int64_t now_ms,
                struct store_entry *e);
// The entry for the end of a match. Returns NULL if the match has no number.
const struct store_entry *deals_close_number(struct lobby *l, const struct store_match *m, struct store_entry *e);
