// A connection to the database with its statements, prepared once; and rows as structs, by tables of columns.
#pragma once

#include "base/span.h"
#include "base/uuid.h"
#include "store/column.h"
#include "store/sql.h"

#include <sqlite3.h>
#include <stddef.h>
#include <stdint.h>

struct db {
    sqlite3 *handle;
    sqlite3_stmt *statement[SQL_COUNT]; // those of its side: SQL_READS or SQL_WRITES
    bool failed;                        // a step went wrong
    int code;                           // of SQLite, then
    const char *at;                     // the statement, then
};

int db_prepare(struct db *d, enum sql first, enum sql end); // SQLITE_OK or its error
void db_close(struct db *d);

// A statement, ready to be bound. It is used up by db_run, or by db_next once that says false; db_done ends it early.
sqlite3_stmt *db_use(struct db *d, enum sql which);
bool db_next(struct db *d, sqlite3_stmt *st); // a row is there; false at the end, or when it failed
int db_run(struct db *d, sqlite3_stmt *st);   // to its end: OK or ERR_STORAGE
void db_done(sqlite3_stmt *st);
// "table matches: database disk image is malformed", after a step that went wrong.
void db_describe_fault(const struct db *d, char *out, size_t room);
void db_describe_table(const char *sql, int code, char *out, size_t room); // of any statement

// --- one value. A UUID or hash of zeros is NULL, in both directions.
void bind_int(sqlite3_stmt *st, int at, int64_t value);
void bind_real(sqlite3_stmt *st, int at, double value);
void bind_text(sqlite3_stmt *st, int at, const char *text);
void bind_span(sqlite3_stmt *st, int at, struct span text); // UTF-8
void bind_bytes(sqlite3_stmt *st, int at, struct span bytes);
void bind_uuid(sqlite3_stmt *st, int at, const struct uuid *id);      // which stays there until the step
void bind_hash(sqlite3_stmt *st, int at, const uint8_t hash[32]);     // likewise
struct uuid read_uuid(sqlite3_stmt *st, int column);                  // columns count from 0, parameters from 1
struct span read_bytes(sqlite3_stmt *st, int column);                 // valid until the next step
void read_text(sqlite3_stmt *st, int column, char *out, size_t room); // cut to fit, with a closing NUL

// --- one struct
void bind_row(sqlite3_stmt *st, int from, const struct column *columns, int count, const void *row);
void read_row(sqlite3_stmt *st, int from, const struct column *columns, int count, void *row);
