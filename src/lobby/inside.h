// Shared by the files of the lobby; private to this room.
//
// A live match is a match with its players: who is asked, what each was told, what the store has. A candidate is a
// table that waits for confirmations. Everything that has a deadline is a timer in one heap.
#pragma once

#include "crypto/crypto.h"
#include "lobby/latency.h"
#include "lobby/lobby.h"
#include "lobby/mesh.h"
#include "match/glicko.h"
#include "match/match.h"
#include "match/replay.h"

#define NEVER INT64_MAX

enum {
    LOBBY_HOUSE_MAX = 16, // most house agents of one game
    LOBBY_QUEUE_BUCKETS = 256,
    LOBBY_LISTENERS = 8,     // most callbacks for ends of matches
    LOBBY_MAX_LOG = 1 << 20, // most bytes of one match's log
    LOBBY_LINGER_MS = 60000, // how long an unused agent stays in memory
    // How long a finished match stays in memory; longer (LOBBY_LINGER_MS) while a player may not have received
    // game_over.
    LOBBY_OVER_MS = 1000,
    LOBBY_FIRES_PER_TICK = 256,
    LOBBY_HOUSE_PER_TICK = 16,  // moves of house bots, since a bot may think
    LOBBY_OVERDUE_MS = 3600000, // F4.19: an undelivered game_over is sent at a reconnect up to this age
    LOBBY_UNDELIVERED = 64,     // most such messages for one returning agent
    LOBBY_STARTS = 10000,       // most matches of one day that are counted; no cap is higher
    LOBBY_DAY_MS = 86400000,
    LOBBY_GUEST_DAYS = 30, // a guest that has not played for so long is removed
    LOBBY_HOUR_MS = 3600000,
};

// --- timers

struct timer {
    int64_t due_ms;
    uint64_t order; // timers with the same due_ms fire in the order in which they were set
    // The keys by which the heap is ordered. They are not updated when a timer is moved to a later time, as a match's
    // clock is with every action: it stays in place until it reaches the top.
    int64_t at_ms;
    uint64_t at_order;
    uint32_t place; // index in the heap, from 1; 0: not set
    void (*fire)(struct lobby *l, struct timer *t, int64_t now_ms);
};

struct timers {
    struct timer **at; // binary heap, from index 1
    uint32_t count, room;
    uint64_t order;
};

void timer_set(struct lobby *l, struct timer *t, int64_t due_ms); // NEVER clears it
void timer_clear(struct lobby *l, struct timer *t);
void timer_shift(struct lobby *l, int64_t ms);         // moves all timers to later
bool timer_fire_next(struct lobby *l, int64_t now_ms); // false: none is due
int64_t timer_next_due(const struct lobby *l);

#define TIMER_OWNER(timer, type, member) ((type *)((char *)(timer)-offsetof(type, member)))

// --- the sequence of a match (F2.8)

struct moment { // the state of the log at at_ms: its size and what it had brought
    int64_t at_ms;
    // Bytes of the log.
    uint32_t end;
    uint32_t events; // number of events
    uint32_t swing;  // accumulated swing
};

struct history {
    struct game_event *entry; // events and their parts
    uint32_t entries, entry_room;
    uint32_t *first; // index of the first entry, by seq; one more element ends the last event
    int64_t *at_ms;  // by seq
    uint32_t events, event_room;
    struct moment *moment;
    uint32_t moments, moment_room;
    struct swing swing;
};

void history_add(struct history *h, const struct lobby_game *g, const struct game_events *happened, int64_t at_ms,
                 size_t log_end);
void history_note_swing(struct history *h, const struct lobby_game *g, const void *state,
                        int seats); // for the events added last
bool history_event(const struct history *h, uint32_t seq, struct match_event *out);
void history_release(struct history *h);

// --- queues and candidates

struct queue {
    struct queue *next; // hash chain
    struct lobby_agent *first, *last;
    int count;
    const struct lobby_game *game;
    char mode[LOBBY_MODE_ROOM];
    struct timer timer;
};

struct member {
    struct lobby_agent *agent;
    struct uuid confirm; // id of the question; zero: not asked
    int64_t joined_ms;
    bool one_shot, standby, confirmed;
    bool lent; // taken from the queue "ranked" for a table by wish
};

struct candidate {
    struct candidate *next, **at;
    uint64_t host;     // S24: the node that was ordered to begin the match; 0: none yet
    struct uuid order; // id of the ordered match
    const struct lobby_game *game;
    char mode[LOBBY_MODE_ROOM];
    bool by_wish; // F3.23: its first member asked for it
    int count;
    int64_t due_ms;
    struct timer timer;
    struct member member[GAME_MAX_SEATS];
};

// --- agents

struct encounter { // two agents met in a rated match
    struct uuid match, opponent;
    int64_t at_ms;
    char game[24];
};

struct agent_rating {
    struct store_rating row;
    uint64_t read_no; // differs whenever the row was read again
};

struct agent_cache { // what is known of an agent besides its record (agent_cache.h)
    int64_t *start;  // when matches of the last day began, oldest first; without one_shot matches
    uint32_t starts, start_room;
    struct encounter *meeting;
    uint32_t meetings, meeting_room;
    bool has_starts, has_meetings; // the lists have been read
};

// --- one matchmaker for several nodes (mesh.h, S21 to S25)

enum far_state { FAR_NONE, FAR_SENT, FAR_WAITS, FAR_ASKED, FAR_SEATED };

// A match at another node whose player is connected here.
struct far_play {
    struct far_play *next;
    struct uuid session;
    const struct lobby_game *game;
    char mode[LOBBY_MODE_ROOM];
    bool again; // F3.9: the agent returns to its queue afterwards
};

// For an agent that is connected here: its entry in the queue of a matchmaker at another node. The agent's `wish`
// belongs to it.
struct far {
    uint32_t number;      // of the queue entry
    enum far_state state; // FAR_NONE: no entry
    const struct lobby_game *game;
    char mode[LOBBY_MODE_ROOM];
    bool one_shot, standby;
    bool expects; // a match was ordered for it without an entry, for example by a tournament
    bool hoped;   // a host was named for the entry, so the next match that begins may be its own
    bool confirmed;
    int players; // of the table that asks for confirmation
    int64_t joined_ms;
    int64_t seated_ms;   // when the host was named
    int64_t due_ms;      // deadline of the question
    struct uuid confirm; // newest question; kept because the answer may come late
    uint32_t standing;   // bit g: registered as on standby with the matchmaker of game g
    struct uuid ready;   // readiness check in progress; zero: none
    uint64_t ready_from;
    int64_t ready_due_ms;
    struct far_play *plays;
};

// For an agent that is connected to another node and has this node as its matchmaker.
struct remote_agent {
    struct remote_agent *next, **at;
    struct lobby_agent *agent;
    uint64_t gateway, conn;
    uint32_t number; // of its queue entry, counted by its gateway
    uint32_t capabilities;
    uint32_t standing; // bit g: on standby for game g
    bool game_rl;
    bool listed; // is on the list that its gateway is sending
    bool enters; // is being moved into a queue, perhaps from a table: must not be freed
    bool ended;  // its connection ended while its table was being started
};

// A match whose rules this node does not have and which was passed on (S63).
enum { LOBBY_UNKNOWNS = 32 };
struct lobby_unknown {
    struct uuid match;
    int64_t since_ms;
    int times;
};

struct mesh_game {
    uint64_t holder, term; // 0: unknown
    bool open;             // of our own matchmaker: all gateways have sent their lists
    struct timer opening;
    int answers;
    uint64_t answered[STORE_NODES];
};

struct lobby_agent {
    struct lobby *lobby;
    struct far *far;                        // NULL: nothing of it is at other nodes
    struct remote_agent *remote;            // NULL: it is connected here, or nowhere
    struct lobby_agent *id_next, *key_next; // hash chains
    struct lobby_agent *newer, *older;      // list ordered by last use
    struct lobby_agent *online_next, *online_before;
    struct lobby_agent *queue_next, *queue_before;
    struct lobby_seat *seats;     // running and just over; empty for house agents
    struct agent_rating *ratings; // by game; NULL: not read
    struct queue *queue;
    struct candidate *candidate;
    const struct lobby_game *again; // game to queue for again when the cooldown is over (F3.9)
    struct lobby_presence presence; // link NULL: offline
    struct timer again_timer, ready_timer;
    int64_t touched_ms;
    int64_t joined_ms;         // when it entered its queue
    int64_t ready_ms;          // when it last reported ready (F3.12)
    int64_t left_out_until_ms; // standby skips it until then
    int64_t failed_ms[3];      // missed confirmations, newest first (F3.16)
    int64_t barred_until_ms;   // because of these
    struct agent_cache cache;
    store_ticket saved; // ticket of the last put of its record
    uint32_t kept;
    int active;        // running matches that it was not dropped from
    uint32_t *marks;   // hashes of the record's fields when it was last read or put; NULL: only this node changes it
    int elsewhere;     // running matches that other nodes host
    int64_t asked_ms;  // when their number was last asked for
    uint32_t listed;   // number of the last comparison in which the store's list had it (S26)
    int64_t sought_ms; // when it was last looked for at other nodes
    uint64_t invited_at, invited_conn; // where a tournament of this node found it connected; 0: not looked for, or here
    uint64_t conn;                     // number of its connection among all nodes; 0: not counted
    bool awaits;                       // it had matches at other nodes when it connected
    uint64_t newest;                   // number of its newest connection to any node, as far as known here
    int64_t came_ms;                   // when it connected
    bool forgot;                       // its process did not know its matches when it was greeted
    struct uuid ready_request;
    uint8_t key_hash[STORE_HASH]; // by which it is in the table of keys
    bool has_key;                 // it is in the table of keys
    bool one_shot;                // of its queue entry
    struct lobby_wish wish;       // likewise, in QUEUE_TABLES
    bool greeted;                 // lobby_greet was called: it may be told of matches
    char again_mode[LOBBY_MODE_ROOM];
    char instance[65];
    char address[64]; // of the current or the last connection; empty: loopback or unknown
    struct store_agent record;
};

// --- matches

struct lobby_seat {
    struct live_match *live;
    struct lobby_agent *agent;
    const struct bot *bot;         // moves for a house agent; NULL: the agent moves itself
    struct house_thought *thought; // decision of a searching bot, in progress or done; NULL: none
    struct lobby_seat *next;       // the agent's next seat
    struct uuid session;           // as in the record
    struct uuid request;           // current question (F4.2); zero: none was sent
    int64_t first_ms;              // when the first question of this decision was written
    int64_t due_ms;                // deadline; NEVER: not awaited
    int64_t written_ms;            // when the newest question was written; NEVER: not yet
    store_ticket start_ticket;     // ticket that game_start waits for, if start_sent
    int64_t start_ms;              // when game_start was sent, if start_sent
    uint32_t sent;                 // events sent with questions (F2.9)
    uint32_t sent_before;          // `sent` before the newest question
    uint32_t proven;               // `sent` of the last question that was answered, hence received
    uint32_t fed;                  // events sent in any way (F4.23)
    uint64_t rating_read;          // read_no of the rating that the result was counted in, when it is over
    uint8_t index;
    uint8_t strikes;
    int8_t mind; // index in lobby_options.minds of the model that moves; -1: none
    bool house;
    bool mind_asked, mind_answered;
    bool awaited;
    bool begun;       // first_ms was set by a question that was written
    bool clock_waits; // the clock has not started: the question is not written yet
    bool retried;     // an illegal answer was given to this question (F4.5)
    bool start_sent;
    bool start_due; // game_start was sent on a link that gives receipts, and no receipt has come
    bool doubtful;  // a question on an earlier connection may not have arrived: the next one repeats all events
    bool again;     // joined by join_queue, and returns to the queue afterwards (F3.9)
    uint16_t latency[STORE_LATENCY_BUCKETS];
    struct game_action mind_move;
};

// What spectators see besides the events. Kept as long as a spectator may have to be shown it.
struct asides {
    struct lobby_aside *at; // the notes are on the heap
    uint32_t count, room;
    uint32_t forgotten; // number of asides dropped before the first one
};

// Bytes of a log that can be replayed for one unit of work (work/work.h): an action has about eight bytes and takes
// less than half a microsecond.
enum { REPLAYED_PER_UNIT = 16 };

struct live_match {
    struct live_match *newer, *older; // in the list of running or of finished matches
    struct lobby *lobby;
    const struct lobby_game *game;
    struct match *match; // NULL: only the record is left
    struct channel *channels;
    struct asides asides;
    struct house_room *minds; // memory of its house bots
    struct timer timer;
    struct text log;
    size_t stored; // bytes of the log that were put into the store
    size_t ended;  // offset of the part that was put with the end, when it is over
    struct history past;
    uint32_t number;  // number of the current question
    seat_set asked;   // seats that were asked it and have not answered
    uint8_t claimant; // seat that the question is about; asking begins left of it (F4.12)
    bool over;
    bool asked_for;      // the store has not granted it yet: nobody is told of it
    bool seated;         // not from a queue: a challenge, rematch or tournament
    bool by_wish;        // players from a queue return to it afterwards
    uint64_t orderer;    // the node whose matchmaker ordered it (S24) and waits for a reply; 0: none
    bool adopted;        // another node had it and left no word of what its players were told (S62)
    bool same_owner;     // two seats had the same owner at some time, so the match is not rated
    int64_t over_ms;     // when it was moved to the finished ones
    store_ticket ticket; // ticket of its end
    store_ticket begun;  // ticket of its start; 0: started before this process
    struct store_match record;
    struct lobby_seat seat[GAME_MAX_SEATS];
};

// All spectators that see the same part of a match at the same time. It advances on its own; a new spectator begins at
// its current position.
struct channel {
    struct channel *next;
    struct live_match *live;
    struct lobby_watch *watch;
    struct timer timer;
    int64_t delay_ms;
    uint32_t shown;  // number of events shown
    uint32_t beside; // number of asides shown, dropped ones included
    bool ended;
    bool alone; // for the match's only player that is no house bot: shows the live id
};

struct lobby_watch {
    struct lobby_watch *next, **at; // list of the channel
    struct channel *channel;
    const struct lobby_watch_link *link;
    void *client;
    struct timer timer; // until on_begin
    bool begun;
    int32_t heads; // spectators that it stands for
    bool relayed;  // they are at other nodes, which count them
};

// --- deals (deals.h)

struct deals {
    struct store_epoch *epoch; // oldest first
    int epochs;
    uint64_t next;            // number of the next match
    uint64_t published, safe; // numbers up to `published` are in the list; up to `safe` durably
    uint64_t ahead;           // how many numbers are published ahead; doubles when matches begin too fast
    store_ticket ticket;      // ticket of the last batch
    store_ticket left;        // ticket of entries added for other nodes' chains
    bool shared;              // several nodes have a chain each, and the store orders the list
    uint64_t places;          // number of entries in the list
    uint8_t link[STORE_HASH]; // hash of the last entry
    bool unreadable;          // the data is damaged: no deals, and ends of matches are not listed
};

// The inputs of a match's key.
struct deal {
    uint64_t number;
    uint8_t source; // enum deal_source
    uint8_t rules[STORE_HASH];
    const char *game;
    int seats;
    const uint8_t *entropy[GAME_MAX_SEATS]; // NULL: sent none. Sorted for the key; by seat in the list's entry
};

// --- the lobby

enum { MESH_LOADS = 1024 };
struct mesh_load;
struct mesh {
    const struct lobby_mesh *call; // NULL: a single node
    struct mesh_game game[LOBBY_GAMES];
    struct timer look;
    struct remote_agent *remote;
    uint32_t entries;                    // of this node's agents, counted
    struct mesh_load *loads[MESH_LOADS]; // entries of others whose agents are being read, by agent
    uint64_t shunned;                    // a host that did not do as it was told
    int64_t shunned_until_ms;
};

struct listener {
    void (*call)(void *owner, const struct store_match *m);
    void *owner;
};

enum { LOBBY_CODES = 64 };

struct lobby {
    struct lobby_options o;
    int games;
    struct store *store;
    int64_t now_ms; // the latest time passed by a caller
    bool draining;
    uint8_t code[LOBBY_CODES][STORE_HASH]; // ring buffer of hashes of pairing codes used recently
    uint32_t codes;
    bool closing;     // the server is stopping: nothing waits for the store any more
    bool cut_off;     // not connected to the bus
    uint64_t created; // number of matches ever created; gives the next seed (F6.1)
    uint64_t rating_reads;
    struct timers timers;
    struct timer sweep;
    int64_t described_ms;            // when other nodes were last told this node's load
    struct timer nodes;              // next check for what ended nodes have left
    const struct lobby_peers *peers; // NULL: no other nodes can be reached
    void *peers_owner;
    uint32_t listings;                    // number of comparisons with the store's list of connected agents
    struct timer census;                  // the next comparison
    unsigned handed;                      // matches handed over so far; other nodes are chosen in turn
    int64_t cut_ms;                       // since when other nodes cannot be reached; 0: they can
    struct timer strays;                  // next check of agents whose matches are at other nodes
    struct timer guests;                  // next check for guests to remove
    int64_t guests_after;                 // row up to which guests were checked
    struct lobby_agent **by_id, **by_key; // hash tables; the size is a power of two
    uint32_t buckets, agents;
    struct lobby_agent *newest, *oldest;
    struct lobby_agent *online, *online_last;
    struct lobby_agent *house[LOBBY_GAMES][LOBBY_HOUSE_MAX];
    struct lobby_agent *mind[LOBBY_GAMES][LOBBY_MINDS];
    int houses;
    uint32_t house_turn; // counter that rotates the house agents
    struct queue *queue[LOBBY_QUEUE_BUCKETS];
    struct candidate *candidates;
    uint32_t checks;                   // readiness checks in progress
    struct live_match *running, *over; // newest first
    struct live_match *asked_for;      // likewise: not granted by the store yet
    int64_t away_ms;                   // since when the store is away; 0: it is not
    struct listener listener[LOBBY_LISTENERS];
    int listeners;
    struct lobby_figures figures;
    struct deals deals;
    struct mesh mesh;
    struct peer_request *requests;                // requests to other nodes that jobs wait for
    int tours_asked;                              // requests from other nodes in progress
    struct lobby_unknown unknown[LOBBY_UNKNOWNS]; // ring buffer
    uint32_t unknowns;
    void (*unknown_call)(void *owner, const struct store_match *m, uint64_t to);
    void *unknown_owner;
    lobby_tour_call *tour_call; // handles requests about tournaments from other nodes; NULL: none
    void *tour_owner;
    struct challenges *challenges; // NULL: not open
    struct rematches *rematches;   // NULL: not open
    uint8_t chance[1024];          // random bytes in stock
    size_t chance_left;
    struct lobby_agent **pool; // scratch space of the sweep
    int pool_count, pool_room;
    struct game_events happened; // scratch space of a step
};

void *lobby_take(size_t size);                // zeroed memory; aborts if there is none
void *lobby_grow(void *at, size_t size);      // likewise
struct uuid lobby_random_id(struct lobby *l); // never derived from a match key (F6.1)
bool lobby_may_begin(const struct lobby *l);  // false while draining or when the disk is nearly full
static inline const struct game *game_of(const struct lobby_game *g)
{
    return g->codec->game;
}
static inline const char *name_of(const struct lobby_game *g)
{
    return g->codec->game->name;
}
static inline bool is_online(const struct lobby_agent *a)
{
    return a->presence.link != NULL;
}
// Connected to this node itself, which is therefore its gateway.
static inline bool is_here(const struct lobby_agent *a)
{
    return is_online(a) && !a->presence.relayed;
}

// agents.c
void agents_open(struct lobby *l);
void agents_close(struct lobby *l);
void agents_evict(struct lobby *l, int64_t now_ms);
// Updates the record as read from the store.
void agents_renew(struct lobby *l, struct lobby_agent *a, const struct store_agent *record);
struct store_rating *agents_rating(struct lobby *l, struct lobby_agent *a, int game);
int64_t agents_last_over(struct lobby *l, struct lobby_agent *a); // when its last match ended; 0: never

// guests.c
void guests_open(struct lobby *l, int64_t now_ms);

// gates.c
struct gate_wish {
    const struct lobby_game *game;
    const char *mode;
    bool one_shot;
};
// F3.4: checks that the game is known and the mode allowed. `mode_word` is the storage of out->mode. `a` NULL: accepts
// every game.
int gate_find(const struct lobby *l, const struct lobby_agent *a, struct span game, struct span mode,
              char mode_word[LOBBY_MODE_ROOM], struct gate_wish *out, char error[128]);
bool gate_has_capacity(const struct lobby_agent *a); // F3.15
// By its number of games in an hour or a day (F3.4).
bool gate_is_capped(struct lobby *l, struct lobby_agent *a, int64_t now_ms);
int gate_pass(struct lobby *l, struct lobby_agent *a, const struct gate_wish *w, int64_t now_ms, char error[128]);
int64_t gate_cooldown_end(struct lobby *l, struct lobby_agent *a);         // F3.8; 0: no cooldown
bool gate_standby(struct lobby *l, struct lobby_agent *a, int64_t now_ms); // F3.10, apart from the choice of games
bool gate_offers(const struct lobby *l, const struct lobby_agent *a, const struct lobby_game *g); // F6.B1
void gate_miss(struct lobby_agent *a, int64_t now_ms); // counts a missed confirmation (F3.16)

// queue.c
int queue_table_min(const struct lobby *l, const struct lobby_game *g);
int queue_table_max(const struct lobby *l, const struct lobby_game *g);
struct queue *queue_find(struct lobby *l, const struct lobby_game *g, const char *mode);
// Forms all tables it can, in all queues of the game.
void queue_open(struct lobby *l, const struct lobby_game *g, int64_t now_ms);
struct queue *queue_enter(struct lobby *l, struct lobby_agent *a, const struct gate_wish *w, int64_t joined_ms);
void queue_remove(struct lobby *l, struct lobby_agent *a);
void queue_form(struct lobby *l, struct queue *q, int64_t now_ms); // forms all tables it can; q may be freed
// F3.9
void queue_again(struct lobby *l, struct lobby_agent *a, const struct lobby_game *g, const char *mode, int64_t now_ms);
void queue_drain(struct lobby *l);
#define QUEUE_RANKED "ranked"
#define QUEUE_TABLES "+friendly"           // agents waiting for players of the other queue; clients cannot name it
const char *queue_shown(const char *mode); // the mode as clients see it

// mesh.c: which node is the matchmaker of a game, and messages to agents wherever they are connected
bool mesh_is_ours(const struct lobby *l, const struct lobby_game *g); // this node is the matchmaker
bool mesh_is_open(const struct lobby *l, const struct lobby_game *g); // and all gateways have sent their lists
// Another node is the matchmaker of this agent.
bool mesh_goes_far(const struct lobby *l, const struct lobby_agent *a, const struct lobby_game *g);
bool mesh_is_here(const struct lobby_agent *a); // this node's matchmaker can send it messages
bool mesh_is_greeted(const struct lobby_agent *a);
void mesh_close(struct lobby *l);
void mesh_resign(struct lobby *l); // gives the matchmaker's role up for all games
struct note;
void mesh_send(struct lobby *l, uint64_t epoch, struct note *n);
struct note mesh_note(struct lobby *l, int kind, const struct lobby_game *g); // filled with the current term
void mesh_send_joined(struct lobby_agent *a, const struct gate_wish *w);
void mesh_send_confirm(struct lobby_agent *a, const struct lobby_confirm *c, bool standby);
void mesh_send_cancelled(struct lobby_agent *a, enum lobby_cancel why, bool re_queued, const struct gate_wish *w,
                         bool standby);
void mesh_send_readiness(struct lobby_agent *a, struct uuid request, int64_t timeout_ms);

// far.c: agents connected here whose matchmaker is another node
void far_join(struct lobby *l, struct lobby_agent *a, const struct gate_wish *w, int64_t now_ms);
bool far_waits(const struct lobby_agent *a);
// Ends the queue entry; the agent is not told.
void far_withdraw(struct lobby *l, struct lobby_agent *a, bool disconnected);
void far_leave(struct lobby *l, struct lobby_agent *a);                  // the connection ended
void far_replace(struct lobby *l, struct lobby_agent *a);                // by another connection to this node
void far_release(struct lobby_agent *a);                                 // frees the memory
void far_drain(struct lobby *l);                                         // F3.18
void far_end_entry(struct lobby_agent *a);                               // it has a match here now
int far_confirm(struct lobby *l, struct lobby_agent *a, struct uuid id); // ERR_UNKNOWN
bool far_awaits_confirm(const struct lobby_agent *a, struct uuid id);
bool far_awaits_ready(const struct lobby_agent *a, struct uuid request);
void far_report_ready(struct lobby *l, struct lobby_agent *a, struct uuid request, bool ready);
void far_remind(struct lobby_agent *a, int64_t now_ms);
// Registers agents on standby with their matchmakers, once in each sweep.
void far_stand(struct lobby *l, int64_t now_ms);
void far_send_all(struct lobby *l, const struct lobby_game *g); // sends the list of all entries
void far_adopt(struct lobby *l, const struct lobby_game *g);    // this node has become the matchmaker
void far_unask(struct lobby *l, const struct lobby_game *g);    // the matchmaker is gone: entries wait again
// another node has become the matchmaker
void far_keep(struct lobby_agent *a, const struct gate_wish *w, int64_t joined_ms);
void far_seat(struct lobby *l, struct lobby_agent *a, const struct note *n); // a host was named for its match
void far_receive(struct lobby *l, uint64_t from, const struct note *n, int64_t now_ms);

// mm.c: agents of other nodes whose matchmaker is this one; tables that other nodes are ordered to begin
void mm_receive(struct lobby *l, uint64_t from, const struct note *n, int64_t now_ms);
void mm_lose(struct lobby *l, const struct lobby_game *g);                  // another node has become the matchmaker
void mm_end_node(struct lobby *l, uint64_t epoch, int64_t now_ms);          // the node is gone
void mm_bring_home(struct lobby *l, struct lobby_agent *a, int64_t now_ms); // the agent has connected to this node
void mm_expect_list(struct lobby *l, uint64_t from);    // a link was reset, so the gateway sends its list again
void mm_settle(struct lobby *l, struct lobby_agent *a); // frees a->remote if nothing of the agent is left here
void mm_close(struct lobby *l);
uint64_t mm_pick_host(struct lobby *l, const struct candidate *c);    // 0: none is suitable
void mm_exclude_host(struct lobby *l, uint64_t host, int64_t now_ms); // the host did not begin a match as ordered
void mm_order(struct lobby *l, struct candidate *c, uint64_t host, int64_t now_ms);

// peer_requests.c
// Sends a request in a job and waits; false: no reply.
bool peer_request_send(struct lobby *l, const struct lobby_game *g, struct note *n, struct note *answer);
void peer_request_receive(struct lobby *l, const struct note *n);
void peer_requests_end(struct lobby *l, uint64_t node); // nobody waits any more for this node, or for any (0)
void peer_request_serve_tour(struct lobby *l, uint64_t from, const struct note *n);

// tables.c
struct table_player {
    struct lobby_agent *agent; // kept until tables_let_go; NULL: no such agent
    struct store_presence at;  // where it is connected, if not here
    bool is_there;             // connected to some node, and may play another match
};
// Reads from the store.
void tables_find(struct lobby *l, const struct uuid *agent, int count, struct table_player *out);
// Returns the first player that cannot be seated now, or -1.
int tables_missing(const struct lobby *l, const struct lobby_game *g, const struct table_player *p, int count);
// As lobby_seat_table.
int tables_begin(struct lobby *l, const struct lobby_game *g, const struct table_player *p, int count,
                 struct uuid challenge, struct uuid *match);
void tables_let_go(struct table_player *p, int count);

// rematch.c
struct rematches;
void rematches_receive(struct rematches *r, uint64_t from, const struct note *n);

// challenge.c
struct challenges;
void challenges_receive(struct challenges *c, uint64_t from, const struct note *n); // a request from another node
bool challenges_has_of(const struct challenges *c, struct uuid host);               // it has open challenges
void challenges_cancel_by(struct challenges *c, struct uuid host);                  // another node has deleted the host
void challenges_change(struct challenges *c, const struct lobby_game *g);           // the game has another matchmaker

// order.c: begins matches that a matchmaker has ordered
void order_receive(struct lobby *l, uint64_t from, const struct note *n);
void order_answer(struct lobby *l, struct live_match *b, bool begun, int64_t now_ms);

// candidate.c
struct candidate *candidate_find_order(struct lobby *l, struct uuid match);
void candidate_begun(struct lobby *l, struct candidate *c); // its host has begun the match
// `full`: members that may play no further match.
void candidate_refused(struct lobby *l, struct candidate *c, uint32_t full, int64_t now_ms);
void candidate_drop(struct lobby *l, struct candidate *c);                     // without telling the members
const char *candidate_home(const struct candidate *c, const struct member *m); // the queue that the member came from
struct candidate *candidate_create(struct lobby *l, const struct lobby_game *g, const char *mode);
void candidate_take(struct candidate *c, struct lobby_agent *a); // the agent was removed from its queue just before
void candidate_lend(struct candidate *c, struct lobby_agent *a); // likewise, for a table by wish
void candidate_add(struct candidate *c, struct lobby_agent *a, bool standby, int64_t now_ms);
// Asks for confirmations, or begins the match.
void candidate_open(struct lobby *l, struct candidate *c, int64_t now_ms);
void candidate_remind(struct lobby_agent *a, int64_t now_ms); // repeats the question on a new connection (F1.12)
void candidate_break(struct lobby *l, struct candidate *c, struct lobby_agent *cause, enum lobby_cancel why,
                     int64_t now_ms);
void candidate_drain(struct lobby *l, int64_t now_ms);

// standby.c
bool standby_would_play(const struct lobby *l, const struct lobby_agent *a, const struct lobby_game *g);
void standby_open(struct lobby *l, int64_t now_ms);
void standby_cancel_check(struct lobby *l, struct lobby_agent *a); // ends a readiness check when the connection ends
int standby_lend(struct lobby *l, struct candidate *c, const struct lobby_game *g, int want, int64_t now_ms);
void standby_remind(struct lobby *l, struct lobby_agent *a, int64_t now_ms);
enum lobby_reach standby_invite_far(struct lobby *l, struct lobby_agent *a, const struct lobby_game *g, int64_t now_ms);
void standby_receive_busy(struct lobby *l, struct lobby_agent *a, struct uuid request, int64_t now_ms);

// house.c
void house_open(struct lobby *l, int64_t now_ms);
const struct bot *house_find(const struct lobby_game *g, const char *name); // NULL: this game has no such bot
const struct bot *house_bot(const struct lobby_game *g, const struct lobby_agent *a);
// The agent for bot `i` of those named for a table. A bot that is named twice is two agents.
struct lobby_agent *house_named(struct lobby *l, const struct lobby_game *g, const struct bot *const *bots, int i,
                                int64_t now_ms);
// Index of the model that plays it; -1: none.
int house_model(const struct lobby *l, const struct lobby_game *g, const struct lobby_agent *a);
int house_count(const struct lobby *l);                                       // how many can be seated at one table
void house_leave(struct lobby_seat *s);                                       // the seat is about to be freed
bool house_fill(struct lobby *l, struct candidate *c, int count);             // false: there are not enough
int64_t house_think(struct lobby *l);                                         // random time in ms for the next move
void house_take_seats(struct live_match *b, const struct game_events *first); // first NULL: the match is resumed
void house_move(struct lobby *l, struct lobby_seat *s, int64_t now_ms);
void house_cancel_decision(struct lobby_seat *s); // cancels the decision in progress

// live_match.c
struct live_match_guest {
    struct lobby_agent *agent;
    bool one_shot;
    bool again; // F3.9
};
struct live_match_order {
    uint64_t from, term;
    struct uuid match;
};
struct live_match_terms {
    struct uuid challenge;
    const struct live_match_order *order; // NULL: begun by this node on its own
    const struct lobby_fixed *fixed;      // NULL: seats are shuffled, key and id drawn at random
    bool seated;                          // nobody returns to a queue
    bool by_wish;                         // F3.23
    bool game_rl;                         // one of the players is (F4.15), according to another node
};
int live_match_begin(struct lobby *l, const struct lobby_game *g, const char *mode,
                     const struct live_match_guest *guests, int count, const struct live_match_terms *terms,
                     int64_t now_ms, struct uuid *match);
// Without players; in the list of running matches.
struct live_match *live_match_find(struct live_match *newest, struct uuid match); // in a list of the lobby, or NULL
struct live_match *live_match_create(struct lobby *l, const struct lobby_game *g);
void live_match_send_start(struct lobby *l, struct lobby_seat *s, const struct lobby_presence *p);
// game_start was sent, and may have left this process.
bool live_match_has_sent_start(const struct lobby *l, const struct lobby_seat *s);
// A flag in store_match.unreported: the set of seats is known although nobody has acted yet.
enum { LIVE_MATCH_STARTS_KNOWN = 1 << 15 };
void live_match_take_seats(struct lobby *l, struct live_match *b); // all agents of its record that can be found
void live_match_release(struct lobby *l, struct live_match *b);
void live_match_grant(struct lobby *l, int64_t now_ms); // starts the matches whose start is durable
// The store refused the start; false: not such a match.
bool live_match_refuse(struct lobby *l, struct uuid match, int64_t now_ms);
void live_match_drop_moved(struct lobby *l, struct live_match *b); // another node continues it
void live_match_retire(struct lobby *l, struct live_match *b,
                       int64_t now_ms); // it is over: moves it to the finished ones
bool live_match_log_grow(struct text *t, size_t more);

// owners.c
void owners_check(const struct lobby *l,
                  struct live_match *b); // sets b->same_owner if two of its seats have the same owner now

// deals.c
void deals_open(struct lobby *l, int64_t now_ms); // returns when what it published is durable
void deals_close(struct lobby *l);
bool deals_learn(struct lobby *l, uint64_t number); // finds the epoch of a number, perhaps in the store; false: unknown
// Closes some chains of nodes that are gone; may read. Returns false if there are none or it must wait.
bool deals_close_left(struct lobby *l, int64_t now_ms);
// The next number that is published and unused; or ERR_STORAGE.
int deals_next(struct lobby *l, uint64_t *number, int64_t now_ms);
void deals_make_key(const struct lobby *l, const struct deal *deal, uint8_t key[RNG_KEY_BYTES]);
// Uses the number: the entry goes into the store with the match, before any other entry is made.
void deals_deal(struct lobby *l, const struct deal *deal, const uint8_t commitment[STORE_HASH], int64_t now_ms,
                struct store_entry *e);
// The entry for the end of a match. Returns NULL if the match has no number.
const struct store_entry *deals_close_number(struct lobby *l, const struct store_match *m, struct store_entry *e);

// turns.c
const struct lobby_presence *turns_link(const struct lobby_seat *s); // NULL: the player cannot be reached
// Asks the current question; drop: as on_events has it.
void turns_put(struct lobby *l, struct live_match *b, int64_t drop, int64_t now_ms);
// F4.20; `first`: as a first question, not a repeated one.
void turns_resend(struct lobby *l, struct lobby_seat *s, int64_t now_ms, bool first);
void turns_schedule(struct lobby *l, struct live_match *b);
void turns_end(struct lobby_seat *s); // the seat is no longer awaited
void turns_notify(struct lobby_seat *s, int64_t drop);
// A step was played; `dropped`: it was a drop.
void turns_done(struct lobby *l, struct live_match *b, bool dropped, struct span note, int64_t now_ms);
struct game_events *turns_listen(struct lobby *l);
void turns_fire(struct lobby *l, struct timer *t, int64_t now_ms);

// results.c
void results_finish(struct lobby *l, struct live_match *b, int64_t drop, int64_t now_ms); // drop: as on_events has it
void results_cancel(struct lobby *l, struct live_match *b, int64_t now_ms);               // F8.6
// The store refused the result, because a rating had changed: computes it again.
void results_again(struct lobby *l, const struct store_refusal *refused);
// Reads from the store, before the agent comes online.
void results_load_missed(struct lobby *l, struct lobby_agent *a, int64_t now_ms);
void results_send_missed(struct lobby_agent *a, int64_t now_ms); // F4.19

// resume.c
struct pieces { // a log as read from the store
    struct text log;
    struct moment *at;
    uint32_t count, room;
};
void resume_all(struct lobby *l, int64_t now_ms);
// Resumes one match whose players are in memory; `err`: result of reading the log. Returns NULL if it is over or
// cancelled.
struct live_match *resume_read(struct lobby *l, const struct store_match *m, struct pieces *p, int err, int64_t now_ms);
void pieces_release(struct pieces *p);
int pieces_read(struct pieces *p, struct store *s, struct uuid match);
struct replayed_source;
int pieces_read_from(struct pieces *p, const struct replayed_source *from);
int64_t pieces_time(const struct pieces *p, size_t offset, uint32_t *hint); // when the entry at this offset was logged

// presence.c
void presence_catch_up_seat(struct lobby *l, struct lobby_seat *s, int64_t now_ms);
// handover.c
// Writes what the next host needs to know. Returns false if that must wait: a frame to a player is in flight, or its
// connection cannot be moved. `is_cut`: the players are no longer connected, so neither matters.
bool handover_describe(struct lobby *l, struct live_match *b, bool is_cut, struct text *t);
// Continues with what another node has asked and sent. Returns false if that is not known.
bool handover_take(struct lobby *l, struct live_match *b, struct span state);
// A match has moved to this node, where its players are.
void presence_catch_up(struct lobby *l, struct live_match *b, int64_t now_ms);
void presence_replaced(struct lobby *l, struct lobby_agent *a, int64_t now_ms); // by a connection to another node
// Its match stays at another node: closes the connection with LOBBY_STRAY.
void presence_stray(struct lobby *l, struct lobby_agent *a);

// nodes.c
void nodes_open(struct lobby *l, int64_t now_ms);
void nodes_count_places(struct lobby *l, struct lobby_agent *a); // in a job, at most once a second for each agent
// The store refused a match because a player has no place left: finds out who.
bool nodes_refuse(struct lobby *l, struct uuid match, store_ticket refused);
// Reads again what the store knows of the agent, including what it did at other nodes.
void nodes_load_anew(struct lobby *l, struct lobby_agent *a);

// watch.c
void watch_move(struct lobby *l, struct live_match *b);     // the match continues at another node
void watch_schedule(struct lobby *l, struct live_match *b); // something has happened that spectators will see later
bool watch_has_any(const struct live_match *b);
void watch_release(struct lobby *l, struct live_match *b); // frees all channels and asides
// Records who is asked now.
void watch_note_turn(struct lobby *l, struct live_match *b, int64_t now_ms);
// Records a player's note on a decision, which caused the events from `seq` on.
void watch_note_decision(struct lobby *l, struct live_match *b, const struct lobby_seat *s, uint32_t seq,
                         struct span note, int64_t now_ms);
