// Opening and closing the store, and what all reads share.
#include "store/internal.h"

#include <assert.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/statvfs.h>
#include <unistd.h>

void store_defaults(struct store_options *o)
{
    *o = (struct store_options){.max_waiting = 64u << 20,
                                .margin_bytes = 256u << 20,
                                .cache_bytes = 64u << 20,
                                .pace_ms = 8,
                                .busy_ms = 5000,
                                .min_rated = 5};
}

// --- reads

void store_begin_read(struct store *s)
{
    if (s->reads++ == 0)
        db_run(&s->reader, db_use(&s->reader, SQL_BEGIN_READ));
}

void store_end_read(struct store *s)
{
    if (--s->reads > 0)
        return;
    if (s->reader.failed) {
        char why[STORE_WHY];
        db_describe_fault(&s->reader, why, sizeof why);
        store_note_damage(s, why);
        s->reader.failed = false;
    }
    db_run(&s->reader, db_use(&s->reader, SQL_END_READ));
    s->reader.failed = false;
}

int64_t store_agent_row(struct store *s, struct uuid id)
{
    sqlite3_stmt *st = db_use(&s->reader, SQL_AGENT_ROW);
    bind_uuid(st, 1, &id);
    int64_t row = db_next(&s->reader, st) ? sqlite3_column_int64(st, 0) : 0;
    db_done(st);
    return row;
}

int store_game_row(const struct store *s, const char *game)
{
    for (int i = 1; i <= s->games; i++)
        if (strcmp(s->game[i], game) == 0)
            return i;
    return 0;
}

int store_name_game(struct store *s, const char *game)
{
    int row = store_game_row(s, game);
    if (row)
        return row;
    assert(s->games < STORE_GAMES && strlen(game) < sizeof s->game[0]);
    row = ++s->games;
    memcpy(s->game[row], game, strlen(game) + 1);
    struct game_name *r = store_put(s, RECORD_GAME, sizeof *r);
    r->row = row;
    memcpy(r->name, s->game[row], sizeof r->name);
    return row;
}

const char *store_game_name(const struct store *s, int row)
{
    return row > 0 && row <= s->games ? s->game[row] : "";
}

bool lite_has_room(const struct store *s)
{
    struct statvfs disk;
    return statvfs(s->folder, &disk) == 0 && (uint64_t)disk.f_bavail * disk.f_frsize >= s->options.margin_bytes;
}

// --- opening

static int compare_rows(const void *key, const void *element)
{
    int64_t row = *(const int64_t *)key, other = (*(struct running_match *const *)element)->row;
    return (row > other) - (row < other);
}

// Pieces of finished matches stay in the table until they are swept.
static void load_pieces(struct store *s, struct running_match *const *by_row, size_t count)
{
    sqlite3_stmt *st = db_use(&s->reader, SQL_LIST_PIECES);
    while (db_next(&s->reader, st)) {
        int64_t match = sqlite3_column_int64(st, 1);
        struct running_match *const *m = bsearch(&match, by_row, count, sizeof *by_row, compare_rows);
        if (m)
            running_add_piece(*m, sqlite3_column_int64(st, 0));
    }
}

static int by_first_piece(const void *a, const void *b)
{
    const struct running_match *x = *(struct running_match *const *)a, *y = *(struct running_match *const *)b;
    int64_t first = x->count ? x->piece[0] : 0, other = y->count ? y->piece[0] : 0;
    return (first > other) - (first < other);
}

static void load_running(struct store *s)
{
    sqlite3_stmt *st = db_use(&s->reader, SQL_LIST_RUNNING);
    bind_int(st, 1, -1);
    while (db_next(&s->reader, st))
        running_add(&s->running, read_uuid(st, 1), sqlite3_column_int64(st, 0));
    size_t count = 0;
    struct running_match **list = calloc(s->running.count + 1, sizeof(struct running_match *));
    if (!list)
        abort();
    for (struct running_match *m = s->running.oldest; m; m = m->newer)
        list[count++] = m;
    if (count > 0)
        load_pieces(s, list, count);
    qsort(list, count, sizeof *list, by_first_piece); // a match that was moved is not in the order of its row
    for (size_t i = 0; i < count; i++)
        running_make_newest(&s->running, list[i]);
    free(list);
}

static void load_state(struct store *s)
{
    store_begin_read(s);
    sqlite3_stmt *st = db_use(&s->reader, SQL_LAST_ROWS);
    if (db_next(&s->reader, st)) {
        s->last_match = sqlite3_column_int64(st, 0);
        s->last_piece = sqlite3_column_int64(st, 1);
    }
    db_done(st);
    st = db_use(&s->reader, SQL_GAMES);
    while (s->games < STORE_GAMES && db_next(&s->reader, st))
        read_text(st, 1, s->game[++s->games], sizeof s->game[0]);
    db_done(st);
    load_running(s);
    store_end_read(s);
}

static int open_databases(struct store *s, char *why, size_t room)
{
    char *path = store_path(s->folder, "agon.db");
    int err = ERR_STORAGE;
    s->writer.handle = store_open_file(path, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, &s->options, why, room);
    if (s->writer.handle)
        err = store_migrate(s->writer.handle, store_migrations, store_migration_count, why, room);
    if (err == OK) {
        s->reader.handle = store_open_file(path, SQLITE_OPEN_READWRITE, &s->options, why, room);
        s->checkpointer =
            s->reader.handle ? store_open_file(path, SQLITE_OPEN_READWRITE, &s->options, why, room) : NULL;
        s->loader = s->checkpointer ? store_open_file(path, SQLITE_OPEN_READWRITE, &s->options, why, room) : NULL;
        err = s->loader ? OK : ERR_STORAGE;
    }
    if (err == OK && (db_prepare(&s->writer, SQL_READS_END + 1, SQL_COUNT) != SQLITE_OK ||
                      db_prepare(&s->reader, 0, SQL_READS_END) != SQLITE_OK)) {
        snprintf(why, room, "%s is damaged: %s; restore a backup", path,
                 sqlite3_errcode(s->writer.handle) ? sqlite3_errmsg(s->writer.handle)
                                                   : sqlite3_errmsg(s->reader.handle));
        err = ERR_STORAGE;
    }
    free(path);
    return err;
}

static void init_waiting(struct store *s)
{
    pthread_condattr_t monotonic;
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_mutex_init(&s->lock, NULL);
    pthread_cond_init(&s->wake, &monotonic);
    pthread_cond_init(&s->moved, &monotonic);
    pthread_cond_init(&s->asked, &monotonic);
    pthread_condattr_destroy(&monotonic);
}

static int open_files_and_threads(struct store *s, char *why, size_t room)
{
    s->folder_lock = store_lock_folder(s->folder, why, room);
    if (s->folder_lock < 0 || open_databases(s, why, room) != OK)
        return ERR_STORAGE;
    s->event = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
    if (s->event >= 0)
        load_state(s);
    if (s->damage[0]) { // running matches must be known before anything is served
        snprintf(why, room, "%s/agon.db is damaged (%s); restore a backup", s->folder, s->damage);
        return ERR_STORAGE;
    }
    if (s->event >= 0 && !atomic_load(&s->failed) && store_start_checkpointer(s))
        s->has_thread = store_start_loader(s) && pthread_create(&s->thread, NULL, store_write_all, s) == 0;
    if (!s->has_thread)
        snprintf(why, room, "cannot start in %s: %s", s->folder, s->fault[0] ? s->fault : "no threads left");
    return s->has_thread ? OK : ERR_STORAGE;
}

// By default SQLite counts its memory under a lock. That can be turned off once, before any other call.
static void configure_sqlite(void)
{
    sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
    sqlite3_initialize();
    store_register_wal_file();
}

struct store *lite_open(const struct store_options *o, char *why, size_t room)
{
    struct store *s = calloc(1, sizeof *s);
    if (!s || !(s->folder = strdup(o->folder)))
        abort();
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, configure_sqlite);
    s->head.engine = &store_sqlite;
    s->options = *o;
    s->folder_lock = s->event = -1;
    init_waiting(s);
    if (open_files_and_threads(s, why, room) == OK)
        return s;
    lite_close(s);
    return NULL;
}

static void stop_thread(struct store *s)
{
    lite_wait(s);
    pthread_mutex_lock(&s->lock);
    s->stop = true;
    pthread_cond_signal(&s->wake);
    pthread_mutex_unlock(&s->lock);
    pthread_join(s->thread, NULL);
}

void lite_close(struct store *s)
{
    store_end_mock(s);
    if (s->has_thread)
        stop_thread(s);
    store_stop_loader(s);
    store_stop_checkpointer(s);
    sqlite3_close(s->checkpointer);
    sqlite3_close(s->loader);
    db_close(&s->reader);
    db_close(&s->writer); // the last connection to close folds the write-ahead log into the file
    if (s->event >= 0)
        close(s->event);
    if (s->folder_lock >= 0)
        close(s->folder_lock);
    pthread_mutex_destroy(&s->lock);
    pthread_cond_destroy(&s->wake);
    pthread_cond_destroy(&s->moved);
    pthread_cond_destroy(&s->asked);
    running_release(&s->running);
    free(s->open.at);
    free(s->handed.at);
    free(s->taken.at);
    free(s->fold.at);
    free(s->scratch.at);
    free(s->folder);
    free(s);
}
