// The replay format: what reproduces a match, byte by byte. Verifying is replaying.
//
// A file is a head, entries, and an end. Numbers are LEB128 unless said otherwise; bytes of rules are the game's own
// struct, little endian, checked against its size and version.
//
//   head   "AGON", format 1, game name, rules version, rules, seats, commitment 32, flags, [seed], seat names
//   entry  one tag byte (kind and seat), then
//            action: a mask of the non-zero fields of the action and these fields; ticks: how many;
//            stack: count and items; hash: XXH3 of the state, 8 bytes
//   end    hash, payoffs, [key 32], XXH3 of all bytes before it
//
// A file without an end (a crash, a cut) is a valid prefix: it can be replayed, verified and continued.
#pragma once

#include "base/span.h"
#include "match/match.h"

enum { REPLAY_FORMAT = 1, REPLAY_GAME_ROOM = 32 };

enum replay_kind { REPLAY_ACTION = 1, REPLAY_TICKS, REPLAY_STACK, REPLAY_HASH, REPLAY_END };

struct replay_head {
    char game[REPLAY_GAME_ROOM];
    uint32_t rules_version;
    struct span rules; // borrowed from the file
    int seats;
    uint8_t commitment[MATCH_COMMITMENT_BYTES];
    bool has_seed;
    bool has_key; // revealed at the end
    uint64_t seed;
    uint8_t key[RNG_KEY_BYTES];
    char name[GAME_MAX_SEATS][MATCH_NAME_ROOM];
};

struct replay_entry {
    enum replay_kind kind;
    int seat;                  // of an action; GAME_MASTER too
    struct game_action action;
    uint64_t ticks;
    struct span items;         // borrowed from the file
    uint64_t hash;
    int32_t payoffs[GAME_MAX_SEATS]; // of the end
    size_t offset;             // where the entry begins in the file
};

struct replay_reader {
    struct span file;
    size_t at;
    struct replay_head head;
};

int replay_open(struct replay_reader *r, struct span file);
int replay_next(struct replay_reader *r, struct replay_entry *e); // 1: an entry, 0: nothing left, or an error

void replay_write_head(struct text *t, const struct match_setup *setup, const void *rules);
void replay_write_entry(struct text *t, const struct replay_entry *e, int seats);

// A replay in motion: the state after every entry, from the head and a key (the revealed one, or given from outside).
struct replay_run {
    struct replay_reader reader;
    const struct game *game;
    union game_rules rules;
    union game_state state;
    struct rng chance;
    struct replay_entry entry; // the last one done
    uint64_t steps;            // actions, ticks and stacks done; a run of ticks counts each
    bool ended;
};

// `key`: NULL takes the one in the file, or ERR_COMMITMENT when it has none. Whether it fits the commitment is the
// caller's to check, with crypto. `game` is what the head names.
int replay_begin(struct replay_run *run, struct span file, const struct game *game, const uint8_t *key,
                 struct game_events *out);
// One entry on, or at most `ticks` of a run of ticks: 1, 0 at the end, ERR_MISMATCH when a hash or the payoffs differ
// (entry.hash is what was expected), or another error.
int replay_step(struct replay_run *run, uint64_t ticks, struct game_events *out);

// A new replay of the first `steps` steps, open to be continued. The key goes with it when it is known.
int replay_cut(struct text *out, struct span file, const struct game *game, const uint8_t *key, uint64_t steps);
