// The data folder and its files: the lock, the database, its version.
#include "store/internal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#define OUR_ID 0x41474f4e // "AGON": application id in the file's header

char *store_path(const char *folder, const char *name)
{
    char *path;
    if (asprintf(&path, "%s/%s", folder, name) < 0)
        abort();
    return path;
}

// --- the lock

static long read_pid(int fd)
{
    char text[32] = {0};
    return pread(fd, text, sizeof text - 1, 0) > 0 ? strtol(text, NULL, 10) : 0;
}

int store_lock_folder(const char *folder, char *why, size_t room)
{
    if (mkdir(folder, 0700) != 0 && errno != EEXIST) {
        snprintf(why, room, "cannot create the data folder %s: %s", folder, strerror(errno));
        return -1;
    }
    char *path = store_path(folder, "lock");
    int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (fd < 0) {
        snprintf(why, room, "cannot write to the data folder %s: %s", folder, strerror(errno));
    } else if (flock(fd, LOCK_EX | LOCK_NB) != 0) {
        snprintf(why, room, "the data folder %s is in use by process %ld; stop it first", folder, read_pid(fd));
        close(fd);
        fd = -1;
    } else if (ftruncate(fd, 0) == 0) {
        dprintf(fd, "%ld\n", (long)getpid()); // shown to a process that finds the folder locked
    }
    free(path);
    return fd;
}

// --- the database

static int64_t query_int(sqlite3 *handle, const char *sql)
{
    sqlite3_stmt *st = NULL;
    int64_t answer = -1;
    if (sqlite3_prepare_v2(handle, sql, -1, &st, NULL) == SQLITE_OK && sqlite3_step(st) == SQLITE_ROW)
        answer = sqlite3_column_int64(st, 0);
    sqlite3_finalize(st);
    return answer;
}

static int report_error(sqlite3 *handle, const char *path, char *why, size_t room)
{
    int code = sqlite3_errcode(handle);
    bool damaged = code == SQLITE_CORRUPT || code == SQLITE_NOTADB;
    snprintf(why, room, "%s %s: %s%s", path, damaged ? "is damaged" : "cannot be used", sqlite3_errmsg(handle),
             damaged ? "; restore a backup" : "");
    return ERR_STORAGE;
}

static const char *path_of(sqlite3 *handle)
{
    return sqlite3_db_filename(handle, "main");
}

int store_check_ours(sqlite3 *handle, int newest, char *why, size_t room)
{
    const char *path = path_of(handle);
    int64_t tables = query_int(handle, "SELECT count(*) FROM sqlite_schema");
    if (tables < 0)
        return report_error(handle, path, why, room);
    if (tables == 0)
        return OK;
    if (query_int(handle, "PRAGMA application_id") != OUR_ID) {
        snprintf(why, room, "%s is not a database of agon; choose another data folder", path);
        return ERR_FORMAT;
    }
    int64_t version = query_int(handle, "SELECT max(number) FROM version");
    if (version < 1)
        return report_error(handle, path, why, room);
    if (version > newest) {
        snprintf(why, room, "%s was written by a newer agon (data version %lld; this one knows %d); update agon", path,
                 (long long)version, newest);
        return ERR_VERSION;
    }
    return OK;
}

static int exec_sql(sqlite3 *handle, const char *sql)
{
    return sqlite3_exec(handle, sql, NULL, NULL, NULL);
}

static int apply_migration(sqlite3 *handle, int number, const char *const *step)
{
    char sql[160];
    snprintf(sql, sizeof sql, "INSERT INTO version(number) VALUES(%d); PRAGMA application_id = %d; COMMIT", number,
             OUR_ID);
    int err =
        exec_sql(handle, "BEGIN IMMEDIATE; CREATE TABLE IF NOT EXISTS version(number INTEGER PRIMARY KEY) STRICT");
    for (; err == SQLITE_OK && *step; step++)
        err = exec_sql(handle, *step);
    return err == SQLITE_OK ? exec_sql(handle, sql) : err;
}

int store_migrate(sqlite3 *handle, const char *const *const *steps, int count, char *why, size_t room)
{
    int err = store_check_ours(handle, count, why, room);
    if (err != OK)
        return err;
    int64_t version = query_int(handle, "SELECT max(number) FROM version"); // -1: an empty file
    for (int number = version < 0 ? 1 : (int)version + 1; number <= count; number++) {
        if (apply_migration(handle, number, steps[number - 1]) == SQLITE_OK)
            continue;
        snprintf(why, room, "%s cannot be migrated to data version %d: %s", path_of(handle), number,
                 sqlite3_errmsg(handle));
        exec_sql(handle, "ROLLBACK");
        return ERR_STORAGE;
    }
    return OK;
}

sqlite3 *store_open_file(const char *path, int flags, const struct store_options *o, char *why, size_t room)
{
    sqlite3 *handle = NULL;
    bool writes = flags & SQLITE_OPEN_CREATE, full = !o->synchronous || strcmp(o->synchronous, "FULL") == 0;
    char sql[256];
    snprintf(sql, sizeof sql,
             "PRAGMA journal_mode = WAL; PRAGMA synchronous = %s; PRAGMA foreign_keys = ON;"
             "PRAGMA cache_size = -%zu; PRAGMA temp_store = MEMORY; PRAGMA trusted_schema = OFF",
             o->synchronous ? o->synchronous : "FULL", writes ? o->cache_bytes >> 10 : 16384);
    if (writes) // readable by the owner only; SQLite gives the files beside it the same mode
        close(open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600));
    int err = sqlite3_open_v2(path, &handle, flags | SQLITE_OPEN_NOMUTEX, writes && full ? STORE_WAL_FILE : NULL);
    if (err == SQLITE_OK) {
        sqlite3_busy_timeout(handle, o->busy_ms);
        sqlite3_extended_result_codes(handle, 0);
        err = exec_sql(handle, sql);
    }
    if (err == SQLITE_OK)
        return handle;
    report_error(handle, path, why, room);
    sqlite3_close(handle);
    return NULL;
}
