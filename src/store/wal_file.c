// A VFS that gathers writes to the write-ahead log. SQLite writes each page with two system calls; here they are
// collected and written in one call before the sync that makes them valid. A commit of forty pages costs two calls, not
// eighty-one.
//
// This is correct only if every commit syncs before others can see it (synchronous FULL): a reader, on another
// connection, looks for a page in the file only when the log's index names it, which is after the sync.
#include "store/internal.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { GATHER_ROOM = 120 << 10 }; // SQLite writes less than 128 KB at a time

struct wal_file {
    sqlite3_file base;
    sqlite3_file *real; // in the same allocation, behind this struct
    char *waiting;      // consecutive bytes
    size_t size;
    sqlite3_int64 offset; // of the first one
};

static int flush_waiting(struct wal_file *f)
{
    size_t size = f->size;
    f->size = 0;
    return size ? f->real->pMethods->xWrite(f->real, f->waiting, (int)size, f->offset) : SQLITE_OK;
}

static int close_wal(sqlite3_file *file)
{
    struct wal_file *f = (struct wal_file *)file;
    int err = flush_waiting(f);
    int closed = f->real->pMethods->xClose(f->real);
    free(f->waiting);
    return err == SQLITE_OK ? closed : err;
}

static int write_wal(sqlite3_file *file, const void *bytes, int size, sqlite3_int64 offset)
{
    struct wal_file *f = (struct wal_file *)file;
    int err = SQLITE_OK;
    if (f->size && (offset != f->offset + (sqlite3_int64)f->size || f->size + (size_t)size > GATHER_ROOM))
        err = flush_waiting(f);
    if (err != SQLITE_OK || size > GATHER_ROOM)
        return err != SQLITE_OK ? err : f->real->pMethods->xWrite(f->real, bytes, size, offset);
    if (f->size == 0)
        f->offset = offset;
    memcpy(f->waiting + f->size, bytes, (size_t)size);
    f->size += (size_t)size;
    return SQLITE_OK;
}

static int read_wal(sqlite3_file *file, void *bytes, int size, sqlite3_int64 offset)
{
    struct wal_file *f = (struct wal_file *)file;
    int err = flush_waiting(f);
    return err == SQLITE_OK ? f->real->pMethods->xRead(f->real, bytes, size, offset) : err;
}

static int truncate_wal(sqlite3_file *file, sqlite3_int64 size)
{
    struct wal_file *f = (struct wal_file *)file;
    int err = flush_waiting(f);
    return err == SQLITE_OK ? f->real->pMethods->xTruncate(f->real, size) : err;
}

static int sync_wal(sqlite3_file *file, int flags)
{
    struct wal_file *f = (struct wal_file *)file;
    int err = flush_waiting(f);
    return err == SQLITE_OK ? f->real->pMethods->xSync(f->real, flags) : err;
}

static int size_wal(sqlite3_file *file, sqlite3_int64 *size)
{
    struct wal_file *f = (struct wal_file *)file;
    int err = flush_waiting(f);
    return err == SQLITE_OK ? f->real->pMethods->xFileSize(f->real, size) : err;
}

static int lock_wal(sqlite3_file *file, int level)
{
    struct wal_file *f = (struct wal_file *)file;
    return f->real->pMethods->xLock(f->real, level);
}

static int unlock_wal(sqlite3_file *file, int level)
{
    struct wal_file *f = (struct wal_file *)file;
    return f->real->pMethods->xUnlock(f->real, level);
}

static int is_wal_reserved(sqlite3_file *file, int *out)
{
    struct wal_file *f = (struct wal_file *)file;
    return f->real->pMethods->xCheckReservedLock(f->real, out);
}

static int control_wal(sqlite3_file *file, int what, void *argument)
{
    struct wal_file *f = (struct wal_file *)file;
    return f->real->pMethods->xFileControl(f->real, what, argument);
}

static int sector_wal(sqlite3_file *file)
{
    struct wal_file *f = (struct wal_file *)file;
    return f->real->pMethods->xSectorSize(f->real);
}

static int device_wal(sqlite3_file *file)
{
    struct wal_file *f = (struct wal_file *)file;
    return f->real->pMethods->xDeviceCharacteristics(f->real);
}

static const sqlite3_io_methods methods = {
    .iVersion = 1,
    .xClose = close_wal,
    .xRead = read_wal,
    .xWrite = write_wal,
    .xTruncate = truncate_wal,
    .xSync = sync_wal,
    .xFileSize = size_wal,
    .xLock = lock_wal,
    .xUnlock = unlock_wal,
    .xCheckReservedLock = is_wal_reserved,
    .xFileControl = control_wal,
    .xSectorSize = sector_wal,
    .xDeviceCharacteristics = device_wal,
};

static sqlite3_vfs *usual; // SQLite's default VFS, which handles all other files
static sqlite3_vfs gathering;

static int open_file(sqlite3_vfs *vfs, const char *name, sqlite3_file *file, int flags, int *out_flags)
{
    (void)vfs;
    if (!(flags & SQLITE_OPEN_WAL))
        return usual->xOpen(usual, name, file, flags, out_flags);
    struct wal_file *f = (struct wal_file *)file;
    *f = (struct wal_file){.real = (sqlite3_file *)(f + 1)};
    int err = usual->xOpen(usual, name, f->real, flags, out_flags);
    if (err != SQLITE_OK)
        return err;
    f->waiting = malloc(GATHER_ROOM);
    if (!f->waiting)
        abort();
    f->base.pMethods = &methods;
    return SQLITE_OK;
}

void store_register_wal_file(void)
{
    usual = sqlite3_vfs_find(NULL);
    assert(usual);
    gathering = *usual;
    gathering.zName = STORE_WAL_FILE;
    gathering.szOsFile = (int)sizeof(struct wal_file) + usual->szOsFile;
    gathering.xOpen = open_file;
    sqlite3_vfs_register(&gathering, 0);
}
