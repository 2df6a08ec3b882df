// The writer thread: takes what was submitted, applies it in one transaction, commits, reports.
//
// A commit costs about as much as fifty rows. So under load the writer begins one at most every `pace_ms` and combines
// what comes in between; after a pause it begins at once.
#include "store/internal.h"

#include "base/hash.h"

#include <assert.h>
#include <errno.h>
#include <time.h>
#include <unistd.h>

static int apply_game(struct store *s, const void *body)
{
    const struct game_name *game = body;
    sqlite3_stmt *st = db_use(&s->writer, SQL_ADD_GAME);
    bind_int(st, 1, game->row);
    bind_text(st, 2, game->name);
    return db_run(&s->writer, st);
}

static int apply_nothing(struct store *s, const void *body)
{
    (void)s, (void)body;
    return OK;
}

static store_apply *const apply[RECORD_KINDS] = {
    [RECORD_GAME] = apply_game,
    [RECORD_AGENT] = store_apply_agent,
    [RECORD_PAIRING] = store_apply_pairing,
    [RECORD_USE_PAIRING] = store_apply_use_pairing,
    [RECORD_BEGIN] = store_apply_begin,
    [RECORD_APPEND] = store_apply_append,
    [RECORD_UNREPORTED] = store_apply_unreported,
    [RECORD_FINISH] = store_apply_finish,
    [RECORD_MOVE] = store_apply_move,
    [RECORD_DELIVERED] = store_apply_delivered,
    [RECORD_CHALLENGE] = store_apply_challenge,
    [RECORD_ENTRY] = store_apply_entry,
    [RECORD_EPOCH] = store_apply_epoch,
    [RECORD_COUNTERS] = store_apply_counters,
    [RECORD_BEGIN_RATINGS] = store_apply_begin_ratings,
    [RECORD_RATING] = store_apply_rating,
    [RECORD_END_RATINGS] = store_apply_end_ratings,
    [RECORD_REFUSED] = apply_nothing,
};

int64_t store_row_of_agent(struct store *s, const struct uuid *id)
{
    struct agent_row *known = &s->agent_row[hash_bytes(id, sizeof *id) & (STORE_AGENT_ROWS - 1)];
    if (known->row && uuid_equals(known->id, *id))
        return known->row;
    sqlite3_stmt *st = db_use(&s->writer, SQL_ROW_OF_AGENT);
    bind_uuid(st, 1, id);
    if (!db_next(&s->writer, st))
        return 0;
    *known = (struct agent_row){*id, sqlite3_column_int64(st, 0)};
    db_done(st);
    return known->row;
}

static int run_statement(struct store *s, enum sql which)
{
    return db_run(&s->writer, db_use(&s->writer, which));
}

static int apply_all(struct store *s)
{
    int err = OK;
    if (!s->in_transaction)
        err = run_statement(s, SQL_BEGIN);
    s->in_transaction = err == OK;
    for (size_t at = 0; at < s->taken.size && err == OK;) {
        const struct record *r = (const void *)(s->taken.at + at);
        assert(r->kind < RECORD_KINDS);
        err = apply[r->kind](s, r->body);
        at += r->size;
    }
    if (err == OK && !s->holding) {
        err = run_statement(s, SQL_COMMIT);
        s->in_transaction = err != OK;
    }
    return err;
}

static struct timespec add_ms(struct timespec t, int64_t ms)
{
    t.tv_nsec += ms % 1000 * 1000000;
    t.tv_sec += ms / 1000 + t.tv_nsec / 1000000000;
    t.tv_nsec %= 1000000000;
    return t;
}

// Takes everything submitted, not before `due` unless somebody waits for it. Returns false if there is no more to come.
static bool take_submitted(struct store *s, const struct timespec *due)
{
    pthread_mutex_lock(&s->lock);
    while (s->handed.size == 0 && !s->stop) {
        s->idle = true;
        pthread_cond_wait(&s->wake, &s->lock);
    }
    s->idle = false;
    while (!s->hurry && !s->stop && s->handed.size < s->options.max_waiting / 2 &&
           pthread_cond_timedwait(&s->wake, &s->lock, due) != ETIMEDOUT)
        ;
    struct bytes empty = s->taken;
    s->taken = s->handed;
    s->handed = empty;
    s->taken_last = s->handed_last;
    s->taken_size = s->taken.size;
    s->hurry = false;
    pthread_cond_broadcast(&s->moved);
    pthread_mutex_unlock(&s->lock);
    return s->taken.size > 0 || !s->stop;
}

static void publish_durable(struct store *s)
{
    uint64_t one = 1;
    pthread_mutex_lock(&s->lock);
    s->taken.size = s->taken_size = 0;
    if (!s->holding)
        atomic_store(&s->durable, s->taken_last);
    pthread_cond_broadcast(&s->moved);
    pthread_mutex_unlock(&s->lock);
    while (write(s->event, &one, sizeof one) < 0 && errno == EINTR)
        ;
}

void *store_write_all(void *store)
{
    struct store *s = store;
    struct timespec due = {0};
    while (take_submitted(s, &due)) {
        clock_gettime(CLOCK_MONOTONIC, &due);
        due = add_ms(due, s->options.pace_ms);
        if (apply_all(s) != OK) {
            char why[STORE_WHY] = "our own mistake";
            if (s->writer.failed)
                db_describe_fault(&s->writer, why, sizeof why);
            store_fail(s, "cannot write the data", why);
            break;
        }
        publish_durable(s);
        store_keep_wal_short(s);
    }
    if (s->in_transaction) {
        s->writer.failed = false;
        run_statement(s, SQL_ROLLBACK);
    }
    return NULL;
}
