// The replay format: everything needed to reproduce a match, byte by byte. To verify is to replay.
//
// A file is a head, entries, and an end. Numbers are LEB128 in their shortest form (signed ones zigzag), hashes are 8
// bytes little endian; the bytes of rules are the game's own struct, checked against its size and version.
//
//   head   "AGON", format 1, game name, rules version, rules, seats, commitment 32, flags, [seed], [key 32], seat names
//   entry  one tag byte (kind << 4 | seat), then
//            action: a mask of the fields that are not zero, and these fields; ticks: how many; stack: count and items;
//            hash: XXH3 of the state; leave: the reason (the seat goes at its next question)
//   end    tag (kind << 4 | whether there is a key), hash, payoffs, [key 32], that bit again as a byte, XXH3 of all
//          bytes before it
//
// There are at most MATCH_HASH_EVERY steps between two hashes; this and the limits below bound the work that a file can
// cause. A file without an end (a crash, a cut) is a valid prefix: it can be replayed, verified and continued; an
// incomplete entry at its end is ignored.
#pragma once

#include "base/span.h"
#include "match/match.h"

enum { REPLAY_FORMAT = 1, REPLAY_GAME_ROOM = 32, REPLAY_ENTRY_ROOM = 192 };

enum replay_kind { REPLAY_ACTION = 1, REPLAY_TICKS, REPLAY_STACK, REPLAY_HASH, REPLAY_LEAVE, REPLAY_END };

struct replay_head {
    char game[REPLAY_GAME_ROOM];
    uint32_t rules_version;
    struct span rules; // points into the file
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
    bool silent;                     // played for a seat whose time ran out
    uint8_t reason;                  // of a leave
    uint32_t source;                 // of an action: match.source
    uint32_t ticks;                  // 1..MATCH_HASH_EVERY
    struct span items;               // points into the file
    uint64_t hash;                   // of a hash or the end
    int32_t payoffs[GAME_MAX_SEATS]; // of the end
    bool has_key;                    // of the end: it reveals `key`
    uint8_t key[RNG_KEY_BYTES];
    size_t offset; // of the entry in the file
};

struct replay_reader {
    struct span file;
    size_t body; // where the head ends
    size_t at;   // the next entry
    uint32_t since_hash;
    bool complete; // the checksum at the end is right
    bool torn;     // the file ends inside the entry at `at`
    struct replay_head head;
};

int replay_open(struct replay_reader *r, struct span file);       // ERR_FORMAT, ERR_VERSION
int replay_next(struct replay_reader *r, struct replay_entry *e); // 1: an entry, 0: nothing left, or ERR_FORMAT

void replay_write_head(struct text *t, const struct replay_head *head);           // includes the key if has_key is set
void replay_write_entry(struct text *t, const struct replay_entry *e, int seats); // at most REPLAY_ENTRY_ROOM bytes

// A replay being played: the state after every entry, from the head and a key (the revealed one, or given by the
// caller).
struct replay_run {
    struct replay_reader reader;
    const struct game *game;
    union game_rules rules;
    union game_state state;
    struct rng root;
    struct replay_entry entry; // the last one played, or the one that failed
    void *history;             // as in struct match; NULL: none
    uint64_t steps;            // actions, ticks and stacks played; every tick of a run counts
    uint32_t since_hash;       // of these, since the last hash
    uint32_t ticks_left;       // of `entry`
    seat_set leaving;          // seats that will be dropped when they are asked next
    uint8_t leave_reason[GAME_MAX_SEATS];
    bool ended;
};

// `key` NULL: uses the one in the file, or returns ERR_COMMITMENT if it has none. The caller checks it against the
// commitment, with crypto. `game` must be the one in the head: else ERR_UNKNOWN, or ERR_VERSION for other rules.
int replay_begin(struct replay_run *run, struct span file, const struct game *game, const uint8_t *key,
                 struct game_events *out);

// Plays one entry, or at most `ticks` (at least 1) of a run of ticks. Returns 1, 0 at the end, ERR_MISMATCH if a hash
// or the payoffs differ (entry.hash is the expected one), ERR_FORMAT, or the game's error for an action.
int replay_step(struct replay_run *run, uint32_t ticks, struct game_events *out);

// Writes what `run` has done so far as a replay without an end.
void replay_write_prefix(struct text *out, const struct replay_run *run, const struct replay_head *head);

// A new replay of the first `steps` steps, without an end; ERR_RANGE if there are fewer. Includes the key.
int replay_cut(struct text *out, struct span file, const struct game *game, const uint8_t *key, uint64_t steps);
