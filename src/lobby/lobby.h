// Who is here, who waits, who plays: the arena behind every wire (F3, F4, F8).
//
// The lobby knows agents, queues, tables and ratings, and no protocol. Time is given, never read. A front brings an
// agent online with a link, calls the lobby when a message has come, and is called back through the link when its
// agent is to be told something. Whatever protocol a seat comes through, its rules are these.
//
// Durability (F8.1): a call that changes something puts it into the store and calls links at once, before it is
// durable. So a front writes its frames when called (they show the state of that moment) but holds back every byte
// until the ticket that lobby_ticket gave at that moment is durable. The owner of the loop calls store_submit at the
// end of every turn and lobby_tick when lobby_next_due has come.
//
// Callbacks come from inside calls of the lobby's: a link must not call back into the lobby, but for the lobby_seat_*
// and lobby_match_* questions below.
#pragma once

#include "base/uuid.h"
#include "bots/bot.h"
#include "codec/codec.h"
#include "match/match.h"
#include "match/swing.h"
#include "store/store.h"

struct lobby;
struct lobby_agent; // somebody with a record: online or not, kept in memory while it matters
struct lobby_seat;  // one agent's place in one match, running or just over

enum {
    LOBBY_GAMES = 32,
    LOBBY_MINDS = 8,
    LOBBY_MODE_ROOM = 33,
    LOBBY_EVERYBODY = 4096, // agents listed at once, at most
};

// --- what is played here: rows of a table that app/ makes

struct lobby_game {
    const struct codec *codec;
    const struct bot *house;       // level 2 of G22.10
    const struct bot *const *bots; // all that play it, ended by NULL; NULL: house alone
    int min_seats, max_seats;      // hard range of the arena (F3.2)
    int table_min, table_max;      // of this game's tables; 0: those of the options
    int challenge_places;          // of a challenge that names no number (F3.19); 0: min_seats, or two
    bool gated;                    // offered only to those who declared its capability (F6.B1); the token is its name
    bool (*is_public)(const struct game_event *e); // enters the sequence of F2.8; parts follow what they belong to
    const union game_rules *rules;                 // what the operator chose; NULL: the defaults
    void (*set_rules)(void *rules, bool strict, bool deterministic_windows); // onto these (F4.15, F10.4)
    // Players still in play (F6.2): a drop that ends a match of two is a forfeit (F4.16). NULL: every drop that ends
    // one.
    int (*in_play)(const void *state);
    const struct game_counters *counters; // kept of every agent that plays it; NULL: none
    swing_chances *chances;               // by which a match swings; NULL: nobody can tell
};

// House agents that think elsewhere: language models of the operator's, which no client can name (L145). They fill
// tables as house bots do, and before them. Calls come from inside the lobby: no call back, but for the lobby_seat_*
// functions.
struct lobby_mind {
    const char *name;  // "mini"
    const char *model; // what its record tells
};

struct lobby_minds {
    const struct lobby_mind *at;
    int count; // at most LOBBY_MINDS
    void *owner;
    bool (*is_ready)(void *owner, int mind); // to sit down at another table
    // The seat is asked: lobby_mind_answer follows, later. False: it cannot, and a house bot moves in its place.
    bool (*ask)(void *owner, int mind, struct lobby_seat *s);
    void (*withdraw)(void *owner, struct lobby_seat *s); // the question is not awaited any more
    void (*leave)(void *owner, struct lobby_seat *s);    // the seat ends with this call
};

struct lobby_options {
    const struct lobby_minds *minds; // NULL: there are none
    struct work *work;               // where house bots that search decide, and replays are played; NULL: here, at once
    const struct lobby_game *games;  // ended by a NULL codec
    int64_t turn_timeout_ms;         // 300000
    int table_min, table_max;        // 2, 4; cut to the game's range; a game may have its own
    int64_t fill_wait_ms;            // 3000
    int64_t confirm_timeout_ms;      // 30000
    int64_t standby_sweep_ms;        // 5000
    int64_t readiness_timeout_ms;    // 5000
    int64_t house_wait_ms;           // 10000
    int64_t house_think_ms;          // 400: a house bot's move takes half of it to one and a half (F3.20)
    int64_t challenge_ttl_ms;        // 24 h
    int64_t spectate_delay_ms;       // 60000
    int house_bots;                  // 3 for each game; 0: none
    int standby_default_cap;         // 2 (F5.5)
    int max_concurrent_ceiling;      // 8
    // What a new agent begins with (F3.4, F3.8), until its policy says otherwise.
    int agent_concurrent, agent_per_hour, agent_per_day, agent_cooldown_s; // 1, 0, 0, 0
    bool rate_house, strict_compat, deterministic_windows, damp_repeats;   // F7.15, F4.14, F4.15, F7.9
    bool rate_same_address; // agents behind one address are rated against each other (F7.2)
    bool hosts_nothing;     // matches begin at other nodes alone (S1)
    bool hide_keys;         // no key in a finished log (--no-reveal-seed)
    bool has_seed;          // keys of matches from seed + number (F6.1), for tests
    uint64_t seed;
    enum lobby_claim { LOBBY_CLAIM_AUTO, LOBBY_CLAIM_TOKEN, LOBBY_CLAIM_OPERATOR } claim; // F5.6
};

void lobby_defaults(struct lobby_options *o);
// Opens on a store; running matches resume (F8.5): their clocks start at now_ms. Matches that cannot resume are
// cancelled (F8.6). `owner` gets on_stray for what has no link to go to.
struct lobby *lobby_open(const struct lobby_options *o, struct store *store, int64_t now_ms);
void lobby_close(struct lobby *l); // ends no match (F8.4); agents, seats and watches are gone with it
// Other times, limits and switches, from now on; games, tables, house bots and seeds stay as they are.
void lobby_reload(struct lobby *l, const struct lobby_options *o);
const struct lobby_options *lobby_options_of(const struct lobby *l);
struct store *lobby_store(const struct lobby *l);
// For whoever uses a pairing code, who must then put its use without waiting: of two requests at once one gets it.
bool lobby_take_code(struct lobby *l, const uint8_t hash[STORE_HASH]);
store_ticket lobby_ticket(const struct lobby *l); // what is written now may leave when this is durable

// Deadlines, sweeps, house bots' moves, held re-queues. Long work is cut into pieces: due may be `now` again.
int64_t lobby_next_due(const struct lobby *l);
// After every store_collect: matches that were granted begin, what was refused is dealt with, and while the store is
// away the clocks of all questions stand.
void lobby_collect(struct lobby *l, int64_t now_ms);
// What the store tells of other nodes (store_take_news): matches are adopted, records read anew, connections end.
void lobby_hear(struct lobby *l, const struct store_news *news, int64_t now_ms);
// S63: a match came here whose rules this program does not have; it goes to the node `to`, or is cancelled (0).
void lobby_on_unknown_rules(struct lobby *l, void (*call)(void *owner, const struct store_match *m, uint64_t to),
                            void *owner);
// Before lobby_agent_load: an agent who was somewhere else comes here with these matches.
void lobby_agent_arrived(struct lobby *l, struct lobby_agent *a, const struct store_arrival *arrival);
// Other nodes can be talked to (S43): an agent whose match is here, and who is not, is called from where it is.
struct lobby_presence;
enum { LOBBY_CONNECTION = 192 };
struct lobby_peers {
    void (*call)(void *owner, struct uuid agent, uint64_t conn, uint64_t gateway);
    // S60, at the node that gives a match away: bytes that say how its player is connected; 0: something is on its way
    // to it, or it cannot be reached from other nodes. Then the session is at another node from now on, and the match
    // is that node's when what was put is durable.
    int (*describe)(void *owner, const struct lobby_presence *p, struct uuid session, char out[LOBBY_CONNECTION]);
    void (*moved)(void *owner, const struct lobby_presence *p, struct uuid session, uint64_t epoch);
    void (*given)(void *owner, struct uuid match, uint64_t epoch);
    // At the node that takes it: the player, if it is not online, comes as it was connected (lobby_continue). False: it
    // does not.
    bool (*resume)(void *owner, struct lobby_agent *a, struct uuid session, struct span connection);
};
void lobby_set_peers(struct lobby *l, const struct lobby_peers *peers, void *owner, int64_t now_ms);
void lobby_seek_players(struct lobby *l, int64_t now_ms); // the bus is back: whoever is not here is looked for
// Other nodes cannot be reached, or can again: the clocks of players who are not here stand meanwhile (S57).
void lobby_set_cut(struct lobby *l, bool cut, int64_t now_ms);
// A player whom another node has asked goes on here: as lobby_come for one who is offline, but it is told nothing.
void lobby_continue(struct lobby *l, struct lobby_agent *a, const struct lobby_presence *p, int64_t now_ms);
// S60: running matches with nothing on its way go to other nodes, at most so many; how many are left. `is_cut`: their
// players cannot be reached, so nothing is waited for.
int lobby_hand_over(struct lobby *l, int most, bool is_cut, int64_t now_ms);
void lobby_give_roles_up(struct lobby *l);   // S60: other nodes shall have them
bool lobby_has_taker(const struct lobby *l); // another node serves and has a bus
void lobby_end_waits(struct lobby *l);       // before the end: nothing waits for the store any more
void lobby_tick(struct lobby *l, int64_t now_ms);

void lobby_drain(struct lobby *l, bool on, int64_t now_ms); // F3.18
bool lobby_is_draining(const struct lobby *l);
void lobby_set_cut_off(struct lobby *l, bool cut_off); // from the bus: who is not seen may be at another node
bool lobby_is_cut_off(const struct lobby *l);

// --- agents

// Loaded from the store when they are not in memory; NULL when there is none. Valid until the turn ends unless
// lobby_keep holds it; whoever is online, queued or seated stays by itself.
// Both may read from the store, as the next one does: where that is elsewhere, inside a job (store/store.h).
struct lobby_agent *lobby_agent_by_id(struct lobby *l, struct uuid id);
struct lobby_agent *lobby_agent_by_key(struct lobby *l, struct span key);    // by its SHA-256, in constant time
struct lobby_agent *lobby_find_agent(const struct lobby *l, struct uuid id); // in memory, as all are who are online
// Everything that its coming and its matches need, before lobby_come and before it is seated; after it neither an
// action nor an end reads. Kept in memory as long as the agent is. False: the store did not answer.
bool lobby_agent_load(struct lobby *l, struct lobby_agent *a, int64_t now_ms);
void lobby_keep(struct lobby_agent *a); // counted
void lobby_let_go(struct lobby_agent *a);
const struct store_agent *lobby_agent_record(const struct lobby_agent *a);
struct store_agent *lobby_agent_edit(struct lobby_agent *a); // then lobby_agent_save
store_ticket lobby_agent_save(struct lobby *l, struct lobby_agent *a);
struct lobby_agent *lobby_agent_add(struct lobby *l, const struct store_agent *record); // a new record, saved
bool lobby_agent_is_online(const struct lobby_agent *a);
const char *lobby_agent_instance(const struct lobby_agent *a); // of the live connection; "" when there is none
int lobby_agent_active(const struct lobby_agent *a);           // matches it is playing, dropped seats not counted
int lobby_games_today(struct lobby *l, struct lobby_agent *a, int64_t now_ms);
void lobby_agent_kick(struct lobby *l, struct lobby_agent *a); // its link gets on_replaced, without a new one (F5.5)

// --- being online

enum lobby_gone {
    LOBBY_REPLACED,
    LOBBY_REPLACED_SAME_INSTANCE,
    LOBBY_KICKED,
    LOBBY_STRAY
}; // last: its match is at another node

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

// One question as it is put: to be written now.
struct lobby_ask {
    struct uuid request;  // fresh (F4.2)
    int64_t timeout_ms;   // granted (F4.8, F4.10)
    uint32_t first_event; // events from this seq on were not told by an ask before (F2.9)
    bool retry;           // the one after an illegal answer (F4.5)
    bool again;           // after a reconnect: the whole history goes along (F4.20)
};

struct lobby_link {
    void (*on_queue_joined)(void *client, const struct lobby_game *g, const char *mode, bool one_shot);
    void (*on_queue_left)(void *client);
    // A join that lobby_join took is refused after all, by the matchmaker of another node. NULL: this never happens.
    void (*on_queue_refused)(void *client, const char *why);
    void (*on_confirm)(void *client, const struct lobby_confirm *c);
    void (*on_cancelled)(void *client, enum lobby_cancel why, bool re_queued, const struct lobby_game *g,
                         const char *mode);
    void (*on_readiness)(void *client, struct uuid request, int64_t timeout_ms);
    void (*on_start)(void *client, struct lobby_seat *s);                             // game_start
    void (*on_ask)(void *client, struct lobby_seat *s, const struct lobby_ask *ask);  // action_request
    void (*on_stale)(void *client, struct lobby_seat *s, const struct uuid *request); // request NULL: without an id
    // Events [from, to) happened and this player is not asked in the same step (match_feed, F4.23). `drop` is the seq
    // of a player_disconnected that just happened, or -1: the dropped one and those without a feed are told that one
    // by itself (F4.18). A player who is asked in the same step hears of the drop first, with an empty range.
    void (*on_events)(void *client, struct lobby_seat *s, uint32_t from, uint32_t to, int64_t drop);
    void (*on_state)(void *client, struct lobby_seat *s); // game_state after a reconnect
    void (*on_over)(void *client, struct lobby_seat *s);  // the last of its session
    void (*on_gone)(void *client, enum lobby_gone why);   // the last call: the link is no longer the agent's
    bool gives_receipts; // lobby_start_arrived is called; else what was sent is taken for heard
};

struct lobby_presence {
    const struct lobby_link *link;
    void *client;
    const char *instance;  // X-AIFight-Instance; "": none
    uint32_t capabilities; // bit g: the gated game g is welcome
    bool by_turn;          // profile L: an answer is judged by turn, not by request id (F4.7)
    bool knows_matches;    // a link that keeps its matches across connections by other means: no game_start again
    bool game_rl;          // its tables play deterministic windows (F4.15)
    const char *address;   // of the client, for F7.2; NULL or "": this machine, or not known
    uint64_t conn;         // its number among several nodes (store_arrive); 0: not counted
    bool claims;           // its matches must come to this node: nothing is relayed
    bool relayed;          // it is connected to another node, which passes on what concerns matches of this one
};
// Takes over from an older connection (F1.12). What is due to a reconnected player (F4.19) is told by lobby_greet;
// until then the link hears nothing of matches.
void lobby_come(struct lobby *l, struct lobby_agent *a, const struct lobby_presence *p, int64_t now_ms);
void lobby_greet(struct lobby *l, struct lobby_agent *a, int64_t now_ms); // after the gap of F1.10, once
// Whether a connection of this number comes too late: a later one was faster, here or at another node (S26).
bool lobby_is_outrun(const struct lobby_agent *a, uint64_t conn);
void lobby_leave(struct lobby *l, struct lobby_agent *a, const void *client, int64_t now_ms); // the connection ended
const struct lobby_presence *lobby_agent_presence(const struct lobby_agent *a);               // NULL: it is offline

// --- queues (F3)

// OK, and on_queue_joined has been called before all that follows from it; or why not: `error` (128 bytes) gets the
// text of F2.12.
int lobby_join(struct lobby *l, struct lobby_agent *a, struct span game, struct span mode, bool one_shot,
               int64_t now_ms, char error[128]);
// What lobby_join would say to a one_shot join by a connection to which every game is welcome, whether or not the agent
// is online; NULL: to somebody who has no record yet.
int lobby_may_join(struct lobby *l, struct lobby_agent *a, struct span game, struct span mode, int64_t now_ms,
                   char error[128]);
// A friendly table with `waiting` players who wait in the queue "ranked" of the game, and these house bots (F3.23). OK,
// and on_queue_joined has been called; it lasts as an entry of a queue does. Or why not, as lobby_join has it.
struct lobby_wish {
    int waiting, houses;
    const struct bot *house[GAME_MAX_SEATS - 2];
};
int lobby_join_table(struct lobby *l, struct lobby_agent *a, const struct lobby_game *g, const struct lobby_wish *w,
                     int64_t now_ms, char error[128]);
bool lobby_agent_waits(const struct lobby_agent *a); // in a queue, or for confirmations
// Ends an entry or a candidacy: true, and on_queue_left has been called. False: there was none, and nothing is told.
bool lobby_quit(struct lobby *l, struct lobby_agent *a, int64_t now_ms);
int lobby_confirm(struct lobby *l, struct lobby_agent *a, struct uuid id, int64_t now_ms); // ERR_UNKNOWN
bool lobby_awaits_confirm(struct lobby_agent *a, struct uuid id); // asked by this id, and not answered yet
void lobby_report_ready(struct lobby *l, struct lobby_agent *a, struct uuid request, bool ready, int64_t now_ms);
bool lobby_awaits_ready(const struct lobby_agent *a, struct uuid request);
void lobby_policy_changed(struct lobby *l, struct lobby_agent *a, int64_t now_ms);
const struct lobby_game *lobby_find_game(const struct lobby *l, struct span name); // disabled ones are not found
// The rules its matches begin with, F4.15 for the windows.
void lobby_read_rules(const struct lobby *l, const struct lobby_game *g, bool deterministic_windows, void *rules);
int lobby_game_index(const struct lobby *l, const struct lobby_game *g);

// A table without a queue: a challenge, a tournament (mode "friendly", "tournament"). Agents sit in the order given,
// shuffled by the key (F3.3). ERR_RANGE, ERR_STORAGE when no match may begin.
int lobby_seat_table(struct lobby *l, const struct lobby_game *g, const char *mode, struct lobby_agent *const *agents,
                     int count, struct uuid challenge, int64_t now_ms, struct uuid *match);
// The operator ends a running match: unrated, all payoffs 0, a draw; its players are told as of any other end (as F8.6
// has it, but no storage failed, so no reason is given). ERR_UNKNOWN: none of this id is running. ERR_STORAGE.
int lobby_cancel_match(struct lobby *l, struct uuid match, int64_t now_ms);
// The same with seats as given, and a key and an id that the caller can tell again: the games of a tournament.
struct lobby_fixed {
    struct uuid match;
    uint8_t key[32];
};
int lobby_seat_fixed(struct lobby *l, const struct lobby_game *g, const char *mode, struct lobby_agent *const *agents,
                     int count, const struct lobby_fixed *fixed, int64_t now_ms);
bool lobby_is_playing(const struct lobby *l, struct uuid match);
// Whether an agent can be seated now as one on standby is (F3.12), caps on games and cooldowns aside. Whoever has not
// said lately that it is ready is asked: try again soon. House agents always are.
enum lobby_reach { LOBBY_READY, LOBBY_CALLED, LOBBY_AWAY };
enum lobby_reach lobby_call(struct lobby *l, struct lobby_agent *a, const struct lobby_game *g, int64_t now_ms);

// S47: the same of an agent that may be connected to any node, and its table. All of it reads: the caller is a job.
struct lobby_called {
    struct lobby_agent *agent; // kept, until lobby_let_go; NULL: there is none
    uint64_t gateway;          // 0: it is here
    bool plays;                // a game of a tournament at another node: it will come
};
enum lobby_reach lobby_call_anywhere(struct lobby *l, struct uuid id, const struct lobby_game *g,
                                     struct lobby_called *out);
// As lobby_seat_fixed; players of other nodes are called from there.
int lobby_seat_called(struct lobby *l, const struct lobby_game *g, const char *mode, const struct lobby_called *players,
                      int count, const struct lobby_fixed *fixed);
bool lobby_is_closing(const struct lobby *l); // lobby_end_waits was called: jobs come to their end

// Requests about a tournament that another node directs. 0: no answer; else a status of HTTP, and what was said.
enum { LOBBY_TOUR_SAY = 128 };
struct lobby_tour_wish {
    struct uuid tour, agent; // none: the operator wants it
    const char *what;
};
int lobby_ask_director(struct lobby *l, uint64_t node, const struct lobby_tour_wish *w, char said[LOBBY_TOUR_SAY]);
typedef int lobby_tour_call(void *owner, const struct lobby_tour_wish *w, char said[LOBBY_TOUR_SAY]);
void lobby_on_tour_wish(struct lobby *l, lobby_tour_call *call, void *owner); // as a job; NULL: nobody answers
// The agent that one of the game's bots plays as. `number` from 1: a bot at two seats of a table is two agents.
struct lobby_agent *lobby_house_agent(struct lobby *l, const struct lobby_game *g, const struct bot *bot, int number,
                                      int64_t now_ms);
// Called when a match ends, whatever the wire: for challenges, tournaments, metrics.
void lobby_on_match_end(struct lobby *l, void (*call)(void *owner, const struct store_match *m), void *owner);

// --- play (F4)

// NULL: no session of this agent in memory. Finished ones stay there for a moment; lobby_had_session knows all.
struct lobby_seat *lobby_find_seat(struct lobby_agent *a, struct uuid session);
bool lobby_had_session(struct lobby *l, const struct lobby_agent *a, struct uuid session);

// Memory of thousands of matches is far away: it is asked for before it is needed. 2: the agent's own, 1: its seat's,
// each a step after the one before; 0: now, all that an answer needs.
void lobby_fetch(const struct lobby_agent *a, int steps);

// Rows 2 and 4 of F4.3; request NULL: by turn (profile L; `read_ms` is when the action was read).
enum lobby_verdict { LOBBY_AWAITED, LOBBY_STALE };
enum lobby_verdict lobby_judge(const struct lobby_seat *s, const struct uuid *request, int64_t read_ms);
bool lobby_is_legal(const struct lobby_seat *s, struct game_action a);
bool lobby_has_retry(const struct lobby_seat *s); // the next illegal answer is the first of this decision
// An awaited seat's legal answer. `note` is kept with it (F2.4). Effects are told through the links. ERR_STORAGE.
int lobby_answer(struct lobby *l, struct lobby_seat *s, struct game_action a, struct span note, int64_t now_ms);
void lobby_refuse(struct lobby *l, struct lobby_seat *s,
                  int64_t now_ms); // an illegal one: retry or strike (F4.5, F4.6)
void lobby_mind_answer(struct lobby *l, struct lobby_seat *s, struct game_action a, int64_t now_ms); // of lobby_minds
void lobby_fail(struct lobby *l, struct lobby_seat *s, int64_t now_ms); // a remote bot failed: a strike at once (F3.21)
void lobby_asked(struct lobby *l, struct lobby_seat *s, int64_t now_ms); // the ask has been written: its clock starts
void lobby_delivered(struct lobby *l, struct lobby_seat *s);             // game_over arrived (F4.22)
void lobby_start_arrived(struct lobby *l, struct lobby_seat *s);         // game_start did (F4.21)

// --- what a player may know of a match

struct lobby_seat *lobby_running_seat(const struct lobby_agent *a, const struct lobby_game *g); // the oldest, or NULL

const struct lobby_game *lobby_seat_game(const struct lobby_seat *s);
struct uuid lobby_seat_session(const struct lobby_seat *s);
int lobby_seat_index(const struct lobby_seat *s);
int lobby_seat_count(const struct lobby_seat *s);
const void *lobby_seat_rules(const struct lobby_seat *s);
void lobby_seat_view(const struct lobby_seat *s, union game_view *out);
int lobby_seat_choices(const struct lobby_seat *s, struct game_choice out[GAME_MAX_CHOICES]); // 0 when not asked
// What a bot would do at this seat, which is asked. It sees what the seat sees, and nothing changes. Within a job a bot
// that thinks does so on a thread: then the seat may be gone afterwards.
struct game_action lobby_seat_advice(struct lobby *l, const struct lobby_seat *s, const struct bot *bot);
bool lobby_seat_is_dropped(const struct lobby_seat *s);
bool lobby_seat_is_over(const struct lobby_seat *s);
uint32_t lobby_seat_events(const struct lobby_seat *s); // how many so far
bool lobby_seat_event(const struct lobby_seat *s, uint32_t seq, struct match_event *out);
// The log so far (match/replay.h); empty when only the record is left. With the key of the record a link of this
// process can keep the match by replaying it; neither is for a wire.
struct span lobby_seat_log(const struct lobby_seat *s);
const struct store_match *lobby_seat_match(const struct lobby_seat *s); // ids and names: only once it is over

// store_match.forfeit_reason. The first three, less one, are also the reason of GAME_DROP in the log.
enum lobby_forfeit {
    LOBBY_NO_FORFEIT,
    LOBBY_FORFEIT_DISCONNECT,
    LOBBY_FORFEIT_TIMEOUT,
    LOBBY_FORFEIT_INVALID_ACTION,
    LOBBY_STORAGE_FAILURE,
};
const char *lobby_forfeit_name(int forfeit); // as F2.11 has it; NULL for none

// --- spectators (F4.24)

struct lobby_live {
    struct uuid live;
    const struct lobby_game *game;
    const char *mode;
    int seats, spectators;
    int64_t created_ms, started_ms;
    int64_t delay_ms;                // of what spectators see
    uint32_t seq;                    // of the next event that they get
    uint32_t swing;                  // of what they have seen (match/swing.h)
    const struct store_match *match; // valid until the next call of the lobby; only what is public leaves
    const struct bout *bout;         // the lobby's own, as long
};
// Newest first, those whose beginning is durable: what is shown of a deal is never dealt again.
int lobby_list_live(const struct lobby *l, int64_t now_ms, struct lobby_live *out, int room, int *total);
bool lobby_find_live(const struct lobby *l, struct uuid live, int64_t now_ms, struct lobby_live *out); // one of them
// The newest of them that this agent plays at, where who plays there is no secret and spectators see it begin. House
// agents have none: they sit at many.
bool lobby_agent_live(const struct lobby *l, const struct lobby_agent *a, int64_t now_ms, struct uuid *live);
// What a spectator who comes now would see of it.
void lobby_live_view(const struct lobby_live *live, int64_t now_ms, union game_view *out);
bool lobby_live_event(const struct lobby_live *live, uint32_t seq, struct match_event *out); // below its seq
const void *lobby_live_rules(const struct lobby_live *live);                                 // that it is played by

// What spectators are told besides events. A question of a house player looks as any other.
enum lobby_aside_kind { LOBBY_TURN, LOBBY_DECISION };
struct lobby_aside {
    int64_t at_ms;
    uint32_t events; // had happened before it
    uint32_t seq;    // of a decision: the first event that it caused
    uint8_t kind;    // enum lobby_aside_kind
    uint8_t seat;    // of a decision
    seat_set asked;  // of a turn
    uint8_t strikes[GAME_MAX_SEATS];
    int64_t deadline_ms; // of a turn
    int64_t latency_ms;  // of a decision
    struct span note;    // of a decision: JSON, as the store has it
};

bool lobby_has_live(const struct lobby *l, struct uuid live); // it is being played here

struct lobby_watch;
struct lobby_watch_link {
    // The picture of `delay` ago, then every event and aside when its time has come, then the end. `turn` is the one
    // that stands in the picture; NULL: not known.
    void (*on_begin)(void *client, struct lobby_watch *w, const union game_view *view, const struct lobby_aside *turn,
                     int64_t delay_ms);
    void (*on_event)(void *client, struct lobby_watch *w, const struct match_event *e);
    // `number` counts the asides of the match: all who watch it with one delay get the same.
    void (*on_aside)(void *client, struct lobby_watch *w, const struct lobby_aside *a, uint32_t number);
    void (*on_end)(void *client, struct lobby_watch *w);   // the match is over for the watcher too
    void (*on_moved)(void *client, struct lobby_watch *w); // it goes on at another node; the watch ends with this call
};
// NULL when nothing is live there. `key_owner` may be NULL: the agent whose key came along.
struct lobby_watch *lobby_watch_open(struct lobby *l, struct uuid live, const struct lobby_agent *key_owner,
                                     const struct lobby_watch_link *link, void *client, int64_t now_ms);
// Right after open, for a client that has seen the events before `seq`: it gets those from there on instead of the
// picture. Nothing changes when so much was not to be seen yet.
void lobby_watch_continue(struct lobby *l, struct lobby_watch *w, uint32_t seq);
// The picture of now, for a client that was not told everything: on_begin is called, and it goes on from there. Not
// from within a call of the link's.
void lobby_watch_again(struct lobby *l, struct lobby_watch *w, int64_t now_ms);
int64_t lobby_watch_delay(const struct lobby_watch *w);
uint32_t lobby_watch_shown(const struct lobby_watch *w); // events so far, with those in the picture
bool lobby_watch_event(const struct lobby_watch *w, uint32_t seq, struct match_event *out); // one of them
uint32_t lobby_watch_place(const struct lobby_watch *w); // the same, once it has begun; UINT32_MAX: it has not
bool lobby_watch_is_alone(const struct lobby_watch *w);  // by the one who plays there alone, without delay
bool lobby_watch_is_open(const struct lobby_watch *w);   // house players alone: who they are need not be hidden
void lobby_watch_close(struct lobby *l, struct lobby_watch *w);
// Through this one so many watch who are connected to other nodes (S48). The match has them, the figures of this node
// do not.
void lobby_watch_relay(struct lobby *l, struct lobby_watch *w, int heads);
void lobby_count_spectators(struct lobby *l, int change); // of a match at another node, who are connected to this one
const struct lobby_game *lobby_watch_game(const struct lobby_watch *w);
const char *lobby_watch_mode(const struct lobby_watch *w);
int lobby_watch_seats(const struct lobby_watch *w);
struct uuid lobby_watch_id(const struct lobby_watch *w);                  // the real id, or the live one (F4.24)
const struct store_match *lobby_watch_match(const struct lobby_watch *w); // for its commitment

// --- figures for /api/health and /metrics

struct lobby_figures {
    uint64_t matches_active, agents_online, queued, spectators, matches_begun, matches_finished, matches_cancelled,
        actions, fallbacks, strikes, drops, house_moves, confirmations_failed;
};
void lobby_figures(const struct lobby *l, struct lobby_figures *out);
// The same with matches, agents, waiting ones and spectators of all nodes, as they told last: a second or two ago
// (S49).
void lobby_figures_of_all(const struct lobby *l, struct lobby_figures *out);
