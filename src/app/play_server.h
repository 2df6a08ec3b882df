// A person at the terminal who plays at a table of an arena, with the protocol of its web page, as a guest.
#pragma once

#include "app/games.h"

struct play_server_options {
    const struct game_kit *game;
    const char *url;
    const char *key;     // of a registered agent; NULL: a guest's, created once and kept
    const char *name;    // of a new guest
    const char *against; // house bots by name or level, "link" for a friend, or "waiting" for the queue; NULL: by level
    int level, seats;    // seats 0: the game's minimum
    bool resume;         // continue the running match
    bool trust_anyone;
    const char *command; // for messages
};

int play_server(const struct play_server_options *o); // returns an exit status
