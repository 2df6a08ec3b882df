// What the files of the lobby share, and nobody else sees.
//
// A bout is a match with its players: who is asked, who was told what, what has been given to the store. A candidate is
// a table that waits for confirmations. Everything that waits for a moment is a timer in one heap.
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
    LOBBY_HOUSE_MAX = 16, // house agents of one game
    LOBBY_QUEUE_BUCKETS = 256,
    LOBBY_LISTENERS = 8,     // to the ends of matches
    LOBBY_MAX_LOG = 1 << 20, // bytes of one match's log
    LOBBY_LINGER_MS = 60000, // who is of no more use stays this long
    LOBBY_OVER_MS = 1000,    // what is over stays this long, and a minute while somebody may not have heard of it
    LOBBY_FIRES_PER_TICK = 256,
    LOBBY_HOUSE_PER_TICK = 16,  // moves of house bots, which may think for a while
    LOBBY_OVERDUE_MS = 3600000, // F4.19: a game_over is told within the hour
    LOBBY_UNDELIVERED = 64,     // of them, told to one who comes back
    LOBBY_STARTS = 10000,       // matches of one day that are counted: no cap is higher
    LOBBY_DAY_MS = 86400000,
    LOBBY_GUEST_DAYS = 30, // a guest who has not played for so long is removed
    LOBBY_HOUR_MS = 3600000,
};

// --- timers

struct timer {
    int64_t due_ms;
    uint64_t order; // first set, first fired, where due_ms is the same
    // What the heap goes by: as it was when the timer was put there. One that is set to a later moment, as the clock of
    // a match is with every action, stays where it is until that comes to the top.
    int64_t at_ms;
    uint64_t at_order;
    uint32_t place; // in the heap, from 1; 0: not set
    void (*fire)(struct lobby *l, struct timer *t, int64_t now_ms);
};

struct timers {
    struct timer **at; // a heap, from index 1
    uint32_t count, room;
    uint64_t order;
};

void timer_set(struct lobby *l, struct timer *t, int64_t due_ms); // NEVER clears it
void timer_clear(struct lobby *l, struct timer *t);
void timer_shift(struct lobby *l, int64_t ms);         // all of them, to later
bool timer_fire_next(struct lobby *l, int64_t now_ms); // false: nothing is due
int64_t timer_next_due(const struct lobby *l);

#define TIMER_OWNER(timer, type, member) ((type *)((char *)(timer)-offsetof(type, member)))

// --- the sequence of a match (F2.8)

struct moment { // the log up to `end` had happened at at_ms
    int64_t at_ms;
    uint32_t end;
    uint32_t events; // so far
    uint32_t swing;  // the total of then
};

struct history {
    struct game_event *entry; // events and their parts
    uint32_t entries, entry_room;
    uint32_t *first; // by seq: its first entry; one more closes the last
    int64_t *at_ms;  // by seq
    uint32_t events, event_room;
    struct moment *moment;
    uint32_t moments, moment_room;
    struct swing swing;
};

void history_add(struct history *h, const struct lobby_game *g, const struct game_events *happened, int64_t at_ms,
                 size_t log_end);
void history_note_swing(struct history *h, const struct lobby_game *g, const void *state,
                        int seats); // of what was added
bool history_event(const struct history *h, uint32_t seq, struct match_event *out);
void history_release(struct history *h);

// --- queues and candidates

struct queue {
    struct queue *next; // in its bucket
    struct lobby_agent *first, *last;
    int count;
    const struct lobby_game *game;
    char mode[LOBBY_MODE_ROOM];
    struct timer timer;
};

struct member {
    struct lobby_agent *agent;
    struct uuid confirm; // none: not asked
    int64_t joined_ms;
    bool one_shot, standby, confirmed;
    bool lent; // to a table by wish, by the queue "ranked"
};

struct candidate {
    struct candidate *next, **at;
    uint64_t host;     // the node that was ordered to begin it (S24); 0: nobody was
    struct uuid order; // the match
    const struct lobby_game *game;
    char mode[LOBBY_MODE_ROOM];
    bool by_wish; // of its first member (F3.23)
    int count;
    int64_t due_ms;
    struct timer timer;
    struct member member[GAME_MAX_SEATS];
};

// --- agents

struct encounter { // of two agents in a rated match
    struct uuid match, opponent;
    int64_t at_ms;
    char game[24];
};

struct dossier {    // (dossier.h)
    int64_t *start; // of matches within the last day, oldest first; one_shot matches are not among them
    uint32_t starts, start_room;
    struct encounter *meeting;
    uint32_t meetings, meeting_room;
    bool has_starts, has_meetings; // they have been read
};

// --- one matchmaker for several nodes (mesh.h, S21 to S25)

enum far_state { FAR_NONE, FAR_SENT, FAR_WAITS, FAR_ASKED, FAR_SEATED };

// A match of an agent that is connected here, at another node.
struct far_play {
    struct far_play *next;
    struct uuid session;
    const struct lobby_game *game;
    char mode[LOBBY_MODE_ROOM];
    bool again; // F3.9
};

// Of an agent that is connected here: its entry at another node's matchmaker. Its wish stands in the agent.
struct far {
    uint32_t number;      // of the entry
    enum far_state state; // NONE: there is no entry
    const struct lobby_game *game;
    char mode[LOBBY_MODE_ROOM];
    bool one_shot, standby;
    bool expects;        // a match was ordered for it without an entry
    bool hoped;          // a host was named for it: a match that begins may be its own
    bool confirmed;      //
    int players;         // of the table
    int64_t joined_ms;   //
    int64_t seated_ms;   // when its host was named
    int64_t due_ms;      // of the question
    struct uuid confirm; // the newest; its answer may come late
    uint32_t standing;   // bit g: on standby at the matchmaker of game g
    struct uuid ready;   // a readiness check; none: no one asks
    uint64_t ready_from;
    int64_t ready_due_ms;
    struct far_play *plays;
};

// Of an agent that is connected to another node, whose matchmaker is this one.
struct away {
    struct away *next, **at;
    struct lobby_agent *agent;
    uint64_t gateway, conn;
    uint32_t number; // of its entry, as its gateway counts
    uint32_t capabilities;
    uint32_t standing; // bit g: on standby for game g
    bool game_rl;
    bool listed; // by its gateway, in the list that is being told
    bool enters; // a queue, from another table perhaps: it stays
    bool ended;  // its connection, while its table was being begun
};

// A match whose rules this program does not have, given to another node (S63).
enum { LOBBY_UNKNOWNS = 32 };
struct lobby_unknown {
    struct uuid match;
    int64_t since_ms;
    int times;
};

struct mesh_game {
    uint64_t holder, term; // 0: nobody is known
    bool open;             // of a matchmaker: everybody has told who waits
    struct timer opening;
    int answers;
    uint64_t answered[STORE_NODES];
};

struct lobby_agent {
    struct lobby *lobby;
    struct far *far;                        // NULL: nothing of it is elsewhere
    struct away *away;                      // NULL: it is connected here, or nowhere
    struct lobby_agent *id_next, *key_next; // in the buckets of the two tables
    struct lobby_agent *newer, *older;      // by the last time somebody asked for it
    struct lobby_agent *online_next, *online_before;
    struct lobby_agent *queue_next, *queue_before;
    struct lobby_seat *seats;     // running and just over; not kept for house agents
    struct store_rating *ratings; // by game; NULL: not loaded
    struct queue *queue;
    struct candidate *candidate;
    const struct lobby_game *again; // to be queued again when its cooldown is over (F3.9)
    struct lobby_presence presence; // link NULL: offline
    struct timer again_timer, ready_timer;
    int64_t touched_ms;
    int64_t joined_ms;         // the queue, if it is in one
    int64_t ready_ms;          // reported ready (F3.12)
    int64_t left_out_until_ms; // of standby
    int64_t failed_ms[3];      // confirmations missed, newest first (F3.16)
    int64_t barred_until_ms;   // by them
    struct dossier dossier;
    store_ticket saved; // of its record, as it was put last
    uint32_t kept;
    int active;                      // running matches it is not dropped from
    uint32_t *marks;                 // of the record as it was read or put last; NULL: nobody else changes it
    int elsewhere;                   // likewise, that other nodes host
    int64_t asked_ms;                // when their number was asked for
    uint32_t listed;                 // the last comparison with the store's list that found it there (S26)
    int64_t sought_ms;               // when it was looked for at other nodes
    uint64_t called_at, called_conn; // where a tournament of this node has found it; 0: not looked for, or here
    uint64_t conn;                   // of its connection, among several nodes; 0: not counted
    bool awaits;                     // it came while it had matches at other nodes
    uint64_t newest;                 // of its connections to any node, as far as it is known here
    int64_t came_ms;                 // when its connection began
    bool forgot;                     // its process, when it was greeted
    struct uuid ready_request;
    uint8_t key_hash[STORE_HASH]; // as it stands in the table of keys
    bool has_key;                 // it does stand there
    bool one_shot;                // of the queue entry
    struct lobby_wish wish;       // likewise, in QUEUE_TABLES
    bool greeted;                 // matches may be told
    char again_mode[LOBBY_MODE_ROOM];
    char instance[65];
    char address[64]; // of the live connection or the last one; empty: this machine, or not known
    struct store_agent record;
};

// --- matches

struct lobby_seat {
    struct bout *bout;
    struct lobby_agent *agent;
    const struct bot *bot;         // who moves for a house agent; NULL: an agent moves for itself
    struct house_thought *thought; // what a searching bot is deciding, or has decided; NULL: nothing
    struct lobby_seat *next;       // of the agent
    struct uuid session;           // as the record has it
    struct uuid request;           // the current one (F4.2); none: nothing was sent
    int64_t first_ms;              // when the first request of this decision was written
    int64_t due_ms;                // NEVER: not awaited
    int64_t written_ms;            // NEVER: the newest request is not yet
    store_ticket start_ticket;     // what game_start waits for before it leaves, where start_sent
    uint32_t told;                 // events told by requests (F2.9)
    uint32_t sent_before;          // the newest request
    uint32_t proven;               // told by requests that were answered, so they had arrived
    uint32_t fed;                  // events told at all (F4.23)
    uint8_t index;
    uint8_t strikes;
    int8_t mind; // of lobby_options.minds, who moves for it; -1: none
    bool house;
    bool mind_asked, mind_answered;
    bool awaited;
    bool begun;       // first_ms is set by a request that was written
    bool clock_waits; // the clock starts when the request is written
    bool retried;     // an illegal answer to this question was given (F4.5)
    bool start_sent;
    bool start_due; // by a link that gives receipts (lobby_start_arrived), and none has come
    bool doubtful;  // a request before this connection may not have arrived: the next one tells everything
    bool again;     // came by join_queue and wants to go back there (F3.9)
    uint16_t latency[STORE_LATENCY_BUCKETS];
    struct game_action mind_move;
};

// What happened beside the events, for spectators: kept as long as one of them may still have to be shown it.
struct asides {
    struct lobby_aside *at; // notes are on the heap
    uint32_t count, room;
    uint32_t forgotten; // before the first
};

// Bytes of a log that are played again for one unit of work (work/work.h). An action has some eight bytes and takes
// less than half a microsecond.
enum { REPLAYED_PER_UNIT = 16 };

struct bout {
    struct bout *newer, *older; // of the running ones, or of those over
    struct lobby *lobby;
    const struct lobby_game *game;
    struct match *match; // NULL: only the record is left
    struct channel *channels;
    struct asides asides;
    struct house_room *minds; // of its house bots
    struct timer timer;
    struct text log;
    size_t stored; // bytes of the log that the store has got
    size_t ended;  // where what was put with the end begins, once it is over
    struct history past;
    uint32_t number;  // of the question that was put
    seat_set asked;   // by it, and not answered
    uint8_t claimant; // whom the question is about: the order of asking starts left of it (F4.12)
    bool over;
    bool asked_for;      // the store has not granted it yet: nobody knows of it
    bool seated;         // at a table that was set, not from a queue
    bool by_wish;        // with players of a queue, to which they go back
    uint64_t orderer;    // the node whose matchmaker ordered it (S24), until it has been answered; 0: nobody did
    bool kin;            // two seats had one owner at some time of the match: it is not rated
    int64_t over_ms;     // when it was put away
    store_ticket ticket; // of its end
    store_ticket begun;  // of its beginning; 0: it was there before us
    struct store_match record;
    struct lobby_seat seat[GAME_MAX_SEATS];
};

// All who see the same of a match at the same time. It moves by itself; whoever comes begins where it is.
struct channel {
    struct channel *next;
    struct bout *bout;
    struct lobby_watch *watch;
    struct timer timer;
    int64_t delay_ms;
    uint32_t shown;  // events
    uint32_t beside; // asides, those forgotten included
    bool ended;
    bool alone; // for the only player there who is no house bot: gets the live id
};

struct lobby_watch {
    struct lobby_watch *next, **at; // of the channel
    struct channel *channel;
    const struct lobby_watch_link *link;
    void *client;
    struct timer timer; // until its beginning
    bool begun;
    int32_t heads; // that watch through it
    bool relayed;  // they are at other nodes, which count them
};

// --- deals (deals.h)

struct deals {
    struct store_epoch *epoch; // oldest first
    int epochs;
    uint64_t next;            // number of the next match
    uint64_t published, safe; // numbers up to here; of them, durable
    uint64_t ahead;           // how many are published ahead: more after a burst
    store_ticket ticket;      // of the last batch
    store_ticket left;        // of what was told of other nodes' chains
    bool shared;              // several nodes have a chain each, and the store orders the list
    uint64_t places;          // entries of the list
    uint8_t link[STORE_HASH]; // of the last one
    bool unreadable;          // damaged data: nothing is dealt, and ends of matches are not listed
};

// What a match's key is made of.
struct deal {
    uint64_t number;
    uint8_t source; // enum deal_source
    uint8_t rules[STORE_HASH];
    const char *game;
    int seats;
    const uint8_t *entropy[GAME_MAX_SEATS]; // NULL: it sent none; in any order for the key, by seat for the entry
};

// --- the lobby

enum { MESH_LOADS = 1024 };
struct mesh_load;
struct mesh {
    const struct lobby_mesh *call; // NULL: this node is alone
    struct mesh_game game[LOBBY_GAMES];
    struct timer look;
    struct away *away;
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
    int64_t now_ms; // the last time that was given
    bool draining;
    uint8_t code[LOBBY_CODES][STORE_HASH]; // hashes of pairing codes used lately, a ring
    uint32_t codes;
    bool closing;     // the server ends: nobody waits for the store any more
    bool cut_off;     // from the bus
    uint64_t created; // matches, ever: the next seed (F6.1)
    struct timers timers;
    struct timer sweep;
    int64_t described_ms;            // when the others were told how busy this node is
    struct timer nodes;              // when what others have left is looked at
    const struct lobby_peers *peers; // other nodes that can be talked to; NULL: none can
    void *peers_owner;
    uint32_t listings;                    // comparisons of who is here with the store's list
    struct timer census;                  // and the next one
    unsigned handed;                      // matches that were given to other nodes, which take turns
    int64_t cut_ms;                       // since when other nodes cannot be reached, by its own clock; 0: they can
    struct timer strays;                  // when agents are looked at whose matches are at other nodes
    struct timer guests;                  // when some of them are looked at
    int64_t guests_after;                 // those up to this row were
    struct lobby_agent **by_id, **by_key; // buckets, a power of two
    uint32_t buckets, agents;
    struct lobby_agent *newest, *oldest;
    struct lobby_agent *online, *online_last;
    struct lobby_agent *house[LOBBY_GAMES][LOBBY_HOUSE_MAX];
    struct lobby_agent *mind[LOBBY_GAMES][LOBBY_MINDS];
    int houses;
    uint32_t house_turn; // whose turn it is to be seated
    struct queue *queue[LOBBY_QUEUE_BUCKETS];
    struct candidate *candidates;
    uint32_t checks;             // readiness checks that are open
    struct bout *running, *over; // newest first
    struct bout *asked_for;      // likewise: begun, and not granted
    int64_t away_ms;             // since when the store is away; 0: it is there
    struct listener listener[LOBBY_LISTENERS];
    int listeners;
    struct lobby_figures figures;
    struct deals deals;
    struct mesh mesh;
    struct mesh_call *calls;                      // that jobs wait for
    int tours_asked;                              // by other nodes, being answered
    struct lobby_unknown unknown[LOBBY_UNKNOWNS]; // a ring
    uint32_t unknowns;
    void (*unknown_call)(void *owner, const struct store_match *m, uint64_t to);
    void *unknown_owner;
    lobby_tour_call *tour_call; // for requests about tournaments from other nodes; NULL: there are none
    void *tour_owner;
    struct challenges *challenges; // NULL: nobody keeps them
    struct rematches *rematches;   // likewise
    uint8_t chance[1024];          // random bytes in stock
    size_t chance_left;
    struct lobby_agent **pool; // scratch of the sweep
    int pool_count, pool_room;
    struct game_events happened; // scratch of a step
};

void *lobby_take(size_t size);                // cleared memory, or the process ends
void *lobby_grow(void *at, size_t size);      // likewise
struct uuid lobby_random_id(struct lobby *l); // never from a match key (F6.1)
bool lobby_may_begin(const struct lobby *l);  // a new match: not draining, and there is room on the disk
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
// Connected to this node, which alone seeks matches for it.
static inline bool is_here(const struct lobby_agent *a)
{
    return is_online(a) && !a->presence.relayed;
}

// agents.c
void agents_open(struct lobby *l);
void agents_close(struct lobby *l);
void agents_evict(struct lobby *l, int64_t now_ms);
void agents_renew(struct lobby *l, struct lobby_agent *a, const struct store_agent *record); // as the store has it
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
// F3.4: game known, mode allowed; `mode_word` holds what out->mode points to. `a` NULL: every game is welcome.
int gate_find(const struct lobby *l, const struct lobby_agent *a, struct span game, struct span mode,
              char mode_word[LOBBY_MODE_ROOM], struct gate_wish *out, char error[128]);
bool gate_has_capacity(const struct lobby_agent *a);                         // F3.15
bool gate_is_capped(struct lobby *l, struct lobby_agent *a, int64_t now_ms); // by its games in an hour or a day (F3.4)
int gate_pass(struct lobby *l, struct lobby_agent *a, const struct gate_wish *w, int64_t now_ms, char error[128]);
int64_t gate_cooldown_end(struct lobby *l, struct lobby_agent *a);         // F3.8; 0: there is none
bool gate_standby(struct lobby *l, struct lobby_agent *a, int64_t now_ms); // F3.10, but for the games
bool gate_offers(const struct lobby *l, const struct lobby_agent *a, const struct lobby_game *g); // F6.B1
void gate_miss(struct lobby_agent *a, int64_t now_ms); // a confirmation was missed (F3.16)

// queue.c
int queue_table_min(const struct lobby *l, const struct lobby_game *g);
int queue_table_max(const struct lobby *l, const struct lobby_game *g);
struct queue *queue_find(struct lobby *l, const struct lobby_game *g, const char *mode);
void queue_open(struct lobby *l, const struct lobby_game *g, int64_t now_ms); // whatever can form in all its queues
struct queue *queue_enter(struct lobby *l, struct lobby_agent *a, const struct gate_wish *w, int64_t joined_ms);
void queue_remove(struct lobby *l, struct lobby_agent *a);
void queue_form(struct lobby *l, struct queue *q, int64_t now_ms); // whatever can form now; q may be gone after it
void queue_again(struct lobby *l, struct lobby_agent *a, const struct lobby_game *g, const char *mode,
                 int64_t now_ms); // F3.9
void queue_drain(struct lobby *l);
#define QUEUE_RANKED "ranked"
#define QUEUE_TABLES "+friendly"           // of those who wait for players of the other one; no client can name it
const char *queue_shown(const char *mode); // as clients are told

// mesh.c: which node is the matchmaker of a game, and what is told to agents wherever they are
bool mesh_is_ours(const struct lobby *l, const struct lobby_game *g); // this node seats its players
bool mesh_is_open(const struct lobby *l, const struct lobby_game *g); // and everybody has told who waits
bool mesh_goes_far(const struct lobby *l, const struct lobby_agent *a, const struct lobby_game *g); // another node does
bool mesh_is_here(const struct lobby_agent *a); // it can be told something by this node's matchmaker
bool mesh_is_greeted(const struct lobby_agent *a);
void mesh_close(struct lobby *l);
void mesh_resign(struct lobby *l); // its games are another node's
struct note;
void mesh_send(struct lobby *l, uint64_t epoch, struct note *n);
struct note mesh_note(struct lobby *l, int kind, const struct lobby_game *g); // with its term
void mesh_tell_joined(struct lobby_agent *a, const struct gate_wish *w);
void mesh_tell_confirm(struct lobby_agent *a, const struct lobby_confirm *c, bool standby);
void mesh_tell_cancelled(struct lobby_agent *a, enum lobby_cancel why, bool re_queued, const struct gate_wish *w,
                         bool standby);
void mesh_tell_readiness(struct lobby_agent *a, struct uuid request, int64_t timeout_ms);

// far.c: agents that are connected here, whose matchmaker is elsewhere
void far_join(struct lobby *l, struct lobby_agent *a, const struct gate_wish *w, int64_t now_ms);
bool far_waits(const struct lobby_agent *a);
void far_withdraw(struct lobby *l, struct lobby_agent *a, bool disconnected); // the entry ends; nobody is told here
void far_leave(struct lobby *l, struct lobby_agent *a);                       // its connection ends
void far_replace(struct lobby *l, struct lobby_agent *a);                     // by another one to this node
void far_release(struct lobby_agent *a);                                      // the memory
void far_drain(struct lobby *l);                                              // F3.18
void far_end_entry(struct lobby_agent *a);                                    // it plays here
int far_confirm(struct lobby *l, struct lobby_agent *a, struct uuid id);      // ERR_UNKNOWN
bool far_awaits_confirm(const struct lobby_agent *a, struct uuid id);
bool far_awaits_ready(const struct lobby_agent *a, struct uuid request);
void far_report_ready(struct lobby *l, struct lobby_agent *a, struct uuid request, bool ready);
void far_remind(struct lobby_agent *a, int64_t now_ms);
void far_stand(struct lobby *l, int64_t now_ms);                // who is on standby is told to matchmakers
void far_tell_all(struct lobby *l, const struct lobby_game *g); // a list of all entries
void far_adopt(struct lobby *l, const struct lobby_game *g);    // this node is the matchmaker now
void far_unask(struct lobby *l, const struct lobby_game *g);    // it is gone: they wait again
void far_keep(struct lobby_agent *a, const struct gate_wish *w,
              int64_t joined_ms);                                            // another node is the matchmaker now
void far_seat(struct lobby *l, struct lobby_agent *a, const struct note *n); // a host was named
void far_hear(struct lobby *l, uint64_t from, const struct note *n, int64_t now_ms);

// mm.c: agents of other nodes, whose matchmaker is this one; tables that other nodes are to begin
void mm_hear(struct lobby *l, uint64_t from, const struct note *n, int64_t now_ms);
void mm_lose(struct lobby *l, const struct lobby_game *g);                  // another node is the matchmaker
void mm_end_node(struct lobby *l, uint64_t epoch, int64_t now_ms);          // it is gone
void mm_bring_home(struct lobby *l, struct lobby_agent *a, int64_t now_ms); // it is connected here from now on
void mm_expect_list(struct lobby *l, uint64_t from);    // a node tells again who is there: its link was reset
void mm_settle(struct lobby *l, struct lobby_agent *a); // nothing of it is here any more, perhaps
void mm_close(struct lobby *l);
uint64_t mm_pick_host(struct lobby *l, const struct candidate *c); // 0: nobody can
void mm_shun(struct lobby *l, uint64_t host, int64_t now_ms);      // it did not do as it was told
void mm_order(struct lobby *l, struct candidate *c, uint64_t host, int64_t now_ms);

// calls.c
bool calls_ask(struct lobby *l, const struct lobby_game *g, struct note *n, struct note *answer); // false: no answer
void calls_hear(struct lobby *l, const struct note *n);
void calls_end(struct lobby *l, uint64_t node); // nobody waits any more for this node, or for any (0)
void calls_hear_tour(struct lobby *l, uint64_t from, const struct note *n);

// tables.c
struct table_player {
    struct lobby_agent *agent; // kept; NULL: there is none
    struct store_presence at;  // where it is connected, unless here
    bool is_there;             // connected somewhere, with a place left
};
void tables_look(struct lobby *l, const struct uuid *agent, int count, struct table_player *out); // reads
// The first who cannot be seated now; -1: all can.
int tables_missing(const struct lobby *l, const struct lobby_game *g, const struct table_player *p, int count);
int tables_begin(struct lobby *l, const struct lobby_game *g, const struct table_player *p, int count,
                 struct uuid challenge, struct uuid *match); // as lobby_seat_table
void tables_let_go(struct table_player *p, int count);

// rematch.c
struct rematches;
void rematches_hear(struct rematches *r, uint64_t from, const struct note *n);

// challenge.c
struct challenges;
void challenges_hear(struct challenges *c, uint64_t from, const struct note *n); // of another node, whose agent asks
bool challenges_has_of(const struct challenges *c, struct uuid host);            // some that are open
void challenges_cancel_by(struct challenges *c, struct uuid host);               // another node has deleted it
void challenges_change(struct challenges *c, const struct lobby_game *g);        // it has another matchmaker

// order.c: what a matchmaker has ordered begins here
void order_hear(struct lobby *l, uint64_t from, const struct note *n);
void order_answer(struct lobby *l, struct bout *b, bool begun, int64_t now_ms);

// candidate.c
struct candidate *candidate_find_order(struct lobby *l, struct uuid match);
void candidate_begun(struct lobby *l, struct candidate *c);                                  // by its host
void candidate_refused(struct lobby *l, struct candidate *c, uint32_t full, int64_t now_ms); // members without a place
void candidate_drop(struct lobby *l, struct candidate *c);                                   // without a word
const char *candidate_home(const struct candidate *c, const struct member *m);               // the queue it came from
struct candidate *candidate_create(struct lobby *l, const struct lobby_game *g, const char *mode);
void candidate_take(struct candidate *c, struct lobby_agent *a); // who has just been taken out of the queue
void candidate_lend(struct candidate *c, struct lobby_agent *a); // likewise, to a table by wish
void candidate_add(struct candidate *c, struct lobby_agent *a, bool standby, int64_t now_ms);
void candidate_open(struct lobby *l, struct candidate *c, int64_t now_ms); // asks, or begins the match
void candidate_remind(struct lobby_agent *a, int64_t now_ms);              // a new connection (F1.12)
void candidate_break(struct lobby *l, struct candidate *c, struct lobby_agent *cause, enum lobby_cancel why,
                     int64_t now_ms);
void candidate_drain(struct lobby *l, int64_t now_ms);

// standby.c
bool standby_would_play(const struct lobby *l, const struct lobby_agent *a, const struct lobby_game *g);
void standby_open(struct lobby *l, int64_t now_ms);
void standby_forget(struct lobby *l, struct lobby_agent *a); // an open check ends with the connection
int standby_lend(struct lobby *l, struct candidate *c, const struct lobby_game *g, int want, int64_t now_ms);
void standby_remind(struct lobby *l, struct lobby_agent *a, int64_t now_ms);
enum lobby_reach standby_call_far(struct lobby *l, struct lobby_agent *a, const struct lobby_game *g, int64_t now_ms);
void standby_hear_busy(struct lobby *l, struct lobby_agent *a, struct uuid request, int64_t now_ms);

// house.c
void house_open(struct lobby *l, int64_t now_ms);
const struct bot *house_find(const struct lobby_game *g, const char *name); // NULL: it does not play here
const struct bot *house_bot(const struct lobby_game *g, const struct lobby_agent *a);
// Who plays as the bot `i` of those named for a table: a bot at two places is two agents.
struct lobby_agent *house_named(struct lobby *l, const struct lobby_game *g, const struct bot *const *bots, int i,
                                int64_t now_ms);
int house_model(const struct lobby *l, const struct lobby_game *g, const struct lobby_agent *a); // -1: it is none
int house_count(const struct lobby *l);                                 // how many may sit down at one table
void house_leave(struct lobby_seat *s);                                 // it is about to go
bool house_fill(struct lobby *l, struct candidate *c, int count);       // false: there are not so many
int64_t house_think(struct lobby *l);                                   // how long the next move shall take, in ms
void house_take_seats(struct bout *b, const struct game_events *first); // first NULL: the match goes on
void house_move(struct lobby *l, struct lobby_seat *s, int64_t now_ms);
void house_forget(struct lobby_seat *s); // what it was thinking of is not asked any more

// bout.c
struct bout_guest {
    struct lobby_agent *agent;
    bool one_shot;
    bool again; // F3.9
};
struct bout_order {
    uint64_t from, term;
    struct uuid match;
};
struct bout_terms {
    struct uuid challenge;
    const struct bout_order *order;  // NULL: it is begun by this node alone
    const struct lobby_fixed *fixed; // NULL: seats are shuffled, key and id drawn
    bool seated;                     // nobody goes back to a queue
    bool by_wish;                    // F3.23
    bool game_rl;                    // one of them is (F4.15), as another node says
};
int bout_begin(struct lobby *l, const struct lobby_game *g, const char *mode, const struct bout_guest *guests,
               int count, const struct bout_terms *terms, int64_t now_ms, struct uuid *match);
struct bout *bout_create(struct lobby *l, const struct lobby_game *g); // without players; in the list of the running
void bout_send_start(struct lobby *l, struct lobby_seat *s, const struct lobby_presence *p);
bool bout_has_sent_start(const struct lobby *l, const struct lobby_seat *s); // and it may have left
// A flag of store_match.untold: its seats are known, although nobody has acted yet.
enum { BOUT_STARTS_KNOWN = 1 << 15 };
void bout_take_seats(struct lobby *l, struct bout *b); // everybody its record names, those who can be found
void bout_release(struct lobby *l, struct bout *b);
void bout_grant(struct lobby *l, int64_t now_ms);                     // those whose beginning is durable begin
bool bout_refuse(struct lobby *l, struct uuid match, int64_t now_ms); // its beginning; false: it is none of those
void bout_let_go(struct lobby *l, struct bout *b);                    // another node plays on
void bout_put_away(struct lobby *l, struct bout *b, int64_t now_ms);  // it is over: kept for a while
bool bout_log_grow(struct text *t, size_t more);

// kin.c
void kin_note(const struct lobby *l, struct bout *b); // sets b->kin when two of its seats have one owner now

// deals.c
void deals_open(struct lobby *l, int64_t now_ms); // what it publishes is durable when it returns
void deals_close(struct lobby *l);
bool deals_learn(struct lobby *l, uint64_t number); // whose chain it is of: may read. False: nobody knows
// Chains of nodes that are gone, some of them: may read. False: there are none, or it must wait.
bool deals_close_left(struct lobby *l, int64_t now_ms);
int deals_next(struct lobby *l, uint64_t *number, int64_t now_ms); // published and not used; or ERR_STORAGE
void deals_make_key(const struct lobby *l, const struct deal *deal, uint8_t key[RNG_KEY_BYTES]);
// Uses the number: the entry goes into the store with the match, before anything else is dealt or closed.
void deals_deal(struct lobby *l, const struct deal *deal, const uint8_t commitment[STORE_HASH], int64_t now_ms,
                struct store_entry *e);
// Likewise with the end of the match; NULL: it has no number.
const struct store_entry *deals_close_number(struct lobby *l, const struct store_match *m, struct store_entry *e);

// turns.c
const struct lobby_presence *turns_link(const struct lobby_seat *s); // NULL: nobody is there to be told
void turns_put(struct lobby *l, struct bout *b, int64_t drop,
               int64_t now_ms); // the question that is open now; drop: -1
void turns_resend(struct lobby *l, struct lobby_seat *s, int64_t now_ms, bool first); // F4.20; the first time: as ever
void turns_schedule(struct lobby *l, struct bout *b);
void turns_end(struct lobby_seat *s); // no longer awaited
void turns_notify(struct lobby_seat *s, int64_t drop);
// A step was played, a drop perhaps.
void turns_done(struct lobby *l, struct bout *b, bool dropped, struct span note, int64_t now_ms);
struct game_events *turns_listen(struct lobby *l);
void turns_fire(struct lobby *l, struct timer *t, int64_t now_ms);

// results.c
void results_finish(struct lobby *l, struct bout *b, int64_t drop, int64_t now_ms); // drop: as on_events has it
void results_cancel(struct lobby *l, struct bout *b, int64_t now_ms);               // F8.6
void results_again(struct lobby *l, const struct store_refusal *refused); // its ratings have moved: computed anew
void results_load_missed(struct lobby *l, struct lobby_agent *a, int64_t now_ms); // reads: before it comes
void results_send_missed(struct lobby_agent *a, int64_t now_ms);                  // F4.19

// resume.c
struct pieces { // a log as the store has it
    struct text log;
    struct moment *at;
    uint32_t count, room;
};
void resume_all(struct lobby *l, int64_t now_ms);
// One match whose log has been read (`err`: or not), and whose players are in memory. NULL: it is over, or cancelled.
struct bout *resume_read(struct lobby *l, const struct store_match *m, struct pieces *p, int err, int64_t now_ms);
void pieces_release(struct pieces *p);
int pieces_read(struct pieces *p, struct store *s, struct uuid match);
struct replayed_source;
int pieces_read_from(struct pieces *p, const struct replayed_source *from);
int64_t pieces_time(const struct pieces *p, size_t offset, uint32_t *hint); // when the entry there was logged

// presence.c
void presence_catch_up_seat(struct lobby *l, struct lobby_seat *s, int64_t now_ms);
// handover.c: what another node has asked and told goes on here. False: that is not known.
bool handover_take(struct lobby *l, struct bout *b, struct span state);
void presence_catch_up(struct lobby *l, struct bout *b, int64_t now_ms); // a match that came to players who are here
void presence_replaced(struct lobby *l, struct lobby_agent *a, int64_t now_ms); // by a connection to another node
void presence_stray(struct lobby *l, struct lobby_agent *a);                    // what it plays does not come here

// nodes.c
void nodes_open(struct lobby *l, int64_t now_ms);
void nodes_count_places(struct lobby *l, struct lobby_agent *a);             // some time from now
bool nodes_refuse(struct lobby *l, struct uuid match, store_ticket refused); // no place left: looks who has none
// As the store has it now, what other nodes did with it included: may read.
void nodes_load_anew(struct lobby *l, struct lobby_agent *a);

// watch.c
void watch_move(struct lobby *l, struct bout *b); // it goes on elsewhere
void watch_stir(struct lobby *l, struct bout *b); // something happened that watchers may see one day
bool watch_has_any(const struct bout *b);
void watch_release(struct lobby *l, struct bout *b); // all of them, and what was kept for them
// Who is asked now, by a question that was put at now_ms.
void watch_note_turn(struct lobby *l, struct bout *b, int64_t now_ms);
// What a player said of a decision; it caused the events from `seq` on.
void watch_note_decision(struct lobby *l, struct bout *b, const struct lobby_seat *s, uint32_t seq, struct span note,
                         int64_t now_ms);
