// Messages between gateways, the matchmaker of a game and hosts (S21 to S25): the payloads of ENTRY_JOIN to
// ENTRY_REFUSED.
//
// All kinds have the same format: a note has every field, and each kind uses those that the table in docs/spec/scale.md
// lists for it. What a note means depends on its direction: `join` from a matchmaker means that the agent has joined.
//
//     struct entry e;
//     char room[NOTE_MOST];
//     note_write(&note, room, &e);              // the payload is in `room`
//     if (note_read(&e, &note) == OK) ...
#pragma once

#include "cluster/bundle.h"

enum {
    NOTE_NAME = 24,    // a game's name, with its terminating zero
    NOTE_MODE = 33,    // a mode's name, likewise
    NOTE_SAY = 128,    // a text, likewise
    NOTE_PLAYERS = 10, // most players of a table
    NOTE_BOTS = 8,     // most house bots named for a table
    NOTE_BOT = 32,
    NOTE_MOST = 2048, // most bytes of a payload
};

enum note_flag {
    NOTE_DOWN = 1,         // sent by the matchmaker
    NOTE_ONE_SHOT = 2,     // F3.6
    NOTE_STANDBY = 4,      // not in the queue: on standby (F3.10)
    NOTE_LISTED = 8,       // part of a list (ENTRY_ENTRIES): the agent is not told that it has joined
    NOTE_RE_QUEUED = 16,   // with NOTE_CANCELLED
    NOTE_CANCELLED = 32,   // of a quit: the table was cancelled, `why` says for what reason
    NOTE_READY = 64,       // of a reply to a readiness check: yes
    NOTE_BY_REQUEST = 128, // F3.23
    NOTE_SEATED = 256,     // not from a queue: a challenge, a rematch, a tournament. Nobody returns to a queue
    NOTE_GAME_RL = 512,    // F4.15
    // About a challenge. A reply has the token or the error in `say`, and the places or the HTTP status in `age_ms`.
    NOTE_CHALLENGE = 1024,
    // About a tournament: `mode` is the request, `challenge` the tournament's id; replied to as for a challenge.
    NOTE_TOURNAMENT = 2048,
};

// Flags of a player: goes back to its queue (AGAIN), is a house bot, may play no further match at once (FULL).
enum { NOTE_PLAYER_ONE_SHOT = 1, NOTE_PLAYER_AGAIN = 2, NOTE_PLAYER_HOUSE = 4, NOTE_PLAYER_FULL = 8 };

struct note_player {
    struct uuid agent;
    uint64_t gateway;
    uint8_t flags;
};

struct note {
    uint8_t kind; // enum entry_kind
    uint8_t why;  // enum lobby_cancel
    uint16_t flags;
    uint32_t capabilities;
    uint64_t term; // the matchmaker's term
    uint64_t conn; // number of the agent's connection
    // Number of the queue entry, counted by its gateway, by which a late note is recognised; 0: on standby.
    uint32_t number;
    struct uuid agent;
    struct uuid id; // of a confirmation, a readiness check, a match or a request; zero: none
    struct uuid challenge;
    uint64_t host; // epoch of the host
    // Differences and no times: nodes have no common clock.
    int64_t age_ms;  // age of a queue entry; of a question, the time that is left
    uint8_t players; // number of players; ENTRY_ORDER, ENTRY_BEGUN and ENTRY_REFUSED list them in `player`
    uint8_t waiting; // F3.23: opponents that a player wants from the queue
    uint8_t houses;  // house bots that fill the table, of any kind
    uint8_t bots;    // number of names in `bot`
    char game[NOTE_NAME], mode[NOTE_MODE];
    char say[NOTE_SAY];
    char bot[NOTE_BOTS][NOTE_BOT];
    struct note_player player[NOTE_PLAYERS]; // see `players`
};

// Sets e->payload, which points into `room`.
void note_write(const struct note *n, char room[NOTE_MOST], struct entry *e);
int note_read(const struct entry *e, struct note *n); // OK, or ERR_FORMAT; then no part of it may be used
