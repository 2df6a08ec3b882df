// Reads matches: one, or a page of them.
#include "store/internal.h"

#include "store/columns.h"

#include <stdlib.h>
#include <string.h>

#define MATCH(kind, field) COLUMN(kind, struct store_match, field)
#define PLACE(kind, field) COLUMN(kind, struct store_seat, field)

const struct column store_match_columns[STORE_MATCH_COLUMNS] = {
    MATCH(NAME, id),        MATCH(NAME, replay),      MATCH(NAME, live),           MATCH(NAME, challenge),
    MATCH(TEXT, mode),      MATCH(BYTES, key),        MATCH(BYTES, commitment),    MATCH(INT, created_ms),
    MATCH(INT, started_ms), MATCH(INT, finished_ms),  MATCH(INT, seats),           MATCH(INT, teams),
    MATCH(UINT, events),    MATCH(UINT, status),      MATCH(BOOL, rated),          MATCH(BOOL, is_draw),
    MATCH(INT, winner),     MATCH(INT, forfeited_by), MATCH(UINT, forfeit_reason), MATCH(UINT, unreported),
    MATCH(UINT, deal),      MATCH(UINT, swing),       MATCH(UINT, largest_swing),
};

const struct column store_result_columns[STORE_RESULT_COLUMNS] = {
    MATCH(INT, started_ms),      MATCH(INT, finished_ms), MATCH(UINT, events),        MATCH(UINT, status),
    MATCH(BOOL, rated),          MATCH(BOOL, is_draw),    MATCH(INT, winner),         MATCH(INT, forfeited_by),
    MATCH(UINT, forfeit_reason), MATCH(UINT, swing),      MATCH(UINT, largest_swing),
};

const struct column store_seat_columns[STORE_SEAT_COLUMNS] = {
    PLACE(NAME, session), PLACE(BOOL, one_shot), PLACE(BOOL, delivered),
    PLACE(BOOL, dropped), PLACE(UINT, result),   PLACE(TEXT, name),
};

static void read_seats(struct store *s, int64_t row, struct store_match *out)
{
    sqlite3_stmt *st = db_use(&s->reader, SQL_SEATS_OF);
    bind_int(st, 1, row);
    while (db_next(&s->reader, st)) {
        int seat = sqlite3_column_int(st, 0);
        if (seat < 0 || seat >= STORE_SEATS)
            continue;
        out->payoffs[seat] = sqlite3_column_int(st, 1);
        out->seat[seat].agent = read_uuid(st, 2);
        read_row(st, 3, store_seat_columns, STORE_SEAT_COLUMNS, &out->seat[seat]);
    }
}

// Reads the columns of the match's own row.
static void read_head(struct store *s, sqlite3_stmt *st, struct store_match *out)
{
    const char *game = store_game_name(s, sqlite3_column_int(st, 1));
    *out = (struct store_match){0};
    memcpy(out->game, game, strlen(game));
    read_row(st, 2, store_match_columns, STORE_MATCH_COLUMNS, out);
}

static bool read_match(struct store *s, sqlite3_stmt *st, struct store_match *out)
{
    if (!db_next(&s->reader, st))
        return false;
    int64_t row = sqlite3_column_int64(st, 0);
    read_head(s, st, out);
    store_read_outcome(read_bytes(st, 3 + STORE_MATCH_COLUMNS), out);
    db_done(st);
    read_seats(s, row, out);
    return !s->reader.failed;
}

static bool read_match_at(struct store *s, int64_t row, struct store_match *out)
{
    sqlite3_stmt *st = db_use(&s->reader, SQL_MATCH_AT);
    bind_int(st, 1, row);
    return read_match(s, st, out);
}

static bool find_match(struct store *s, enum sql which, struct uuid id, struct store_match *out)
{
    if (!store_await(s))
        return false;
    store_begin_read(s);
    sqlite3_stmt *st = db_use(&s->reader, which);
    bind_uuid(st, 1, &id);
    bool found = read_match(s, st, out);
    store_end_read(s);
    return found;
}

bool lite_find_match(struct store *s, struct uuid id, struct store_match *out)
{
    return find_match(s, SQL_FIND_MATCH, id, out);
}

bool lite_find_replay(struct store *s, struct uuid replay, struct store_match *out)
{
    return find_match(s, SQL_FIND_REPLAY, replay, out);
}

bool lite_find_session(struct store *s, struct uuid session, struct store_match *out, int *seat)
{
    if (!store_await(s))
        return false;
    store_begin_read(s);
    sqlite3_stmt *st = db_use(&s->reader, SQL_FIND_SESSION);
    bind_uuid(st, 1, &session);
    int64_t row = 0;
    if (db_next(&s->reader, st)) {
        row = sqlite3_column_int64(st, 0);
        *seat = sqlite3_column_int(st, 1);
    }
    db_done(st);
    bool found = row && read_match_at(s, row, out);
    store_end_read(s);
    return found;
}

int lite_list_running(struct store *s, struct uuid *out, int room, int *total)
{
    if (!store_await(s)) {
        if (total)
            *total = 0;
        return 0;
    }
    int count = 0;
    store_begin_read(s);
    sqlite3_stmt *st = db_use(&s->reader, SQL_COUNT_RUNNING);
    int all = db_next(&s->reader, st) ? sqlite3_column_int(st, 0) : 0;
    db_done(st);
    st = db_use(&s->reader, SQL_LIST_RUNNING);
    bind_int(st, 1, room);
    while (count < room && db_next(&s->reader, st))
        out[count++] = read_uuid(st, 1);
    db_done(st);
    store_end_read(s);
    if (total)
        *total = all;
    return count;
}

// Matches of a list are numbered from 1 without gaps, so a page is found directly, however far down it is.
static int64_t list_size(struct store *s, int64_t agent, int game)
{
    sqlite3_stmt *st = db_use(&s->reader, SQL_LIST_SIZE);
    bind_int(st, 1, agent);
    bind_int(st, 2, game);
    int64_t size = db_next(&s->reader, st) ? sqlite3_column_int64(st, 0) : 0;
    db_done(st);
    return size;
}

static sqlite3_stmt *list_page(struct store *s, int64_t agent, int game, int64_t newest, int room)
{
    sqlite3_stmt *st = db_use(&s->reader, SQL_LIST_PAGE);
    bind_int(st, 1, agent);
    bind_int(st, 2, game);
    bind_int(st, 3, newest);
    bind_int(st, 4, room);
    return st;
}

static int read_page(struct store *s, int64_t agent, int game, int from, struct store_match *out, int room, int *total)
{
    int count = 0;
    int64_t size = list_size(s, agent, game);
    sqlite3_stmt *st = list_page(s, agent, game, size - from, room);
    while (count < room && db_next(&s->reader, st))
        if (read_match_at(s, sqlite3_column_int64(st, 0), &out[count]))
            count++;
    db_done(st);
    *total = (int)size;
    return count;
}

int lite_list_matches(struct store *s, const char *game, const struct uuid *agent, int from, struct store_match *out,
                      int room, int *total)
{
    if (!store_await(s)) {
        if (total)
            *total = 0;
        return 0;
    }
    int count = 0, all = 0, game_row = game ? store_game_row(s, game) : 0;
    store_begin_read(s);
    int64_t agent_row = agent ? store_agent_row(s, *agent) : 0;
    if ((!game || game_row) && (!agent || agent_row))
        count = read_page(s, agent_row, game_row, from, out, room, &all);
    store_end_read(s);
    if (total)
        *total = all;
    return count;
}

static bool read_recent(struct store *s, int64_t row, int64_t agent, struct store_match *out, int *seat)
{
    sqlite3_stmt *st = db_use(&s->reader, SQL_MATCH_AT);
    bind_int(st, 1, row);
    if (!db_next(&s->reader, st))
        return false;
    read_head(s, st, out);
    *seat = store_read_players(read_bytes(st, 2 + STORE_MATCH_COLUMNS), read_bytes(st, 3 + STORE_MATCH_COLUMNS), agent,
                               out);
    db_done(st);
    return *seat >= 0;
}

int lite_list_recent(struct store *s, struct uuid agent, struct store_match *out, int *seat, int room)
{
    if (!store_await(s))
        return 0;
    int count = 0;
    store_begin_read(s);
    int64_t row = store_agent_row(s, agent);
    sqlite3_stmt *st = list_page(s, row, 0, INT64_MAX, room);
    while (row && count < room && db_next(&s->reader, st))
        if (read_recent(s, sqlite3_column_int64(st, 0), row, &out[count], &seat[count]))
            count++;
    db_done(st);
    store_end_read(s);
    return count;
}

static void read_point(struct store *s, sqlite3_stmt *st, struct store_rated *out)
{
    const char *game = store_game_name(s, sqlite3_column_int(st, 0));
    out->point = (struct store_point){.rating = sqlite3_column_double(st, 1),
                                      .deviation = sqlite3_column_double(st, 2),
                                      .at_ms = sqlite3_column_int64(st, 3)};
    memcpy(out->point.game, game, strlen(game));
}

int lite_rated_matches(struct store *s, struct uuid agent, const char *game, int from, struct store_rated *out,
                       int room)
{
    if (!store_await(s))
        return 0;
    struct store_match m;
    int count = 0, seat, only = game ? store_game_row(s, game) : 0;
    store_begin_read(s);
    int64_t row = store_agent_row(s, agent);
    sqlite3_stmt *st = db_use(&s->reader, SQL_POINTS_OF);
    bind_int(st, 1, row);
    bind_int(st, 2, only);
    bind_int(st, 3, room);
    bind_int(st, 4, from);
    while (row && (!game || only) && count < room && db_next(&s->reader, st)) {
        struct store_rated *r = &out[count];
        *r = (struct store_rated){0};
        read_point(s, st, r);
        if (!read_recent(s, sqlite3_column_int64(st, 4), row, &m, &seat))
            continue;
        r->replay = m.replay, r->seats = m.seats, r->seat = seat, r->teams = m.teams;
        for (int i = 0; i < m.seats; i++)
            memcpy(r->name[i], m.seat[i].name, sizeof r->name[i]);
        count++;
    }
    db_done(st);
    store_end_read(s);
    return count;
}

int lite_list_undelivered(struct store *s, struct uuid agent, int64_t since_ms, struct uuid *out, int room)
{
    if (!store_await(s))
        return 0;
    int count = 0;
    store_begin_read(s);
    sqlite3_stmt *st = db_use(&s->reader, SQL_LIST_UNDELIVERED);
    bind_uuid(st, 1, &agent);
    bind_int(st, 2, since_ms);
    bind_int(st, 3, room);
    while (count < room && db_next(&s->reader, st))
        out[count++] = read_uuid(st, 0);
    db_done(st);
    store_end_read(s);
    return count;
}

int lite_list_starts(struct store *s, struct uuid agent, int64_t since_ms, int64_t *at_ms, int room)
{
    if (!store_await(s))
        return 0;
    int count = 0;
    store_begin_read(s);
    sqlite3_stmt *st = db_use(&s->reader, SQL_LIST_STARTS);
    bind_uuid(st, 1, &agent);
    bind_int(st, 2, since_ms);
    bind_int(st, 3, room);
    while (count < room && db_next(&s->reader, st))
        at_ms[count++] = sqlite3_column_int64(st, 0);
    db_done(st);
    store_end_read(s);
    return count;
}

// --- opponents (F5.13)

static void name_opponent(struct store *s, int64_t opponent, struct store_versus *out)
{
    sqlite3_stmt *st = db_use(&s->reader, SQL_AGENT_NAMES);
    bind_int(st, 1, opponent);
    if (db_next(&s->reader, st)) {
        out->opponent = read_uuid(st, 0);
        read_text(st, 1, out->name, sizeof out->name);
    }
    db_done(st);
}

static int read_versus(struct store *s, enum sql which, int64_t agent, int game, struct store_versus *out, int room)
{
    int count = 0;
    sqlite3_stmt *st = db_use(&s->reader, which);
    bind_int(st, 1, agent);
    bind_int(st, 2, game);
    bind_int(st, 3, room);
    while (count < room && db_next(&s->reader, st)) {
        struct store_versus *v = &out[count++];
        const char *name = store_game_name(s, game);
        *v = (struct store_versus){.games = (uint32_t)sqlite3_column_int64(st, 1),
                                   .wins = (uint32_t)sqlite3_column_int64(st, 2),
                                   .losses = (uint32_t)sqlite3_column_int64(st, 3),
                                   .draws = (uint32_t)sqlite3_column_int64(st, 4)};
        memcpy(v->game, name, strlen(name));
        name_opponent(s, sqlite3_column_int64(st, 0), v);
    }
    db_done(st);
    return count;
}

static int by_games(const void *a, const void *b)
{
    const struct store_versus *x = a, *y = b;
    return x->games != y->games ? (x->games < y->games ? 1 : -1) : memcmp(&x->opponent, &y->opponent, UUID_BYTES);
}

// Opponents met more than once have an index of their own, because most pairs meet once.
static int read_versus_in(struct store *s, int64_t agent, int game, struct store_versus *out, int room)
{
    int count = read_versus(s, SQL_VERSUS_OFTEN, agent, game, out, room);
    return count + read_versus(s, SQL_VERSUS_ONCE, agent, game, out + count, room - count);
}

// Takes the most frequent opponents of every game, then the most frequent of these.
static int read_versus_anywhere(struct store *s, int64_t agent, struct store_versus *out, int room)
{
    int count = 0;
    struct store_versus *all = calloc((size_t)room * (size_t)s->games + 1, sizeof *all);
    if (!all)
        abort();
    for (int game = 1; game <= s->games; game++)
        count += read_versus_in(s, agent, game, all + count, room);
    qsort(all, (size_t)count, sizeof *all, by_games);
    count = count < room ? count : room;
    memcpy(out, all, (size_t)count * sizeof *all);
    free(all);
    return count;
}

int lite_versus(struct store *s, struct uuid agent, const char *game, struct store_versus *out, int room)
{
    if (!store_await(s))
        return 0;
    int count = 0, only = game ? store_game_row(s, game) : 0;
    store_begin_read(s);
    int64_t row = store_agent_row(s, agent);
    if (row && only)
        count = read_versus_in(s, row, only, out, room);
    else if (row && !game)
        count = read_versus_anywhere(s, row, out, room);
    store_end_read(s);
    return count;
}
