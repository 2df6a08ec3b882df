// What lasts: agents, ratings, matches and their logs. One writer, in a thread of its own.
//
// A put is remembered in the order of the calls and gets a ticket; store_submit hands everything put since the last
// one to the writer, which makes it durable in one transaction (group commit). Nothing that follows from a put may
// leave the process before its ticket is durable (F8.1): whoever sends holds back what it sends until then.
//
// Reads answer from what is durable, each from one state of the data. With SQLite they run in the caller's thread on a
// connection of their own, block nobody, and are indexed: each takes far less than 5 ms with a million matches stored.
//
// A store may be elsewhere (store_may_wait): then a read takes a while, and longer while the store is away. Inside a
// job (work/work.h) the job waits, and everything that it does not hold may have changed when the read returns; outside
// it blocks the thread, which is right at the opening and in commands and is counted (store_blocked). A read that gets
// no answer within STORE_PATIENCE_MS tells that there is nothing, and is counted (store_unanswered).
//
// Strings are UTF-8 with a closing NUL; times are milliseconds since 1970.
#pragma once

#include "base/span.h"
#include "base/uuid.h"
#include "match/counters.h"

#include <stdbool.h>
#include <stdint.h>

enum {
    STORE_SEATS = 10,
    STORE_HASH = 32,
    STORE_NAME = 208,  // 50 characters
    STORE_MODEL = 408, // 100 characters
    STORE_FORM = 10,   // results kept as the recent form
    STORE_PAGE = 256,  // rows of a board at once, at most
    STORE_LATENCY_BUCKETS = 64,
    STORE_PATIENCE_MS = 3000, // how long whoever asks waits for a store that is away
};

typedef uint64_t store_ticket;

struct store;
struct store_engine;
struct work;

struct store_options {
    const struct store_engine *engine; // NULL: SQLite
    const char *url;                   // of PostgreSQL
    bool takes_over;                   // from a server that is connected and has stood still for a lease (S13)
    const char *folder;                // made when it is not there, for its owner alone (0700)
    size_t max_waiting;                // bytes handed over and not yet durable; more and store_submit blocks
    uint64_t margin_bytes;             // below this much free space store_has_room says no (F8.6)
    const char *synchronous;           // of SQLite; NULL: FULL
    size_t cache_bytes;                // of pages, for the writer
    int pace_ms;                       // under load a transaction begins at most this often; after a rest, at once
    int busy_ms;         // how long somebody else's lock on the file is waited for before that is a failure
    uint32_t min_rated;  // rated games that make an agent eligible in a game (F7.8)
    struct work *work;   // jobs that read wait there; NULL: whoever reads waits as a thread
    const char *node;    // the name of one of several nodes; NULL: the arena is this process's alone (PostgreSQL)
    const char *address; // where agents reach this node, for people; NULL: not known
    bool needs_standby;  // nothing is accepted while the database has no synchronous standby (S72)
    bool hosts_nothing;  // of several nodes: no match is given to this one
    bool (*may_hold)(const char *role); // roles that it may want; NULL: all
    int lease_ms;                       // a node whose row stands still for so long is dead (S13)
    const char *const *games;           // all that is played here, ended by NULL: nodes must agree on their rows
    int64_t now_ms;                     // of the opening: boards are made for this moment, and are then moved on
};

void store_defaults(struct store_options *o);
// NULL, and `why` says what would be right: not a data folder of ours, made by a newer version, damaged, in use by
// another process. An older schema is migrated first; each migration is one transaction.
struct store *store_open(const struct store_options *o, char *why, size_t room);
void store_close(struct store *s); // after all that was put is durable, or has failed

// --- from put to durable

store_ticket store_last(const struct store *s);    // of the last put
store_ticket store_durable(const struct store *s); // the newest that store_collect has told of
void store_submit(struct store *s);                // at the end of every turn of the loop
int store_descriptor(const struct store *s);       // readable when store_collect has news
// The newest durable ticket. ERR_STORAGE, for ever after, when a transaction failed (disk full, I/O): nothing beyond
// that ticket will ever be durable, and the process must stop (F8.6). The store may have gone away or come back
// (store_is_away): nothing becomes durable while it is away, and what is put meanwhile is kept. Jobs whose answers have
// come go on in this turn.
int store_collect(struct store *s, store_ticket *durable);
void store_wait(struct store *s);          // until everything put is durable, or the store is away; a job waits as one
bool store_is_away(const struct store *s); // it cannot be reached, as of the last store_collect
const char *store_absence(const struct store *s);   // why, as of the last attempt to reach it; "": not known
bool store_may_wait(const struct store *s);         // a read may have to wait: whoever reads for clients is a job
bool store_reach(struct store *s);                  // as a read: waits for a store that is away; false: it stays so
uint64_t store_unanswered(const struct store *s);   // reads so far that got no answer
uint64_t store_blocked(const struct store *s);      // reads so far that waited outside a job
void store_give_up(struct store *s);                // before the end: no read waits any more, those that do go on
bool store_lacks_standby(const struct store *s);    // S72: it is away for that reason
uint64_t store_lost_batches(const struct store *s); // S73, after ERR_STORAGE: confirmed once, and gone
bool store_has_room(const struct store *s);         // free space above the margin
const char *store_fault(const struct store *s);     // in words, after ERR_STORAGE

// A put may be refused where others write too (store_may_refuse): a match that begins, one that ends. The outcome comes
// with the ticket. store_collect tells nothing as durable from a refused put on until it is settled by another one, so
// nothing that waits for its ticket leaves; entries of the list of commitments are added all the same.
enum store_reason {
    STORE_NO_PLACE,     // begin: a player has no place left
    STORE_TERM_OVER,    // begin: the role of whoever ordered it has passed on
    STORE_BEGAN_BEFORE, // begin
    STORE_MOVED,        // finish: a rating was changed by another result, so this one is computed again
};
struct store_refusal {
    store_ticket ticket;
    struct uuid match;
    enum store_reason reason;
};
bool store_may_refuse(const struct store *s);
bool store_take_refusal(struct store *s, struct store_refusal *out); // one by one, in order, as they are settled
void store_settle(struct store *s, store_ticket refused, store_ticket instead); // durable when that is

// Damage that reads have met: what cannot be read is as if it were not there, so whoever reads for others asks
// afterwards whether the count has moved, and says so instead. Nothing new may be begun on damaged data.
uint64_t store_damages(const struct store *s);
const char *store_damage(const struct store *s); // the first, with its table; "": none so far

// --- agents

enum store_kind { STORE_CLIENT, STORE_HOUSE, STORE_REMOTE, STORE_GUEST };

struct store_agent {
    struct uuid id;
    uint64_t public_no; // ten digits, unique
    uint8_t key_hash[STORE_HASH];
    uint8_t claim_hash[STORE_HASH];  // of the claim token; zero: none open
    uint8_t verify_hash[STORE_HASH]; // of the token an e-mail would carry; zero: none open
    int64_t created_ms, renamed_ms, verify_until_ms;
    int32_t max_games_per_day, max_games_per_hour, cooldown_seconds, max_concurrent;
    int32_t day_ceiling, hour_ceiling, cooldown_floor, concurrent_ceiling; // of those, by the operator; 0: none
    uint8_t kind;                                                          // enum store_kind
    bool has_key, claimed, disabled, auto_requeue, auto_confirm;
    uint8_t entropy[STORE_HASH]; // for the next deal, as the agent sent it; zero: none
    char client_kind[8];         // "cli", "desktop"; empty: not bound
    char runtime_type[8];        // "direct", "mock"
    char device_id[65];          // empty: not bound
    char instance[65];           // of the last connection (F4.21)
    char bridge_version[32];
    char terms_version[16], privacy_version[16]; // accepted
    char standby[96];                            // games by name, comma between them
    char games[96];                              // a remote bot's, likewise
    char bot_url[256];                           // of a remote bot
    char owner[256];                             // claim e-mail; empty: nobody's
    char origin[64];                             // address that registered it; empty: this machine, or not known
    struct uuid lineage;                         // the agent whose key registered it, and of those before it the first
    char name[STORE_NAME];
    char model[STORE_MODEL]; // declared
    char description[512];
};

store_ticket store_put_agent(struct store *s, const struct store_agent *a); // made or changed as a whole
// Where others change records too: only fields that differ from what was marked, so that nothing else is undone.
enum { STORE_AGENT_MARKS = 40 };
void store_mark_agent(const struct store_agent *a, uint32_t marks[STORE_AGENT_MARKS]);
store_ticket store_change_agent(struct store *s, const struct store_agent *a, const uint32_t before[STORE_AGENT_MARKS]);
bool store_find_agent(struct store *s, struct uuid id, struct store_agent *out);
bool store_find_agent_by_key(struct store *s, const uint8_t hash[STORE_HASH], struct store_agent *out);
bool store_find_agent_by_claim(struct store *s, const uint8_t hash[STORE_HASH], struct store_agent *out);
bool store_find_agent_by_verify(struct store *s, const uint8_t hash[STORE_HASH], struct store_agent *out);
bool store_has_public_no(struct store *s, uint64_t public_no);
// Agents of a kind (-1: any) in order of creation, from row `from` on; how many were written.
int store_list_agents(struct store *s, int kind, int from, struct store_agent *out, int room, int *total);

// Those that are claimed and not disabled, in order of their names, whose name begins so, without regard to ASCII case;
// "": all, the newest first. How many were written.
struct store_agent_name {
    struct uuid id;
    uint8_t kind; // enum store_kind
    char name[STORE_NAME];
    char model[STORE_MODEL];
};
int store_find_names(struct store *s, const char *begin, int from, struct store_agent_name *out, int room);

// Guests in order of their rows, from behind `*after` on, which is moved to the last one; 0 begins, and how many were
// written: none when that was the last. For a look at all of them in small pieces.
struct store_guest {
    struct uuid id;
    int64_t created_ms, played_ms; // the end of its last match; 0: none
    bool disabled;
};
int store_list_guests(struct store *s, int64_t *after, struct store_guest *out, int room);

struct store_pairing {
    uint8_t code_hash[STORE_HASH];
    struct uuid agent;
    int64_t expires_ms;
    bool used, revoked;
    char runtime_type[8];
};
store_ticket store_put_pairing(struct store *s, const struct store_pairing *p); // revokes the agent's older ones
store_ticket store_use_pairing(struct store *s, const uint8_t code_hash[STORE_HASH]);
// Of several nodes the first one to ask has it from now on (S46), a read; false: another one has it, or no answer.
bool store_take_pairing(struct store *s, const uint8_t code_hash[STORE_HASH]);
bool store_find_pairing(struct store *s, const uint8_t code_hash[STORE_HASH], struct store_pairing *out);

// --- ratings, by agent and game (F7)

struct store_rating {
    struct uuid agent;
    char game[24];
    uint64_t
        version; // of the stored row that this one was made from (S41); 0: there was none, or the store counts none
    double rating, deviation, volatility, peak;
    int64_t rated_ms;  // of the last rated match; 0: none
    int64_t played_ms; // of the last finished match
    uint32_t games, rated_games, wins, losses, draws;
    int32_t streak, best_streak;             // wins in a row; a loss makes it negative
    char form[STORE_FORM + 1];               // 'w', 'l', 'd', newest first
    uint32_t latency[STORE_LATENCY_BUCKETS]; // decisions by time taken; lobby/latency.h says how buckets are cut
};

int store_ratings(struct store *s, struct uuid agent, struct store_rating *out, int room);

// Boards stand in memory. They are read at the opening, by a thread of their own; whoever asks before that is done has
// to wait, unless store_has_boards said so. When it says no, the descriptor tells when to ask again.
bool store_has_boards(struct store *s);
void store_tend_boards(struct store *s, int64_t now_ms); // now and then: idle agents fall, some at a time

struct store_rank {
    struct uuid agent;
    int place; // among those who are no house agents, 1 for the best; 0: a house agent
    double rating, deviation, volatility;
    double display; // rating - 2 x deviation, the deviation grown by the idle days until `now` (F7.5)
    int64_t rated_ms;
    uint32_t games, rated_games, wins, losses, draws;
    uint8_t pace; // the bucket of its median decision (store_rating.latency), from 1; 0: no decision was timed
    char form[STORE_FORM + 1];
    char name[STORE_NAME];
    char model[STORE_MODEL];
    bool is_house;
};
// F7.10: eligible agents by display, then games, then id. House agents come along, marked.
int store_leaderboard(struct store *s, const char *game, int64_t now_ms, int from, struct store_rank *out, int room,
                      int *total);

// F7.11: one row for an agent that is eligible in at least one game, best first, then games, then id.
struct store_total {
    struct uuid agent;
    int place;                           // as of store_rank; 0 also when it is nowhere eligible
    double aggregate;                    // of the displays of its eligible games, as of `now`
    uint32_t games, wins, losses, draws; // in all games
    int32_t games_active;                // in how many there is a finished match
    int32_t games_eligible;
    char name[STORE_NAME];
    char model[STORE_MODEL];
    bool is_house;
};
int store_overall(struct store *s, int64_t now_ms, int from, struct store_total *out, int room, int *total);
void store_overall_of(struct store *s, struct uuid agent, int64_t now_ms, struct store_total *out); // its own row

// How an agent plays: the counts of every finished match, summed (match/counters.h).
struct store_counters {
    char game[24];
    uint32_t matches;
    int64_t since_ms; // the end of the first of them
    struct counts counts;
};
// For a recomputation; a match that ends brings its counts along (store_finish_match).
store_ticket store_add_counts(struct store *s, struct uuid agent, const char *game, int64_t at_ms,
                              const struct counts *counts);
int store_counters(struct store *s, struct uuid agent, struct store_counters *out, int room); // by game

struct store_point {
    char game[24];
    double rating;
    double deviation; // 0: not known
    int64_t at_ms;
};
int store_rating_history(struct store *s, struct uuid agent, struct store_point *out, int room); // newest last

// The same with the matches, newest first, of one game or (NULL) of all: what a page of a history shows. Of the seats
// only names, payoffs and results are told; `seat` is the agent's.
struct store_rated {
    struct store_point point;
    struct uuid replay;
    int seats, seat, teams;
    char name[STORE_SEATS][STORE_NAME];
};
int store_rated_matches(struct store *s, struct uuid agent, const char *game, int from, struct store_rated *out,
                        int room);

// --- matches

enum store_status { STORE_RUNNING, STORE_FINISHED, STORE_CANCELLED };

struct store_grade {
    double rating, deviation;
};

struct store_seat {
    struct uuid agent;
    struct uuid session; // the handle of the match on this player's connection (F2.6)
    bool one_shot;       // F3.6
    int32_t places;      // matches it may have at once; 0: any number. Not kept: a begin is refused by it (S23)
    bool delivered;      // game_over reached the player (F4.22)
    bool dropped;
    uint8_t result;                   // 'w', 'l', 'd'; 0 while running
    char name[STORE_NAME];            // of the agent when the match began
    struct store_grade before, after; // what a rated match made of its rating in the game; all 0: not rated, or before
                                      // such pairs were kept
};

struct store_match {
    struct uuid id;        // the real one
    struct uuid replay;    // public_replay_id
    struct uuid live;      // public_live_id
    struct uuid challenge; // none: from a queue
    char game[24];
    char mode[33];
    uint8_t key[32];
    uint8_t commitment[STORE_HASH];
    int64_t created_ms, started_ms, finished_ms;
    int32_t seats;
    int32_t teams; // as in struct game: 0 when everybody plays alone; partners are no opponents (F5.13)
    int32_t payoffs[STORE_SEATS];
    uint32_t events;               // of the sequence (F2.8)
    uint32_t swing, largest_swing; // of the winning chances, in thousandths (match/swing.h); 0: not known
    uint8_t status;                // enum store_status
    bool rated, is_draw;
    int8_t winner;          // -1: none
    int8_t forfeited_by;    // -1: nobody
    uint8_t forfeit_reason; // the lobby's own numbers; 0: none
    uint64_t deal;          // its number in the list of commitments; 0: begun before there was one
    uint16_t unreported;    // seats whose players have not heard of the beginning, a bit for each
    uint64_t order_term;    // of `order_role`, who ordered it; 0: nobody did. Not kept: a begin is refused by it (S24)
    char order_role[40];
    struct store_seat seat[STORE_SEATS];
};

struct store_entry;
// The first bytes of the log are the head of the replay (match/replay.h): rules, seats, commitment. `e` is an entry of
// the list of commitments that is added in the same transaction; NULL: none.
store_ticket store_begin_match(struct store *s, const struct store_match *m, const struct store_entry *e,
                               struct span log);
// What one accepted action, fallback, drop or leave added to the log, when, and what the player said of it (JSON,
// may be empty: usage and decision of F2.4).
store_ticket store_append(struct store *s, struct uuid match, int64_t at_ms, struct span log, struct span note);
store_ticket store_mark_unreported(struct store *s, struct uuid match, uint16_t seats);
// The end: the log's last bytes, the match with its result, every rating it changed, `e` (may be NULL) and how
// everybody played (`habits`, by seat; NULL: not counted), in one transaction.
store_ticket store_finish_match(struct store *s, const struct store_match *m, const struct store_entry *e,
                                int64_t at_ms, struct span log, const struct store_rating *ratings, int count,
                                const struct counts *habits);
store_ticket store_mark_delivered(struct store *s, struct uuid match, int seat);

// --- the list of commitments (docs/fairness.md)

// Entries are only ever added. The lobby makes them, with their links; the store keeps them in order and refuses a
// number that is published, dealt or closed twice.
enum store_entry_kind { STORE_EPOCH, STORE_PUBLISHED, STORE_DEALT, STORE_CLOSED };
enum { STORE_ENTRY_BODY = 448, STORE_ENTRIES_OF_NUMBER = 3 };

struct store_entry {
    uint64_t place;  // in the list, from 0
    uint64_t number; // of the deal, from 1; of an epoch: its first
    int64_t at_ms;
    uint8_t kind;  // enum store_entry_kind
    uint16_t size; // of the body
    uint8_t body[STORE_ENTRY_BODY];
    uint8_t link[STORE_HASH];
};
store_ticket store_put_entry(struct store *s, const struct store_entry *e);
int store_list_entries(struct store *s, uint64_t from, struct store_entry *out, int room); // how many were written
// Published, dealt, closed, as far as it has come.
int store_find_entries(struct store *s, uint64_t number, struct store_entry out[STORE_ENTRIES_OF_NUMBER]);
bool store_last_entry(struct store *s, struct store_entry *out);
uint64_t store_last_number(struct store *s, enum store_entry_kind kind); // 0: none

// The master secret of the numbers from `first` on. Nothing public is made of it but single numbers' secrets.
struct store_epoch {
    uint64_t first;
    uint8_t id[STORE_HASH];
    uint8_t secret[STORE_HASH];
    bool restored; // this file came from a backup since: later numbers of the epoch may have been used
    uint64_t node; // of several: the node whose chain it is; 0: the arena's
    bool ended;    // nothing more is dealt from it
};
store_ticket store_put_epoch(struct store *s, const struct store_epoch *e);
int store_list_epochs(struct store *s, int from, struct store_epoch *out, int room); // oldest first
// Several nodes have a chain each, in one list: the store gives entries their places and links (STORE_NEXT_PLACE), and
// each life of a node begins a chain at a number of its own.
#define STORE_NEXT_PLACE UINT64_MAX
enum { STORE_CHAIN_BITS = 34 };                   // a chain has no more numbers than this
uint64_t store_first_deal(const struct store *s); // where this node's new chain begins; 0: the arena's goes on
store_ticket store_end_epoch(struct store *s, uint64_t first);
int store_list_left_epochs(struct store *s, struct store_epoch *out, int room); // of nodes that are gone, not ended
// The last number of a kind in [first, first + 2^STORE_CHAIN_BITS); 0: none.
uint64_t store_last_number_of(struct store *s, enum store_entry_kind kind, uint64_t first);

bool store_find_match(struct store *s, struct uuid id, struct store_match *out);
bool store_find_replay(struct store *s, struct uuid replay, struct store_match *out);
bool store_find_session(struct store *s, struct uuid session, struct store_match *out, int *seat);
// Calls `each` with every piece of the log in order; false from it stops. OK, ERR_UNKNOWN, ERR_FORMAT when damaged.
typedef bool store_each(void *owner, int64_t at_ms, struct span log, struct span note);
int store_read_log(struct store *s, struct uuid match, store_each *each, void *owner);
int store_list_running(struct store *s, struct uuid *out, int room, int *total); // oldest first
// Finished matches, newest first; game NULL: all; agent NULL: everybody's. Of the seats `delivered` need not be told.
int store_list_matches(struct store *s, const char *game, const struct uuid *agent, int from, struct store_match *out,
                       int room, int *total);
// Finished matches in the order in which their results were counted (S41), from behind `*after` on, which is moved to
// the last one; 0 begins.
int store_list_ended(struct store *s, uint64_t *after, struct store_match *out, int room);
// The newest finished matches of an agent, and its seat in each, for a profile: fast however much is stored, as of the
// seats only names, payoffs and results are told.
int store_list_recent(struct store *s, struct uuid agent, struct store_match *out, int *seat, int room);
// Finished matches whose game_over this agent has not got, not older than `since_ms`, oldest first (F4.19).
int store_list_undelivered(struct store *s, struct uuid agent, int64_t since_ms, struct uuid *out, int room);
// When matches that count toward the caps of F3.4 began: after `since_ms`, not one_shot, newest first.
int store_list_starts(struct store *s, struct uuid agent, int64_t since_ms, int64_t *at_ms, int room);

struct store_versus {
    struct uuid opponent;
    char name[STORE_NAME];
    char game[24];
    uint32_t games, wins, losses, draws;
};
// F5.13: opponents in finished matches, results by F7.4, those met most often first; game NULL: in every game.
int store_versus(struct store *s, struct uuid agent, const char *game, struct store_versus *out, int room);

// --- challenges (F3.19)

enum store_duel {
    DUEL_PENDING,
    DUEL_ACCEPTED,
    DUEL_WAITING,
    DUEL_IN_MATCH,
    DUEL_FINISHED,
    DUEL_EXPIRED,
    DUEL_CANCELLED
};

struct store_challenge {
    struct uuid id;
    uint8_t token_hash[STORE_HASH];
    char game[24];
    int64_t created_ms, expires_ms;
    struct uuid match; // none: not begun
    int32_t places, taken;
    uint8_t status;                 // enum store_duel
    struct uuid agent[STORE_SEATS]; // in order of taking places; the host first
};
store_ticket store_put_challenge(struct store *s, const struct store_challenge *c);
bool store_find_challenge(struct store *s, struct uuid id, struct store_challenge *out);
bool store_find_challenge_by_token(struct store *s, const uint8_t hash[STORE_HASH], struct store_challenge *out);
int store_list_challenges(struct store *s, struct uuid agent, struct store_challenge *out, int room); // newest first
int store_list_open_challenges(struct store *s, struct store_challenge *out,
                               int room); // pending, accepted, waiting, in match

// --- several nodes on one store (docs/spec/scale-store.md, S10 to S33)
//
// A node's life is an epoch. What is told here comes from memory and is as old as the last look, a second or two;
// reads are marked. With SQLite, and for a process that has the arena alone, there is one node.

#define STORE_NODE_LETTERS "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-_." // of a node's name
enum { STORE_NODES = 64, STORE_NODE_NAME = 64, STORE_ADDRESS = 128, STORE_ROLE = 40, STORE_ROLES = 128 };
enum store_node_state { STORE_JOINS, STORE_SERVES, STORE_DRAINS, STORE_CARRIES }; // the last: agents, but no matches

struct store_node {
    uint64_t epoch;
    int64_t batch, age_ms;              // since it was seen to move
    int32_t program, load;              // its version; matches that it hosts
    int32_t agents, queued, spectators; // as it told last; agents: connected, over whatever wire
    uint8_t state;                      // enum store_node_state
    bool has_bus;
    char name[STORE_NODE_NAME], address[STORE_ADDRESS];
};
bool store_is_shared(const struct store *s);    // there may be other nodes
uint64_t store_my_epoch(const struct store *s); // 0: SQLite
bool store_is_fenced(
    const struct store *s); // after ERR_STORAGE: it was taken over, or the store has lost batches (S15)
struct uuid store_arena_id(const struct store *s); // of the arena, the same for all nodes; none: SQLite
int store_list_nodes(const struct store *s, struct store_node *out, int room); // this one too, by epoch
bool store_is_live(const struct store *s, uint64_t epoch);                     // it has a row
// What the node's row tells the others from its next batch on.
void store_describe_node(struct store *s, enum store_node_state state);
void store_describe_bus(struct store *s, bool has_bus);
struct store_load {
    int32_t agents, queued, spectators;
};
void store_describe_load(struct store *s, const struct store_load *load); // told once a second, when it has changed

// S20: roles, one holder at a time. Terms grow; whoever orders something names the term (store_match.order_term).
struct store_role {
    char role[STORE_ROLE]; // "sweep", "mm:GAME", "tour:ID"
    uint64_t epoch, term;
};
void store_want_role(struct store *s, const char *role);      // tried once a second, from now on
void store_give_role_up(struct store *s, const char *role);   // and no longer wanted
uint64_t store_term(const struct store *s, const char *role); // while this node holds it; 0: it does not
bool store_find_role(const struct store *s, const char *role, struct store_role *out); // whoever holds it

// S47: tournaments of several nodes, as the files that their directors write. Who holds the role `tour:ID` writes, all
// read. A file that grows is put in parts, each with the number of its first byte; SQLite has none of it.
#define STORE_TOUR_WHOLE UINT64_MAX // of a file that is put whole
enum { STORE_TOUR_FILE = 64 };      // a name, with its closing zero
struct store_tour {
    struct uuid id;
    uint64_t changes; // another number when a whole file was put or dropped
    bool is_past;
};
store_ticket store_put_tour_file(struct store *s, struct uuid tour, const char *file, uint64_t at, struct span bytes,
                                 bool ends); // the tournament, with this file
store_ticket store_drop_tour_file(struct store *s, struct uuid tour, const char *file);
// Reads. Those that have not ended, or not long ago; `all`: the others, too. How many were written; -1: no answer.
int store_list_tours(struct store *s, bool all, struct store_tour *out, int room);
// Calls `each`, which must not wait, with every whole file; with the parts of a file that have bytes of [from, to), in
// order. False: no answer.
typedef void store_each_tour_file(void *owner, const char *file, uint64_t at, struct span bytes);
bool store_read_tour(struct store *s, struct uuid tour, store_each_tour_file *each, void *owner);
bool store_read_tour_file(struct store *s, struct uuid tour, const char *file, uint64_t from, uint64_t to,
                          store_each_tour_file *each, void *owner);

// S26: where an agent is connected. The newest connection number wins.
struct store_presence {
    uint64_t epoch, conn; // 0: nowhere
    uint32_t flags;       // the lobby's own
    char instance[65];
};
struct store_hosted { // a running match of an agent, and who hosts it
    struct uuid match;
    uint64_t epoch;
    bool busy; // one of its other players is connected to the host
    char node[STORE_NODE_NAME], address[STORE_ADDRESS];
};
struct store_arrival {
    uint64_t conn;                // of this connection; 0: none is counted, or it is refused
    struct store_presence before; // of the connection that it replaces
    int matches;                  // all running ones
    struct store_hosted match[STORE_SEATS];
};
// Reads, all of these: a job waits. False: no answer, or this node was taken over. Whoever `claims` cannot relay: the
// agent's matches are asked for from their hosts (STORE_NEWS_WANTED there). But when one of them is busy elsewhere and
// none is here, nothing is written and the arrival is refused: conn is 0.
bool store_arrive(struct store *s, struct uuid agent, const char *instance, uint32_t flags, bool claims,
                  struct store_arrival *out);
int store_count_places(struct store *s, struct uuid agent); // matches that count for it, on all nodes; -1: no answer
bool store_find_presence(struct store *s, struct uuid agent, struct store_presence *out); // false: nowhere
// Agents that are at this node, by number of their connection, from behind `*after` on, which is moved to the last one;
// 0 begins, and how many were written; -1: no answer.
int store_list_presence(struct store *s, uint64_t *after, struct uuid *out, int room);
bool store_find_host(struct store *s, struct uuid match, struct store_hosted *out); // false: it does not run
void store_depart(struct store *s, struct uuid agent, uint64_t conn); // without a ticket: nothing waits for it

// S46: calls of a kind by somebody, over all nodes: `each_ms` a call, `burst` at once. 0 and counted, or seconds to
// wait; -1: no answer. Of a process that has the arena alone nothing is counted here.
int store_take_call(struct store *s, int kind, struct span who, int64_t each_ms, int64_t burst);
// S48, S49: what other nodes play and who is connected there.
struct store_elsewhere {
    struct store_hosted at;
    bool house; // house players alone
    struct store_match match;
};
int store_find_present(struct store *s, const struct uuid *agents, int count, bool *out); // how many are, anywhere
bool store_find_live(struct store *s, struct uuid live,
                     struct store_elsewhere *out); // at any node; false: it does not run
int store_list_elsewhere(struct store *s, struct store_elsewhere *out, int room, int *total); // newest first
int store_list_played(struct store *s, struct uuid agent, struct store_elsewhere *out,
                      int room); // by the agent, likewise

// What happened elsewhere, one by one, after store_collect.
enum store_news_kind {
    STORE_NEWS_ADOPT,    // `match` is this node's from now on: read it, play on, then store_mark_adopted
    STORE_NEWS_AGENT,    // the record of `agent` was changed by another node
    STORE_NEWS_PRESENCE, // `agent` has connected to another node, `epoch`, with the number `count`
    STORE_NEWS_WANTED,   // players of `match`, which is hosted here, are at `epoch`: hand it over, or keep it
    STORE_NEWS_TAKEOVER, // this node took `epoch` over, named `name`, silent for `ms`, with `count` matches
    STORE_NEWS_JOINED,   // `epoch` was not there before
    STORE_NEWS_GONE,     // `epoch` is there no more
    STORE_NEWS_ROLE,     // this node holds the role `name` with term `count`; 0: no longer
};
struct store_news {
    enum store_news_kind kind;
    struct uuid match, agent;
    uint64_t epoch, count;
    int64_t ms;
    char name[STORE_NODE_NAME];
};
bool store_take_news(struct store *s, struct store_news *out);
store_ticket store_mark_adopted(struct store *s, struct uuid match);
store_ticket store_mark_dropped(struct store *s, struct uuid match, int seat); // its player has a place again (F3.15)
// S60: the match goes to another node, which adopts it, with what was asked and told (the lobby's own bytes; none: it
// asks anew). It is nobody's here from now on. Or it stays here, whoever wants it.
enum { STORE_HANDOVER = 4096 };
store_ticket store_hand_over(struct store *s, struct uuid match, uint64_t epoch, struct span state);
// A read, until store_mark_adopted: how many bytes were written; 0: none came with it.
int store_find_handover(struct store *s, struct uuid match, char out[STORE_HANDOVER]);
store_ticket store_keep_match(struct store *s, struct uuid match);
void store_look_soon(struct store *s); // there is news: the next look at the others waits for no second

struct store_takeover {
    uint64_t epoch, by;
    int64_t at_ms, silent_ms;
    int32_t matches;
    char name[STORE_NODE_NAME], by_name[STORE_NODE_NAME];
};
struct store_member { // a node as the store has it
    struct store_node node;
    int32_t matches, agents;
};
struct store_cluster {
    int nodes, roles, takeovers;
    struct store_member node[STORE_NODES];
    struct store_role role[STORE_ROLES];
    struct store_takeover takeover[16]; // the last ones, newest first
};
bool store_read_cluster(struct store *s, struct store_cluster *out); // a read; false: no answer
struct store_node_figures {
    uint64_t epoch, batches, takeovers, adopted, begins_refused[3], finishes_refused, handed_over;
    int64_t batch_age_ms; // since the last one was confirmed
    int64_t clock_ms;     // this machine's wall clock is ahead of the store's by so much (S18)
    int32_t roles;
};
void store_count_node(const struct store *s, struct store_node_figures *out);

// --- upkeep

// A whole copy in one file, while the server runs; it may be called from any thread. ERR_STORAGE and `why`, also when
// the file is there already.
int store_backup(struct store *s, const char *path, char *why, size_t room);
// Puts a backup into a folder that no process has open, once it was found whole and of a version we know. What is there
// is replaced only when told, and kept beside it (agon.db.before).
int store_restore(const char *from, const char *folder, bool replace, char *why, size_t room);
struct store_counts {
    uint64_t agents, matches, running, actions, bytes;
};
void store_count(struct store *s, struct store_counts *out);
// Sets all ratings anew, for a recomputation from replays: forgets every rating, its history and all counters, then
// takes these (and counts)
// in the order of the calls. One transaction from begin to end.
store_ticket store_begin_ratings(struct store *s);
store_ticket store_put_rating(struct store *s, const struct store_rating *r, struct uuid match);
store_ticket store_end_ratings(struct store *s);
