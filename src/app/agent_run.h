// Our own agents in a remote arena: each registers, connects, queues, plays, and reconnects when the connection is
// lost. Any number of them on one loop.
#pragma once

#include "app/agent_report.h"
#include "app/games.h"
#include "kit/action_request.h"
#include "llm/models.h"
#include "net/http_client.h"

struct agent_options {
    struct http_url server;
    char address[64]; // of the server, numeric
    const struct game_kit *game;
    const struct bot *bot; // NULL: a program or model decides
    const char *decider;   // cmd:PROGRAM or llm:MODEL@URL; NULL: none
    struct llm_options llm;
    const char *mode; // "ranked"
    const char *name; // of the first agent; further ones get a number
    const char *key;  // of a registered agent; NULL: registers a new one
    // Id of a tournament to enter: plays its games until it is over, without joining a queue. NULL: none.
    const char *tournament;
    int agents, idle; // total number, and how many of them only connect
    int games;        // of each agent; 0: until stopped
    int think_ms;     // varied by half; 0: no delay
    int opening;      // how many register and connect at the same time
    int silence;      // seconds without a sign of the server, after which a connection or request is given up
    int seconds;      // length of the run; 0: until the games are over
    int warm_up;      // seconds before times are counted
    uint64_t seed;
    const char *history; // folder for records of each agent (agent_history.h); NULL: none
    bool feed;           // declares match_feed
    bool trust_anyone;
};

int agent_run(const struct agent_options *o, struct agent_report *report); // returns an exit status
