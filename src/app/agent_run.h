// Our own agents in a remote arena: each registers, connects, queues, plays, and reconnects when the connection is
// lost. Any number of them on one loop.
#pragma once

#include "app/games.h"
#include "kit/action_request.h"
#include "llm/models.h"
#include "net/http_client.h"

struct agent_options {
    struct http_url server;
    char address[64]; // of the server, numeric
    const struct game_kit *game;
    const struct bot *bot; // NULL: a program or model decides
    const char *mind;      // cmd:PROGRAM or llm:MODEL@URL; NULL: none
    struct llm_options llm;
    const char *mode; // "ranked"
    const char *name; // of the first agent; further ones get a number
    const char *key;  // of a registered agent; NULL: registers a new one
    const char
        // Id of a tournament to enter: plays its games until it is over, without joining a queue. NULL: none.
        *tournament;
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

// Histogram of durations: powers of two in microseconds, in sixteen parts each.
enum { AGENT_TIMES = 448 };

struct agent_report {
    uint64_t registered, connected, reconnects, refused, started, finished, actions, stale, errors, retries, faults;
    uint64_t won, drawn; // of the finished ones
    uint64_t messages_in, messages_out, bytes_in;
    int64_t elapsed_us;
    uint64_t ask_delay[AGENT_TIMES];  // from an event to the request that reports it, by the server's clock
    uint64_t echo_delay[AGENT_TIMES]; // from sending an action to the first message about its effects
    char last_error[160];
    char last_replay[64]; // path of the last match's replay on the server
};

int agent_run(const struct agent_options *o, struct agent_report *report); // returns an exit status
int64_t agent_time_at(const uint64_t times[AGENT_TIMES], double share);    // microseconds; -1: none
