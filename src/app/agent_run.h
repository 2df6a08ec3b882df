// Agents of our own in somebody's arena: each registers, connects, queues, plays, and comes back when it is cut off.
// Any number of them on one loop.
#pragma once

#include "app/games.h"
#include "kit/action_request.h"
#include "llm/models.h"
#include "net/http_client.h"

struct agent_options {
    struct http_url server;
    char address[64]; // of the server, numeric
    const struct game_kit *game;
    const struct bot *bot; // NULL: a program or a model decides
    const char *mind;      // cmd:PROGRAM or llm:MODEL@URL; NULL: none
    struct llm_options llm;
    const char *mode; // "ranked"
    const char *name; // of the first; more of them get a number
    const char *key;  // of an agent that is registered already; NULL: register
    const char
        *tournament;  // to enter, by its id; its games are played until it is over, and no queue is joined. NULL: none
    int agents, idle; // so many in all, of which so many connect and do nothing else
    int games;        // of each; 0: until stopped
    int think_ms;     // jittered by half; 0: at once
    int opening;      // how many register and connect at the same time
    int seconds;      // then the run ends; 0: when the games are over
    int warm_up;      // seconds before times count
    uint64_t seed;
    const char *history; // folder for what each agent was told and said (agent_history.h); NULL: not noted
    bool feed;           // declare match_feed
    bool trust_anyone;
};

// Times by how long they took: powers of two in microseconds, sixteen parts each.
enum { AGENT_TIMES = 448 };

struct agent_report {
    uint64_t registered, connected, reconnects, refused, started, finished, actions, stale, errors, retries, faults;
    uint64_t won, messages_in, messages_out, bytes_in;
    int64_t elapsed_us;
    uint64_t ask_delay[AGENT_TIMES];  // from what happened to the request that tells it, by the server's clock
    uint64_t echo_delay[AGENT_TIMES]; // from sending an action to the first word of its effects
    char last_error[160];
};

int agent_run(const struct agent_options *o, struct agent_report *report); // an exit status
int64_t agent_time_at(const uint64_t times[AGENT_TIMES], double share);    // microseconds; -1: none
