// The arena behind every protocol: who is online, who waits, who plays (F3, F4, F8).
//
// The lobby knows agents, queues, tables and ratings, but no protocol. It never reads a clock: callers pass the time. A
// front (front/arena, app/mcp_queue.c) brings an agent online with a link, calls the lobby when a message has come, and
// is called back through the link when the agent must be told something. The rules are the same for all protocols.
//
// Durability (F8.1): a call that changes something puts it into the store and calls links at once, before it is
// durable. So a front formats its frames when it is called (they show the state at that time), but sends no byte of
// them until the ticket that lobby_ticket returned at that time is durable. The owner of the loop calls store_submit at
// the end of every turn and lobby_tick when lobby_next_due is reached.
//
// All functions are called on the loop's thread. Callbacks of a link are called from inside lobby functions: they must
// not call the lobby, except the lobby_seat_* functions below.
#pragma once

#include "base/uuid.h"
#include "bots/bot.h"
#include "codec/codec.h"
#include "match/match.h"
#include "stats/swing.h"
#include "store/store.h"

struct lobby;
struct lobby_agent; // an agent with a record; kept in memory while it is online, queued or seated
struct lobby_seat;  // one agent's seat in one match that is running or has just ended

enum {
    // Masks of capabilities are also sent to other nodes in four bytes (S51, kind 8).
    LOBBY_GAMES = 32, // bit g of a mask of 32 bits stands for game g
    LOBBY_MODELS = 8,
    LOBBY_MODE_ROOM = 33, // F3.1, and a NUL
};

// --- the games played here: rows of a table that app/ makes

struct lobby_game {
    const struct codec *codec;
    const struct bot *house;       // level 2 of G22.10
    const struct bot *const *bots; // all bots that play it, ended by NULL; NULL: `house` alone
    int min_seats, max_seats;      // range that the game's tables may have in the arena (F3.2)
    int table_min, table_max;      // table size of this game; 0: as in the options
    int challenge_places;          // places of a challenge that does not say how many (F3.19); 0: min_seats, or two
    bool gated;                    // offered only to clients that declare its name as a capability (F6.B1)
    bool (*is_public)(const struct game_event *e); // belongs to the public sequence (F2.8); NULL: all events do
    const union game_rules *rules;                 // chosen by the operator; NULL: the defaults
    // Applies these options to the rules (F4.15, F10.4).
    void (*set_rules)(void *rules, bool strict, bool deterministic_windows);
    // Number of players still in play (F6.2). A drop that ends a match of two is a forfeit (F4.16). NULL: every drop
    // that ends a match is one.
    int (*in_play)(const void *state);
    const struct game_counters *counters; // counted for every agent that plays the game; NULL: none
    swing_chances *chances;               // to compute how a match swings; NULL: unknown
};

// House agents whose moves are made by the operator's language models; clients cannot choose them (L145). They fill
// tables as house bots do, and are preferred to these. The functions are called from inside the lobby: they must not
// call it, except the lobby_seat_* functions.
struct lobby_model {
    const char *name;  // "mini"
    const char *model; // shown in the agent's record
};

struct lobby_models {
    const struct lobby_model *at;
    int count; // at most LOBBY_MODELS
    void *owner;
    bool (*is_ready)(void *owner, int model); // can take a seat at another table
    // Asks for the move of a seat; the reply is lobby_model_answer, later. Returns false if it cannot; then a house bot
    // moves.
    bool (*ask)(void *owner, int model, struct lobby_seat *s);
    void (*withdraw)(void *owner, struct lobby_seat *s); // cancels the question
    void (*leave)(void *owner, struct lobby_seat *s);    // the seat is freed after this call
};

struct lobby_options {
    const struct lobby_models *models; // NULL: none
    struct work *work;                 // for replays and for house bots that search; NULL: they run in the caller
    const struct lobby_game *games;    // ends with a NULL codec
    int64_t turn_timeout_ms;           // 300000
    int table_min, table_max;          // 2, 4; limited to the game's range; a game may have its own
    int64_t fill_wait_ms;              // 3000
    int64_t confirm_timeout_ms;        // 30000
    int64_t standby_sweep_ms;          // 5000
    int64_t readiness_timeout_ms;      // 5000
    int64_t house_wait_ms;             // 10000
    int64_t house_think_ms;            // 400; a house bot's move takes half to one and a half of it (F3.20)
    int64_t challenge_ttl_ms;          // 24 h
    int64_t spectate_delay_ms;         // 60000
    int house_bots;                    // house bots of each game, 3; 0: none
    int standby_default_cap;           // 2 (F5.5)
    int max_concurrent_ceiling;        // 8
    // Limits of a new agent (F3.4, F3.8), until its policy changes them.
    int agent_concurrent, agent_per_hour, agent_per_day, agent_cooldown_s; // 1, 0, 0, 0
    bool rate_house, strict_compat, deterministic_windows, damp_repeats;   // F7.15, F4.14, F4.15, F7.9
    bool rate_same_address; // rates agents behind one address against each other (F7.2)
    bool hosts_nothing;     // matches begin at other nodes only (S1)
    // Secrets of numbers that no match used are published all the same (deals.c).
    bool hide_keys; // leaves the key out of finished logs (--no-reveal-seed)
    bool has_seed;  // keys of matches follow from seed + number (F6.1), for tests
    uint64_t seed;
    enum lobby_claim { LOBBY_CLAIM_AUTO, LOBBY_CLAIM_TOKEN, LOBBY_CLAIM_OPERATOR } claim; // F5.6
};

void lobby_defaults(struct lobby_options *o);
// Opens the lobby on a store and resumes running matches (F8.5); their clocks start at now_ms. Matches that cannot be
// resumed are cancelled (F8.6).
struct lobby *lobby_open(const struct lobby_options *o, struct store *store, int64_t now_ms);
void lobby_close(struct lobby *l); // ends no match (F8.4); agents, seats and watches become invalid
// Changes times, limits and switches. Games, table sizes, house bots and seeds stay as they were.
void lobby_reload(struct lobby *l, const struct lobby_options *o);
const struct lobby_options *lobby_options_of(const struct lobby *l);
struct store *lobby_store(const struct lobby *l);
// Claims a pairing code. Returns false if another request has it already. The caller must put its use into the store
// before it waits for anything.
bool lobby_take_code(struct lobby *l, const uint8_t hash[STORE_HASH]);
store_ticket lobby_ticket(const struct lobby *l); // ticket that must be durable before anything written now may be sent

// When to call lobby_tick next: deadlines, sweeps, moves of house bots, delayed re-queues. Long work is split, so this
// may be `now` again.
int64_t lobby_next_due(const struct lobby *l);
// Call it after every store_collect. Starts matches that the store has granted, handles refused puts, and stops the
// clocks of all questions while the store is away.
void lobby_collect(struct lobby *l, int64_t now_ms);
// Handles news of other nodes (store_take_news): adopts matches, reads changed records, ends replaced connections.
void lobby_apply_news(struct lobby *l, const struct store_news *news, int64_t now_ms);
// S63: sets what is called when this node gets a match whose rules it does not have. `to` is the node that it is passed
// on to; 0: it is cancelled.
void lobby_on_unknown_rules(struct lobby *l, void (*call)(void *owner, const struct store_match *m, uint64_t to),
                            void *owner);
// Call it before lobby_agent_load: the agent was connected elsewhere and has these matches.
void lobby_agent_arrived(struct lobby *l, struct lobby_agent *a, const struct store_arrival *arrival);
// How a lobby reaches players on other nodes (S43).
struct lobby_presence;
enum { LOBBY_CONNECTION = 192 };
struct lobby_peers {
    // Asks the gateway to relay an agent that has a match here and is connected there.
    void (*call)(void *owner, struct uuid agent, uint64_t conn, uint64_t gateway);
    // S60, at the node that hands a match over. Writes how the player is connected and returns the size; 0 if a frame
    // to the player is in flight or it cannot be reached from other nodes.
    int (*describe)(void *owner, const struct lobby_presence *p, struct uuid session, char out[LOBBY_CONNECTION]);
    // The session is at another node from now on.
    void (*moved)(void *owner, const struct lobby_presence *p, struct uuid session, uint64_t epoch);
    // The match belongs to another node when what was put is durable.
    void (*given)(void *owner, struct uuid match, uint64_t epoch);
    // At the node that takes the match: restores the player's connection with lobby_continue, if it is not online.
    // Returns false if that is not possible.
    bool (*resume)(void *owner, struct lobby_agent *a, struct uuid session, struct span connection);
    // Whether another node has the session, and tells what happens in it.
    bool (*tells)(void *owner, const struct lobby_presence *p, struct uuid session);
};
void lobby_set_peers(struct lobby *l, const struct lobby_peers *peers, void *owner, int64_t now_ms);
// The bus is back: asks other nodes for players that are not connected here.
void lobby_seek_players(struct lobby *l, int64_t now_ms);
// A node that had matches of an agent connected here is gone. Tells the agent the ends that are stored: the node may
// have ended before it told them (S44).
void lobby_learn_ends(struct lobby *l, const struct lobby_agent *a);
// Other nodes cannot be reached (`cut`), or can be again. Meanwhile the clocks of players on other nodes stand (S57).
void lobby_set_cut(struct lobby *l, bool cut, int64_t now_ms);
// A player that was asked by another node continues here. Like lobby_connect for an offline agent, but nothing is sent
// to it.
void lobby_continue(struct lobby *l, struct lobby_agent *a, const struct lobby_presence *p, int64_t now_ms);
// S60: hands at most `most` running matches without frames in flight over to other nodes. Returns how many are left,
// with those that are over and not stored yet. `is_cut`: the players cannot be reached, so frames in flight do not
// matter.
int lobby_hand_over(struct lobby *l, int most, bool is_cut, int64_t now_ms);
void lobby_give_roles_up(struct lobby *l);   // S60: so that other nodes take them
bool lobby_has_taker(const struct lobby *l); // another node serves and has a bus
void lobby_end_waits(struct lobby *l);       // before closing: ends all waits for the store, then all jobs
void lobby_tick(struct lobby *l, int64_t now_ms);

void lobby_drain(struct lobby *l, bool on, int64_t now_ms); // F3.18
bool lobby_is_draining(const struct lobby *l);
// No connection to the bus: an agent that is not seen here may be at another node.
void lobby_set_cut_off(struct lobby *l, bool cut_off);
bool lobby_is_cut_off(const struct lobby *l);

// --- agents

// Loads an agent from the store if it is not in memory. Returns NULL if there is none. Valid until the turn ends,
// unless lobby_agent_hold holds it; agents that are online, queued or seated stay in memory anyway.
// The first two may read from the store. If that may wait (store/store.h), call them in a job.
struct lobby_agent *lobby_agent_by_id(struct lobby *l, struct uuid id);
struct lobby_agent *lobby_agent_by_key(struct lobby *l, struct span key); // looked up by the SHA-256 of the key
// Only in memory, which has all agents that are online.
struct lobby_agent *lobby_find_agent(const struct lobby *l, struct uuid id);
// Reads everything that the agent's matches need. Call it before lobby_connect and before the agent is seated: after
// it, neither an action nor the end of a match reads from the store. Stays in memory as long as the agent. Returns
// false if the store did not answer.
bool lobby_agent_load(struct lobby *l, struct lobby_agent *a, int64_t now_ms);
void lobby_agent_hold(struct lobby_agent *a); // reference counted
void lobby_agent_release(struct lobby_agent *a);
const struct store_agent *lobby_agent_record(const struct lobby_agent *a);
struct store_agent *lobby_agent_edit(struct lobby_agent *a); // call lobby_agent_save afterwards
store_ticket lobby_agent_save(struct lobby *l, struct lobby_agent *a);
struct lobby_agent *lobby_agent_add(struct lobby *l, const struct store_agent *record); // saves a new record
bool lobby_agent_is_online(const struct lobby_agent *a);
const char *lobby_agent_instance(const struct lobby_agent *a); // of the current connection; "" if there is none
int lobby_agent_active(const struct lobby_agent *a);           // running matches from which it was not dropped
int lobby_games_today(struct lobby *l, struct lobby_agent *a, int64_t now_ms);
// Closes its connection: on_gone with LOBBY_KICKED (F5.5).
void lobby_agent_kick(struct lobby *l, struct lobby_agent *a);

// --- being online

enum lobby_gone {
    LOBBY_REPLACED,
    LOBBY_REPLACED_SAME_INSTANCE,
    LOBBY_KICKED,
    LOBBY_STRAY
}; // the last one: its match is at another node

enum lobby_cancel { // F2.2 match_cancelled
    LOBBY_CONFIRMATION_TIMEOUT,
    LOBBY_OPPONENT_NOT_READY,
    LOBBY_CAPACITY_CHANGED,
    LOBBY_MAINTENANCE,
    LOBBY_OPPONENT_DISCONNECTED,
};

struct lobby_confirm {
    struct uuid id;
    const struct lobby_game *game;
    const char *mode;
    int players;
    int64_t timeout_ms;
};

// A question to be sent now.
// Valid during on_ask; the link keeps nothing of it but what it sends.
struct lobby_ask {
    struct uuid request;  // new for each question (F4.2)
    int64_t timeout_ms;   // time granted (F4.8, F4.10)
    uint32_t first_event; // events from this seq on were not sent with an earlier question (F2.9)
    bool retry;           // repeated after an illegal answer (F4.5)
    bool again;           // repeated after a reconnect: includes the whole history (F4.20)
};

// Callbacks of a connection. `client` is that of lobby_presence.
struct lobby_link {
    void (*on_queue_joined)(void *client, const struct lobby_game *g, const char *mode, bool one_shot);
    void (*on_queue_left)(void *client);
    // The matchmaker at another node has refused a join that lobby_join accepted. NULL: cannot happen.
    void (*on_queue_refused)(void *client, const char *why);
    void (*on_confirm)(void *client, const struct lobby_confirm *c);
    void (*on_cancelled)(void *client, enum lobby_cancel why, bool re_queued, const struct lobby_game *g,
                         const char *mode);
    void (*on_readiness)(void *client, struct uuid request, int64_t timeout_ms);
    void (*on_start)(void *client, struct lobby_seat *s);                            // game_start
    void (*on_ask)(void *client, struct lobby_seat *s, const struct lobby_ask *ask); // action_request
    // Request NULL: the answer had no id.
    void (*on_stale)(void *client, struct lobby_seat *s, const struct uuid *request);
    // Events [from, to) have happened, and this player is not asked in the same step (match_feed, F4.23). `drop` is the
    // seq of a player_disconnected that has just happened, or -1. The dropped player, and clients without a feed, get
    // that event on its own (F4.18). A player who is asked in the same step is told of the drop first, with an empty
    // range.
    void (*on_events)(void *client, struct lobby_seat *s, uint32_t from, uint32_t to, int64_t drop);
    void (*on_state)(void *client, struct lobby_seat *s); // game_state after a reconnect
    void (*on_over)(void *client, struct lobby_seat *s);  // the last message of its session
    void (*on_gone)(void *client, enum lobby_gone why);   // the last call: the connection is no longer the agent's
    bool gives_receipts; // the front calls lobby_start_arrived; false: what was sent counts as received
};

struct lobby_presence {
    const struct lobby_link *link;
    void *client;
    const char *instance;  // X-AIFight-Instance; "": none
    uint32_t capabilities; // bit g: the client accepts the gated game g
    bool knows_matches;    // the client knows its matches across connections: game_start is not repeated
    bool game_rl;          // its tables have deterministic windows (F4.15)
    // Valid as long as the connection.
    const char *address; // the client's, for F7.2; NULL or "": loopback or unknown
    uint64_t conn;       // number of the connection among all nodes (store_arrive); 0: not counted
    // Without a bus: see store_arrive.
    bool claims;  // its matches must move to this node, because nothing can be relayed
    bool relayed; // connected to another node, which relays what concerns matches of this one
};
// Brings an agent online and replaces an older connection (F1.12). The link hears nothing of matches until lobby_sync,
// which tells a reconnected player what it missed (F4.19).
void lobby_connect(struct lobby *l, struct lobby_agent *a, const struct lobby_presence *p, int64_t now_ms);
void lobby_sync(struct lobby *l, struct lobby_agent *a, int64_t now_ms); // once, after the pause of F1.10
// True if a later connection, here or at another node, has replaced the one with this number already (S26).
bool lobby_is_outrun(const struct lobby_agent *a, uint64_t conn);
// The connection was closed.
void lobby_leave(struct lobby *l, struct lobby_agent *a, const void *client, int64_t now_ms);
const struct lobby_presence *lobby_agent_presence(const struct lobby_agent *a); // NULL: offline

// --- queues (F3)

// Returns OK after calling on_queue_joined, which comes before anything that follows from it. Otherwise an error, and
// `error` (128 bytes) is the text of F2.12.
int lobby_join(struct lobby *l, struct lobby_agent *a, struct span game, struct span mode, bool one_shot,
               int64_t now_ms, char error[128]);
// Whether a one_shot join would be accepted, from a client that accepts every game; the agent need not be online. `a`
// NULL: a client without a record.
int lobby_may_join(struct lobby *l, struct lobby_agent *a, struct span game, struct span mode, int64_t now_ms,
                   char error[128]);
// A friendly table with these house bots and `waiting` players from the game's queue "ranked" (F3.23). Returns OK after
// calling on_queue_joined; the entry lasts as long as one in a queue. Otherwise an error, as lobby_join.
struct lobby_table_request {
    int waiting, houses;
    const struct bot *house[GAME_MAX_SEATS - 2];
};
int lobby_join_table(struct lobby *l, struct lobby_agent *a, const struct lobby_game *g,
                     const struct lobby_table_request *w, int64_t now_ms, char error[128]);
bool lobby_agent_waits(const struct lobby_agent *a); // in a queue, or in a table that waits for confirmations
// Removes the agent from its queue or its table. Returns true after calling on_queue_left; false if it was in none.
bool lobby_quit(struct lobby *l, struct lobby_agent *a, int64_t now_ms);
int lobby_confirm(struct lobby *l, struct lobby_agent *a, struct uuid id, int64_t now_ms); // ERR_UNKNOWN
bool lobby_awaits_confirm(struct lobby_agent *a, struct uuid id); // it was asked with this id and has not answered yet
void lobby_report_ready(struct lobby *l, struct lobby_agent *a, struct uuid request, bool ready, int64_t now_ms);
bool lobby_awaits_ready(const struct lobby_agent *a, struct uuid request);
void lobby_policy_changed(struct lobby *l, struct lobby_agent *a, int64_t now_ms);
// NULL for unknown and disabled games.
const struct lobby_game *lobby_find_game(const struct lobby *l, struct span name);
// The rules that its matches begin with; F4.15 for the windows.
void lobby_read_rules(const struct lobby *l, const struct lobby_game *g, bool deterministic_windows, void *rules);
int lobby_game_index(const struct lobby *l, const struct lobby_game *g);

// Begins a match without a queue: a challenge, a tournament (mode "friendly", "tournament"). Seats are shuffled by the
// key (F3.3). ERR_RANGE, or ERR_STORAGE if no match may begin.
int lobby_seat_table(struct lobby *l, const struct lobby_game *g, const char *mode, struct lobby_agent *const *agents,
                     int count, struct uuid challenge, int64_t now_ms, struct uuid *match);
// The operator cancels a running match: unrated, all payoffs 0, a draw. Players are told as of any other end (F8.6, but
// without a reason, since no storage failed). ERR_UNKNOWN if no such match is running; ERR_STORAGE.
int lobby_cancel_match(struct lobby *l, struct uuid match, int64_t now_ms);
// As lobby_seat_table, with the seats in the given order and with a key and an id that the caller can derive again:
// games of a tournament.
struct lobby_fixed {
    struct uuid match;
    uint8_t key[32];
};
int lobby_seat_fixed(struct lobby *l, const struct lobby_game *g, const char *mode, struct lobby_agent *const *agents,
                     int count, const struct lobby_fixed *fixed, int64_t now_ms);
bool lobby_is_playing(const struct lobby *l, struct uuid match);
// Whether an agent can be seated now like one on standby (F3.12), apart from caps and cooldowns. An agent that has not
// reported ready recently is asked (LOBBY_INVITED): try again soon. House agents are always ready.
enum lobby_reach { LOBBY_READY, LOBBY_INVITED, LOBBY_AWAY };
enum lobby_reach lobby_invite(struct lobby *l, struct lobby_agent *a, const struct lobby_game *g, int64_t now_ms);

// S47: the same for an agent that may be connected to any node. These functions read from the store, so call them in a
// job.
struct lobby_invited {
    struct lobby_agent *agent; // NULL: none. The caller must call lobby_agent_release
    uint64_t gateway;          // epoch of the node that it is connected to; 0: this one
    // F5.16 counts only the time in which the agent is at no table of a tournament.
    bool plays; // it is playing a game of a tournament at another node, so it is not absent
};
enum lobby_reach lobby_invite_anywhere(struct lobby *l, struct uuid id, const struct lobby_game *g,
                                       struct lobby_invited *out);
// As lobby_seat_fixed. Players on other nodes are invited through their gateways.
int lobby_seat_invited(struct lobby *l, const struct lobby_game *g, const char *mode,
                       const struct lobby_invited *players, int count, const struct lobby_fixed *fixed);
bool lobby_is_closing(const struct lobby *l); // lobby_end_waits was called: jobs have to end

// Sends a request about a tournament to the node that directs it. Returns an HTTP status and sets `reply`, or 0 if
// there is no reply.
enum { LOBBY_TOURNAMENT_ERROR_ROOM = 128 };
struct lobby_tournament_request {
    struct uuid tour, agent; // agent zero: a request of the operator
    const char *what;
};
int lobby_ask_director(struct lobby *l, uint64_t node, const struct lobby_tournament_request *w,
                       char reply[LOBBY_TOURNAMENT_ERROR_ROOM]);
typedef int lobby_tournament_handler(void *owner, const struct lobby_tournament_request *w,
                                     char reply[LOBBY_TOURNAMENT_ERROR_ROOM]);
// `call` runs in a job; NULL: requests get no reply.
void lobby_on_tournament_request(struct lobby *l, lobby_tournament_handler *call, void *owner);
// The agent that this bot plays as. `number` counts from 1: a bot with two seats at a table is two agents.
struct lobby_agent *lobby_house_agent(struct lobby *l, const struct lobby_game *g, const struct bot *bot, int number,
                                      int64_t now_ms);
// `call` is called when a match ends, for any protocol: challenges, tournaments, metrics.
void lobby_on_match_end(struct lobby *l, void (*call)(void *owner, const struct store_match *m), void *owner);

// --- play (F4)

// Returns NULL if the agent has no such session in memory. Finished sessions stay there for a short time;
// lobby_had_session also looks in the store.
struct lobby_seat *lobby_find_seat(struct lobby_agent *a, struct uuid session);
bool lobby_had_session(struct lobby *l, const struct lobby_agent *a, struct uuid session);

// Prefetches what an answer of this agent will need, because the memory of thousands of matches is not in the cache.
// Call it with 2 (the agent), then 1 (its seat), then 0 (everything else), some time apart.
void lobby_fetch(const struct lobby_agent *a, int steps);

// Rows 2 and 4 of F4.3. `request` NULL: matched by turn (profile L); `read_ms` is when the action was read.
enum lobby_verdict { LOBBY_AWAITED, LOBBY_STALE };
enum lobby_verdict lobby_judge(const struct lobby_seat *s, const struct uuid *request, int64_t read_ms);
bool lobby_is_legal(const struct lobby_seat *s, struct game_action a);
bool lobby_has_retry(const struct lobby_seat *s); // the next illegal answer is the first one of this decision
// Plays a legal answer of a seat that is awaited. `note` is stored with it (F2.4). Effects are reported through the
// links. ERR_STORAGE.
int lobby_answer(struct lobby *l, struct lobby_seat *s, struct game_action a, struct span note, int64_t now_ms);
// After an illegal answer: a retry or a strike (F4.5, F4.6).
void lobby_refuse(struct lobby *l, struct lobby_seat *s, int64_t now_ms);
// Reply to lobby_models.ask.
void lobby_model_answer(struct lobby *l, struct lobby_seat *s, struct game_action a, int64_t now_ms);
void lobby_fail(struct lobby *l, struct lobby_seat *s, int64_t now_ms); // a remote bot failed: a strike at once (F3.21)
// The question was written to the socket: its clock starts.
void lobby_asked(struct lobby *l, struct lobby_seat *s, int64_t now_ms);
void lobby_delivered(struct lobby *l, struct lobby_seat *s);     // game_over was received (F4.22)
void lobby_start_arrived(struct lobby *l, struct lobby_seat *s); // game_start was received (F4.21)

// --- what a player may know of a match

// The oldest; NULL: none.
struct lobby_seat *lobby_running_seat(const struct lobby_agent *a, const struct lobby_game *g);

const struct lobby_game *lobby_seat_game(const struct lobby_seat *s);
struct uuid lobby_seat_session(const struct lobby_seat *s);
int lobby_seat_index(const struct lobby_seat *s);
int lobby_seat_count(const struct lobby_seat *s);
const void *lobby_seat_rules(const struct lobby_seat *s);
void lobby_seat_view(const struct lobby_seat *s, union game_view *out);
int lobby_seat_choices(const struct lobby_seat *s, struct game_choice out[GAME_MAX_CHOICES]); // 0 if it is not asked
// What a bot would play at this seat, which must be asked. The bot sees what the seat sees, and nothing changes. In a
// job, a bot that thinks runs on a worker thread; the seat may be gone afterwards.
struct game_action lobby_seat_advice(struct lobby *l, const struct lobby_seat *s, const struct bot *bot);
bool lobby_seat_is_dropped(const struct lobby_seat *s);
bool lobby_seat_is_over(const struct lobby_seat *s);
uint32_t lobby_seat_events(const struct lobby_seat *s); // number of events so far
bool lobby_seat_event(const struct lobby_seat *s, uint32_t seq, struct match_event *out);
// The log so far (match/replay.h); empty if only the record is left. With the key of the record, a front inside this
// process can replay the match. Neither may be sent to a client.
struct span lobby_seat_log(const struct lobby_seat *s);
// Ids and names may be sent only when the match is over.
const struct store_match *lobby_seat_match(const struct lobby_seat *s);

// store_match.forfeit_reason. The first three, minus one, are also the reason of GAME_DROP in the log.
enum lobby_forfeit {
    LOBBY_NO_FORFEIT,
    LOBBY_FORFEIT_DISCONNECT,
    LOBBY_FORFEIT_TIMEOUT,
    LOBBY_FORFEIT_INVALID_ACTION,
    LOBBY_STORAGE_FAILURE,
};
const char *lobby_forfeit_name(int forfeit); // as in F2.11; NULL for none

// --- spectators (F4.24)

struct lobby_live {
    struct uuid live;
    const struct lobby_game *game;
    const char *mode;
    int seats, spectators;
    int64_t created_ms, started_ms;
    int64_t delay_ms;                    // how much later spectators see it
    uint32_t seq;                        // seq of the next event that they get
    uint32_t swing;                      // of what they have seen so far (stats/swing.h)
    const struct store_match *match;     // valid until the next call of the lobby; only public members may be sent
    const struct live_match *live_match; // private to the lobby; valid as long
};
// Newest first. Only matches whose start is durable: a deal that was shown is never dealt again.
int lobby_list_live(const struct lobby *l, int64_t now_ms, struct lobby_live *out, int room, int *total);
bool lobby_find_live(const struct lobby *l, struct uuid live, int64_t now_ms, struct lobby_live *out); // one of them
// The newest of these matches that the agent plays, if its players are public and spectators already see it. House
// agents have none, since they play many.
bool lobby_agent_live(const struct lobby *l, const struct lobby_agent *a, int64_t now_ms, struct uuid *live);
// The view that a spectator gets who joins now.
void lobby_live_view(const struct lobby_live *live, int64_t now_ms, union game_view *out);
bool lobby_live_event(const struct lobby_live *live, uint32_t seq, struct match_event *out); // for seq below live->seq
const void *lobby_live_rules(const struct lobby_live *live);                                 // the rules of the match

// What spectators are told besides events. A house player's question looks like any other.
enum lobby_aside_kind { LOBBY_TURN, LOBBY_DECISION };
struct lobby_aside {
    int64_t at_ms;
    uint32_t events; // events that had happened before it
    uint32_t seq;    // of a decision: the first event it caused
    uint8_t kind;    // enum lobby_aside_kind
    uint8_t seat;    // of a decision
    seat_set asked;  // of a turn
    uint8_t strikes[GAME_MAX_SEATS];
    // By the lobby's clock; a front adds the delay of its spectators.
    int64_t deadline_ms; // of a turn
    int64_t latency_ms;  // of a decision
    struct span note;    // of a decision: JSON, as in the store
};

bool lobby_has_live(const struct lobby *l, struct uuid live); // it is being played here

struct lobby_watch;
struct lobby_watch_link {
    // The state of `delay_ms` ago; then every event and aside when its time has come; then the end. `turn` is the
    // current question in that state; NULL: unknown.
    void (*on_begin)(void *client, struct lobby_watch *w, const union game_view *view, const struct lobby_aside *turn,
                     int64_t delay_ms);
    void (*on_event)(void *client, struct lobby_watch *w, const struct match_event *e);
    // `number` counts the asides of the match. All spectators with the same delay get the same ones.
    void (*on_aside)(void *client, struct lobby_watch *w, const struct lobby_aside *a, uint32_t number);
    void (*on_end)(void *client, struct lobby_watch *w); // the match is over, for this watcher too
    // It continues at another node; the watch is closed by this call.
    void (*on_moved)(void *client, struct lobby_watch *w);
};
// Returns NULL if there is no such live match. `key_owner`: the agent whose key the request had, or NULL.
struct lobby_watch *lobby_watch_open(struct lobby *l, struct uuid live, const struct lobby_agent *key_owner,
                                     const struct lobby_watch_link *link, void *client, int64_t now_ms);
// Call it right after lobby_watch_open, for a client that has seen the events before `seq`: it gets the following ones
// instead of the state. No effect if spectators have not seen that many yet.
void lobby_watch_continue(struct lobby *l, struct lobby_watch *w, uint32_t seq);
// For a client that has missed something: calls on_begin with the current state and continues from there. Not from
// inside a callback.
void lobby_watch_again(struct lobby *l, struct lobby_watch *w, int64_t now_ms);
int64_t lobby_watch_delay(const struct lobby_watch *w);
uint32_t lobby_watch_shown(const struct lobby_watch *w); // events so far, including those in the state that was sent
// Seq below lobby_watch_shown.
bool lobby_watch_event(const struct lobby_watch *w, uint32_t seq, struct match_event *out);
// As lobby_watch_shown; UINT32_MAX if on_begin was not called yet.
uint32_t lobby_watch_place(const struct lobby_watch *w);
// Watched without delay by its only player that is not a house bot.
bool lobby_watch_is_alone(const struct lobby_watch *w);
bool lobby_watch_is_open(const struct lobby_watch *w); // only house bots play, so their identity need not be hidden
void lobby_watch_close(struct lobby *l, struct lobby_watch *w);
// This watch stands for `heads` spectators on other nodes (S48). They count as spectators of the match, but not in the
// figures of this node.
void lobby_watch_relay(struct lobby *l, struct lobby_watch *w, int heads);
void lobby_count_spectators(struct lobby *l, int change); // spectators connected here who watch a match of another node
const struct lobby_game *lobby_watch_game(const struct lobby_watch *w);
const char *lobby_watch_mode(const struct lobby_watch *w);
int lobby_watch_seats(const struct lobby_watch *w);
struct uuid lobby_watch_id(const struct lobby_watch *w);                  // the real id, or the live id (F4.24)
const struct store_match *lobby_watch_match(const struct lobby_watch *w); // for its commitment

// --- figures for /api/health and /metrics

struct lobby_figures {
    uint64_t matches_active, agents_online, queued, spectators, matches_begun, matches_finished, matches_cancelled,
        actions, fallbacks, strikes, drops, house_moves, confirmations_failed;
};
void lobby_figures(const struct lobby *l, struct lobby_figures *out);
// The same for all nodes (matches, agents, queued, spectators), as of one or two seconds ago (S49).
void lobby_figures_of_all(const struct lobby *l, struct lobby_figures *out);
