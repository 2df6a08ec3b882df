// A connection to SQLite with its prepared statements; structs as rows, by tables of columns. Used by one thread.
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
    sqlite3_stmt *statement[SQL_COUNT]; // SQL_READS or SQL_WRITES, by the connection's purpose
    bool failed;                        // a step has failed
    int code;                           // SQLite's error code then
    const char *at;                     // the failed statement then
};

int db_prepare(struct db *d, enum sql first, enum sql end); // SQLITE_OK or an error
void db_close(struct db *d);

// Returns a statement, ready to be bound. It is finished by db_run, or when db_next returns false; db_done finishes it
// early.
sqlite3_stmt *db_use(struct db *d, enum sql which);
bool db_next(struct db *d, sqlite3_stmt *st); // true: a row; false: the end, or an error
int db_run(struct db *d, sqlite3_stmt *st);   // runs it to the end: OK or ERR_STORAGE
void db_done(sqlite3_stmt *st);
// Describes a failed step: "table matches: database disk image is malformed".
void db_describe_fault(const struct db *d, char *out, size_t room);
void db_describe_table(const char *sql, int code, char *out, size_t room); // the same for any statement

// --- single values. A UUID or hash of zeros is stored as NULL, and read back as zeros.
void bind_int(sqlite3_stmt *st, int at, int64_t value);
void bind_real(sqlite3_stmt *st, int at, double value);
void bind_text(sqlite3_stmt *st, int at, const char *text);
void bind_span(sqlite3_stmt *st, int at, struct span text); // UTF-8
void bind_bytes(sqlite3_stmt *st, int at, struct span bytes);
void bind_uuid(sqlite3_stmt *st, int at, const struct uuid *id);      // `id` must stay valid until the step
void bind_hash(sqlite3_stmt *st, int at, const uint8_t hash[32]);     // likewise
struct uuid read_uuid(sqlite3_stmt *st, int column);                  // columns count from 0, parameters from 1
struct span read_bytes(sqlite3_stmt *st, int column);                 // valid until the next step
void read_text(sqlite3_stmt *st, int column, char *out, size_t room); // truncated to fit, with a terminating NUL

// --- whole structs
void bind_row(sqlite3_stmt *st, int from, const struct column *columns, int count, const void *row);
void read_row(sqlite3_stmt *st, int from, const struct column *columns, int count, void *row);
