#include "store/db.h"

#include "base/err.h"
#include "base/text.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

static const char *const texts[] = {
#define SQL_AS_TEXT(name, text) text,
    SQL_READS(SQL_AS_TEXT) NULL, SQL_WRITES(SQL_AS_TEXT) NULL
#undef SQL_AS_TEXT
};

int db_prepare(struct db *d, enum sql first, enum sql end)
{
    int err = SQLITE_OK;
    for (enum sql i = first; i < end && err == SQLITE_OK; i++)
        err = sqlite3_prepare_v3(d->handle, texts[i], -1, SQLITE_PREPARE_PERSISTENT, &d->statement[i], NULL);
    return err;
}

void db_close(struct db *d)
{
    for (int i = 0; i < SQL_COUNT; i++)
        sqlite3_finalize(d->statement[i]);
    sqlite3_close(d->handle);
    *d = (struct db){0};
}

sqlite3_stmt *db_use(struct db *d, enum sql which)
{
    sqlite3_stmt *st = d->statement[which];
    assert(st && !sqlite3_stmt_busy(st));
    return st;
}

void db_done(sqlite3_stmt *st)
{
    sqlite3_reset(st);
}

bool db_next(struct db *d, sqlite3_stmt *st)
{
    int got = sqlite3_step(st);
    if (got == SQLITE_ROW)
        return true;
    if (got != SQLITE_DONE) {
        d->failed = true;
        d->code = got;
        d->at = sqlite3_sql(st);
    }
    sqlite3_reset(st);
    return false;
}

// SQLite does not say which table it could not read. Names the tables of the statement.
static void put_table(struct text *t, const char *table)
{
    struct span name = {table, strspn(table, "abcdefghijklmnopqrstuvwxyz_")};
    if (!name.size || (t->size && memmem(t->at, t->size, name.at, name.size)))
        return;
    text_puts(t, t->size ? " or " : "table ");
    text_put(t, name);
}

void db_describe_table(const char *sql, int code, char *out, size_t room)
{
    static const char *const before[] = {"FROM ", "JOIN ", "INTO ", "UPDATE "};
    char bytes[160];
    struct text tables = text_on(bytes, sizeof bytes);
    for (const char *at = sql; at && *at; at++)
        for (size_t i = 0; i < sizeof before / sizeof *before; i++)
            if (strncmp(at, before[i], strlen(before[i])) == 0)
                put_table(&tables, at + strlen(before[i]));
    snprintf(out, room, "%.*s%s%s", (int)tables.size, bytes, tables.size ? ": " : "", sqlite3_errstr(code));
}

void db_describe_fault(const struct db *d, char *out, size_t room)
{
    db_describe_table(d->at, d->code, out, room);
}

int db_run(struct db *d, sqlite3_stmt *st)
{
    while (db_next(d, st))
        ;
    return d->failed ? ERR_STORAGE : OK;
}

void bind_int(sqlite3_stmt *st, int at, int64_t value)
{
    sqlite3_bind_int64(st, at, value);
}

void bind_real(sqlite3_stmt *st, int at, double value)
{
    sqlite3_bind_double(st, at, value);
}

void bind_text(sqlite3_stmt *st, int at, const char *text)
{
    sqlite3_bind_text(st, at, text, -1, SQLITE_STATIC);
}

void bind_span(sqlite3_stmt *st, int at, struct span text)
{
    sqlite3_bind_text(st, at, text.at, (int)text.size, SQLITE_STATIC);
}

void bind_bytes(sqlite3_stmt *st, int at, struct span bytes)
{
    sqlite3_bind_blob64(st, at, bytes.size ? bytes.at : "", bytes.size, SQLITE_STATIC);
}

static void bind_name(sqlite3_stmt *st, int at, const void *bytes, size_t size)
{
    if (column_is_zero(bytes, size))
        sqlite3_bind_null(st, at);
    else
        sqlite3_bind_blob64(st, at, bytes, size, SQLITE_STATIC);
}

void bind_uuid(sqlite3_stmt *st, int at, const struct uuid *id)
{
    bind_name(st, at, id, sizeof *id);
}

void bind_hash(sqlite3_stmt *st, int at, const uint8_t hash[32])
{
    bind_name(st, at, hash, 32);
}

// A value of another size, in a file that somebody has edited, is treated as NULL.
static void read_fixed(sqlite3_stmt *st, int column, void *out, size_t size)
{
    const void *at = sqlite3_column_blob(st, column);
    if (at && (size_t)sqlite3_column_bytes(st, column) == size)
        memcpy(out, at, size);
    else
        memset(out, 0, size);
}

struct uuid read_uuid(sqlite3_stmt *st, int column)
{
    struct uuid id;
    read_fixed(st, column, &id, sizeof id);
    return id;
}

struct span read_bytes(sqlite3_stmt *st, int column)
{
    const char *at = sqlite3_column_blob(st, column);
    return (struct span){at ? at : "", at ? (size_t)sqlite3_column_bytes(st, column) : 0};
}

void read_text(sqlite3_stmt *st, int column, char *out, size_t room)
{
    struct span text = read_bytes(st, column);
    size_t size = text.size < room ? text.size : room - 1;
    memcpy(out, text.at, size);
    memset(out + size, 0, room - size);
}

static struct span trim_zeros(const char *at, size_t size)
{
    while (size > 0 && at[size - 1] == 0)
        size--;
    return (struct span){at, size};
}

static void bind_column(sqlite3_stmt *st, int at, const struct column *c, const char *field)
{
    switch ((enum column_kind)c->kind) {
    case COLUMN_INT:
    case COLUMN_UINT:
    case COLUMN_BOOL:
        bind_int(st, at, column_int(field, c->size, c->kind == COLUMN_INT));
        break;
    case COLUMN_NUMBER:
        if (column_is_zero(field, c->size))
            sqlite3_bind_null(st, at);
        else
            bind_int(st, at, column_int(field, c->size, false));
        break;
    case COLUMN_REAL: {
        double value;
        memcpy(&value, field, sizeof value);
        bind_real(st, at, value);
        break;
    }
    case COLUMN_TEXT:
        sqlite3_bind_text(st, at, field, (int)strnlen(field, c->size), SQLITE_STATIC);
        break;
    case COLUMN_NAME:
        bind_name(st, at, field, c->size);
        break;
    case COLUMN_BYTES:
        sqlite3_bind_blob(st, at, field, c->size, SQLITE_STATIC);
        break;
    case COLUMN_TRIMMED:
        bind_bytes(st, at, trim_zeros(field, c->size));
        break;
    }
}

static void read_column(sqlite3_stmt *st, int column, const struct column *c, char *field)
{
    switch ((enum column_kind)c->kind) {
    case COLUMN_INT:
    case COLUMN_UINT:
    case COLUMN_NUMBER: {
        int64_t value = sqlite3_column_int64(st, column);
        memcpy(field, &value, c->size);
        break;
    }
    case COLUMN_BOOL:
        *(bool *)field = sqlite3_column_int(st, column) != 0;
        break;
    case COLUMN_REAL: {
        double value = sqlite3_column_double(st, column);
        memcpy(field, &value, sizeof value);
        break;
    }
    case COLUMN_TEXT:
        read_text(st, column, field, c->size);
        break;
    case COLUMN_TRIMMED: {
        struct span bytes = read_bytes(st, column);
        memset(field, 0, c->size);
        memcpy(field, bytes.at, bytes.size < c->size ? bytes.size : c->size);
        break;
    }
    case COLUMN_NAME:
    case COLUMN_BYTES:
        read_fixed(st, column, field, c->size);
        break;
    }
}

void bind_row(sqlite3_stmt *st, int from, const struct column *columns, int count, const void *row)
{
    for (int i = 0; i < count; i++)
        bind_column(st, from + i, &columns[i], (const char *)row + columns[i].offset);
}

void read_row(sqlite3_stmt *st, int from, const struct column *columns, int count, void *row)
{
    for (int i = 0; i < count; i++)
        read_column(st, from + i, &columns[i], (char *)row + columns[i].offset);
}
