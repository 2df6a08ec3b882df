// The list of commitments, and the master secrets of its epochs.
#include "store/internal.h"

#include <assert.h>
#include <string.h>

// --- writing

store_ticket lite_put_entry(struct store *s, const struct store_entry *e)
{
    assert(e->size <= sizeof e->body);
    memcpy(store_put(s, RECORD_ENTRY, sizeof *e), e, sizeof *e);
    return s->last;
}

int store_apply_entry(struct store *s, const void *body)
{
    const struct store_entry *e = body;
    sqlite3_stmt *st = db_use(&s->writer, SQL_ADD_ENTRY);
    bind_int(st, 1, (int64_t)e->place);
    bind_int(st, 2, e->kind);
    bind_int(st, 3, (int64_t)e->number);
    bind_int(st, 4, e->at_ms);
    bind_bytes(st, 5, (struct span){(const char *)e->body, e->size});
    bind_bytes(st, 6, (struct span){(const char *)e->link, sizeof e->link});
    return db_run(&s->writer, st);
}

store_ticket lite_put_epoch(struct store *s, const struct store_epoch *e)
{
    memcpy(store_put(s, RECORD_EPOCH, sizeof *e), e, sizeof *e);
    return s->last;
}

int store_apply_epoch(struct store *s, const void *body)
{
    const struct store_epoch *e = body;
    sqlite3_stmt *st = db_use(&s->writer, SQL_ADD_EPOCH);
    bind_int(st, 1, (int64_t)e->first);
    bind_hash(st, 2, e->id);
    bind_hash(st, 3, e->secret);
    return db_run(&s->writer, st);
}

// --- reading

static void copy_bytes(sqlite3_stmt *st, int column, void *out, size_t room)
{
    struct span bytes = read_bytes(st, column);
    if (bytes.size)
        memcpy(out, bytes.at, bytes.size < room ? bytes.size : room);
}

static int read_entries(struct store *s, sqlite3_stmt *st, struct store_entry *out, int room)
{
    int count = 0;
    while (count < room && db_next(&s->reader, st)) {
        size_t size = read_bytes(st, 4).size;
        struct store_entry *e = &out[count++];
        *e = (struct store_entry){.place = (uint64_t)sqlite3_column_int64(st, 0),
                                  .kind = (uint8_t)sqlite3_column_int(st, 1),
                                  .number = (uint64_t)sqlite3_column_int64(st, 2),
                                  .at_ms = sqlite3_column_int64(st, 3),
                                  .size = (uint16_t)(size < sizeof e->body ? size : sizeof e->body)};
        copy_bytes(st, 4, e->body, sizeof e->body);
        copy_bytes(st, 5, e->link, sizeof e->link);
    }
    db_done(st);
    store_end_read(s);
    return count;
}

int lite_list_entries(struct store *s, uint64_t from, struct store_entry *out, int room)
{
    if (!store_await(s))
        return 0;
    store_begin_read(s);
    sqlite3_stmt *st = db_use(&s->reader, SQL_LIST_ENTRIES);
    bind_int(st, 1, (int64_t)from);
    bind_int(st, 2, room);
    return read_entries(s, st, out, room);
}

int lite_find_entries(struct store *s, uint64_t number, struct store_entry out[STORE_ENTRIES_OF_NUMBER])
{
    if (!store_await(s))
        return 0;
    store_begin_read(s);
    sqlite3_stmt *st = db_use(&s->reader, SQL_ENTRIES_OF);
    bind_int(st, 1, (int64_t)number);
    return read_entries(s, st, out, STORE_ENTRIES_OF_NUMBER);
}

bool lite_last_entry(struct store *s, struct store_entry *out)
{
    if (!store_await(s))
        return false;
    store_begin_read(s);
    return read_entries(s, db_use(&s->reader, SQL_LAST_ENTRY), out, 1) == 1;
}

uint64_t lite_last_number(struct store *s, enum store_entry_kind kind)
{
    if (!store_await(s))
        return 0;
    store_begin_read(s);
    sqlite3_stmt *st = db_use(&s->reader, SQL_LAST_NUMBER);
    bind_int(st, 1, kind);
    uint64_t number = db_next(&s->reader, st) ? (uint64_t)sqlite3_column_int64(st, 0) : 0;
    db_done(st);
    store_end_read(s);
    return number;
}

int lite_list_epochs(struct store *s, int from, struct store_epoch *out, int room)
{
    if (!store_await(s))
        return 0;
    int count = 0;
    store_begin_read(s);
    sqlite3_stmt *st = db_use(&s->reader, SQL_LIST_EPOCHS);
    bind_int(st, 1, from);
    bind_int(st, 2, room);
    while (count < room && db_next(&s->reader, st)) {
        struct store_epoch *e = &out[count++];
        *e = (struct store_epoch){.first = (uint64_t)sqlite3_column_int64(st, 0),
                                  .restored = sqlite3_column_int(st, 3) != 0};
        copy_bytes(st, 1, e->id, sizeof e->id);
        copy_bytes(st, 2, e->secret, sizeof e->secret);
    }
    db_done(st);
    store_end_read(s);
    return count;
}
