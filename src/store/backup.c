// Backup, restore, statistics.
#include "store/internal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// --- copying a database

static sqlite3 *open_as(const char *path, const char *name, int flags, char *why, size_t room)
{
    sqlite3 *handle = NULL;
    if (sqlite3_open_v2(name, &handle, flags, NULL) == SQLITE_OK) {
        sqlite3_busy_timeout(handle, 5000);
        return handle;
    }
    snprintf(why, room, "cannot read %s: %s", path, sqlite3_errmsg(handle));
    sqlite3_close(handle);
    return NULL;
}

static sqlite3 *open_source(const char *path, char *why, size_t room)
{
    return open_as(path, path, SQLITE_OPEN_READONLY, why, room);
}

// A backup is a single file. Without a write-ahead log it can be read from a read-only folder.
static sqlite3 *open_backup(const char *path, char *why, size_t room)
{
    char *log, *uri = malloc(3 * strlen(path) + sizeof "file:?immutable=1"), *out = uri;
    if (asprintf(&log, "%s-wal", path) < 0 || !uri)
        abort();
    out = stpcpy(out, "file:");
    for (const char *c = path; *c; c++)
        out += sprintf(out, strchr("%?#", *c) ? "%%%02X" : "%c", *c);
    stpcpy(out, "?immutable=1");
    bool alone = access(log, F_OK) != 0;
    sqlite3 *handle =
        alone ? open_as(path, uri, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, why, room) : open_source(path, why, room);
    free(log);
    free(uri);
    return handle;
}

// Copies everything in one step, hence one state of the source, however much is written meanwhile.
static int copy_pages(sqlite3 *from, const char *path, char *why, size_t room)
{
    sqlite3 *to = NULL;
    int err = sqlite3_open_v2(path, &to, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, NULL);
    sqlite3_backup *copy = err == SQLITE_OK ? sqlite3_backup_init(to, "main", from, "main") : NULL;
    if (copy) {
        sqlite3_backup_step(copy, -1);
        err = sqlite3_backup_finish(copy);
    } else if (err == SQLITE_OK) {
        err = sqlite3_errcode(to);
    }
    if (err != SQLITE_OK)
        snprintf(why, room, "cannot write %s: %s", path, to ? sqlite3_errmsg(to) : sqlite3_errstr(err));
    sqlite3_close(to);
    return err == SQLITE_OK ? OK : ERR_STORAGE;
}

static bool sync_file(const char *path, int flags)
{
    int fd = open(path, flags | O_CLOEXEC);
    bool done = fd >= 0 && fsync(fd) == 0;
    if (fd >= 0)
        close(fd);
    return done;
}

static bool sync_parent(const char *path)
{
    char *folder = strdup(path);
    if (!folder)
        abort();
    char *slash = strrchr(folder, '/');
    if (slash)
        slash[slash == folder] = 0;
    bool done = sync_file(slash ? folder : ".", O_RDONLY | O_DIRECTORY);
    free(folder);
    return done;
}

// Writes under another name first, so that a file with this name is always complete.
static int copy_to(sqlite3 *from, const char *path, char *why, size_t room)
{
    char *part = store_path(path, "part");
    part[strlen(path)] = '.';
    unlink(part);
    int err = copy_pages(from, part, why, room);
    if (err == OK &&
        (chmod(part, 0600) != 0 || !sync_file(part, O_RDONLY) || rename(part, path) != 0 || !sync_parent(path))) {
        snprintf(why, room, "cannot write %s: %s", path, strerror(errno));
        err = ERR_STORAGE;
    }
    if (err != OK)
        unlink(part);
    free(part);
    return err;
}

int lite_backup(struct store *s, const char *path, char *why, size_t room)
{
    if (access(path, F_OK) == 0) {
        snprintf(why, room, "%s already exists; choose another name", path);
        return ERR_STORAGE;
    }
    char *ours = store_path(s->folder, "agon.db");
    sqlite3 *from = open_source(ours, why, room);
    int err = from ? copy_to(from, path, why, room) : ERR_STORAGE;
    sqlite3_close(from);
    free(ours);
    return err;
}

// --- restoring

static int check_whole(sqlite3 *handle, const char *path, char *why, size_t room)
{
    sqlite3_stmt *st = NULL;
    const char *answer = NULL;
    if (sqlite3_prepare_v2(handle, "PRAGMA integrity_check(1)", -1, &st, NULL) == SQLITE_OK &&
        sqlite3_step(st) == SQLITE_ROW)
        answer = (const char *)sqlite3_column_text(st, 0);
    bool whole = answer && strcmp(answer, "ok") == 0;
    if (!whole)
        snprintf(why, room, "%s is damaged: %s; use another backup", path, answer ? answer : sqlite3_errmsg(handle));
    sqlite3_finalize(st);
    return whole ? OK : ERR_STORAGE;
}

static int check_backup(sqlite3 *from, const char *path, char *why, size_t room)
{
    sqlite3_stmt *st = NULL;
    int err = store_check_ours(from, store_migration_count, why, room);
    if (err != OK)
        return err;
    if (sqlite3_prepare_v2(from, "SELECT 1 FROM version", -1, &st, NULL) != SQLITE_OK) {
        snprintf(why, room, "%s is empty; give a file that a backup wrote", path);
        return ERR_FORMAT;
    }
    sqlite3_finalize(st);
    return check_whole(from, path, why, room);
}

// Renames the write-ahead log with its database: otherwise it would be applied to the restored file.
static int set_aside(const char *path, char *why, size_t room)
{
    static const char *const parts[] = {"-wal", "-shm", ""};
    for (int i = 0; i < COUNT_OF(parts); i++) {
        char *from, *to;
        if (asprintf(&from, "%s%s", path, parts[i]) < 0 || asprintf(&to, "%s.before%s", path, parts[i]) < 0)
            abort();
        unlink(to);
        bool moved = rename(from, to) == 0 || errno == ENOENT;
        if (!moved)
            snprintf(why, room, "cannot rename %s: %s", from, strerror(errno));
        free(from);
        free(to);
        if (!moved)
            return ERR_STORAGE;
    }
    return OK;
}

// Everything after the backup is lost, but numbers of deals may have been used: the next start begins a new epoch. A
// backup of a version without epochs has nothing to mark.
static int mark_restored(const char *path, char *why, size_t room)
{
    sqlite3 *handle = NULL;
    sqlite3_stmt *st = NULL;
    int err = sqlite3_open_v2(path, &handle, SQLITE_OPEN_READWRITE, NULL);
    if (err == SQLITE_OK && sqlite3_prepare_v2(handle, "SELECT 1 FROM epochs", -1, &st, NULL) == SQLITE_OK) {
        sqlite3_finalize(st);
        err = sqlite3_exec(handle, "UPDATE epochs SET restored = 1", NULL, NULL, NULL);
    }
    if (err != SQLITE_OK)
        snprintf(why, room, "cannot write %s: %s", path, handle ? sqlite3_errmsg(handle) : sqlite3_errstr(err));
    sqlite3_close(handle); // folds the write-ahead log into the file
    return err == SQLITE_OK ? OK : ERR_STORAGE;
}

static int put_in_place(sqlite3 *from, const char *path, bool replace, char *why, size_t room)
{
    char *fresh = store_path(path, "restored");
    fresh[strlen(path)] = '.';
    bool there = access(path, F_OK) == 0;
    int err = OK;
    if (there && !replace) {
        snprintf(why, room, "%s already exists; replace it with --force, or choose another folder", path);
        err = ERR_STORAGE;
    }
    if (err == OK)
        err = copy_to(from, fresh, why, room);
    if (err == OK)
        err = mark_restored(fresh, why, room);
    if (err == OK && there)
        err = set_aside(path, why, room);
    if (err == OK && (rename(fresh, path) != 0 || !sync_parent(path))) {
        snprintf(why, room, "cannot write %s: %s", path, strerror(errno));
        err = ERR_STORAGE;
    }
    free(fresh);
    return err;
}

int store_restore(const char *from, const char *folder, bool replace, char *why, size_t room)
{
    int lock = store_lock_folder(folder, why, room);
    if (lock < 0)
        return ERR_STORAGE;
    char *path = store_path(folder, "agon.db");
    sqlite3 *source = open_backup(from, why, room);
    int err = source ? check_backup(source, from, why, room) : ERR_STORAGE;
    if (err == OK)
        err = put_in_place(source, path, replace, why, room);
    sqlite3_close(source);
    free(path);
    close(lock);
    return err;
}

// --- statistics

static uint64_t read_number(struct store *s, enum sql which)
{
    sqlite3_stmt *st = db_use(&s->reader, which);
    uint64_t number = db_next(&s->reader, st) ? (uint64_t)sqlite3_column_int64(st, 0) : 0;
    db_done(st);
    return number;
}

static uint64_t size_of(const char *folder, const char *name)
{
    struct stat file;
    char *path = store_path(folder, name);
    uint64_t size = stat(path, &file) == 0 ? (uint64_t)file.st_size : 0;
    free(path);
    return size;
}

void lite_count(struct store *s, struct store_counts *out)
{
    *out = (struct store_counts){0};
    if (!store_await(s))
        return;
    store_begin_read(s);
    *out = (struct store_counts){.agents = read_number(s, SQL_COUNT_AGENTS),
                                 .matches = read_number(s, SQL_LAST_ROWS),
                                 .running = read_number(s, SQL_COUNT_RUNNING),
                                 .actions = read_number(s, SQL_TOTALS)};
    store_end_read(s);
    for (const struct running_match *m = s->running.oldest; m; m = m->newer)
        out->actions += m->count - 1;
    out->bytes = size_of(s->folder, "agon.db") + size_of(s->folder, "agon.db-wal");
}
