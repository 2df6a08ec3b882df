// Remote HTTP bots as players of the arena (F3.21): the operator's records with a bot_url. Each is online while its
// health endpoint answers, is seated from standby like any agent, and is asked through seats/seat.h.
//
// Messages of the lobby are formatted at once and sent when they are durable (F8.1).
#pragma once

#include "lobby/lobby.h"
#include "seats/seat.h"

struct remote_players;

struct remote_players_options {
    struct loop *loop;
    struct lobby *lobby;
    struct seat_options seats;
    int64_t (*now_ms)(void);
    int health_every_ms; // 5000; also the delay until a new record is noticed
};

struct remote_players *remote_players_open(const struct remote_players_options *o); // NULL without memory
void remote_players_release(struct remote_players *r, store_ticket durable);
void remote_players_flush(struct remote_players *r); // at the end of a turn: sends what need not wait
void remote_players_close(struct remote_players *r); // ends no match; deletes sessions as far as possible at once
