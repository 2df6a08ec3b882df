// Persistent data: agents, ratings, matches and their logs.
//
// A put is queued in the order of the calls and gets a ticket. store_submit hands everything put since the last call to
// the writer, which makes it durable in one transaction (group commit). Nothing that follows from a put may leave the
// process before its ticket is durable (F8.1): the sender holds it back until then.
//
// Reads return durable data, each from one consistent state. With SQLite they run on the caller's thread with a
// connection of their own and block nobody. All are indexed: each takes far less than 5 ms with a million matches
// stored.
//
// A store may be remote (store_may_wait): then a read takes a while, and longer while the store is away. In a job
// (work/work.h) a read suspends the job, and everything that the job does not hold may have changed when it returns.
// Outside a job it blocks the thread, which is right while opening and in commands, and is counted (store_blocked). A
// read that gets no answer within STORE_PATIENCE_MS reports that there is nothing, and is counted (store_unanswered): a
// caller that must know the difference compares this count before and after.
//
// All functions are called on the thread that opened the store, except store_backup. Strings are UTF-8 and end with
// NUL; times are milliseconds since 1970.
#pragma once

#include "base/span.h"
#include "base/uuid.h"
#include "stats/counters.h"

#include <stdbool.h>
#include <stdint.h>

enum {
    STORE_SEATS = 10,
    STORE_HASH = 32,
    STORE_NAME = 208,  // 50 characters
    STORE_MODEL = 408, // 100 characters
    STORE_FORM = 10,   // number of results in the recent form
    STORE_PAGE = 256,  // most rows of a board in one call
    STORE_LATENCY_BUCKETS = 64,
    STORE_PATIENCE_MS = 3000, // how long a read waits for a store that is away
};

typedef uint64_t store_ticket;

struct store;
struct store_engine;
struct work;

struct store_options {
    const struct store_engine *engine; // NULL: SQLite
    const char *url;                   // of a PostgreSQL database
    bool takes_over;                   // takes over from a server that is connected but has not moved for a lease (S13)
    const char *folder;                // created if missing, with mode 0700
    size_t max_waiting;                // bytes submitted and not durable; store_submit blocks beyond that
    uint64_t margin_bytes;             // with less free space store_has_room returns false (F8.6)
    const char *synchronous;           // SQLite's setting; NULL: FULL
    size_t cache_bytes;                // page cache of the writer
    int pace_ms;                       // under load a transaction begins at most this often; after a pause, at once
    int busy_ms;         // how long to wait for another process's lock on the file before it counts as a failure
    uint32_t min_rated;  // rated games after which an agent is listed in a game (F7.8)
    struct work *work;   // suspends jobs that read; NULL: reads block the thread
    const char *node;    // name of one of several nodes; NULL: this process has the arena to itself (PostgreSQL)
    const char *address; // address at which agents reach this node, shown to people; NULL: unknown
    bool needs_standby;  // accepts nothing while the database has no synchronous standby (S72)
    bool hosts_nothing;  // with several nodes: no match is given to this one
    bool (*may_hold)(const char *role); // roles that this node may claim; NULL: all
    int lease_ms;                       // a node whose row has not changed for so long is dead (S13)
    const char *const *games;           // all games played here, ended by NULL: nodes must agree on their rows
    int64_t now_ms;                     // time of the opening, for which the boards are computed first
};

void store_defaults(struct store_options *o);
// Returns NULL and sets `why` if the folder is not a data folder, was made by a newer version, is damaged, or is in use
// by another process. Migrates an older schema first; each migration is one transaction.
struct store *store_open(const struct store_options *o, char *why, size_t room);
void store_close(struct store *s); // waits until everything put is durable or has failed

// --- from put to durable

store_ticket store_last(const struct store *s);    // ticket of the last put
store_ticket store_durable(const struct store *s); // the newest durable ticket, as of the last store_collect
void store_submit(struct store *s);                // call it at the end of every turn of the loop
int store_descriptor(const struct store *s);       // becomes readable when store_collect should be called
// Sets the newest durable ticket and wakes jobs whose reads are answered. Returns OK, or ERR_STORAGE from then on if a
// transaction failed (disk full, I/O error): nothing after that ticket will ever be durable, and the process must stop
// (F8.6). The store may also have gone away or come back (store_is_away): while it is away nothing becomes durable, and
// puts are kept.
int store_collect(struct store *s, store_ticket *durable);
// Waits until everything put is durable or the store is away. In a job, suspends the job.
void store_wait(struct store *s);
bool store_is_away(const struct store *s);        // for puts or for reads, as of the last store_collect
const char *store_absence(const struct store *s); // why it could not be reached last time; "": unknown
bool store_may_wait(const struct store *s);       // a read may wait, so reads for clients belong in a job
bool store_reach(struct store *s); // waits for a store that is away, as a read does; false: it is still away
uint64_t store_unanswered(const struct store *s); // number of reads without an answer
uint64_t store_blocked(const struct store *s);    // number of reads that waited outside a job
void store_give_up(struct store *s);              // before closing: reads no longer wait, and waiting ones return
bool store_lacks_standby(const struct store *s);  // S72: away because there is no standby
// S73, after ERR_STORAGE: batches that were confirmed and then lost by the database.
uint64_t store_lost_batches(const struct store *s);
bool store_has_room(const struct store *s);     // free space is above the margin
const char *store_fault(const struct store *s); // describes the failure after ERR_STORAGE

// With a shared store (store_may_refuse), the start or end of a match may be refused. The result comes with the ticket.
// From a refused put on, store_collect reports nothing as durable until another put replaces it (store_settle), so
// nothing that waits for its ticket is sent. Entries of the list of commitments are added in any case.
enum store_reason {
    STORE_NO_PLACE,     // start: a player may play no further match
    STORE_TERM_OVER,    // start: the role of the node that ordered it has passed on
    STORE_BEGAN_BEFORE, // start: the match exists already
    STORE_MOVED,        // end: another result has changed a rating, so this one must be computed again
};
struct store_refusal {
    store_ticket ticket;
    struct uuid match;
    enum store_reason reason;
};
bool store_may_refuse(const struct store *s);
bool store_take_refusal(struct store *s, struct store_refusal *out); // returns refusals in order
// The refused put counts as durable when `instead` is. If that is refused, too, store_take_refusal returns the first
// ticket again.
void store_settle(struct store *s, store_ticket refused, store_ticket instead);

// Number of times that reads met damaged data. Unreadable rows are treated as missing, so a caller that reads for a
// client checks afterwards whether the count has changed, and reports that instead. Nothing new may be begun on damaged
// data.
uint64_t store_damages(const struct store *s);
const char *store_damage(const struct store *s); // describes the first damage, with its table; "": none so far

// --- agents

enum store_kind { STORE_CLIENT, STORE_HOUSE, STORE_REMOTE, STORE_GUEST };

struct store_agent {
    struct uuid id;
    uint64_t public_no; // ten digits, unique
    uint8_t key_hash[STORE_HASH];
    uint8_t claim_hash[STORE_HASH];  // of the claim token; zero: no claim in progress
    uint8_t verify_hash[STORE_HASH]; // of the token in a verification e-mail; zero: none in progress
    int64_t created_ms, renamed_ms, verify_until_ms;
    int32_t max_games_per_day, max_games_per_hour, cooldown_seconds, max_concurrent;
    int32_t day_ceiling, hour_ceiling, cooldown_floor, concurrent_ceiling; // limits set by the operator; 0: none
    uint8_t kind;                                                          // enum store_kind
    bool has_key, claimed, disabled, auto_requeue, auto_confirm;
    uint8_t entropy[STORE_HASH]; // sent by the agent for its next deal; zero: none
    char client_kind[8];         // "cli", "desktop"; empty: not bound to a client
    char runtime_type[8];        // "direct", "mock"
    char device_id[65];          // empty: not bound to a device
    char instance[65];           // of the last connection (F4.21)
    char bridge_version[32];
    char terms_version[16], privacy_version[16]; // versions that the owner accepted
    char standby[96];                            // names of games, separated by commas
    char games[96];                              // of a remote bot, likewise
    char bot_url[256];                           // of a remote bot
    char owner[256];                             // e-mail address of the claim; empty: no owner
    char origin[64];                             // address that registered it; empty: loopback or unknown
    struct uuid lineage; // the first agent in the chain of registrations: each agent's key may register others
    char name[STORE_NAME];
    char model[STORE_MODEL]; // as the agent declared it
    char description[512];
};

store_ticket store_put_agent(struct store *s, const struct store_agent *a); // inserts or replaces the whole record
// With a shared store: writes only the fields that differ from the marks, so that changes by other nodes are not
// undone.
enum { STORE_AGENT_MARKS = 40 };
void store_mark_agent(const struct store_agent *a, uint32_t marks[STORE_AGENT_MARKS]);
store_ticket store_change_agent(struct store *s, const struct store_agent *a, const uint32_t before[STORE_AGENT_MARKS]);
bool store_find_agent(struct store *s, struct uuid id, struct store_agent *out);
bool store_find_agent_by_key(struct store *s, const uint8_t hash[STORE_HASH], struct store_agent *out);
bool store_find_agent_by_claim(struct store *s, const uint8_t hash[STORE_HASH], struct store_agent *out);
bool store_find_agent_by_verify(struct store *s, const uint8_t hash[STORE_HASH], struct store_agent *out);
bool store_has_public_no(struct store *s, uint64_t public_no);
// Agents of a kind (-1: any) in order of creation, from row `from` on. Returns how many were written.
int store_list_agents(struct store *s, int kind, int from, struct store_agent *out, int room, int *total);

// Claimed and enabled agents whose name begins with `begin` (ASCII case is ignored), by name. "": all, newest first.
// Returns how many were written.
struct store_agent_name {
    struct uuid id;
    uint8_t kind; // enum store_kind
    char name[STORE_NAME];
    char model[STORE_MODEL];
};
int store_find_names(struct store *s, const char *begin, int from, struct store_agent_name *out, int room);

// Guests in order of their rows, after row `*after` (0: from the first), which is set to the last one returned. Returns
// how many were written; 0: no more. Used to visit all guests in small pieces.
struct store_guest {
    struct uuid id;
    int64_t created_ms, played_ms; // played_ms: end of its last match; 0: none
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
store_ticket store_put_pairing(struct store *s, const struct store_pairing *p); // revokes the agent's older codes
store_ticket store_use_pairing(struct store *s, const uint8_t code_hash[STORE_HASH]);
// With several nodes, the first caller gets the code (S46). A read; returns false if another node has it, or without an
// answer.
bool store_take_pairing(struct store *s, const uint8_t code_hash[STORE_HASH]);
bool store_find_pairing(struct store *s, const uint8_t code_hash[STORE_HASH], struct store_pairing *out);

// --- ratings, by agent and game (F7)

// Instead of a version: what was computed from a rating whose end was refused, so that it is refused, too (S41).
#define STORE_NO_VERSION (UINT64_MAX / 4)

struct store_rating {
    struct uuid agent;
    char game[24];
    uint64_t
        // Version of the stored row that this one was computed from (S41); 0: no row, or the store does not count
        // versions.
        version;
    double rating, deviation, volatility, peak;
    int64_t rated_ms;  // when its last rated match ended; 0: none
    int64_t played_ms; // when its last match ended
    uint32_t games, rated_games, wins, losses, draws;
    int32_t streak, best_streak;             // wins in a row; negative: losses
    char form[STORE_FORM + 1];               // 'w', 'l', 'd', newest first
    uint32_t latency[STORE_LATENCY_BUCKETS]; // histogram of decision times, see lobby/latency.h
};

int store_ratings(struct store *s, struct uuid agent, struct store_rating *out, int room);

// Boards are kept in memory and read by a thread of their own when the store is opened. Calls before that is done
// block, unless store_has_boards returned true. When it returns false, the descriptor becomes readable when it is time
// to ask again.
bool store_has_boards(struct store *s);
void store_tend_boards(struct store *s, int64_t now_ms); // call it now and then: lets idle agents drop, a few at a time

struct store_rank {
    struct uuid agent;
    int place; // place among agents that are no house agents, from 1; 0: a house agent
    double rating, deviation, volatility;
    double display; // rating minus two deviations, the deviation grown by the idle days until `now` (F7.5)
    int64_t rated_ms;
    uint32_t games, rated_games, wins, losses, draws;
    uint8_t pace; // bucket of its median decision (store_rating.latency), from 1; 0: no decision was timed
    char form[STORE_FORM + 1];
    char name[STORE_NAME];
    char model[STORE_MODEL];
    bool is_house;
};
// F7.10: listed agents by display, then games, then id. House agents are included, and marked.
int store_leaderboard(struct store *s, const char *game, int64_t now_ms, int from, struct store_rank *out, int room,
                      int *total);

// F7.11: one row for each agent that is listed in at least one game, best first, then by games, then by id.
struct store_total {
    struct uuid agent;
    int place;                           // as in store_rank; also 0 if it is listed in no game
    double aggregate;                    // of the displays of its listed games, as of `now`
    uint32_t games, wins, losses, draws; // in all games
    int32_t games_active;                // number of games in which it has finished a match
    char name[STORE_NAME];
    char model[STORE_MODEL];
    bool is_house;
};
int store_overall(struct store *s, int64_t now_ms, int from, struct store_total *out, int room, int *total);
// The row of one agent.
void store_overall_of(struct store *s, struct uuid agent, int64_t now_ms, struct store_total *out);

// How an agent plays: counters of all its finished matches, summed (stats/counters.h).
struct store_counters {
    char game[24];
    uint32_t matches;
    int64_t since_ms; // end of the first of these matches
    struct counts counts;
};
// For recomputing ratings; normally store_finish_match adds the counts.
store_ticket store_add_counts(struct store *s, struct uuid agent, const char *game, int64_t at_ms,
                              const struct counts *counts);
int store_counters(struct store *s, struct uuid agent, struct store_counters *out, int room); // by game

struct store_point {
    char game[24];
    double rating;
    double deviation; // 0: unknown
    int64_t at_ms;
};
int store_rating_history(struct store *s, struct uuid agent, struct store_point *out, int room); // newest last

// The same with the matches, newest first; `game` NULL: of all games. For a page of a profile: of the seats only names,
// payoffs and results are set; `seat` is the agent's.
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
    struct uuid session; // identifies the match on this player's connection (F2.6)
    bool one_shot;       // F3.6
    int32_t places; // most matches that it may play at once; 0: no limit. Not stored: the start is refused by it (S23)
    bool delivered; // the player has received game_over (F4.22)
    bool dropped;
    uint8_t result;        // 'w', 'l', 'd'; 0 while running
    char name[STORE_NAME]; // the agent's name when the match began
    // Rating in the game before and after a rated match; all 0: unrated, or finished before these were stored.
    struct store_grade before, after;
};

struct store_match {
    struct uuid id;        // internal id
    struct uuid replay;    // public_replay_id
    struct uuid live;      // public_live_id
    struct uuid challenge; // zero: from a queue
    char game[24];
    char mode[33];
    uint8_t key[32];
    uint8_t commitment[STORE_HASH];
    int64_t created_ms, started_ms, finished_ms;
    int32_t seats;
    int32_t teams; // as in struct game: 0 if everybody plays alone; partners are not opponents (F5.13)
    int32_t payoffs[STORE_SEATS];
    uint32_t events;               // length of the public sequence (F2.8)
    uint32_t swing, largest_swing; // of the winning chances, in thousandths (stats/swing.h); 0: unknown
    uint8_t status;                // enum store_status
    bool rated, is_draw;
    int8_t winner;          // -1: none
    int8_t forfeited_by;    // -1: nobody
    uint8_t forfeit_reason; // numbers of the lobby; 0: none
    uint64_t deal;          // its number in the list of commitments; 0: begun before there was one
    uint16_t unreported;    // bit set of the seats that have not received game_start
    // Term of `order_role`, which ordered it; 0: nobody did. Not stored: the start is refused by it (S24).
    uint64_t order_term;
    char order_role[40];
    struct store_seat seat[STORE_SEATS];
};

struct store_entry;
// `log` is the head of the replay (match/replay.h): rules, seats, commitment. `e` is an entry of the list of
// commitments to be added in the same transaction; NULL: none.
store_ticket store_begin_match(struct store *s, const struct store_match *m, const struct store_entry *e,
                               struct span log);
// Adds what one accepted action, fallback, drop or leave appended to the log, with its time and the player's note
// (JSON, may be empty: usage and decision of F2.4).
store_ticket store_append(struct store *s, struct uuid match, int64_t at_ms, struct span log, struct span note);
store_ticket store_mark_unreported(struct store *s, struct uuid match, uint16_t seats);
// The end of a match in one transaction: the last bytes of the log, the result, all changed ratings, `e` (may be NULL)
// and how everybody played (`habits`, by seat; NULL: not counted).
store_ticket store_finish_match(struct store *s, const struct store_match *m, const struct store_entry *e,
                                int64_t at_ms, struct span log, const struct store_rating *ratings, int count,
                                const struct counts *habits);
store_ticket store_mark_delivered(struct store *s, struct uuid match, int seat);

// --- the list of commitments (docs/fairness.md)

// An append-only list. The lobby makes the entries, with their links; the store keeps their order and refuses a number
// that is published, dealt or closed twice.
enum store_entry_kind { STORE_EPOCH, STORE_PUBLISHED, STORE_DEALT, STORE_CLOSED };
enum { STORE_ENTRY_BODY = 448, STORE_ENTRIES_OF_NUMBER = 3 };

struct store_entry {
    uint64_t place;  // position in the list, from 0
    uint64_t number; // of the deal, from 1; of an epoch: its first
    int64_t at_ms;
    uint8_t kind;  // enum store_entry_kind
    uint16_t size; // of the body
    uint8_t body[STORE_ENTRY_BODY];
    uint8_t link[STORE_HASH];
};
store_ticket store_put_entry(struct store *s, const struct store_entry *e);
// Returns how many were written.
int store_list_entries(struct store *s, uint64_t from, struct store_entry *out, int room);
// The entries of one number: published, dealt, closed, as far as they exist.
int store_find_entries(struct store *s, uint64_t number, struct store_entry out[STORE_ENTRIES_OF_NUMBER]);
bool store_last_entry(struct store *s, struct store_entry *out);
uint64_t store_last_number(struct store *s, enum store_entry_kind kind); // 0: none

// The master secret of the numbers from `first` on. Only the secrets of single numbers are ever published.
struct store_epoch {
    uint64_t first;
    uint8_t id[STORE_HASH];
    uint8_t secret[STORE_HASH];
    bool restored; // the data was restored from a backup: later numbers of the epoch may have been used before
    uint64_t node; // the node whose chain it is; 0: the arena's
    bool ended;    // no more deals from it
};
store_ticket store_put_epoch(struct store *s, const struct store_epoch *e);
int store_list_epochs(struct store *s, int from, struct store_epoch *out, int room); // oldest first
// With several nodes, each has a chain of its own in one list. The store assigns places and links (STORE_NEXT_PLACE),
// and each run of a node begins a chain at a number of its own.
#define STORE_NEXT_PLACE UINT64_MAX
enum { STORE_CHAIN_BITS = 34 }; // a chain has at most 2^34 numbers
// First number of this node's new chain; 0: the arena's chain continues.
uint64_t store_first_deal(const struct store *s);
store_ticket store_end_epoch(struct store *s, uint64_t first);
// Chains of nodes that are gone, not ended yet.
int store_list_left_epochs(struct store *s, struct store_epoch *out, int room);
// The last number of this kind in [first, first + 2^STORE_CHAIN_BITS); 0: none.
uint64_t store_last_number_of(struct store *s, enum store_entry_kind kind, uint64_t first);

bool store_find_match(struct store *s, struct uuid id, struct store_match *out);
bool store_find_replay(struct store *s, struct uuid replay, struct store_match *out);
bool store_find_session(struct store *s, struct uuid session, struct store_match *out, int *seat);
// Calls `each` with every piece of the log, in order, until it returns false. Returns OK, ERR_UNKNOWN, or ERR_FORMAT if
// the log is damaged.
typedef bool store_each(void *owner, int64_t at_ms, struct span log, struct span note);
int store_read_log(struct store *s, struct uuid match, store_each *each, void *owner);
int store_list_running(struct store *s, struct uuid *out, int room, int *total); // oldest first
// Finished matches, newest first; `game` NULL: of all games; `agent` NULL: of everybody. `delivered` of the seats may
// not be set.
int store_list_matches(struct store *s, const char *game, const struct uuid *agent, int from, struct store_match *out,
                       int room, int *total);
// Finished matches in the order in which their results were counted (S41), after `*after` (0: from the first), which is
// set to the last one returned.
int store_list_ended(struct store *s, uint64_t *after, struct store_match *out, int room);
// The newest finished matches of an agent and its seat in each, for a profile. Fast, because of the seats only names,
// payoffs and results are set.
int store_list_recent(struct store *s, struct uuid agent, struct store_match *out, int *seat, int room);
// Finished matches not older than `since_ms` whose game_over this agent has not received, oldest first (F4.19).
int store_list_undelivered(struct store *s, struct uuid agent, int64_t since_ms, struct uuid *out, int room);
// When matches that count towards the caps of F3.4 began: after `since_ms`, without one_shot ones, newest first.
int store_list_starts(struct store *s, struct uuid agent, int64_t since_ms, int64_t *at_ms, int room);

struct store_versus {
    struct uuid opponent;
    char name[STORE_NAME];
    char game[24];
    uint32_t games, wins, losses, draws;
};
// F5.13: opponents in finished matches, with results by F7.4, most frequent first; `game` NULL: in all games.
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
    struct uuid match; // zero: not begun
    int32_t places, taken;
    uint8_t status;                 // enum store_duel
    struct uuid agent[STORE_SEATS]; // in the order of accepting; the host first
};
store_ticket store_put_challenge(struct store *s, const struct store_challenge *c);
bool store_find_challenge(struct store *s, struct uuid id, struct store_challenge *out);
bool store_find_challenge_by_token(struct store *s, const uint8_t hash[STORE_HASH], struct store_challenge *out);
int store_list_challenges(struct store *s, struct uuid agent, struct store_challenge *out, int room); // newest first
// Pending, accepted, waiting or in match.
int store_list_open_challenges(struct store *s, struct store_challenge *out, int room);

// --- several nodes on one store (docs/spec/scale-store.md, S10 to S33)
//
// One run of a node is an epoch. Unless a function is called a read, its answer comes from memory and is a second or
// two old. With SQLite, or with an arena of one process, there is one node.

// Allowed in a node's name.
#define STORE_NODE_LETTERS "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-_."
enum { STORE_NODES = 64, STORE_NODE_NAME = 64, STORE_ADDRESS = 128, STORE_ROLE = 40, STORE_ROLES = 128 };
// The last one: connects agents, but hosts no matches.
enum store_node_state { STORE_JOINS, STORE_SERVES, STORE_DRAINS, STORE_CARRIES };

struct store_node {
    uint64_t epoch;
    int64_t batch, age_ms;              // age_ms: time since its row was last seen to change
    int32_t program, load;              // its version; matches that it hosts
    int32_t agents, queued, spectators; // as it last reported; agents: connected by any protocol
    uint8_t state;                      // enum store_node_state
    bool has_bus;
    char name[STORE_NODE_NAME], address[STORE_ADDRESS];
};
bool store_is_shared(const struct store *s);    // there may be other nodes
uint64_t store_my_epoch(const struct store *s); // 0 with SQLite
bool store_is_fenced(
    const struct store *s); // after ERR_STORAGE: the node was taken over, or the database has lost batches (S15)
struct uuid store_arena_id(const struct store *s); // the same for all nodes; zero with SQLite
int store_list_nodes(const struct store *s, struct store_node *out, int room); // includes this one; ordered by epoch
bool store_is_live(const struct store *s, uint64_t epoch);                     // it has a row
// Sets what the node's row tells other nodes, from its next batch on.
void store_describe_node(struct store *s, enum store_node_state state);
void store_describe_bus(struct store *s, bool has_bus);
struct store_load {
    int32_t agents, queued, spectators;
};
void store_describe_load(struct store *s, const struct store_load *load); // written once a second, if it has changed

// S20: a role has one holder at a time. Its term grows with every change of holder; an order names the term
// (store_match.order_term).
struct store_role {
    char role[STORE_ROLE]; // "sweep", "mm:GAME", "tour:ID"
    uint64_t epoch, term;
};
void store_want_role(struct store *s, const char *role);      // claims it once a second from now on
void store_give_role_up(struct store *s, const char *role);   // and stops claiming it
uint64_t store_term(const struct store *s, const char *role); // the term while this node holds it; else 0
bool store_find_role(const struct store *s, const char *role, struct store_role *out); // its current holder

// S47: tournaments of several nodes, stored as the files that their directors write. The holder of the role `tour:ID`
// writes, all nodes read. A growing file is put in parts, each with the offset of its first byte. Not implemented by
// SQLite.
#define STORE_TOURNAMENT_WHOLE UINT64_MAX // offset of a file that is put as a whole
enum { STORE_TOURNAMENT_FILE = 64 };      // a file name, with its terminating NUL
struct store_tournament {
    struct uuid id;
    uint64_t changes; // changes when a whole file is put or dropped
    bool is_past;
};
// `ends`: this file ends the tournament.
store_ticket store_put_tournament_file(struct store *s, struct uuid tour, const char *file, uint64_t at,
                                       struct span bytes, bool ends);
store_ticket store_drop_tournament_file(struct store *s, struct uuid tour, const char *file);
// A read. Tournaments that have not ended, or only recently; `all`: the others too. Returns how many were written, or
// -1 without an answer.
int store_list_tournaments(struct store *s, bool all, struct store_tournament *out, int room);
// Reads. Call `each`, which must not wait: with every whole file, or with the parts of a growing file that overlap
// [from, to), in order. Return false without an answer.
typedef void store_each_tournament_file(void *owner, const char *file, uint64_t at, struct span bytes);
bool store_read_tournament(struct store *s, struct uuid tour, store_each_tournament_file *each, void *owner);
bool store_read_tournament_file(struct store *s, struct uuid tour, const char *file, uint64_t from, uint64_t to,
                                store_each_tournament_file *each, void *owner);

// S26: where an agent is connected. The connection with the highest number is the valid one.
struct store_presence {
    uint64_t epoch, conn; // 0: not connected
    uint32_t flags;       // defined by the lobby
    char instance[65];
};
struct store_hosted { // a running match of an agent and the node that hosts it
    struct uuid match;
    uint64_t epoch;
    bool busy; // another of its players is connected to the host
    char node[STORE_NODE_NAME], address[STORE_ADDRESS];
};
struct store_arrival {
    uint64_t conn;                // number of this connection; 0: not counted, or refused
    struct store_presence before; // the connection that it replaces
    int matches;                  // number of running matches
    struct store_hosted match[STORE_SEATS];
};
// All of these are reads. Registers a connection. Returns false without an answer, or if this node was taken over.
// `claims`: the connection cannot be relayed, so the agent's matches are requested from their hosts (STORE_NEWS_WANTED
// there). But if one of them is busy at another node and none is here, nothing is written and the connection is
// refused: conn is 0.
bool store_arrive(struct store *s, struct uuid agent, const char *instance, uint32_t flags, bool claims,
                  struct store_arrival *out);
// Matches on all nodes that count against the agent's limit; -1: no answer.
int store_count_places(struct store *s, struct uuid agent);
bool store_find_presence(struct store *s, struct uuid agent, struct store_presence *out); // false: not connected
// Agents connected to this node, by connection number, after `*after` (0: from the first), which is set to the last one
// returned. Returns how many were written, or -1 without an answer.
int store_list_presence(struct store *s, uint64_t *after, struct uuid *out, int room);
bool store_find_host(struct store *s, struct uuid match, struct store_hosted *out); // false: it is not running
void store_depart(struct store *s, struct uuid agent, uint64_t conn); // without a ticket, because nothing depends on it

// S46: a rate limit over all nodes: one call in `each_ms`, `burst` at once. Returns 0 if the call is allowed (and
// counted), the seconds to wait, or -1 without an answer. With an arena of one process nothing is counted here.
int store_take_call(struct store *s, int kind, struct span who, int64_t each_ms, int64_t burst);
// S48, S49: matches played and agents connected at other nodes.
struct store_elsewhere {
    struct store_hosted at;
    bool house; // only house players
    struct store_match match;
};
// Returns how many are connected to any node.
int store_find_present(struct store *s, const struct uuid *agents, int count, bool *out);
// At any node; false: it is not running.
bool store_find_live(struct store *s, struct uuid live, struct store_elsewhere *out);
int store_list_elsewhere(struct store *s, struct store_elsewhere *out, int room, int *total); // newest first
// Of one agent, newest first.
int store_list_played(struct store *s, struct uuid agent, struct store_elsewhere *out, int room);

// News from other nodes. Call store_take_news until it returns false, after store_collect.
enum store_news_kind {
    STORE_NEWS_ADOPT,    // `match` belongs to this node from now on: read it, continue it, then store_mark_adopted
    STORE_NEWS_AGENT,    // another node has changed the record of `agent`
    STORE_NEWS_PRESENCE, // `agent` has connected to the node `epoch`, with connection number `count`
    STORE_NEWS_WANTED,   // players of `match`, which is hosted here, are at `epoch`: hand it over, or keep it
    STORE_NEWS_TAKEOVER, // this node took over `epoch`, named `name`, silent for `ms`, with `count` matches
    STORE_NEWS_JOINED,   // a new node
    STORE_NEWS_GONE,     // the node has ended
    STORE_NEWS_ROLE,     // this node holds the role `name` in term `count`; 0: no longer
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
// Its player may play another match (F3.15).
store_ticket store_mark_dropped(struct store *s, struct uuid match, int seat);
// S60: gives the match to another node, which adopts it. `state` (the lobby's format) says what was asked and sent;
// empty: the other node asks again. store_keep_match instead keeps it here, whichever node wants it.
enum { STORE_HANDOVER = 4096 };
store_ticket store_hand_over(struct store *s, struct uuid match, uint64_t epoch, struct span state);
// A read, valid until store_mark_adopted. Returns how many bytes were written; 0: no state was handed over.
int store_find_handover(struct store *s, struct uuid match, char out[STORE_HANDOVER]);
store_ticket store_keep_match(struct store *s, struct uuid match);
void store_poll_soon(struct store *s); // there is news: looks at the other nodes without waiting for the next second

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
    struct store_takeover takeover[16]; // the most recent ones, newest first
};
bool store_read_cluster(struct store *s, struct store_cluster *out); // a read; false: no answer
struct store_node_figures {
    uint64_t epoch, batches, takeovers, adopted, begins_refused[3], finishes_refused, handed_over;
    int64_t batch_age_ms; // since the last batch was confirmed
    int64_t clock_ms;     // how much this machine's clock is ahead of the store's (S18)
    int32_t roles;
};
void store_count_node(const struct store *s, struct store_node_figures *out);

// --- upkeep

// Writes a consistent copy to one file while the server runs; from any thread. Returns ERR_STORAGE and sets `why`, also
// if the file exists.
int store_backup(struct store *s, const char *path, char *why, size_t room);
// Restores a backup to a folder that no process has open, after checking that it is complete and of a known version.
// Existing data is replaced only with `replace`, and kept as agon.db.before.
int store_restore(const char *from, const char *folder, bool replace, char *why, size_t room);
struct store_counts {
    uint64_t agents, matches, running, actions, bytes;
};
void store_count(struct store *s, struct store_counts *out);
// Replaces all ratings, for a recomputation from replays: removes every rating, its history and all counters, then
// takes the following ratings and counts in order. One transaction from begin to end.
store_ticket store_begin_ratings(struct store *s);
store_ticket store_put_rating(struct store *s, const struct store_rating *r, struct uuid match);
store_ticket store_end_ratings(struct store *s);
