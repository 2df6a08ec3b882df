// Remote HTTP bots as players of the arena (F3.21): an operator's records with a bot_url. Each is online while its
// health endpoint answers, sits down from standby like anybody, and is asked through seats/seat.h.
//
// What the lobby tells is written down as it was at that moment and leaves when it is durable (F8.1).
#pragma once

#include "lobby/lobby.h"
#include "seats/seat.h"

struct remote_players;

struct remote_players_options {
    struct loop *loop;
    struct lobby *lobby;
    struct seat_options seats;
    int64_t (*now_ms)(void);
    int health_every_ms; // 5000; also how soon a new record is noticed
};

struct remote_players *remote_players_open(const struct remote_players_options *o); // NULL without memory
void remote_players_release(struct remote_players *r, store_ticket durable);
void remote_players_flush(struct remote_players *r); // at the end of a turn: what had not to wait
void remote_players_close(struct remote_players *r); // ends no match; sessions are deleted as far as it goes at once
