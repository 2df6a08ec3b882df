// Shared by the files of this room (PostgreSQL).
#pragma once

#include "base/err.h"
#include "store/board_updates.h"
#include "store/bytes.h"
#include "store/columns.h"
#include "store/pg/pg.h"
#include "store/pg/sql.h"
#include "store/refusals.h"
#include "store/running.h"
#include "work/work.h"

#include <libpq-fe.h>
#include <pthread.h>
#include <stdatomic.h>

enum {
    PG_READERS = 2,       // connections for reads, so that one that takes long does not hold up all others
    PG_PARAMETERS = 40,   // of a statement, at most
    PG_UNITS = 256,       // most reads in flight on one connection
    PG_ROWS = 1000,       // rows for matches that are reserved at once (take_rows)
    PG_RENEW_MS = 1000,   // S14
    PG_SILENCE_MS = 3000, // without an answer for so long the connection counts as broken
    PG_LEASE_MS = 4000,   // S13, default
};

// --- args.c: parameters of a statement in binary form, one after the other: size (-1: NULL) and bytes

// Parameters of a statement, in the binary format of the protocol: the size and then the bytes of each.
struct args {
    struct bytes *to;
    size_t array;     // offset of the array being written
    size_t begin;     // offset of the put
    int count, items; // parameters so far; items of the array
};

void args_null(struct args *a);
void args_int(struct args *a, int64_t value);
void args_real(struct args *a, double value);
void args_bool(struct args *a, bool value);
void args_bytes(struct args *a, struct span bytes);
void args_text(struct args *a, const char *text, size_t room); // up to its NUL; invalid UTF-8 becomes '?'
void args_uuid(struct args *a, struct uuid id);                // zero: NULL
void args_row(struct args *a, const struct column *columns, int count, const void *row);
// Type numbers of PostgreSQL's catalogue, which never change.
enum args_type {
    ARGS_BOOL = 16,
    ARGS_BYTEA = 17,
    ARGS_INT8 = 20,
    ARGS_INT4 = 23,
    ARGS_TEXT = 25,
    ARGS_REAL = 701,
    ARGS_UUID = 2950
};
void args_begin_array(struct args *a, enum args_type type); // the following values are its items
void args_int4(struct args *a, int32_t value);              // an item
void args_end_array(struct args *a);
// Sends the statement with `count` parameters, stored at `at`. Returns false if the connection is broken.
bool args_send(PGconn *c, enum pg_statement which, const char *at, int count);

// --- pack.c: structs as bytes, by their columns. Columns may be added at the end later: missing ones are read as zero.
void pack_row(struct bytes *to, const struct column *columns, int count, const void *row);
void pack_match(struct bytes *to, const struct store_match *m);
bool unpack_match(struct span from, struct store_match *out);

// --- link.c: one connection

struct pg;
// PREPARES: statements are sent and not yet confirmed. SETTLES, of the writer: what became of a batch in doubt (S12).
enum link_state { LINK_OFF, LINK_CONNECTS, LINK_PREPARES, LINK_SETTLES, LINK_READY };

struct query { // a read; on the stack of the waiting caller
    TAILQ_ENTRY(query) link;
    enum pg_statement which;
    struct bytes args;
    int params;
    PGresult *answer;        // for the caller, who clears it
    struct work_waiters job; // the caller, if it is a job
    int64_t until_ms;        // then nobody waits any longer (STORE_PATIENCE_MS)
    bool done, in_job;       // in_job: the caller is a job; otherwise it blocks the thread (query.c)
    bool damaged;            // the answer is unusable; `bad` has it
    PGresult *bad;
    // Of the node's own (async_query.c): called with the answer, which may be an error, or NULL when the connection is
    // gone. Then it is freed.
    void (*on_result)(struct pg *p, const struct query *q, PGresult *r);
    int64_t about; // for `on_result`: what the query is about
};

struct link {
    struct pg *pg;
    PGconn *conn;
    enum link_state state;
    int watched;                // descriptor; -1: none
    uint32_t events;            // that epoll watches for
    int64_t retry_ms, since_ms; // when to reconnect; since when it is in this state
    int tries;                  // connects that failed in a row
    // Ring buffer of a reader's reads, in order; NULL: nobody waits for the answer any more.
    struct query *unit[PG_UNITS];
    uint32_t first, units;
    // The last result, or when something was asked after a pause: with no answer since, it counts as broken.
    int64_t last_result_ms;
    PGresult *last;      // result so far of the current unit
    char why[STORE_WHY]; // it was lost
};

void link_tick(struct link *l, int64_t now_ms); // connects when it is time, and closes a silent connection
void link_on_ready(struct link *l);             // the socket is readable or writable
void link_flush(struct link *l);
void link_lose(struct link *l, const char *why);
void link_close(struct link *l);
const char *link_text(enum pg_statement which); // its SQL
void link_fill(const char *url, const char *name, bool any, const char *key[8], const char *value[8]);
PGconn *link_connect(const char *url, int64_t epoch, char *why, size_t room); // blocks; while opening, and on threads

// --- batch.c

struct put { // followed by the parameters
    uint32_t size;
    uint16_t statement, params;
    store_ticket ticket;
    struct uuid match;
    int8_t role;    // enum put_role
    int8_t outcome; // of starts and ends, when the batch is confirmed
};

enum put_role { PUT_OTHER, PUT_BEGIN, PUT_END };

struct sent_put {  // in the order of results
    uint32_t at;   // offset in `puts`
    uint32_t more; // puts behind it that belong to the same result
};

struct end_rating { // of the end of a match
    struct uuid match, agent;
    int game;
    uint32_t at; // where the version that it names stands in `puts`
};

struct batch {
    struct bytes puts;
    struct bytes ends;   // struct end_rating
    struct bytes piece;  // struct piece_head and body, one after the other
    struct bytes agents; // of starts and ends: struct uuid
    // Entries of the list of commitments without places, struct store_entry; sent last, because they take a lock.
    struct bytes entries;
    uint32_t pieces, count; // of logs; of puts
    store_ticket last;      // durable with this batch, as are all before it
    bool takes_rows;        // a block of rows for matches is fetched with it
};

// `number`: of the piece within its match. The bytes behind it are padded to eight.
struct piece_head {
    int64_t match, at_ms;
    uint32_t number, size;
};

struct watched { // a node, as last seen
    struct store_node node;
    int64_t moved_ms; // when its batch number was last seen to change, or it was first seen
    bool alone;
};

struct nodes { // the nodes of the arena (nodes.c)
    struct watched at[STORE_NODES];
    int count;
    struct store_role role[STORE_ROLES];
    int roles; // that somebody has
    char wanted[STORE_ROLES][STORE_ROLE];
    int wants;                                // roles that this node would take, when nobody has them
    int64_t looked_ms, swept_ms, standbys_ms; // the last of each
    bool fresh;                               // the connection is new, so earlier observations prove nothing
    int64_t changes_xid, ratings_xid;         // transactions below these have been read (S27, S33)
    struct store_news *news;
    uint32_t first, newses, room;         // a ring: the owner takes them one by one (pg_take_news)
    struct store_load load, load_written; // of this node; and as written to the store
    int64_t load_written_ms;
    struct store_node_figures figures;
};

struct pg {
    struct store_head head; // must be first
    struct store_options options;
    char *url;             // with the password: never shown
    int64_t epoch, number; // epoch of this run; number of the last durable batch
    int epoll, event, timer, pace;
    bool shared, fenced; // one of several nodes; it was taken over
    uint8_t state;       // enum store_node_state
    bool has_bus;
    char name[STORE_NODE_NAME];
    struct uuid arena;
    uint64_t first_deal;
    int lease_ms;
    struct nodes nodes;
    struct link writer, reader[PG_READERS], async; // async: only of a shared store
    TAILQ_HEAD(, query) waiting;                   // reads that were not sent yet
    TAILQ_HEAD(, query) sent;
    struct work_waiters waits;   // jobs that wait until their puts are durable
    struct batch open, flight;   // collected; sent and not yet durable, or to be sent again
    bool in_flight, sent_flight; // there is one; it is on the connection
    bool doubted;                // the connection broke meanwhile: nobody knows whether it is durable (S12)
    bool holding;                // puts of one transaction are being collected: none of them goes alone
    int64_t flight_ms, submitted_us, renewed_ms; // sent; begun by store_submit; the lease was renewed (S14)
    int64_t rated_us;                            // start of the period in which `rated` is counted
    uint32_t rated;                              // puts in this period
    uint32_t rate;                               // puts per second in the period before
    uint32_t result;                             // number of the batch's results received so far
    struct bytes sent_puts;                      // struct sent_put
    size_t puts_answered;                        // number of puts of `sent_puts` whose results were received
    bool failed_batch;
    // S72: the last batch was found committed after a broken connection; the next commit proves that a standby has it.
    bool unproven;
    bool no_standby; // S72: a standby is required, and there is none
    char no_standby_why[STORE_WHY];
    uint64_t lost_batches;                    // S73
    bool failed, away, given_up;              // for good; for now; the program ends, so nothing is waited for
    char fault[STORE_WHY], damage[STORE_WHY]; // why it failed; the first damage found in the data
    uint64_t unanswered, blocked, damages;    // for /metrics: reads without an answer, reads that held up the loop
    store_ticket last, durable, collected;    // given; on disk; reported to the owner
    struct refusals refusals;
    struct bytes moved; // struct end_rating of refused ends that the owner does not know yet (pg_take_refusal)
    struct running running;
    int64_t row, row_end,
        spare; // rows for matches: the next one, the end of the block; the next block's first row, 0: none
    char game[STORE_GAMES + 1][24];
    int games;
    // Public numbers of agents that were put and may not be in the tables yet: a ring.
    uint64_t fresh_number[STORE_FRESH_NUMBERS];
    uint32_t fresh_numbers;

    // The boards (boards.c).
    struct boards *boards; // NULL: still being loaded
    struct board_updates board_updates;
    pthread_t loader;
    bool has_loader;
    atomic_bool loaded, loader_stop; // from the loader; to it
    struct boards *loading;          // the loader's until `loaded`
    char loader_damage[STORE_WHY];
};

static inline struct pg *pg_of(const struct store *s)
{
    return (struct pg *)(void *)s;
}

int64_t pg_now_ms(void);
void pg_fail(struct pg *p, const char *what, const char *why);
void pg_note_damage(struct pg *p, const char *what);
void pg_pump(struct pg *p); // handles everything received and everything due
int pg_game_row(const struct pg *p, const char *game);
const char *pg_game_name(const struct pg *p, int64_t row);

struct args batch_begin_put(struct pg *p, enum pg_statement which);
struct put *batch_end_put(struct pg *p, struct args *a); // valid until the next put
void batch_add_piece(struct pg *p, struct running_match *m, int64_t at_ms, struct span log, struct span note);
void batch_add_agent(struct pg *p, struct uuid agent);
void batch_renew(struct pg *p, int64_t now_ms);
void batch_connected(struct pg *p);                  // connected: settles a batch in doubt
void batch_handle_result(struct pg *p, PGresult *r); // a result of the writer's connection; takes ownership
void batch_end(struct pg *p);                        // the batch's Sync was answered
void batch_lost(struct pg *p);                       // the connection was lost
void batch_release(struct batch *b);
// Whether an end with this rating was refused and the owner does not know it yet: what is put now builds on it. Until
// batch_forget_moved.
bool batch_has_moved(const struct pg *p, const struct end_rating *r);
void batch_forget_moved(struct pg *p, struct uuid match);
void pg_put_counts(struct args *a, const struct counts *counts, int seats); // three arrays, seat after seat
// --- batch_send.c
bool batch_send_puts(struct pg *p);                        // the puts of the batch in flight; notes their order
void batch_read_outcomes(struct pg *p, const PGresult *r); // the next result of what was sent
uint64_t piece_sum(int64_t match, uint32_t number, struct span bytes);
size_t piece_size(struct span log, struct span note);
void piece_fill(char *at, int64_t match, uint32_t number, int64_t at_ms, int64_t before_ms, struct span log,
                struct span note, size_t *size);

// --- query.c: reads. Columns of an answer count from 0.

// Rows are read once, from first to last, and the columns of each from left to right.
struct answer {
    PGresult *result;
    int rows, row, column;
};

struct args query_begin(struct query *q, enum pg_statement which);
// Waits for the answer. If there is none or it is damaged, it has no rows and its `result` is NULL; then nothing has to
// be released.
struct answer query_run(struct pg *p, struct query *q, struct args *a);
bool answer_next(struct answer *a);   // moves to the next row; false: no row is left, and everything was released
void answer_end(struct answer *a);    // releases it before the last row
int64_t answer_int(struct answer *a); // this and the following return the next column; NULL is read as zero
double answer_real(struct answer *a);
bool answer_bool(struct answer *a);
struct span answer_bytes(struct answer *a); // valid until answer_next or answer_end
struct uuid answer_uuid(struct answer *a);
void answer_text(struct answer *a, char *out, size_t room);
void answer_row(struct answer *a, const struct column *columns, int count, void *row);
bool query_is_outage(const PGresult *r); // an error that says nothing about the data
void query_send_waiting(struct pg *p);   // sends waiting reads, as far as connections allow
void query_finish(struct link *l, struct query *q, PGresult *r);
void query_expire(struct pg *p, int64_t now_ms);
void query_requeue_all(struct link *l); // reads of a connection that is gone wait again

// --- async_query.c: reads whose result goes to a callback
typedef void async_query_callback(struct pg *p, const struct query *q, PGresult *r); // as `on_result` of struct query
struct query *async_query_begin(enum pg_statement which, async_query_callback *on_result, struct args *a);
// Takes q; it is lost while there is no connection.
void async_query_send(struct pg *p, struct query *q, const struct args *a);
// Runs a statement with one parameter, or without any.
void async_query_run_with(struct pg *p, enum pg_statement which, async_query_callback *on_result, int64_t number);
void async_query_run(struct pg *p, enum pg_statement which, async_query_callback *on_result);
// The rows of an answer, to be read with async_query_next_row; none when it is an error. The result stays its owner's.
struct answer async_query_rows(struct pg *p, const PGresult *r);
bool async_query_next_row(struct answer *a);

// --- roles.c (S20)
void roles_read(struct pg *p);  // who holds which
void roles_claim(struct pg *p); // those that are wanted and free

// --- nodes.c
struct watched *nodes_find(struct nodes *n, uint64_t epoch);
struct store_news *nodes_add_news(struct pg *p, enum store_news_kind kind);
void nodes_tick(struct pg *p, int64_t now_ms);
void nodes_release(struct pg *p);
void nodes_fence(struct pg *p, const char *what, const char *why); // the store's failure; a shared one may join again

// --- match_reads.c
// Calls `each` with the pieces of a whole log. Each piece is checked against the match's row and its number. `sums`
// (may be NULL) gets the checksums of the sound ones.
int pg_tell_log(int64_t match, struct span bytes, store_each *each, void *owner, struct bytes *sums);
void pg_read_counters(struct answer *r, struct store_counters *c); // five columns: matches, since_ms, n, of, squares

// --- schema.c, open.c, boards.c
// A rating written by another node.
void pg_apply_rating(struct pg *p, int64_t game, struct uuid agent, struct span body);
extern const char *const *const pg_migrations[];
extern const int pg_migration_count;
// Parts of pg_migrations, each in a file of its name.
extern const char *const pg_schema_cluster_wide[],
    *const pg_schema_lives[], *const pg_schema_matches[], *const pg_schema_tournaments[],
                                                              *const pg_schema_reads[],
                                                                  *const pg_schema_moved[],
                                                                      *const pg_schema_batches[],
                                                                          *const pg_schema_arrivals[];
bool pg_start_loader(struct pg *p);
void pg_stop_loader(struct pg *p);
void pg_catch_up(struct pg *p);
bool unpack_rating(struct span body, struct store_rating *out);

// S72: whether there is a standby that commits wait for. Sets `why` if not.
bool pg_has_standby(const PGresult *r, char *why, size_t room);

struct store *pg_open(const struct store_options *o, char *why, size_t room);
void pg_close(struct store *s);
#define PG_ANSWER(type, name, parameters, arguments) type pg_##name parameters;
#define PG_ACT(name, parameters, arguments)          void pg_##name parameters;
ENGINE_ANSWERS(PG_ANSWER)
ENGINE_ACTS(PG_ACT)
#undef PG_ANSWER
#undef PG_ACT
