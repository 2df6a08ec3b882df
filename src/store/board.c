// Leaderboards read, exact at any moment.
//
// Rows come from an index in order of their stored display. A row that is due (its `changes_ms` has passed) is worth
// less than that by now, never more: it waits aside, with its exact display, until the index has come down to it. What
// comes out is the exact order, and reading stops as soon as the page is full. When no row is due, the index's order
// is exact and the rows before the page are skipped inside SQLite.
#include "store/inside.h"

#include "store/grade.h"
#include "store/rating_columns.h"

#include <stdlib.h>
#include <string.h>

struct entry {
    int64_t agent;
    struct uuid id;
    double display;
    int64_t games;
};

struct board {
    struct store *store;
    int64_t now_ms;
    int64_t game; // 0: all games
    sqlite3_stmt *rows;
    struct entry *aside; // a heap, the best on top
    size_t count, room;
    struct entry next; // of the index
    bool has_next;
};

static bool is_before(const struct entry *a, const struct entry *b)
{
    if (a->display != b->display)
        return a->display > b->display;
    if (a->games != b->games)
        return a->games > b->games;
    return memcmp(&a->id, &b->id, sizeof a->id) < 0;
}

// --- rows that wait aside

static void put_aside(struct board *b, struct entry e)
{
    if (b->count == b->room) {
        b->room = b->room ? b->room * 2 : 64;
        b->aside = realloc(b->aside, b->room * sizeof *b->aside);
        if (!b->aside)
            abort();
    }
    size_t at = b->count++;
    for (; at > 0 && is_before(&e, &b->aside[(at - 1) / 2]); at = (at - 1) / 2)
        b->aside[at] = b->aside[(at - 1) / 2];
    b->aside[at] = e;
}

static struct entry take_best(struct board *b)
{
    struct entry best = b->aside[0], last = b->aside[--b->count];
    size_t at = 0;
    for (size_t child = 1; child < b->count; child = 2 * at + 1) {
        child += child + 1 < b->count && is_before(&b->aside[child + 1], &b->aside[child]);
        if (!is_before(&b->aside[child], &last))
            break;
        b->aside[at] = b->aside[child];
        at = child;
    }
    b->aside[at] = last;
    return best;
}

// --- what a row is worth now

static struct grade read_grade(sqlite3_stmt *st)
{
    return (struct grade){{sqlite3_column_double(st, 0), sqlite3_column_double(st, 1), sqlite3_column_double(st, 2)},
                          sqlite3_column_int64(st, 3)};
}

// The totals over all games, and the aggregate of the eligible ones.
static void sum_up(struct store *s, int64_t agent, int64_t now_ms, struct store_total *out)
{
    struct grade_sum sum = {0};
    sqlite3_stmt *st = db_use(&s->reader, SQL_GRADES_OF);
    bind_int(st, 1, agent);
    while (db_next(&s->reader, st)) {
        uint32_t games = (uint32_t)sqlite3_column_int64(st, 4);
        out->games += games;
        out->wins += (uint32_t)sqlite3_column_int64(st, 6);
        out->losses += (uint32_t)sqlite3_column_int64(st, 7);
        out->draws += (uint32_t)sqlite3_column_int64(st, 8);
        out->games_active += games > 0;
        if (sqlite3_column_int64(st, 5) >= s->options.min_rated)
            grade_add(&sum, grade_display(read_grade(st), now_ms), games);
    }
    out->games_eligible = sum.games;
    out->aggregate = grade_aggregate(&sum);
}

static double worth_now(struct board *b, int64_t agent)
{
    double display = 0;
    if (!b->game) {
        struct store_total total = {0};
        sum_up(b->store, agent, b->now_ms, &total);
        return total.aggregate;
    }
    sqlite3_stmt *st = db_use(&b->store->reader, SQL_BOARD_GRADE);
    bind_int(st, 1, agent);
    bind_int(st, 2, b->game);
    if (db_next(&b->store->reader, st))
        display = grade_display(read_grade(st), b->now_ms);
    db_done(st);
    return display;
}

// --- the merged order

static bool some_are_due(struct store *s, int64_t now_ms)
{
    sqlite3_stmt *st = db_use(&s->reader, SQL_BOARD_DUE);
    bind_int(st, 1, now_ms);
    bool due = db_next(&s->reader, st);
    db_done(st);
    return due;
}

static void fetch(struct board *b)
{
    b->has_next = db_next(&b->store->reader, b->rows);
    if (b->has_next)
        b->next = (struct entry){sqlite3_column_int64(b->rows, 0), read_uuid(b->rows, 1),
                                 sqlite3_column_double(b->rows, 2), sqlite3_column_int64(b->rows, 3)};
}

static bool next_entry(struct board *b, struct entry *out)
{
    while (b->has_next && (b->count == 0 || is_before(&b->next, &b->aside[0]))) {
        int64_t changes_ms = sqlite3_column_int64(b->rows, 4);
        struct entry e = b->next;
        bool due = changes_ms != 0 && changes_ms <= b->now_ms;
        if (due) {
            e.display = worth_now(b, e.agent);
            put_aside(b, e);
        }
        fetch(b);
        if (!due) {
            *out = e;
            return true;
        }
    }
    if (b->count == 0)
        return false;
    *out = take_best(b);
    return true;
}

// The board from place `from` on; `game` 0: all games.
static struct board open_board(struct store *s, int64_t game, uint32_t min_rated, int64_t now_ms, int from)
{
    struct board b = {.store = s, .now_ms = now_ms, .game = game};
    struct entry passed;
    bool due = some_are_due(s, now_ms);
    b.rows = db_use(&s->reader, SQL_BOARD);
    bind_int(b.rows, 1, due ? 0 : from);
    bind_int(b.rows, 2, game);
    bind_int(b.rows, 3, min_rated);
    fetch(&b);
    for (int i = 0; due && i < from && next_entry(&b, &passed); i++)
        ;
    if (due)
        store_ask_ageing(s, now_ms);
    return b;
}

static void close_board(struct board *b)
{
    db_done(b->rows);
    free(b->aside);
}

static int count(struct store *s, enum sql which, int64_t game, uint32_t min_rated)
{
    sqlite3_stmt *st = db_use(&s->reader, which);
    bind_int(st, 1, game);
    bind_int(st, 2, min_rated);
    int n = db_next(&s->reader, st) ? sqlite3_column_int(st, 0) : 0;
    db_done(st);
    return n;
}

// --- the boards

static void read_names(struct store *s, int64_t agent, char name[STORE_NAME], char model[STORE_MODEL], bool *is_house)
{
    sqlite3_stmt *st = db_use(&s->reader, SQL_AGENT_NAMES);
    bind_int(st, 1, agent);
    if (db_next(&s->reader, st)) {
        read_text(st, 1, name, STORE_NAME);
        read_text(st, 2, model, STORE_MODEL);
        *is_house = sqlite3_column_int(st, 3) == STORE_HOUSE;
    }
    db_done(st);
}

static void read_rating(struct store *s, sqlite3_stmt *st, struct store_rating *out)
{
    const char *game = store_game_name(s, sqlite3_column_int(st, 1));
    *out = (struct store_rating){.agent = read_uuid(st, 0)};
    memcpy(out->game, game, strlen(game));
    read_row(st, 2, store_rating_columns, STORE_RATING_COLUMNS, out);
}

static void read_rank(struct store *s, const struct entry *e, int64_t game, struct store_rank *out)
{
    *out = (struct store_rank){.display = e->display};
    sqlite3_stmt *st = db_use(&s->reader, SQL_RATING_AT);
    bind_int(st, 1, e->agent);
    bind_int(st, 2, game);
    if (db_next(&s->reader, st))
        read_rating(s, st, &out->rating);
    db_done(st);
    read_names(s, e->agent, out->name, out->model, &out->is_house);
}

int store_leaderboard(struct store *s, const char *game, uint32_t min_rated, int64_t now_ms, int from,
                      struct store_rank *out, int room, int *total)
{
    int filled = 0, all = 0;
    int64_t row = store_game_row(s, game);
    struct entry e;
    store_begin_read(s);
    if (row) {
        struct board b = open_board(s, row, min_rated, now_ms, from);
        while (filled < room && next_entry(&b, &e))
            read_rank(s, &e, row, &out[filled++]);
        close_board(&b);
        if (total)
            all = count(s, min_rated <= STORE_STANDING_MOST ? SQL_STANDING : SQL_COUNT_ELIGIBLE, row, min_rated);
    }
    store_end_read(s);
    if (total)
        *total = all;
    return filled;
}

static void read_total(struct store *s, const struct entry *e, int64_t now_ms, struct store_total *out)
{
    *out = (struct store_total){.agent = e->id};
    sum_up(s, e->agent, now_ms, out);
    read_names(s, e->agent, out->name, out->model, &out->is_house);
}

int store_overall(struct store *s, int64_t now_ms, int from, struct store_total *out, int room, int *total)
{
    int filled = 0;
    struct entry e;
    store_begin_read(s);
    struct board b = open_board(s, 0, 0, now_ms, from);
    while (filled < room && next_entry(&b, &e))
        read_total(s, &e, now_ms, &out[filled++]);
    close_board(&b);
    if (total)
        *total = count(s, SQL_STANDING, 0, 0);
    store_end_read(s);
    return filled;
}

// How many who are no house agents stand before the row.
static int count_before(struct store *s, const struct entry *e, int64_t now_ms)
{
    int before = 0;
    if (!some_are_due(s, now_ms)) {
        sqlite3_stmt *st = db_use(&s->reader, SQL_OVERALL_ABOVE);
        bind_real(st, 1, e->display);
        bind_int(st, 2, e->games);
        bind_uuid(st, 3, &e->id);
        before = db_next(&s->reader, st) ? sqlite3_column_int(st, 0) : 0;
        db_done(st);
        return before;
    }
    struct board b = open_board(s, 0, 0, now_ms, 0);
    for (struct entry other; next_entry(&b, &other) && other.agent != e->agent;) {
        struct store_total row = {0};
        read_names(s, other.agent, row.name, row.model, &row.is_house);
        before += !row.is_house;
    }
    close_board(&b);
    return before;
}

int store_overall_of(struct store *s, struct uuid agent, int64_t now_ms, struct store_total *out)
{
    struct entry e = {.id = agent};
    int place = 0;
    store_begin_read(s);
    sqlite3_stmt *st = db_use(&s->reader, SQL_OVERALL_OF);
    bind_uuid(st, 1, &agent);
    if (db_next(&s->reader, st)) {
        e.agent = sqlite3_column_int64(st, 0);
        e.display = sqlite3_column_double(st, 1);
        e.games = sqlite3_column_int64(st, 2);
    } else {
        e.agent = store_agent_row(s, agent);
    }
    bool ranked = e.games > 0;
    db_done(st);
    read_total(s, &e, now_ms, out);
    if (ranked && !out->is_house)
        place = 1 + count_before(s, &e, now_ms);
    store_end_read(s);
    return place;
}

// --- ratings of one agent

int store_ratings(struct store *s, struct uuid agent, struct store_rating *out, int room)
{
    int filled = 0;
    store_begin_read(s);
    sqlite3_stmt *st = db_use(&s->reader, SQL_RATINGS_OF);
    bind_uuid(st, 1, &agent);
    while (filled < room && db_next(&s->reader, st))
        read_rating(s, st, &out[filled++]);
    db_done(st);
    store_end_read(s);
    return filled;
}

int store_rating_history(struct store *s, struct uuid agent, struct store_point *out, int room)
{
    int filled = 0;
    store_begin_read(s);
    sqlite3_stmt *st = db_use(&s->reader, SQL_HISTORY_OF);
    bind_uuid(st, 1, &agent);
    bind_int(st, 2, room);
    while (filled < room && db_next(&s->reader, st)) {
        struct store_point *p = &out[filled++];
        const char *game = store_game_name(s, sqlite3_column_int(st, 0));
        *p = (struct store_point){.rating = sqlite3_column_double(st, 1), .at_ms = sqlite3_column_int64(st, 2)};
        memcpy(p->game, game, strlen(game));
    }
    db_done(st);
    store_end_read(s);
    return filled;
}
