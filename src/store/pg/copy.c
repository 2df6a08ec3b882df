#include "store/pg/copy.h"

#include "base/hash.h"
#include "store/internal.h"
#include "store/pg/internal.h"

#include <endian.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SEND_AT = 1 << 18 }; // bytes in one call of libpq, whatever the size of a row

// Once it has failed, every function does nothing, so that it is checked only at the end.
struct copy_job {
    sqlite3 *from;
    PGconn *to;
    struct store *source;
    struct bytes out; // rows of COPY, binary
    char *why;
    size_t room;
    bool failed;
};

static void set_error(struct copy_job *m, const char *what, const char *why)
{
    if (!m->failed)
        snprintf(m->why, m->room, "cannot copy %s: %.*s", what, (int)strcspn(why, "\n"), why);
    m->failed = true;
}

static void exec_sql(struct copy_job *m, const char *sql)
{
    if (m->failed)
        return;
    PGresult *r = PQexec(m->to, sql);
    if (PQresultStatus(r) != PGRES_COMMAND_OK && PQresultStatus(r) != PGRES_TUPLES_OK)
        set_error(m, sql, PQresultErrorMessage(r));
    PQclear(r);
}

// --- rows in the binary format of COPY: the number of columns, then each one like a parameter

static void begin_copy(struct copy_job *m, const char *table)
{
    char sql[1024];
    static const char head[] = "PGCOPY\n\377\r\n\0\0\0\0\0\0\0\0\0";
    snprintf(sql, sizeof sql, "COPY %s FROM STDIN (FORMAT binary)", table);
    PGresult *r = m->failed ? NULL : PQexec(m->to, sql);
    if (r && PQresultStatus(r) != PGRES_COPY_IN)
        set_error(m, table, PQresultErrorMessage(r));
    PQclear(r);
    m->out.size = 0;
    memcpy(store_grow(&m->out, 19), head, 19);
}

static void flush_rows(struct copy_job *m)
{
    if (!m->failed && PQputCopyData(m->to, m->out.at, (int)m->out.size) != 1)
        set_error(m, "rows", PQerrorMessage(m->to));
    m->out.size = 0;
}

static struct args begin_row(struct copy_job *m, int columns)
{
    if (m->out.size > SEND_AT)
        flush_rows(m);
    uint16_t wire = htobe16((uint16_t)columns);
    memcpy(store_grow(&m->out, sizeof wire), &wire, sizeof wire);
    return (struct args){.to = &m->out};
}

static void end_copy(struct copy_job *m, const char *table)
{
    memset(store_grow(&m->out, 2), 0xFF, 2);
    flush_rows(m);
    if (m->failed)
        return;
    if (PQputCopyEnd(m->to, NULL) != 1)
        set_error(m, table, PQerrorMessage(m->to));
    for (PGresult *r; (r = PQgetResult(m->to)); PQclear(r))
        if (PQresultStatus(r) != PGRES_COMMAND_OK)
            set_error(m, table, PQresultErrorMessage(r));
}

static void put_short(struct args *a, int64_t value)
{
    uint16_t wire = htobe16((uint16_t)value);
    args_bytes(a, (struct span){(const char *)&wire, sizeof wire});
}

// i, d, h: integers of 8, 4, 2 bytes; f: double; o: boolean; t: text; b: bytes, also a UUID. NULL stays NULL.
static void put_value(struct args *a, sqlite3_stmt *st, int column, char type)
{
    if (sqlite3_column_type(st, column) == SQLITE_NULL) {
        args_null(a);
        return;
    }
    switch (type) {
    case 'i':
        args_int(a, sqlite3_column_int64(st, column));
        break;
    case 'd':
        args_int4(a, sqlite3_column_int(st, column));
        break;
    case 'h':
        put_short(a, sqlite3_column_int64(st, column));
        break;
    case 'f':
        args_real(a, sqlite3_column_double(st, column));
        break;
    case 'o':
        args_bool(a, sqlite3_column_int(st, column) != 0);
        break;
    case 't':
        args_text(a, (const char *)sqlite3_column_text(st, column), (size_t)sqlite3_column_bytes(st, column));
        break;
    default:
        args_bytes(a, read_bytes(st, column));
    }
}

static sqlite3_stmt *prepare_select(struct copy_job *m, const char *sql)
{
    sqlite3_stmt *st = NULL;
    if (!m->failed && sqlite3_prepare_v2(m->from, sql, -1, &st, NULL) != SQLITE_OK)
        set_error(m, sql, sqlite3_errmsg(m->from));
    return st;
}

static bool next_row(struct copy_job *m, sqlite3_stmt *st)
{
    int got = st && !m->failed ? sqlite3_step(st) : SQLITE_DONE;
    if (got != SQLITE_ROW && got != SQLITE_DONE)
        set_error(m, sqlite3_sql(st), sqlite3_errmsg(m->from));
    return got == SQLITE_ROW && !m->failed;
}

static void copy_table(struct copy_job *m, const char *table, const char *types, const char *select)
{
    sqlite3_stmt *st = prepare_select(m, select);
    begin_copy(m, table);
    while (next_row(m, st)) {
        struct args a = begin_row(m, (int)strlen(types));
        for (int i = 0; types[i]; i++)
            put_value(&a, st, i, types[i]);
    }
    end_copy(m, table);
    sqlite3_finalize(st);
}

// --- tables that are the same on both sides

#define AGENT_COLUMNS                                                                                                  \
    "row, id, public_no, key_hash, claim_hash, verify_hash, created_ms, renamed_ms, verify_until_ms, "                 \
    "max_games_per_day, max_games_per_hour, cooldown_seconds, max_concurrent, kind, has_key, claimed, disabled, "      \
    "auto_requeue, auto_confirm, client_kind, runtime_type, device_id, instance, bridge_version, terms_version, "      \
    "privacy_version, standby, games, bot_url, owner, name, model, description, day_ceiling, hour_ceiling, "           \
    "cooldown_floor, concurrent_ceiling, origin, lineage, entropy"

static const struct table {
    const char *to, *types, *select;
} tables[] = {
    {"games(row, name)", "ht", "SELECT row, name FROM games"},
    {"agents(" AGENT_COLUMNS ")", "ibibbbiiiiiiiiooooottttttttttttttiiiitbb",
     "SELECT " AGENT_COLUMNS " FROM agents ORDER BY row"},
    {"pairings(code_hash, agent, expires_ms, used, revoked, runtime_type)", "biioot",
     "SELECT code_hash, agent, expires_ms, used, revoked, runtime_type FROM pairings"},
    {"versus(agent, game, opponent, games, wins, losses, draws)", "ihiiiii",
     "SELECT agent, game, opponent, games, wins, losses, draws FROM versus"},
    {"challenges(row, game, id, token_hash, created_ms, expires_ms, match, places, taken, status)", "ihbbiibiii",
     "SELECT row, game, id, token_hash, created_ms, expires_ms, match, places, taken, status FROM challenges"},
    {"places(challenge, place, agent)", "ihi", "SELECT challenge, place, agent FROM places"},
    {"commitments(place, kind, number, at_ms, body, link)", "iiiibb",
     "SELECT place, kind, number, at_ms, body, link FROM commitments ORDER BY place"},
    {"deal_epochs(first, id, secret, restored)", "ibbo", "SELECT first, id, secret, restored FROM epochs"},
    {"starts(agent, at_ms, match)", "iii", "SELECT agent, at_ms, match FROM starts"},
    {"order_in(match, number)", "ii", "SELECT match, number FROM lists WHERE agent = 0 AND game = 0"},
    {"seats_in(match, seat, finished, agent, game, place, session, result, rating, deviation, delivered)",
     "ihiihibhffo",
     "SELECT s.match, s.seat, m.finished_ms, s.agent, m.game, nullif(s.number, 0), s.session, s.result, l.rating, "
     "l.deviation, s.delivered FROM seats s JOIN matches m ON m.row = s.match LEFT JOIN lists l ON l.agent = s.agent "
     "AND l.game = 0 AND l.number = s.number WHERE m.status > 0"},
    {"running_seats(match, seat, agent, session)", "ihib",
     "SELECT s.match, s.seat, s.agent, s.session FROM seats s JOIN matches m ON m.row = s.match WHERE m.status = 0"},
};

// --- tables that differ

static void copy_ratings(struct copy_job *m)
{
    static struct store_rating all[STORE_GAMES];
    sqlite3_stmt *st = prepare_select(m, "SELECT row, id FROM agents WHERE row IN (SELECT agent FROM ratings)");
    begin_copy(m, "ratings(agent, game, version, finish_no, xid, body)");
    while (next_row(m, st)) {
        int count = store_ratings(m->source, read_uuid(st, 1), all, STORE_GAMES);
        for (int i = 0; i < count; i++) {
            struct bytes body = {0};
            struct args a = begin_row(m, 6);
            pack_row(&body, store_rating_columns, STORE_RATING_COLUMNS, &all[i]);
            args_int(&a, sqlite3_column_int64(st, 0));
            put_short(&a, store_game_row(m->source, all[i].game));
            args_int(&a, all[i].games); // the version counts results
            args_int(&a, 0);
            args_int(&a, 3); // the first transaction id there can be
            args_bytes(&a, (struct span){body.at, body.size});
            free(body.at);
        }
    }
    end_copy(m, "ratings");
    sqlite3_finalize(st);
}

static void copy_counters(struct copy_job *m)
{
    sqlite3_stmt *st = prepare_select(m, "SELECT agent, game, matches, since_ms, counts FROM counters");
    begin_copy(m, "counters(agent, game, matches, since_ms, n, of, squares)");
    while (next_row(m, st)) {
        struct counts c = {0};
        struct span bytes = read_bytes(st, 4);
        memcpy(&c, bytes.at, bytes.size < sizeof c ? bytes.size : sizeof c);
        struct args a = begin_row(m, 7);
        put_value(&a, st, 0, 'i');
        put_value(&a, st, 1, 'h');
        put_value(&a, st, 2, 'i');
        put_value(&a, st, 3, 'i');
        pg_put_counts(&a, &c, 1);
    }
    end_copy(m, "counters");
    sqlite3_finalize(st);
}

// Pieces are written anew: their checksums cover the row of the match, which is another one here.
struct log_out {
    struct bytes bytes;
    int64_t match, before_ms;
    uint32_t number;
};

static bool add_piece(void *owner, int64_t at_ms, struct span log, struct span note)
{
    struct log_out *l = owner;
    size_t size, begin = l->bytes.size;
    store_grow(&l->bytes, piece_size(log, note));
    piece_fill(l->bytes.at + begin, l->match, l->number++, at_ms, l->before_ms, log, note, &size);
    l->bytes.size = begin + size;
    l->before_ms = at_ms;
    return true;
}

// A damaged log is copied as far as it is readable, with an unreadable end, so that it stays damaged.
static void read_log(struct copy_job *m, struct uuid id, int64_t row, struct log_out *l)
{
    l->bytes.size = 0;
    *l = (struct log_out){.bytes = l->bytes, .match = row};
    if (store_read_log(m->source, id, add_piece, l) != OK)
        memset(store_grow(&l->bytes, 1), 0xFF, 1);
}

static void copy_logs(struct copy_job *m)
{
    struct log_out l = {0};
    sqlite3_stmt *st = prepare_select(m, "SELECT row, id, finished_ms FROM matches WHERE status > 0 ORDER BY row");
    begin_copy(m, "logs(match, finished, bytes)");
    while (next_row(m, st)) {
        read_log(m, read_uuid(st, 1), sqlite3_column_int64(st, 0), &l);
        struct args a = begin_row(m, 3);
        put_value(&a, st, 0, 'i');
        put_value(&a, st, 2, 'i');
        args_bytes(&a, (struct span){l.bytes.at, l.bytes.size});
    }
    end_copy(m, "logs");
    sqlite3_finalize(st);
    free(l.bytes.at);
}

static void put_record(struct args *a, const struct store_match *match)
{
    struct bytes record = {0};
    pack_match(&record, match);
    args_bytes(a, (struct span){record.at, record.size});
    free(record.at);
}

static void copy_matches(struct copy_job *m)
{
    struct store_match match;
    sqlite3_stmt *st =
        prepare_select(m, "SELECT row, finished_ms, id, replay, game, status = 1, untold FROM matches WHERE status "
                          "> 0 ORDER BY row");
    begin_copy(m, "matches_in(match, finished, id, replay, game, listed, unreported, record)");
    while (next_row(m, st)) {
        if (!store_find_match(m->source, read_uuid(st, 2), &match))
            set_error(m, "a match", "it cannot be read");
        struct args a = begin_row(m, 8);
        for (int i = 0; i < 7; i++)
            put_value(&a, st, i, "iibbhod"[i]);
        put_record(&a, &match);
    }
    end_copy(m, "matches_in");
    sqlite3_finalize(st);
}

// The log so far is copied as a folded one; pieces begin after it.
static void copy_running(struct copy_job *m)
{
    struct log_out l = {0};
    struct store_match match;
    sqlite3_stmt *st =
        prepare_select(m, "SELECT row, id, game, created_ms, untold FROM matches WHERE status = 0 ORDER BY row");
    begin_copy(m, "running(match, id, host, rules, game, began, unreported, record, folded, folded_to, folded_ms)");
    while (next_row(m, st)) {
        if (!store_find_match(m->source, read_uuid(st, 1), &match))
            set_error(m, "a match", "it cannot be read");
        read_log(m, read_uuid(st, 1), sqlite3_column_int64(st, 0), &l);
        struct args a = begin_row(m, 11);
        put_value(&a, st, 0, 'i');
        put_value(&a, st, 1, 'b');
        args_int(&a, 0);
        args_int4(&a, 1);
        put_value(&a, st, 2, 'h');
        put_value(&a, st, 3, 'i');
        put_value(&a, st, 4, 'd');
        put_record(&a, &match);
        args_bytes(&a, (struct span){l.bytes.at, l.bytes.size});
        args_int4(&a, (int32_t)l.number);
        args_int(&a, l.before_ms);
    }
    end_copy(m, "running");
    sqlite3_finalize(st);
    free(l.bytes.at);
}

static void make_months(struct copy_job *m)
{
    sqlite3_stmt *st =
        prepare_select(m, "SELECT max(finished_ms) FROM matches WHERE status > 0 AND finished_ms > 0 GROUP BY "
                          "strftime('%Y%m', finished_ms / 1000, 'unixepoch')");
    while (next_row(m, st)) {
        char sql[64];
        snprintf(sql, sizeof sql, "SELECT make_month(%lld)", (long long)sqlite3_column_int64(st, 0));
        exec_sql(m, sql);
    }
    sqlite3_finalize(st);
}

static void count_actions(struct copy_job *m)
{
    char sql[160];
    sqlite3_stmt *st = prepare_select(m, "SELECT actions FROM totals");
    while (next_row(m, st)) {
        snprintf(sql, sizeof sql, "INSERT INTO tallies VALUES(0, -1, 0, 0, 0, 0, %lld)",
                 (long long)sqlite3_column_int64(st, 0));
        exec_sql(m, sql);
    }
    sqlite3_finalize(st);
}

static void copy_all(struct copy_job *m)
{
    static const char *const before[] = {
        "BEGIN",
        "CREATE TEMP TABLE order_in(match bigint, number bigint) ON COMMIT DROP",
        ("CREATE TEMP TABLE matches_in(match bigint, finished bigint, id uuid, replay uuid, game smallint, listed "
         "boolean, "
         "unreported int, record bytea) ON COMMIT DROP"),
        ("CREATE TEMP TABLE seats_in(match bigint, seat smallint, finished bigint, agent bigint, game smallint, place "
         "bigint, session uuid, result smallint, rating float8, deviation float8, delivered boolean) ON COMMIT DROP"),
    };
    static const char *const after[] = {
        "INSERT INTO matches SELECT m.match, m.finished, m.id, m.replay, m.game, coalesce(o.number, 0), m.listed, "
        "m.unreported, m.record FROM matches_in m LEFT JOIN order_in o ON o.match = m.match ORDER BY m.match",
        "INSERT INTO seats SELECT match, seat, finished, agent, game, CASE WHEN place IS NOT NULL THEN row_number() "
        "OVER "
        "(PARTITION BY agent, game, place IS NULL ORDER BY place) END, place, session, result, rating, deviation, "
        "delivered FROM seats_in",
        "INSERT INTO lists SELECT agent, game, count(*) FROM seats WHERE number IS NOT NULL GROUP BY agent, game",
        "INSERT INTO lists SELECT agent, 0, count(*) FROM seats WHERE place IS NOT NULL GROUP BY agent",
        "INSERT INTO tallies SELECT finished / 86400000, -1, game, 0, count(*) FILTER (WHERE listed), count(*), 0 FROM "
        "matches GROUP BY 1, 3",
        "INSERT INTO tallies SELECT finished / 86400000, finished / 3600000 % 24, game, 0, count(*) FILTER (WHERE "
        "listed), count(*), 0 FROM matches GROUP BY 1, 2, 3",
        "INSERT INTO agent_state(agent, active) SELECT agent, count(*) FROM running_seats GROUP BY agent",
        "SELECT setval('finish_nos', (SELECT coalesce(max(finish_no), 0) + 1 FROM matches))",
        "SELECT setval('row_blocks', (SELECT coalesce(max(match), 0) / 1000 + 1 FROM (SELECT match FROM matches UNION "
        "ALL "
        "SELECT match FROM running) x))",
        "SELECT setval(pg_get_serial_sequence('challenges', 'row'), (SELECT coalesce(max(row), 0) + 1 FROM "
        "challenges))",
        "COMMIT",
        "ANALYZE",
    };
    for (int i = 0; i < COUNT_OF(before); i++)
        exec_sql(m, before[i]);
    make_months(m);
    for (int i = 0; i < COUNT_OF(tables); i++)
        copy_table(m, tables[i].to, tables[i].types, tables[i].select);
    copy_ratings(m);
    copy_counters(m);
    copy_matches(m);
    copy_logs(m);
    copy_running(m);
    count_actions(m);
    for (int i = 0; i < COUNT_OF(after); i++)
        exec_sql(m, after[i]);
}

// --- comparing both sides through store.h

struct digest {
    uint64_t value;
};

static bool add_hash(void *owner, int64_t at_ms, struct span log, struct span note)
{
    struct digest *d = owner;
    const uint64_t all[] = {d->value, (uint64_t)at_ms, hash_bytes(log.at, log.size), hash_bytes(note.at, note.size)};
    d->value = hash_bytes(all, sizeof all);
    return true;
}

static void measure_ratings(struct store *s, struct copy_figures *out)
{
    static struct store_rating all[STORE_GAMES];
    static struct store_agent page[64];
    for (int from = 0, count; (count = store_list_agents(s, -1, from, page, COUNT_OF(page), NULL)) > 0; from += count)
        for (int i = 0; i < count; i++) {
            int ratings = store_ratings(s, page[i].id, all, STORE_GAMES);
            out->ratings += (uint64_t)ratings;
            for (int k = 0; k < ratings; k++)
                out->rating_sum += all[k].rating;
        }
}

// Looks up every match of the source by its id.
static void measure_logs(struct copy_job *m, struct store *s, struct copy_figures *out)
{
    struct digest d = {0};
    sqlite3_stmt *st = prepare_select(m, "SELECT id FROM matches ORDER BY row");
    while (next_row(m, st)) {
        int err = store_read_log(s, read_uuid(st, 0), add_hash, &d);
        add_hash(&d, err == OK ? 0 : 1, (struct span){0}, (struct span){0});
    }
    out->logs_hash = d.value;
    sqlite3_finalize(st);
}

static void measure_arena(struct copy_job *m, struct store *s, struct copy_figures *out)
{
    struct store_counts counts;
    struct store_entry last;
    store_count(s, &counts);
    *out = (struct copy_figures){.agents = counts.agents,
                                 .matches = counts.matches,
                                 .running = counts.running,
                                 .actions = counts.actions,
                                 .entries = store_last_entry(s, &last) ? last.place + 1 : 0};
    measure_ratings(s, out);
    measure_logs(m, s, out);
}

static bool is_same(const struct copy_figures *a, const struct copy_figures *b)
{
    return a->agents == b->agents && a->matches == b->matches && a->running == b->running && a->actions == b->actions &&
           a->ratings == b->ratings && a->entries == b->entries && a->rating_sum == b->rating_sum &&
           a->logs_hash == b->logs_hash;
}

// Opening creates an empty arena, so one is accepted. An arena with agents or matches is in use.
static bool is_empty(const char *url, char *why, size_t room)
{
    struct store_options o;
    struct store_counts counts;
    store_defaults(&o);
    o.engine = &store_pg;
    o.url = url;
    struct store *s = store_open(&o, why, room);
    if (!s)
        return false;
    store_count(s, &counts);
    store_close(s);
    if (counts.agents || counts.matches)
        snprintf(why, room, "the database has an arena already (%llu agents, %llu matches); choose an empty one",
                 (unsigned long long)counts.agents, (unsigned long long)counts.matches);
    return counts.agents == 0 && counts.matches == 0;
}

static int copy_and_compare(struct copy_job *m, const char *url, struct copy_figures *from, struct copy_figures *to)
{
    struct store_options o;
    copy_all(m);
    if (m->failed)
        return ERR_STORAGE;
    store_defaults(&o);
    o.engine = &store_pg;
    o.url = url;
    struct store *target = store_open(&o, m->why, m->room);
    if (!target)
        return ERR_STORAGE;
    measure_arena(m, m->source, from);
    measure_arena(m, target, to);
    store_close(target);
    if (m->failed)
        return ERR_STORAGE;
    if (is_same(from, to))
        return OK;
    snprintf(m->why, m->room, "the copy differs from what was copied; empty the database and try again");
    return ERR_FORMAT;
}

int copy_arena(const char *folder, const char *url, struct copy_figures *from, struct copy_figures *to, char *why,
               size_t room)
{
    struct store_options o;
    struct copy_job m = {.why = why, .room = room};
    int err = ERR_STORAGE;
    store_defaults(&o);
    o.folder = folder;
    if (!is_empty(url, why, room) || !(m.source = store_open(&o, why, room)))
        return ERR_STORAGE;
    char *path = store_path(folder, "agon.db");
    m.to = link_connect(url, 0, why, room);
    if (sqlite3_open_v2(path, &m.from, SQLITE_OPEN_READONLY, NULL) != SQLITE_OK)
        snprintf(why, room, "cannot read %s: %s", path, sqlite3_errmsg(m.from));
    else if (m.to)
        err = copy_and_compare(&m, url, from, to);
    sqlite3_close(m.from);
    PQfinish(m.to);
    store_close(m.source);
    free(m.out.at);
    free(path);
    return err;
}
