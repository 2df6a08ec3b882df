// One matchmaker of a game for several nodes (mesh.h, S21 to S25). Private to the lobby.
#pragma once

#include "lobby/candidate.h"
#include "lobby/mesh.h"
#include "lobby/queue.h"

// SENT: the join has no answer yet, so the agent has not been told queue_joined. WAITS: in the queue. ASKED: to
// confirm. SEATED: a host was named. From ASKED on the agent is at a table, which the order of these values says.
enum gateway_state { GATEWAY_NONE, GATEWAY_SENT, GATEWAY_WAITS, GATEWAY_ASKED, GATEWAY_SEATED };

// A match at another node whose player is connected here.
struct gateway_match {
    struct gateway_match *next;
    struct uuid session;
    const struct lobby_game *game;
    char mode[LOBBY_MODE_ROOM];
    bool again; // F3.9: the agent returns to its queue afterwards
};

// For an agent that is connected here: its entry in the queue of a matchmaker at another node. The agent's
// `table_request` belongs to it. Freed when nothing is left in it, so a pointer to it is invalid after every call that
// may end the entry.
struct gateway_entry {
    uint32_t number;          // of the queue entry
    enum gateway_state state; // GATEWAY_NONE: no entry
    const struct lobby_game *game;
    char mode[LOBBY_MODE_ROOM];
    bool one_shot, standby;
    bool expects_match; // a match was ordered for it without an entry, for example by a tournament
    bool host_named;    // a host was named for the entry, so the next match that begins may be its own
    bool confirmed;
    int players; // of the table that asks for confirmation
    int64_t joined_ms;
    int64_t seated_ms;      // when the host was named
    int64_t due_ms;         // deadline of the question
    struct uuid confirm;    // newest question; kept because the answer may come late
    uint32_t standby_games; // bit g: registered as on standby with the matchmaker of game g
    struct uuid ready;      // readiness check in progress; zero: none
    uint64_t ready_from;    // the node that asked
    int64_t ready_due_ms;
    struct gateway_match *matches;
};

// For an agent that is connected to another node and has this node as its matchmaker.
// Freed by matchmaker_free_if_unused when the agent is in no queue, at no table and not on standby here.
struct remote_agent {
    struct remote_agent *next, **at;
    struct lobby_agent *agent;
    uint64_t gateway, conn;
    uint32_t number; // of its queue entry, counted by its gateway
    uint32_t capabilities;
    uint32_t standby_games; // bit g: on standby for game g
    bool game_rl;
    bool listed; // is on the list that its gateway is sending
    bool enters; // is being moved into a queue, perhaps from a table: must not be freed
    bool ended;  // its connection ended while its table was being started
};

struct mesh_game {
    uint64_t holder, term; // 0: unknown
    bool open;             // of our own matchmaker: all gateways have sent their lists
    struct timer opening;
    // Gateways that have sent their list in this term (S22).
    int answers;
    uint64_t answered[STORE_NODES];
};

enum { MESH_LOADS = 1024 };
struct mesh_load;
struct mesh {
    const struct lobby_mesh *call; // NULL: a single node
    struct mesh_game game[LOBBY_GAMES];
    struct timer look; // the next look at who holds the roles
    struct remote_agent *remote;
    uint32_t entries;                    // made by this node so far, which numbers them
    struct mesh_load *loads[MESH_LOADS]; // entries of others whose agents are being read, by agent
    uint64_t excluded_host;              // a host that did not begin a match as ordered
    int64_t excluded_until_ms;
};

// mesh.c: which node is the matchmaker of a game, and messages to agents wherever they are connected
bool mesh_is_ours(const struct lobby *l, const struct lobby_game *g); // this node is the matchmaker
bool mesh_is_open(const struct lobby *l, const struct lobby_game *g); // and all gateways have sent their lists
// Another node is the matchmaker of this agent.
bool mesh_is_remote(const struct lobby *l, const struct lobby_agent *a, const struct lobby_game *g);
bool mesh_is_here(const struct lobby_agent *a); // this node's matchmaker can send it messages
bool mesh_is_synced(const struct lobby_agent *a);
void mesh_close(struct lobby *l);
void mesh_resign(struct lobby *l); // gives the matchmaker's role up for all games
struct note;
void mesh_send(struct lobby *l, uint64_t epoch, struct note *n);
struct note mesh_note(struct lobby *l, int kind, const struct lobby_game *g); // filled with the current term
void mesh_send_joined(struct lobby_agent *a, const struct queue_request *w);
void mesh_send_confirm(struct lobby_agent *a, const struct lobby_confirm *c, bool standby);
void mesh_send_cancelled(struct lobby_agent *a, enum lobby_cancel why, bool re_queued, const struct queue_request *w,
                         bool standby);
void mesh_send_readiness(struct lobby_agent *a, struct uuid request, int64_t timeout_ms);

// gateway.c: agents connected here whose matchmaker is another node
void gateway_join(struct lobby *l, struct lobby_agent *a, const struct queue_request *w, int64_t now_ms);
bool gateway_waits(const struct lobby_agent *a);
// Ends the queue entry; the agent is not told.
void gateway_withdraw(struct lobby *l, struct lobby_agent *a, bool disconnected);
void gateway_leave(struct lobby *l, struct lobby_agent *a);                  // the connection ended
void gateway_replace(struct lobby *l, struct lobby_agent *a);                // by another connection to this node
void gateway_release(struct lobby_agent *a);                                 // frees the memory
void gateway_drain(struct lobby *l);                                         // F3.18
void gateway_end_entry(struct lobby_agent *a);                               // it has a match here now
int gateway_confirm(struct lobby *l, struct lobby_agent *a, struct uuid id); // ERR_UNKNOWN
bool gateway_awaits_confirm(const struct lobby_agent *a, struct uuid id);
bool gateway_awaits_ready(const struct lobby_agent *a, struct uuid request);
void gateway_report_ready(struct lobby *l, struct lobby_agent *a, struct uuid request, bool ready);
void gateway_remind(struct lobby_agent *a, int64_t now_ms);
// Registers agents on standby with their matchmakers, once in each sweep.
void gateway_register_standbys(struct lobby *l, int64_t now_ms);
void gateway_send_list(struct lobby *l, const struct lobby_game *g);         // sends the list of all entries
void gateway_become_matchmaker(struct lobby *l, const struct lobby_game *g); // this node has become the matchmaker
void gateway_end_questions(struct lobby *l, const struct lobby_game *g); // the matchmaker is gone: entries wait again
// Another node has become the matchmaker.
void gateway_keep_entry(struct lobby_agent *a, const struct queue_request *w, int64_t joined_ms);
void gateway_name_host(struct lobby *l, struct lobby_agent *a, const struct note *n); // a host was named for its match
void gateway_receive(struct lobby *l, uint64_t from, const struct note *n, int64_t now_ms);

// matchmaker.c: agents of other nodes whose matchmaker is this one; tables that other nodes are ordered to begin
void matchmaker_receive(struct lobby *l, uint64_t from, const struct note *n, int64_t now_ms);
// Another node has become the matchmaker.
void matchmaker_lose_role(struct lobby *l, const struct lobby_game *g);
void matchmaker_end_node(struct lobby *l, uint64_t epoch, int64_t now_ms); // the node is gone
// The agent has connected to this node.
void matchmaker_return_agent(struct lobby *l, struct lobby_agent *a, int64_t now_ms);
// A link was reset, so the gateway sends its list again.
void matchmaker_expect_list(struct lobby *l, uint64_t from);
// Frees a->remote if nothing of the agent is left here.
void matchmaker_free_if_unused(struct lobby *l, struct lobby_agent *a);
void matchmaker_close(struct lobby *l);
uint64_t matchmaker_pick_host(struct lobby *l, const struct candidate *c); // 0: none is suitable
// The host did not begin a match as ordered: it gets no orders for a while (S24).
void matchmaker_exclude_host(struct lobby *l, uint64_t host, int64_t now_ms);
void matchmaker_send_order(struct lobby *l, struct candidate *c, uint64_t host, int64_t now_ms);

// match_order.c: begins matches that a matchmaker has ordered
void match_order_receive(struct lobby *l, uint64_t from, const struct note *n);
void match_order_reply(struct lobby *l, struct live_match *b, bool begun, int64_t now_ms);

// peer_requests.c
// Sends a request in a job and waits; false: no reply.
bool peer_request_send(struct lobby *l, const struct lobby_game *g, struct note *n, struct note *answer);
void peer_request_receive(struct lobby *l, const struct note *n);
void peer_requests_end(struct lobby *l, uint64_t node); // nobody waits any more for this node, or for any (0)
void peer_request_serve_tournament(struct lobby *l, uint64_t from, const struct note *n);

// rematch.c
struct rematches;
void rematches_receive(struct rematches *r, uint64_t from, const struct note *n);

// challenge.c
struct challenges;
void challenges_receive(struct challenges *c, uint64_t from, const struct note *n); // a request from another node
bool challenges_has_of(const struct challenges *c, struct uuid host);               // it has open challenges
void challenges_cancel_by(struct challenges *c, struct uuid host);                  // another node has deleted the host
void challenges_move(struct challenges *c, const struct lobby_game *g);             // the game has another matchmaker
