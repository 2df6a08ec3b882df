// Loads the boards when the store is opened, on a thread of their own, so that only calls that need them wait. Then
// keeps them up to date with puts, as these become durable.
#include "store/internal.h"

#include "store/boards.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { TOP = 100 }; // rows of every board whose names are read too

// --- loading

struct loader {
    struct store *store;
    sqlite3 *handle;
    bool failed;
};

static sqlite3_stmt *prepare(struct loader *l, const char *sql)
{
    sqlite3_stmt *st = NULL;
    l->failed |= sqlite3_prepare_v2(l->handle, sql, -1, &st, NULL) != SQLITE_OK;
    return st;
}

// Returns false at the end, on an error, and when the store is being closed.
static bool next_row(struct loader *l, sqlite3_stmt *st)
{
    int got = st && !l->failed ? sqlite3_step(st) : SQLITE_DONE;
    if (got != SQLITE_ROW && got != SQLITE_DONE && !l->failed) {
        l->failed = true;
        db_describe_table(sqlite3_sql(st), got, l->store->loader_damage, sizeof l->store->loader_damage);
    }
    return got == SQLITE_ROW && !atomic_load(&l->store->loader_stop);
}

static uint8_t read_pace(sqlite3_stmt *st, int column)
{
    uint32_t latency[STORE_LATENCY_BUCKETS] = {0};
    struct span bytes = read_bytes(st, column); // stored without zeros at the end
    memcpy(latency, bytes.at, bytes.size < sizeof latency ? bytes.size : sizeof latency);
    return boards_pace(latency);
}

static void load_rows(struct loader *l, struct boards *b)
{
    sqlite3_stmt *st =
        prepare(l, "SELECT agent_id, game, rating, deviation, volatility, rated_ms, games, rated_games, wins, "
                   "losses, draws, form, latency FROM ratings");
    while (next_row(l, st)) {
        int game = sqlite3_column_int(st, 1);
        struct boards_row row = {
            .agent = read_uuid(st, 0),
            .game = (uint8_t)game,
            .grade = {{sqlite3_column_double(st, 2), sqlite3_column_double(st, 3), sqlite3_column_double(st, 4)},
                      sqlite3_column_int64(st, 5)},
            .games = (uint32_t)sqlite3_column_int64(st, 6),
            .rated_games = (uint32_t)sqlite3_column_int64(st, 7),
            .wins = (uint32_t)sqlite3_column_int64(st, 8),
            .losses = (uint32_t)sqlite3_column_int64(st, 9),
            .draws = (uint32_t)sqlite3_column_int64(st, 10),
        };
        read_text(st, 11, row.form, sizeof row.form);
        row.pace = read_pace(st, 12);
        if (game > 0 && game <= STORE_GAMES)
            boards_set(b, &row);
    }
    sqlite3_finalize(st);
}

static void load_house(struct loader *l, struct boards *b)
{
    sqlite3_stmt *st = prepare(l, "SELECT id FROM agents WHERE kind = 1");
    while (next_row(l, st))
        boards_set_house(b, read_uuid(st, 0), true);
    sqlite3_finalize(st);
}

static void load_names(struct loader *l, struct boards *b, struct uuid agent, sqlite3_stmt *st)
{
    char name[STORE_NAME], model[STORE_MODEL];
    bind_uuid(st, 1, &agent);
    if (next_row(l, st)) {
        read_text(st, 0, name, sizeof name);
        read_text(st, 1, model, sizeof model);
        boards_set_names(b, agent, name, model);
    }
    sqlite3_reset(st);
}

static void load_top_names(struct loader *l, struct boards *b)
{
    static const size_t rows = TOP;
    int64_t now_ms = l->store->options.now_ms;
    struct store_rank *top = calloc(rows, sizeof *top);
    struct store_total *all = calloc(rows, sizeof *all);
    sqlite3_stmt *st = prepare(l, "SELECT name, model FROM agents WHERE id = ?1");
    if (!top || !all)
        abort();
    for (int game = 1; st && game <= STORE_GAMES; game++)
        for (int i = 0, n = boards_read(b, game, now_ms, 0, top, TOP); i < n; i++)
            load_names(l, b, top[i].agent, st);
    for (int i = 0, n = st ? boards_read_totals(b, now_ms, 0, all, TOP) : 0; i < n; i++)
        load_names(l, b, all[i].agent, st);
    sqlite3_finalize(st);
    free(top);
    free(all);
}

static void report_loaded(struct store *s)
{
    uint64_t one = 1;
    pthread_mutex_lock(&s->lock);
    atomic_store(&s->loaded, true);
    pthread_cond_broadcast(&s->moved);
    pthread_mutex_unlock(&s->lock);
    if (!atomic_load(&s->boards_wanted))
        return;
    while (write(s->event, &one, sizeof one) < 0 && errno == EINTR)
        ;
}

static void *run_loader(void *store)
{
    struct store *s = store;
    struct loader l = {.store = s, .handle = s->loader};
    s->loading = boards_create(s->options.min_rated, s->options.now_ms);
    l.failed = sqlite3_exec(l.handle, "BEGIN", NULL, NULL, NULL) != SQLITE_OK;
    load_house(&l, s->loading);
    load_rows(&l, s->loading);
    boards_sort(s->loading);
    load_top_names(&l, s->loading);
    if (l.failed && !s->loader_damage[0])
        db_describe_table(NULL, sqlite3_errcode(l.handle), s->loader_damage, sizeof s->loader_damage);
    sqlite3_exec(l.handle, "COMMIT", NULL, NULL, NULL);
    report_loaded(s);
    return NULL;
}

bool store_start_loader(struct store *s)
{
    s->has_loader = pthread_create(&s->loader_thread, NULL, run_loader, s) == 0;
    return s->has_loader;
}

void store_stop_loader(struct store *s)
{
    atomic_store(&s->loader_stop, true);
    if (s->has_loader)
        pthread_join(s->loader_thread, NULL);
    boards_destroy(s->boards ? s->boards : s->loading);
    board_updates_release(&s->board_updates);
}

// --- updates

void store_catch_up(struct store *s)
{
    store_ticket durable = atomic_load(&s->durable);
    if (!s->boards && atomic_load(&s->loaded)) {
        pthread_join(s->loader_thread, NULL);
        s->has_loader = false;
        s->boards = s->loading;
        s->boards_damaged = s->loader_damage[0];
    }
    if (!s->boards)
        return;
    board_updates_apply(&s->board_updates, s->boards, durable);
}

bool lite_has_boards(struct store *s)
{
    // Set before `loaded` is tested: one of the two threads sees the other's flag.
    atomic_store(&s->boards_wanted, true);
    store_catch_up(s);
    return s->boards != NULL;
}

struct boards *store_boards(struct store *s)
{
    pthread_mutex_lock(&s->lock);
    while (!s->boards && !atomic_load(&s->loaded))
        pthread_cond_wait(&s->moved, &s->lock);
    pthread_mutex_unlock(&s->lock);
    store_catch_up(s);
    if (s->boards_damaged)
        store_note_damage(s, s->loader_damage);
    return s->boards;
}
