// A person at a table of an arena: the protocol of its page, as a guest, at the terminal.
#pragma once

#include "app/games.h"

struct play_server_options {
    const struct game_kit *game;
    const char *url;
    const char *key;     // of a registered agent; NULL: a guest's, made once and kept
    const char *name;    // of a new guest
    const char *against; // house bots by name or level, "link" for a friend, or "waiting": the queue; NULL: by level
    int level, seats;    // seats 0: as few as the game has
    bool resume;         // go on with the match that runs
    bool trust_anyone;
    const char *command; // for messages
};

int play_server(const struct play_server_options *o); // an exit status
