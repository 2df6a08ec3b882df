// Shared by the files of this room (SQLite).
//
// A put fills a record of the queue on the caller's thread. The writer thread calls the function that the table in
// writer.c has for its kind, in one transaction for all records submitted together. The caller's thread assigns row
// numbers (matches, pieces, games) in advance, so that the writer need not look up what it has just written.
#pragma once

#include "base/err.h"
#include "store/board_updates.h"
#include "store/bytes.h"
#include "store/db.h"
#include "store/engine.h"
#include "store/running.h"
#include "store/store.h"

#include <pthread.h>
#include <stdatomic.h>

enum {
    STORE_AGENT_ROWS = 16384, // rows of agents cached by the writer; a power of two, as the next two
    STORE_LIST_ENDS = 32768,  // cached lengths of agents' lists
    STORE_ENDED = 1024,       // matches that ended recently, cached because their players will receive game_over soon
};

enum record_kind {
    RECORD_GAME,
    RECORD_AGENT,
    RECORD_PAIRING,
    RECORD_USE_PAIRING,
    RECORD_BEGIN,
    RECORD_APPEND,
    RECORD_UNREPORTED,
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
    RECORD_REFUSED, // no effect; takes up a ticket
    RECORD_KINDS
};

struct record {
    uint32_t size; // of the whole record; a multiple of 8
    uint32_t kind;
    char body[];
};

struct agent_row { // immutable once assigned
    struct uuid id;
    int64_t row; // 0: empty
};

struct list_end { // number of matches in one list
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

// One piece of a log, in the queue; followed by the bytes of log and note.
struct piece {
    int64_t id, match, at_ms;
    uint64_t sum;
    uint32_t number, log_size, note_size;
    uint32_t pad;
};

struct store {
    struct store_head head; // must be first
    struct store_options options;
    char *folder;
    int folder_lock; // descriptor of the file whose lock keeps other processes out
    int event;

    // Used by the caller's thread.
    struct db reader;
    int reads; // depth of nested reads
    bool away;
    struct mock *mock; // tests only (mock_remote.h); NULL: normal operation
    uint64_t unanswered, blocked;
    struct running running;
    struct bytes open; // records not submitted yet
    store_ticket last, collected;
    int64_t last_match, last_piece, swept; // last rows assigned; pieces below `swept` are deleted
    char game[STORE_GAMES + 1][24];        // by row; 0: unused
    int games;
    uint64_t fresh_number[STORE_FRESH_NUMBERS];
    uint32_t fresh_numbers;
    struct boards *boards;              // NULL: still being read
    struct board_updates board_updates; // updates for the boards that are not durable yet

    // Shared by both threads, guarded by `lock`.
    pthread_mutex_t lock;
    pthread_cond_t wake;  // for the writer: there is work
    pthread_cond_t moved; // for the caller: work was taken or done
    struct bytes handed;
    store_ticket handed_last;
    size_t taken_size;
    bool idle, hurry, stop;
    char fault[STORE_WHY];
    uint64_t damages; // number of damages met by reads
    char damage[STORE_WHY];
    bool boards_damaged; // they could not be read completely

    pthread_cond_t asked; // for the checkpointer: the write-ahead log is long
    bool checkpointer_stop;
    atomic_int checkpointer_state;

    _Atomic store_ticket durable;
    atomic_bool failed;

    // Used by the writer thread.
    pthread_t thread;
    bool has_thread;
    struct db writer;
    struct bytes taken, fold, scratch;
    struct agent_row agent_row[STORE_AGENT_ROWS]; // direct-mapped cache, by hash of the id
    struct list_end list_end[STORE_LIST_ENDS];    // likewise, by agent and game
    struct ended_match ended[STORE_ENDED];        // likewise, by match
    store_ticket taken_last;
    int64_t writer_swept;
    int wal_frames;
    bool in_transaction, holding; // holding: no commit until all ratings are written

    // Used by the checkpointer thread (checkpoint.c).
    pthread_t checkpointer_thread;
    bool has_checkpointer;
    sqlite3 *checkpointer;

    // Used by the thread that reads the boards (board_loader.c).
    pthread_t loader_thread;
    bool has_loader; // not joined yet
    sqlite3 *loader;
    atomic_bool loader_stop, boards_wanted;
    struct boards *loading;
    char loader_damage[STORE_WHY]; // "": none; written before `loaded` is set
    atomic_bool loaded;
};

// --- the functions of the engine
struct store *lite_open(const struct store_options *o, char *why, size_t room);
void lite_close(struct store *s);
#define LITE_ANSWER(type, name, parameters, arguments) type lite_##name parameters;
#define LITE_ACT(name, parameters, arguments)          void lite_##name parameters;
ENGINE_ANSWERS(LITE_ANSWER)
ENGINE_ACTS(LITE_ACT)
#undef LITE_ANSWER
#undef LITE_ACT

// --- schema.c, files.c
extern const char *const *const store_migrations[]; // each is a list of statements, ended by NULL
extern const int store_migration_count;
int store_migrate(sqlite3 *handle, const char *const *const *steps, int count, char *why, size_t room);
int store_check_ours(sqlite3 *handle, int newest, char *why, size_t room); // checks application id and version; ERR_*
int store_lock_folder(const char *folder, char *why, size_t room);         // returns a descriptor, or -1
char *store_path(const char *folder, const char *name);                    // the caller frees it
sqlite3 *store_open_file(const char *path, int flags, const struct store_options *o, char *why, size_t room);

// --- wal_file.c
#define STORE_WAL_FILE "agon" // VFS name for sqlite3_open_v2: writes the write-ahead log with few system calls
void store_register_wal_file(void);

// --- queue.c
// Adds a record with room for `size` bytes and assigns the next ticket. Valid until the next put or submit.
void *store_put(struct store *s, enum record_kind kind, size_t size);
void store_fail(struct store *s, const char *what, const char *why); // store_collect returns ERR_STORAGE from then on
void store_note_damage(struct store *s, const char *what);           // on the caller's thread only

// --- mock_remote.c
bool store_await_answer(struct store *s);
void store_collect_mock(struct store *s); // updates whether it is away, and wakes jobs whose answers are due
void store_end_mock(struct store *s);
bool store_refuse_begin(struct store *s, struct uuid match, store_ticket ticket);
bool store_refuse_finish(struct store *s, const struct store_match *m, const struct store_rating *ratings, int count,
                         store_ticket ticket);
// Takes a ticket without effect; adds `e` (may be NULL).
store_ticket store_put_refused(struct store *s, const struct store_entry *e);
store_ticket store_limit_durable(struct store *s, store_ticket durable); // limits what may be reported as durable

// Every read calls this first. Until the read ends no other job runs, so statements and snapshots are not shared.
// Returns false if there is no answer; then the read reports that there is nothing.
static inline bool store_await(struct store *s)
{
    return !s->mock || s->reads > 0 || store_await_answer(s);
}

// --- logs.c
void store_fill_piece(struct piece *p, struct span log, struct span note); // the caller has provided room behind it
void store_append_log(struct running_match *m, int64_t at_ms, struct span log, struct span note);

// --- players.c: players and results as JSON in the row of the match
enum { STORE_PLAYERS = STORE_SEATS * (6 * STORE_NAME + 32) }; // most bytes of JSON: every byte of every name escaped
struct span store_write_players(const struct store_match *m, const int64_t agent[STORE_SEATS], char at[STORE_PLAYERS]);
struct span store_write_outcome(const struct store_match *m, char at[STORE_PLAYERS]);
// Sets names, payoffs and results by seat. store_read_players returns the seat of this agent (a row), or -1.
void store_read_outcome(struct span outcome, struct store_match *out);
int store_read_players(struct span players, struct span outcome, int64_t agent, struct store_match *out);

// --- checkpoint.c
bool store_start_checkpointer(struct store *s);
void store_stop_checkpointer(struct store *s);
void store_keep_wal_short(struct store *s); // called by the writer after a commit

// --- writer.c
void *store_write_all(void *store); // thread function

// --- the writer's functions, one for each kind of record; OK or ERR_STORAGE
typedef int store_apply(struct store *s, const void *body);
store_apply store_apply_agent, store_apply_pairing, store_apply_use_pairing, store_apply_begin, store_apply_append,
    store_apply_unreported, store_apply_finish, store_apply_move, store_apply_delivered, store_apply_challenge,
    store_apply_entry, store_apply_epoch, store_apply_counters, store_apply_begin_ratings, store_apply_rating,
    store_apply_end_ratings;

// On the writer thread; 0: unknown, which is an error.
int64_t store_row_of_agent(struct store *s, const struct uuid *id);
int store_write_piece(struct store *s, const struct piece *p);
int store_write_log(struct store *s, int64_t match, uint32_t pieces, struct span log, bool sound);
int store_fold_pieces(struct store *s, int64_t match, const int64_t *piece, uint32_t count);
// Adds the counts to the agent's counters.
int store_write_counts(struct store *s, const struct uuid *id, int64_t game, int64_t at_ms,
                       const struct counts *counts);
// `match`: the rated match that changed it, for the history; 0: none, or the history has it already.
int store_write_rating(struct store *s, const struct store_rating *r, int64_t game, int64_t match);

// --- board_loader.c: keeps the boards up to date with what becomes durable
bool store_start_loader(struct store *s);
void store_stop_loader(struct store *s);
void store_catch_up(struct store *s);         // applies durable updates to the boards, if they are loaded
struct boards *store_boards(struct store *s); // up to date; blocks until they are loaded

// --- reading, on the caller's thread
// Reads between begin and end see one state of the data. May be nested.
void store_begin_read(struct store *s);
void store_end_read(struct store *s);
int store_game_row(const struct store *s, const char *game); // 0: unknown
int store_name_game(struct store *s, const char *game);      // returns its row; creates it if it is new
const char *store_game_name(const struct store *s, int row);
int64_t store_agent_row(struct store *s, struct uuid id); // 0: unknown
