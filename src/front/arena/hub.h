// Agents over WebSocket (F1, F2): the hub takes their connections, reads what they say to the lobby and writes what the
// lobby tells them. Spectators come through the same door.
//
// Frames are written when the lobby calls and kept until what they tell is durable (F8.1): the owner of the loop calls
// hub_release with the newest durable ticket.
#pragma once

#include "lobby/lobby.h"
#include "net/http.h"

struct hub;

struct hub_options {
    struct loop *loop;
    struct lobby *lobby;
    int64_t (*now_ms)(void);                        // the clock of the lobby
    bool no_device_binding;                         // F1.4
    bool require_protocol_1_2;                      // F1.5
    const char *transcripts;                        // folder of F8.8; NULL: none are written
    bool relays;                                    // agents may be here and their matches at another node
    bool limit_loopback;                            // addresses of this machine count too (F7.2)
    const char *const *origins;                     // pages that may connect (F1.3), ended by NULL; NULL: any
    int64_t gap_ms, reply_gap_ms;                   // F1.10: 250, 25
    int64_t ping_ms, silence_ms, stall_ms;          // F1.11: 30000, 60000, 10000
    size_t max_waiting;                             // F1.11: 4 MiB
    int32_t messages_per_second, messages_in_burst; // F1.14: 20, 60
    int32_t connects_per_second;                    // S71: 500, where the store is elsewhere; 0: any number
};

void hub_defaults(struct hub_options *o);
struct hub *hub_open(const struct hub_options *o); // NULL without memory
// Other limits and requirements, for connections from now on; the gap, the pings and the places stay as they are.
void hub_reload(struct hub *h, const struct hub_options *o);
void hub_close(struct hub *h); // the connections are gone by then

void hub_agent_request(struct hub *h, struct http_request *r);     // GET /api/ws
void hub_spectator_request(struct hub *h, struct http_request *r); // GET /api/ws/spectator?live=ID

void hub_flush(struct hub *h);                         // at the end of every turn: what may leave leaves
void hub_release(struct hub *h, store_ticket durable); // the same, and so much is durable now
void hub_set_away(struct hub *h, bool away);           // the store cannot be reached: what agents say waits, then fails
void hub_send_away(struct hub *h, int code);           // everybody is told goodbye, and may come again
void hub_send_some_away(struct hub *h, int code, int most); // so many more
void hub_set_closed(struct hub *h, bool closed);            // nobody is let in, for a while
void hub_stop(struct hub *h, int code);                     // everybody is told goodbye, nobody is let in any more

struct hub_figures {
    uint64_t connections, spectators, opened, refused, messages_in, messages_out, bytes_in, bytes_out, dropped;
    uint64_t at_door, delayed; // S71: agents that wait to be let in, that had to
};
void hub_figures(const struct hub *h, struct hub_figures *out);
