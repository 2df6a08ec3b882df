// The logs of matches: pieces while they are running, one blob when they are over.
//
// The blob has for each piece: milliseconds since the previous piece (the first: since 1970), size of the log, size of
// the note, each as a varint; then log and note. The whole blob has a checksum. The checksum of a piece also covers its
// header, so that a piece of another match or position is not mistaken for it.
#include "store/internal.h"

#include "base/hash.h"
#include "store/log_piece.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

// --- pieces

static uint64_t sum_of(const struct piece *p, const char *bytes)
{
    struct {
        int64_t match, at_ms;
        uint64_t number, log_size, bytes;
    } head = {p->match, p->at_ms, p->number, p->log_size, hash_bytes(bytes, p->log_size + p->note_size)};
    return hash_bytes(&head, sizeof head);
}

void store_fill_piece(struct piece *p, struct span log, struct span note)
{
    char *bytes = (char *)(p + 1);
    p->log_size = (uint32_t)log.size;
    p->note_size = (uint32_t)note.size;
    if (log.size)
        memcpy(bytes, log.at, log.size);
    if (note.size)
        memcpy(bytes + log.size, note.at, note.size);
    p->sum = sum_of(p, bytes);
}

int store_write_piece(struct store *s, const struct piece *p)
{
    const char *bytes = (const char *)(p + 1);
    sqlite3_stmt *st = db_use(&s->writer, SQL_ADD_PIECE);
    bind_int(st, 1, p->id);
    bind_int(st, 2, p->match);
    bind_int(st, 3, p->number);
    bind_int(st, 4, p->at_ms);
    bind_bytes(st, 5, (struct span){bytes, p->log_size});
    if (p->note_size)
        bind_bytes(st, 6, (struct span){bytes + p->log_size, p->note_size});
    else
        sqlite3_bind_null(st, 6);
    bind_int(st, 7, (int64_t)p->sum);
    return db_run(&s->writer, st);
}

struct stored_piece {
    struct piece head;
    struct span log, note; // valid until the next step
    bool sound;
};

static void read_piece(sqlite3_stmt *st, int64_t match, uint32_t number, struct bytes *scratch, struct stored_piece *p)
{
    p->log = read_bytes(st, 3);
    p->note = read_bytes(st, 4);
    p->head = (struct piece){.match = sqlite3_column_int64(st, 0),
                             .number = (uint32_t)sqlite3_column_int64(st, 1),
                             .at_ms = sqlite3_column_int64(st, 2),
                             .log_size = (uint32_t)p->log.size,
                             .note_size = (uint32_t)p->note.size};
    scratch->size = 0;
    char *bytes = store_grow(scratch, p->log.size + p->note.size + 1);
    memcpy(bytes, p->log.at, p->log.size);
    memcpy(bytes + p->log.size, p->note.at, p->note.size);
    p->log.at = bytes;
    p->note.at = bytes + p->log.size;
    p->sound = p->head.match == match && p->head.number == number &&
               sum_of(&p->head, bytes) == (uint64_t)sqlite3_column_int64(st, 5);
}

// --- blobs

static void fold_piece(struct bytes *blob, const struct stored_piece *p, int64_t before_ms)
{
    char head[LOG_PIECE_HEAD];
    size_t size = log_piece_write_head(head, p->head.at_ms, before_ms, p->log.size, p->note.size);
    log_piece_copy(store_grow(blob, size + p->log.size + p->note.size), (struct span){head, size}, p->log, p->note);
}

void store_append_log(struct running_match *m, int64_t at_ms, struct span log, struct span note)
{
    char head[LOG_PIECE_HEAD];
    size_t size = log_piece_write_head(head, at_ms, m->log_ms, log.size, note.size);
    char *to = running_append_log(m, size + log.size + note.size);
    if (!to)
        return;
    log_piece_copy(to, (struct span){head, size}, log, note);
    m->log_ms = at_ms;
}

// An unsound log gets a wrong checksum, so that reading it returns ERR_FORMAT.
int store_write_log(struct store *s, int64_t match, uint32_t pieces, struct span log, bool sound)
{
    uint64_t sum = hash_bytes(log.at, log.size);
    sqlite3_stmt *st = db_use(&s->writer, SQL_ADD_LOG);
    bind_int(st, 1, match);
    bind_int(st, 2, pieces);
    bind_bytes(st, 3, log);
    bind_int(st, 4, (int64_t)(sound ? sum : ~sum));
    return db_run(&s->writer, st);
}

// For a log that was not kept in memory. A damaged or missing piece affects this match only: the writer goes on.
int store_fold_pieces(struct store *s, int64_t match, const int64_t *piece, uint32_t count)
{
    bool sound = count > 1; // at least a head and an end
    int64_t before_ms = 0;
    s->fold.size = 0;
    for (uint32_t i = 0; i < count; i++) {
        struct stored_piece p;
        sqlite3_stmt *st = db_use(&s->writer, SQL_GET_PIECE);
        bind_int(st, 1, piece[i]);
        if (db_next(&s->writer, st)) {
            read_piece(st, match, i, &s->scratch, &p);
            fold_piece(&s->fold, &p, before_ms);
            before_ms = p.head.at_ms;
            sound &= p.sound;
            db_done(st);
        } else {
            sound = false;
        }
        if (s->writer.failed)
            return ERR_STORAGE;
    }
    return store_write_log(s, match, count, (struct span){s->fold.at, s->fold.size}, sound);
}

// --- reading

static int read_blob(struct store *s, int64_t match, store_each *each, void *owner)
{
    int64_t at_ms = 0;
    sqlite3_stmt *st = db_use(&s->reader, SQL_LOG_OF);
    bind_int(st, 1, match);
    if (!db_next(&s->reader, st))
        return s->reader.failed ? ERR_FORMAT : ERR_UNKNOWN;
    struct span blob = read_bytes(st, 1), log, note;
    int64_t left = sqlite3_column_int64(st, 0);
    bool sound = hash_bytes(blob.at, blob.size) == (uint64_t)sqlite3_column_int64(st, 2), more = true;
    for (; sound && left > 0 && more; left--) {
        sound = log_piece_read(&blob, &at_ms, &log, &note);
        more = sound && each(owner, at_ms, log, note);
    }
    db_done(st);
    return sound ? OK : ERR_FORMAT;
}

// Reads the pieces of a running match that are durable. If the match is durable, so is its head.
static int read_pieces(struct store *s, const struct running_match *m, store_each *each, void *owner)
{
    struct bytes scratch = {0};
    int err = ERR_FORMAT;
    bool more = true;
    for (uint32_t i = 0; i < m->count && (i == 0 || err == OK) && more; i++) {
        struct stored_piece p;
        sqlite3_stmt *st = db_use(&s->reader, SQL_PIECE_AT);
        bind_int(st, 1, m->piece[i]);
        more = db_next(&s->reader, st);
        if (more) {
            read_piece(st, m->row, i, &scratch, &p);
            db_done(st);
            err = p.sound ? OK : ERR_FORMAT;
            more = p.sound && each(owner, p.head.at_ms, p.log, p.note);
        }
    }
    free(scratch.at);
    return s->reader.failed ? ERR_FORMAT : err;
}

// Searches the table. Needed between the put of a match's end and its commit, when the match is still running for
// readers but no longer in the list of running ones; and for a match whose end was never written.
static int search_pieces(struct store *s, int64_t match, store_each *each, void *owner)
{
    struct bytes scratch = {0};
    uint32_t number = 0;
    int err = OK;
    bool more = true;
    sqlite3_stmt *st = db_use(&s->reader, SQL_PIECES_OF);
    bind_int(st, 1, match);
    while (err == OK && more && db_next(&s->reader, st)) {
        struct stored_piece p;
        read_piece(st, match, number++, &scratch, &p);
        err = p.sound ? OK : ERR_FORMAT;
        more = p.sound && each(owner, p.head.at_ms, p.log, p.note);
    }
    db_done(st);
    free(scratch.at);
    return s->reader.failed || number == 0 ? ERR_FORMAT : err;
}

static int64_t find_row(struct store *s, struct uuid match)
{
    sqlite3_stmt *st = db_use(&s->reader, SQL_FIND_MATCH);
    bind_uuid(st, 1, &match);
    int64_t row = db_next(&s->reader, st) ? sqlite3_column_int64(st, 0) : 0;
    db_done(st);
    return row;
}

int lite_read_log(struct store *s, struct uuid match, store_each *each, void *owner)
{
    if (!store_await(s))
        return ERR_STORAGE;
    int err;
    store_begin_read(s);
    int64_t row = find_row(s, match);
    const struct running_match *m = running_find(&s->running, match);
    if (!row) {
        err = ERR_UNKNOWN;
    } else if (m) {
        err = read_pieces(s, m, each, owner);
    } else {
        err = read_blob(s, row, each, owner);
        if (err == ERR_UNKNOWN)
            err = search_pieces(s, row, each, owner);
    }
    s->reader.failed = false; // the damage affects this match only
    store_end_read(s);
    return err;
}
