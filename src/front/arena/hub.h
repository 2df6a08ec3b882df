// Agents over WebSocket (F1, F2): the hub accepts their connections, passes their messages to the lobby and sends what
// the lobby tells them. Spectators use the same code.
//
// Frames are formatted when the lobby calls and held back until what they report is durable (F8.1): the owner of the
// loop calls hub_release with the newest durable ticket. All functions are called on the loop's thread.
#pragma once

#include "lobby/lobby.h"
#include "net/http.h"

struct hub;

struct hub_options {
    struct loop *loop;
    struct lobby *lobby;
    int64_t (*now_ms)(void);               // the lobby's clock
    bool no_device_binding;                // F1.4
    bool require_protocol_1_2;             // F1.5
    const char *transcripts;               // folder of F8.8; NULL: no transcripts
    bool relays;                           // agents may be connected here while their matches are at another node
    bool limit_loopback;                   // addresses of this machine count too (F7.2)
    const char *const *origins;            // pages that may connect (F1.3), ended by NULL; NULL: any
    int64_t gap_ms, reply_gap_ms;          // F1.10: 250, 25
    int64_t ping_ms, silence_ms, stall_ms; // F1.11: 30000, 60000, 10000
    size_t max_waiting;                    // F1.11: 4 MiB
    int32_t messages_per_second, messages_in_burst; // F1.14: 20, 60
    // A connection costs a store over a network 0.39 ms, mostly for reads.
    int32_t connects_per_second; // S71: 500, where the store is elsewhere; 0: any number
    int64_t lease_ms; // S16: the owner disconnects everybody when the store was away for so long; 0: it does not
};

void hub_defaults(struct hub_options *o);
struct hub *hub_open(const struct hub_options *o); // NULL without memory
// Changes limits and requirements for new connections; gaps, pings and folders stay as they were.
void hub_reload(struct hub *h, const struct hub_options *o);
void hub_close(struct hub *h); // all connections must be closed

void hub_agent_request(struct hub *h, struct http_request *r);     // GET /api/ws
void hub_spectator_request(struct hub *h, struct http_request *r); // GET /api/ws/spectator?live=ID

void hub_flush(struct hub *h);                         // at the end of every turn: sends what may be sent
void hub_release(struct hub *h, store_ticket durable); // the same; everything up to `durable` is durable now
void hub_set_away(struct hub *h, bool away);           // the store is unreachable: messages of agents wait, then fail
void hub_disconnect_all(struct hub *h, int code);      // disconnects everybody, who may reconnect
void hub_disconnect_some(struct hub *h, int code, int most); // disconnects at most so many
void hub_set_closed(struct hub *h, bool closed);             // accepts no connections for a while
void hub_stop(struct hub *h, int code);                      // disconnects everybody and accepts no more connections

struct hub_figures {
    uint64_t connections, spectators, opened, refused, messages_in, messages_out, bytes_in, bytes_out, dropped;
    uint64_t at_door, delayed; // S71: agents that wait to be let in, that had to
};
void hub_figures(const struct hub *h, struct hub_figures *out);
