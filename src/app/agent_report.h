// Results of a run of agents (agent_run.h): counters, latencies, the last error.
#pragma once

#include "net/http_client.h"

#include <stdint.h>

// Histogram of durations: powers of two in microseconds, in sixteen parts each.
enum { AGENT_TIMES = 448 };

struct agent_report {
    uint64_t registered, connected, reconnects, refused, started, finished, actions, stale, errors, retries, faults;
    uint64_t won, drawn; // of the finished ones
    uint64_t messages_in, messages_out, bytes_in;
    int64_t elapsed_us;
    uint64_t ask_delay[AGENT_TIMES];  // from an event to the request that reports it, by the server's clock
    uint64_t echo_delay[AGENT_TIMES]; // from sending an action to the first message about its effects
    char last_error[256];
    char last_replay[64]; // path of the last match's replay on the server
};

void agent_report_add_time(uint64_t times[AGENT_TIMES], int64_t us);
int64_t agent_report_time_at(const uint64_t times[AGENT_TIMES], double share); // microseconds; -1: none

// Something that makes the run fail, unless matches were finished all the same.
void agent_report_add_fault(struct agent_report *r, const char *what);
// Sets the last error to the reply of a server; status 0: it did not answer.
void agent_report_set_reply(struct agent_report *r, const struct http_url *server, const char *what, int status,
                            struct span body);

// Counts the result in the data of game_over for the agent with this pid (F2.3), and keeps the address of the replay.
// Returns "won", "drawn" or "lost"; NULL: there is no result.
const char *agent_report_add_result(struct agent_report *r, struct span data, const char *pid);

// Wall-clock time of the newest of the new events in the data of a request, in microseconds; 0: no event.
int64_t agent_report_newest_event_us(struct span data);

// A JSON string as it is written, without its quotes.
struct span agent_report_unquote(struct span text);
