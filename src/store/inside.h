// What the files of this room share.
//
// A put fills a record of the queue in the caller's thread; the writer's thread runs what the table in writer.c has for
// its kind, in a transaction for all records that were handed over together. The caller's thread names rows (matches,
// pieces, games) beforehand, so that the writer need not look up what it just wrote.
#pragma once

#include "base/err.h"
#include "store/bytes.h"
#include "store/db.h"
#include "store/engine.h"
#include "store/feed.h"
#include "store/running.h"
#include "store/store.h"

#include <pthread.h>
#include <stdatomic.h>

enum {
    STORE_AGENT_ROWS = 16384, // rows of agents that the writer remembers; a power of two, as the next two
    STORE_LIST_ENDS = 32768,  // and how long the lists of agents are
    STORE_ENDED = 1024,       // and matches that ended lately: their players will have heard of it soon
};

enum record_kind {
    RECORD_GAME,
    RECORD_AGENT,
    RECORD_PAIRING,
    RECORD_USE_PAIRING,
    RECORD_BEGIN,
    RECORD_APPEND,
    RECORD_UNTOLD,
    RECORD_FINISH,
    RECORD_MOVE,
    RECORD_DELIVERED,
    RECORD_CHALLENGE,
    RECORD_ENTRY,
    RECORD_EPOCH,
    RECORD_COUNTERS,
    RECORD_BEGIN_RATINGS,
    RECORD_RATING,
    RECORD_END_RATINGS,
    RECORD_REFUSED, // nothing
    RECORD_KINDS
};

struct record {
    uint32_t size; // of all of it; a multiple of 8
    uint32_t kind;
    char body[];
};

struct agent_row { // never changes, once it is given
    struct uuid id;
    int64_t row; // 0: empty
};

struct list_end { // the number of matches in one list
    int64_t agent, game;
    int64_t number; // 0: empty
};

struct ended_match {
    struct uuid id;
    int64_t row; // 0: empty
    int64_t at_ms;
    int64_t agent[STORE_SEATS];
};

struct game_name {
    int64_t row;
    char name[24];
};

// One piece of a log on its way; the bytes of log and note follow it.
struct piece {
    int64_t id, match, at_ms;
    uint64_t sum;
    uint32_t number, log_size, note_size;
    uint32_t pad;
};

struct store {
    struct store_head head; // first
    struct store_options options;
    char *folder;
    int folder_lock; // the file that keeps other processes out
    int event;

    // The caller's thread.
    struct db reader;
    int reads; // nested
    bool away;
    struct trial *trial; // NULL: what is read and put goes to the file, and nothing else
    uint64_t unanswered, blocked;
    struct running running;
    struct bytes open; // records put, not yet handed over
    store_ticket last, collected;
    int64_t last_match, last_piece, swept; // rows given out; pieces below `swept` are gone
    char game[STORE_GAMES + 1][24];        // by row; 0 is none
    int games;
    uint64_t fresh_number[STORE_FRESH_NUMBERS];
    uint32_t fresh_numbers;
    struct boards *boards; // NULL: they are still being read
    struct feed feed;      // for them

    // Both, under `lock`.
    pthread_mutex_t lock;
    pthread_cond_t wake;  // the writer: there is work
    pthread_cond_t moved; // the caller: work was taken, or done
    struct bytes handed;
    store_ticket handed_last;
    size_t taken_size;
    bool idle, hurry, stop;
    char fault[STORE_WHY];
    uint64_t damages; // met by reads so far
    char damage[STORE_WHY];
    bool boards_damaged; // they could not be read whole

    pthread_cond_t asked; // the keeper: the write-ahead log is long
    bool keeper_stop;
    atomic_int keeper_state;

    _Atomic store_ticket durable;
    atomic_bool failed;

    // The writer's thread.
    pthread_t thread;
    bool has_thread;
    struct db writer;
    struct bytes taken, fold, scratch;
    struct agent_row agent_row[STORE_AGENT_ROWS]; // by the hash of the id, the last one that came there
    struct list_end list_end[STORE_LIST_ENDS];    // likewise by agent and game
    struct ended_match ended[STORE_ENDED];        // likewise
    store_ticket taken_last;
    int64_t writer_swept;
    int wal_frames;
    bool in_transaction, holding; // holding: no commit before the ratings are complete

    // The keeper's thread (checkpoint.c).
    pthread_t keeper_thread;
    bool has_keeper;
    sqlite3 *keeper;

    // The thread that reads the boards (board_news.c).
    pthread_t loader_thread;
    bool has_loader; // not yet joined
    sqlite3 *loader;
    atomic_bool loader_stop, boards_wanted;
    struct boards *loading;
    char loader_damage[STORE_WHY]; // "": none; set before `loaded`
    atomic_bool loaded;
};

// --- what the engine consists of
struct store *lite_open(const struct store_options *o, char *why, size_t room);
void lite_close(struct store *s);
#define LITE_ANSWER(type, name, parameters, arguments) type lite_##name parameters;
#define LITE_ACT(name, parameters, arguments)          void lite_##name parameters;
ENGINE_ANSWERS(LITE_ANSWER)
ENGINE_ACTS(LITE_ACT)
#undef LITE_ANSWER
#undef LITE_ACT

// --- schema.c, files.c
extern const char *const *const store_migrations[]; // each a list of statements, ended by NULL
extern const int store_migration_count;
int store_migrate(sqlite3 *handle, const char *const *const *steps, int count, char *why, size_t room);
int store_check_ours(sqlite3 *handle, int newest, char *why, size_t room); // application id and version; ERR_*
int store_lock_folder(const char *folder, char *why, size_t room);         // a descriptor, or -1
char *store_path(const char *folder, const char *name);                    // the caller frees it
sqlite3 *store_open_file(const char *path, int flags, const struct store_options *o, char *why, size_t room);

// --- wal_file.c
#define STORE_WAL_FILE "agon" // a name for sqlite3_open_v2: the write-ahead log is written in few calls
void store_register_wal_file(void);

// --- queue.c
// A record with room for `size` bytes of body, counted as put. Valid until the next put or submit.
void *store_put(struct store *s, enum record_kind kind, size_t size);
void store_fail(struct store *s, const char *what, const char *why); // from then on ERR_STORAGE
void store_note_damage(struct store *s, const char *what);           // the caller's thread alone

// --- trial.c
bool store_await_answer(struct store *s);
void store_collect_trial(struct store *s); // whether it is away; and wakes those whose answers are there
void store_end_trial(struct store *s);
bool store_refuse_begin(struct store *s, struct uuid match, store_ticket ticket);
bool store_refuse_finish(struct store *s, const struct store_match *m, store_ticket ticket);
store_ticket store_put_refused(struct store *s, const struct store_entry *e); // a ticket, and e (may be NULL)
store_ticket store_hold_refused(struct store *s, store_ticket durable);       // what may be told of it

// What every read does before anything else: between this and its end no other job runs, so statements and snapshots
// are its own. False: there is no answer, and the read tells that there is nothing.
static inline bool store_await(struct store *s)
{
    return !s->trial || s->reads > 0 || store_await_answer(s);
}

// --- logs.c
void store_fill_piece(struct piece *p, struct span log, struct span note); // there is room behind it
void store_keep_piece(struct running_match *m, int64_t at_ms, struct span log, struct span note);

// --- players.c: who played and what they got, in the row of the match
enum { STORE_PLAYERS = STORE_SEATS * (6 * STORE_NAME + 32) }; // bytes of JSON, at most: every byte of a name escaped
struct span store_write_players(const struct store_match *m, const int64_t agent[STORE_SEATS], char at[STORE_PLAYERS]);
struct span store_write_outcome(const struct store_match *m, char at[STORE_PLAYERS]);
// Names, payoffs and results by seat; the seat of this agent (a row), -1 when it has none.
void store_read_outcome(struct span outcome, struct store_match *out);
int store_read_players(struct span players, struct span outcome, int64_t agent, struct store_match *out);

// --- checkpoint.c
bool store_start_keeper(struct store *s);
void store_stop_keeper(struct store *s);
void store_keep_wal_short(struct store *s); // the writer, after a commit

// --- writer.c
void *store_write_all(void *store); // the thread

// --- what the writer does for each kind of record; OK or ERR_STORAGE
typedef int store_apply(struct store *s, const void *body);
store_apply store_apply_agent, store_apply_pairing, store_apply_use_pairing, store_apply_begin, store_apply_append,
    store_apply_unreported, store_apply_finish, store_apply_move, store_apply_delivered, store_apply_challenge,
    store_apply_entry, store_apply_epoch, store_apply_counters, store_apply_begin_ratings, store_apply_rating,
    store_apply_end_ratings;

int64_t store_row_of_agent(struct store *s, const struct uuid *id); // of the writer; 0: unknown, a fault
int store_write_piece(struct store *s, const struct piece *p);
int store_write_log(struct store *s, int64_t match, uint32_t pieces, struct span log, bool sound);
int store_fold_pieces(struct store *s, int64_t match, const int64_t *piece, uint32_t count);
int store_write_counts(struct store *s, const struct uuid *id, int64_t game, int64_t at_ms,
                       const struct counts *counts); // added to those of the agent
// `match`: of the rated match that changed it, for the history; 0: none did, or the history has it already.
int store_write_rating(struct store *s, const struct store_rating *r, int64_t game, int64_t match);

// --- board_news.c: the boards follow what is put, as it becomes durable
bool store_start_loader(struct store *s);
void store_stop_loader(struct store *s);
void store_catch_up(struct store *s);         // what is durable shows on the boards, if they are there
struct boards *store_boards(struct store *s); // up to date; waits until they are there

// --- for reading, in the caller's thread
// Reads in between see one state of the data. They may be nested.
void store_begin_read(struct store *s);
void store_end_read(struct store *s);
int store_game_row(const struct store *s, const char *game); // 0: unknown
int store_name_game(struct store *s, const char *game);      // its row, made when it is new
const char *store_game_name(const struct store *s, int row);
int64_t store_agent_row(struct store *s, struct uuid id); // 0: unknown
