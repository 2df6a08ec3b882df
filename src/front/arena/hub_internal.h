// Shared by the files of the hub.
#pragma once

#include "front/arena/hub.h"
#include "front/arena/transcript.h"
#include "kit/arena_dialect.h"
#include "net/ws.h"

#include <sys/queue.h>

enum {
    HUB_MAX_MESSAGE = 65536, // F1.8
    // Also the room of hub->frame: what does not fit marks the frame as full, and it is not sent.
    HUB_MAX_FRAME = 3 << 19, // F1.9: 1.5 MiB
    HUB_MAX_DEPTH = 32,      // F1.7
    HUB_MAX_FEED = 1024,     // F4.23: events of one match_feed
    // A client that never answers pings must not make the list grow.
    HUB_MAX_DUE = 256, // most frames that wait for a pong
    HUB_ERROR_ROOM = 160,
    HUB_KEY = 128,
    // Blocks of another size are freed, so HUB_SPARES blocks are 4 MiB at most.
    HUB_BLOCK = 4096,  // usual size of a connection's waiting frames
    HUB_SPARES = 1024, // unused blocks kept for reuse
    HUB_INSTANCE = 65,
    HUB_EVENTS = 16, // events kept in their last formatted form
    HUB_EVENT_TEXT = 384,
    // F4.25; `behind` has a bit for each.
    HUB_BOARDS = 12, // most matches that one spectator connection follows
    // F4.27
    HUB_UNREAD = 65536,      // unread bytes after which a spectator gets no more frames
    HUB_SHOWN_FRAME = 16384, // a frame for spectators
};

// What a frame waits for, and what happens when it is sent.
enum hub_kind {
    HUB_EVENT,   // nothing special
    HUB_WELCOME, // the gap begins
    HUB_REPLY,   // the reply to a message: may be sent early in the gap (F1.10)
    HUB_ASKED,   // starts the clock of the question (F4.8)
    HUB_STARTED, // a pong has to confirm that it arrived (F4.21)
    HUB_OVER,    // a pong has to confirm that it arrived (F4.22)
    HUB_LAST,    // the last frame: closes the connection
};

// AT_DOOR: welcome waits for the disk. SILENT: nothing is written for reply_gap_ms. ANSWERING: until gap_ms, replies
// alone.
enum hub_phase { HUB_AT_DOOR, HUB_SILENT, HUB_ANSWERING, HUB_OPEN }; // F1.10: welcome first, then the gap

struct relay_client_handler;

struct hub_due {
    struct uuid session;
    // TCP keeps the order: a client that has read a later ping has read all frames before it.
    uint32_t ping; // its number: a pong to this or a later one is enough
    uint8_t kind;  // of the frame: HUB_STARTED or HUB_OVER
    bool relayed;  // its match is at another node
};

// A connection of an agent or a spectator.
// Three kinds have no socket (ws NULL), so that one code writes for all: `feed`, spectators at other nodes; a `relay`
// with a gateway, a player at another node; `front`, a player of this node over MCP.
struct hub_conn {
    struct hub *hub;
    struct ws *ws;
    struct lobby_agent *agent;  // NULL: a spectator, or no longer the agent's connection
    struct lobby_watch **watch; // of a spectator: HUB_BOARDS elements, unused ones NULL
    struct transcript *transcript;
    // In the order in which they were written. Counts towards max_waiting together with what the socket has not taken.
    struct text out;  // waiting frames, each preceded by a struct hub_record
    int64_t phase_ms; // since when
    int64_t heard_ms, pinged_ms;
    int64_t moved_ms; // when output last made progress, or was empty
    // Compared with conn_sent: if it has not grown for stall_ms while output waits, the connection is dropped (F1.11).
    uint64_t sent; // bytes sent at that time
    int64_t flood_ms, flood_logged_ms;
    int32_t flood_left; // in thousandths of a message
    // Numbered so far; the payload of each ping is its number.
    uint32_t pings;
    // Frames whose arrival a pong has to confirm; HUB_MAX_DUE at most, since what is not confirmed is sent again later.
    struct hub_due *due;
    uint16_t due_count, due_room;
    uint16_t behind;  // of a spectator: bit set of boards whose frames were left out
    uint8_t watching; // number of boards that continue
    uint8_t phase;    // enum hub_phase
    bool old;         // profile L
    // Declared by the client (F1.3) and fixed when it connects: strict clients drop frames that they did not ask for
    // (F1.6).
    bool has_feed, has_states, has_close_code, spectator;
    bool waiting, in_gap;
    bool ending; // a close frame was sent
    char instance[HUB_INSTANCE];
    struct feed *feed; // for spectators at other nodes: it has no socket (feeds_host.c); NULL: it has one
    // Set by hub_mark_frame, see there.
    uint32_t mark;               // of such a one: what the frame that is being written is
    struct remote_watch *remote; // matches of other nodes that a spectator follows (feeds_gateway.c)
    struct relay_conn *relay;    // its place on the links between nodes (relay.c); NULL: none
    // Of a player by another front: there is no socket (relay_client.c); NULL: it has one.
    const struct relay_client_handler *front;
    void *client; // of that front
    TAILQ_ENTRY(hub_conn) all, wait, gap;
};

TAILQ_HEAD(hub_conns, hub_conn);

// A reply that needs a read first (hub_read.c).
struct hub_late {
    struct hub *hub;
    struct hub_conn *conn; // NULL: it was closed meanwhile
    struct lobby_agent *agent;
    struct uuid session;
    char request[129];
    char *text; // of the message, in case its match is at another node; NULL: nothing is relayed
    size_t size;
    uint16_t tries;
    // In hub->late, where hub_remove finds it when its connection closes.
    LIST_ENTRY(hub_late) link;
};

// An event that is the same for all players, as JSON: the player who acted and the one who is asked next get it in the
// same step. Everything that the text depends on is stored with it and compared in full, because two matches have
// events with the same seq.
struct hub_event {
    const struct game_kit *kit;
    int seats;
    uint32_t seq;
    int64_t at_ms;
    struct game_event event;
    size_t size; // 0: empty
    char text[HUB_EVENT_TEXT];
};

// What a spectator frame was made from: all who watch a match with the same delay get the same frame.
struct hub_shown {
    struct uuid match; // as in the frame
    const char *type;
    uint32_t number; // seq of an event, number of an aside
};

struct hub {
    struct hub_options options;
    struct lobby *lobby;
    // The newest ticket that is on disk; frames of later ones wait (F8.1).
    store_ticket durable;
    struct hub_conns all, wait;         // all; those with waiting frames
    struct hub_conns silent, answering; // in the gap, oldest first
    struct event *gap_timer, *sweep_timer;
    // One frame at a time: every hub_begin starts it anew, so a frame must be sent before the next one is written.
    struct text frame;                  // being formatted
    struct hub_event event[HUB_EVENTS]; // by seq
    struct hub_shown shown;             // the last formatted spectator frame
    size_t shown_size;                  // 0: none
    // With room in front for the head of the WebSocket frame, so that ws_send_soon need not copy.
    char shown_frame[WS_FRONT + HUB_SHOWN_FRAME];
    char *spare[HUB_SPARES];
    int spares;
    LIST_HEAD(, hub_late) late;
    struct hub_waiting_room *waiting_room; // connections that wait to be admitted (hub_admit.c); NULL: none so far
    // While the store is away, messages wait for STORE_PATIENCE_MS; then clients get an error.
    struct event *away_timer;
    struct relay *relay; // NULL: this is the only node
    struct feeds *feeds; // NULL: this is the only node
    bool stopping;
    bool closed;    // accepts no connections
    bool away;      // messages are not read
    bool refusing;  // for too long: messages are refused
    bool sendable;  // something may have become sendable since all were checked
    uint32_t files; // number of transcripts so far
    struct hub_figures figures;
};

// hub.c: connections
struct hub_conn *hub_add(struct hub *h); // NULL without memory
void hub_enter(struct hub_conn *c);      // the upgrade is done: adds it to the list
void hub_remove(struct hub_conn *c);
void hub_set_gap_timer(struct hub *h); // a connection has entered the gap
// Counts a message against the limit of F1.14. Returns true if it must be discarded; the client has been notified.
bool hub_is_flooded(struct hub_conn *c);
extern const struct ws_handler hub_ws_handler;

// hub_admit.c: checks of upgrade requests. hub_is_open_to returns false if it has answered r.
bool hub_is_open_to(struct hub *h, struct http_request *r);
void hub_refuse(struct hub *h, struct http_request *r, int status, const char *body);
void hub_refuse_waiting(struct hub *h); // the hub stops: refuses all that wait
// Copies a header, or else a query parameter (NULL: none), since browsers cannot set headers; "" if both are missing or
// too long.
void hub_copy_value(const struct http_request *r, const char *header, const char *query, char *out, size_t room);

// hub_outgoing.c: frames, from formatting to sending
struct text *hub_begin(struct hub *h, const char *type); // {"type":T,"data":{
// Sends the frame; session may be NULL.
void hub_send(struct hub_conn *c, enum hub_kind kind, const struct uuid *session);
void hub_send_shown(struct hub_conn *c);   // sends hub->shown_frame to a spectator
void hub_send_waiting(struct hub_conn *c); // sends what may be sent
void hub_prefetch(const struct hub_conn *c,
                  int steps);               // prefetches; it will be drained so many steps (3, 2, 1) from now
void hub_release_block(struct hub_conn *c); // no frame waits any more
void hub_receive_pong(struct hub_conn *c, struct span payload);

// Sends a durable frame formatted by another node; `ask` is the number of its request.
void hub_forward_frame(struct hub_conn *c, enum hub_kind kind, struct uuid session, uint32_t ask, struct span frame);
void hub_drop_frames(struct hub_conn *c); // those that wait

// relay_client.c: a player of this node that uses another front
void relay_client_deliver(struct hub_conn *c, enum hub_kind kind, struct uuid session, uint32_t ask, struct span frame);
void relay_client_end(struct hub_conn *c, enum lobby_gone why); // the link is no longer the agent's

// relay_host.c: the player's connection is at another node
bool relay_is_remote(const struct hub_conn *c);
// Number of a request at a seat, assigned when it is written, before it is sent.
uint32_t relay_count_ask(struct hub_conn *c, struct uuid session);
void relay_put_frame(struct hub_conn *c, enum hub_kind kind, const struct uuid *session, uint32_t ask,
                     struct span frame);
void relay_end_player(struct hub_conn *c, enum lobby_gone why); // the link is no longer the agent's
// S55: whether a message received now was sent after the newest request at this seat.
bool relay_follows_ask(const struct hub_conn *c, struct uuid session);
// relay_gateway.c: the agent's match is at another node
void relay_note_written(struct hub_conn *c, enum hub_kind kind, struct uuid session, uint32_t ask);
void relay_note_pong(struct hub_conn *c, const struct hub_due *due);
// `game_start` or `game_over` is about to be written. Returns false if this connection got it before.
bool relay_note_sent(struct hub_conn *c, enum hub_kind kind, struct uuid session);
bool relay_awaits_answer(const struct hub_conn *c, struct uuid session); // a request was sent and has no answer yet
// Forwards a message to the node that hosts the match. Returns false if no other node does. `tries`: how often it came
// back from a node that does not have the match.
bool relay_forward(struct hub_conn *c, struct uuid session, struct span message, uint16_t tries);
void relay_forward_later(struct hub_conn *c, struct uuid session, struct span text,
                         uint16_t tries);                                   // when the match has moved
void relay_remove(struct hub_conn *c);                                      // the connection ends
void relay_note_arrival(struct hub_conn *c, const struct store_arrival *a); // the store has recorded the connection
// The store says that `host` has a match of the agent; relay_forward works afterwards. Returns false if the connection
// is not relayed.
bool relay_learn_host(struct hub_conn *c, struct uuid session, uint64_t host);

// hub_send.c: messages of the server itself
void hub_send_welcome(struct hub_conn *c, uint32_t capabilities);
void hub_send_error(struct hub_conn *c, const char *message);
void hub_send_stale(struct hub_conn *c, struct uuid session, const char *reason, struct span request);
void hub_send_queue_left(struct hub_conn *c);

// hub_link.c: callbacks of the lobby
extern const struct lobby_link hub_link;

// hub_watch.c
void hub_catch_up(struct hub_conn *c); // if it has read everything: sends the current state instead of what it missed
void hub_close_boards(struct hub_conn *c);
struct text *hub_write_event(struct hub *h, const struct lobby_watch *w, const struct match_event *e); // a whole frame
void hub_write_end(struct hub *h, const struct store_match *m, struct uuid id); // without its closing braces
bool hub_is_slow(const struct hub_conn *c); // F4.27: so much is unread that it gets no more
// The match is here: adds a board to the connection, from the event `seq` on; UINT32_MAX: with the current state.
// Returns false if it is not here.
bool hub_open_board(struct hub_conn *c, struct uuid live, struct lobby_agent *owner, uint32_t seq);

// feeds_host.c: spectators at other nodes. The kinds of frames that on_... of hub_watch.c write, with the number of
// events so far.
enum feed_mark { MARK_ASIDE, MARK_EVENT, MARK_PICTURE, MARK_END };
// The kind in the upper two bits; LOBBY_MAX_LOG keeps a match far below 2^30 events.
static inline void hub_mark_frame(struct hub_conn *c, enum feed_mark mark, uint32_t seq)
{
    c->mark = (uint32_t)mark << 30 | (seq & 0x3fffffff);
}
void feeds_put_frame(struct hub_conn *c, uint32_t mark, struct span frame);
void feeds_note_moved(struct hub_conn *c);
// feeds_gateway.c: matches at other nodes
struct remote_watch_request {
    struct uuid live, owner; // owner: zero, or the agent that watches its own match
    struct uuid match;       // zero: unknown
    uint64_t host;           // 0: unknown
    uint32_t from;           // UINT32_MAX: the current state
};
bool feeds_follow(struct hub_conn *c, const struct remote_watch_request *w); // false: no memory, or too many
void feeds_leave(struct hub_conn *c);                                        // all that it follows
void feeds_catch_up(struct hub_conn *c);

// hub_read.c: messages of clients
void hub_read(struct hub_conn *c, struct span message);
// Of a match that is not where it was: the store says who has it, and it is said there.
void hub_forward_again(struct hub_conn *c, struct uuid session, struct span message, uint16_t tries);
