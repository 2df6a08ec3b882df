// The replay format: what reproduces a match, byte by byte. Verifying is replaying.
//
// A file is a head, entries, and an end. Numbers are LEB128 in their shortest form (signed ones zigzag), hashes are
// 8 bytes little endian; the bytes of rules are the game's own struct, checked against its size and version.
//
//   head   "AGON", format 1, game name, rules version, rules, seats, commitment 32, flags, [seed], [key 32], seat names
//   entry  one tag byte (kind << 4 | seat), then
//            action: a mask of the fields that are not zero, and these fields; ticks: how many; stack: count and items;
//            hash: XXH3 of the state; leave: the reason (the seat goes at its next question)
//   end    tag (kind << 4 | whether there is a key), hash, payoffs, [key 32], that bit again as a byte, XXH3 of all
//          bytes before it
//
// Between two hashes stand at most MATCH_HASH_EVERY steps; this and the ceilings below bound the work a file can ask
// for. A file without an end (a crash, a cut) is a valid prefix: it can be replayed, verified and continued; an entry
// torn off at its end is no part of it.
#pragma once

#include "base/span.h"
#include "match/match.h"

enum { REPLAY_FORMAT = 1, REPLAY_GAME_ROOM = 32, REPLAY_ENTRY_ROOM = 192 };

enum replay_kind { REPLAY_ACTION = 1, REPLAY_TICKS, REPLAY_STACK, REPLAY_HASH, REPLAY_LEAVE, REPLAY_END };

struct replay_head {
    char game[REPLAY_GAME_ROOM];
    uint32_t rules_version;
    struct span rules; // borrowed from the file
    int seats;
    uint8_t commitment[MATCH_COMMITMENT_BYTES];
    bool has_seed;
    bool has_key; // in the head, or revealed at the end
    uint64_t seed;
    uint8_t key[RNG_KEY_BYTES];
    char name[GAME_MAX_SEATS][MATCH_NAME_ROOM]; // no control characters
};

struct replay_entry {
    enum replay_kind kind;
    int seat; // of an action (GAME_MASTER too) or a leave
    struct game_action action;
    bool silent;                     // played for a seat that let its time run out
    uint8_t reason;                  // of a leave
    uint32_t source;                 // of an action: match.source
    uint32_t ticks;                  // 1..MATCH_HASH_EVERY
    struct span items;               // borrowed from the file
    uint64_t hash;                   // of a hash or the end
    int32_t payoffs[GAME_MAX_SEATS]; // of the end
    bool has_key;                    // of the end: it reveals `key`
    uint8_t key[RNG_KEY_BYTES];
    size_t offset; // where the entry begins in the file
};

struct replay_reader {
    struct span file;
    size_t body; // where the head ends
    size_t at;   // the next entry
    uint32_t since_hash;
    bool complete; // the checksum at the end is right
    bool torn;     // the file stops inside the entry at `at`
    struct replay_head head;
};

int replay_open(struct replay_reader *r, struct span file);       // ERR_FORMAT, ERR_VERSION
int replay_next(struct replay_reader *r, struct replay_entry *e); // 1: an entry, 0: nothing left, or ERR_FORMAT

void replay_write_head(struct text *t, const struct replay_head *head); // the key goes along when has_key is set
void replay_write_entry(struct text *t, const struct replay_entry *e, int seats); // at most REPLAY_ENTRY_ROOM bytes

// A replay in motion: the state after every entry, from the head and a key (the revealed one, or given from outside).
struct replay_run {
    struct replay_reader reader;
    const struct game *game;
    union game_rules rules;
    union game_state state;
    struct rng root;
    struct replay_entry entry; // the last one done, or the one that failed
    void *history;             // as struct match has it; NULL: none is kept
    uint64_t steps;            // actions, ticks and stacks done; a run of ticks counts each
    uint32_t since_hash;       // of them, since the last hash
    uint32_t ticks_left;       // of `entry`
    seat_set leaving;          // seats that will be dropped at their next question
    uint8_t leave_reason[GAME_MAX_SEATS];
    bool ended;
};

// `key`: NULL takes the one in the file, or ERR_COMMITMENT when it has none. Whether it fits the commitment is the
// caller's to check, with crypto. `game` is what the head names: ERR_UNKNOWN when not, ERR_VERSION for other rules.
int replay_begin(struct replay_run *run, struct span file, const struct game *game, const uint8_t *key,
                 struct game_events *out);

// One entry on, or at most `ticks` (at least 1) of a run of ticks: 1, 0 at the end, ERR_MISMATCH when a hash or the
// payoffs differ (entry.hash is what was expected), ERR_FORMAT, or what the game said to an action.
int replay_step(struct replay_run *run, uint32_t ticks, struct game_events *out);

// What run has done so far as a replay of its own, open to be continued.
void replay_write_prefix(struct text *out, const struct replay_run *run, const struct replay_head *head);

// A new replay of the first `steps` steps, open to be continued; ERR_RANGE when there are fewer. The key goes with it.
int replay_cut(struct text *out, struct span file, const struct game *game, const uint8_t *key, uint64_t steps);
