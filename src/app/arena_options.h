// Options of the arena (F10.4), for `agon serve`.
#pragma once

#include "bus/bus.h"
#include "front/arena/hub.h"
#include "front/arena/rest.h"
#include "llm/models.h"

#include <argp.h>

enum { ARENA_ORIGINS = 16 };

// What one of several nodes does (S1).
enum arena_role {
    ROLE_GATEWAY = 1,
    ROLE_HOST = 2,
    ROLE_MATCHMAKER = 4,
    ROLE_DIRECTOR = 8,
    ROLE_SWEEPER = 16,
    ROLE_ALL = 31
};

struct arena_settings {
    struct lobby_options lobby;
    struct hub_options hub;
    struct arena_rest_options rest;
    const char *tls_cert, *tls_key; // both or none
    const char *origins[ARENA_ORIGINS + 1];
    int origin_count;
    const char *store; // URL of PostgreSQL; NULL: SQLite in the data folder
    const char *node;  // name of this node among several; NULL: a single server
    int lease_ms;
    bool require_standby;
    unsigned roles;  // bits of enum arena_role
    const char *bus; // address of the NATS server between the nodes; NULL: none
    struct bus_options bus_options;
    uint64_t disk_margin_mib;
    int64_t health_every_ms;         // of remote bots
    const char *house[LOBBY_MODELS]; // NAME=llm:MODEL@URL
    int house_count;
    struct llm_options llm; // for these models
    int tournaments;        // most at once
    int tournament_games;   // most games of one
    bool log_json;
    int log_level;
};

extern const struct argp arena_argp; // a child parser; its input is a struct arena_settings

// Whether a change of this option takes effect in a running server; copies those options from `from` to `to`.
bool arena_option_is_live(const char *name);
void arena_settings_copy_live(struct arena_settings *to, const struct arena_settings *from);

void arena_settings_init(struct arena_settings *s);
const char *const *arena_settings_origins(const struct arena_settings *s); // ended by NULL; NULL: any (--origin)
// Invalid settings end the program with status 2.
void arena_settings_check(const struct arena_settings *s, const char *command);
