// What gateways, a game's matchmaker and hosts say to each other (S21 to S25): payloads of ENTRY_JOIN to ENTRY_REFUSED.
//
// One form for all of them: a note has every field, and each kind uses those that the table in docs/spec/scale.md gives
// it. Direction is part of a note: `join` from a matchmaker means that the agent has joined.
//
//     struct entry e;
//     char room[NOTE_MOST];
//     note_write(&note, room, &e);              // a payload in `room`
//     if (note_read(&e, &note) == OK) ...
#pragma once

#include "cluster/bundle.h"

enum {
    NOTE_NAME = 24,    // a game, with its closing zero
    NOTE_MODE = 33,    // likewise
    NOTE_SAY = 128,    // likewise
    NOTE_PLAYERS = 10, // at one table
    NOTE_BOTS = 8,     // named for one table
    NOTE_BOT = 32,
    NOTE_MOST = 2048, // bytes of a payload
};

enum note_flag {
    NOTE_DOWN = 1,         // from the matchmaker
    NOTE_ONE_SHOT = 2,     // F3.6
    NOTE_STANDBY = 4,      // not in the queue: on standby (F3.10)
    NOTE_LISTED = 8,       // part of a list: nobody is told that it has joined
    NOTE_RE_QUEUED = 16,   // with NOTE_CANCELLED
    NOTE_CANCELLED = 32,   // of a quit: a table did not come about, `why`
    NOTE_READY = 64,       // of an answer
    NOTE_BY_WISH = 128,    // F3.23
    NOTE_SEATED = 256,     // a table that was set: places are not counted
    NOTE_GAME_RL = 512,    // F4.15
    NOTE_CHALLENGE = 1024, // of a challenge: `say` has its token, or why not; `age_ms` its places, or an HTTP status
    NOTE_TOUR = 2048, // of a tournament: `mode` says what is wanted, `challenge` of which; answers as of a challenge
};

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
    uint64_t term;   // of the matchmaker
    uint64_t conn;   // of the agent's connection
    uint32_t number; // of the entry, by its gateway: what is said of an older one is late; 0: on standby
    struct uuid agent;
    struct uuid id; // of a confirmation, a readiness check or a match; none: of nothing
    struct uuid challenge;
    uint64_t host;   // epoch
    int64_t age_ms;  // of an entry; of a question: the time that is left
    uint8_t players; // of an order and its answers: how many `player` has; of a question: how many play
    uint8_t waiting; // F3.23: players of the queue
    uint8_t houses;  // house bots of any kind that fill the table
    uint8_t bots;    // how many `bot` has
    char game[NOTE_NAME], mode[NOTE_MODE];
    char say[NOTE_SAY];
    char bot[NOTE_BOTS][NOTE_BOT];
    struct note_player player[NOTE_PLAYERS]; // of an order and its answers
};

// `room` has NOTE_MOST bytes and is what e->payload points into.
void note_write(const struct note *n, char room[NOTE_MOST], struct entry *e);
int note_read(const struct entry *e, struct note *n); // OK; ERR_FORMAT: nothing of it must be used
