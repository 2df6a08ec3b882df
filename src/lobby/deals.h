// Where the deals of matches come from, and the public list that proves it (docs/fairness.md, decision 015).
//
// The store keeps a master secret for each epoch; secret n is derived from it. Commitments to the secrets are published
// ahead. A match takes the next number, and its key is made from the secret, the rules and the entropy of its seats.
// All byte layouts are defined in deals.c and, for outsiders, in docs/fairness.md: changing one requires new domain
// strings.
#pragma once

#include "lobby/lobby.h"

enum { DEALS_AHEAD = 256, DEALS_MOST_AHEAD = 1024 }; // numbers published ahead, normally and after bursts

enum deal_source { DEAL_CHAIN, DEAL_TOURNAMENT, DEAL_SEED };
enum deal_end { DEAL_FINISHED, DEAL_CANCELLED, DEAL_UNUSED };

extern const char *const deal_source_names[]; // each list ends with NULL
extern const char *const deal_end_names[];
extern const char *const deal_entry_names[]; // by enum store_entry_kind

// An entry of the list, parsed. Pointers point into the entry. Members that its kind does not have are NULL or 0.
struct deal_entry {
    const uint8_t *commitment; // of PUBLISHED: to the secret; of DEALT: to the key
    const uint8_t *epoch;      // of EPOCH
    bool restored;             // of EPOCH: it began because the data was restored from a backup
    uint8_t source;            // of DEALT, enum deal_source
    const uint8_t *rules;      // of DEALT: SHA-256 of the rules as in the head of the replay
    struct span game;
    int seats;
    const uint8_t *entropy[STORE_SEATS]; // of DEALT, by seat; NULL: the seat sent none
    uint8_t end;                         // of CLOSED, enum deal_end
    const uint8_t *secret;               // of CLOSED; NULL: the server does not reveal secrets
};
bool deals_read(const struct store_entry *e, struct deal_entry *out); // false: damaged

// What an agent contributes to its next deal: 32 bytes that the server could not know in advance. Stored with the agent
// until a match has used it.
#define DEALS_ENTROPY_FORM "64 hex digits are wanted, not all of them 0"
bool deals_read_entropy(struct span hex, uint8_t out[STORE_HASH]);
void deals_set_entropy(struct lobby *l, struct lobby_agent *a, const uint8_t *entropy); // NULL: none
const uint8_t *deals_entropy(const struct store_agent *a);                              // NULL: none

// Finds the epoch of a number. Returns false if no such number was ever published.
bool deals_find_epoch(struct lobby *l, uint64_t number, uint8_t id[STORE_HASH]);
