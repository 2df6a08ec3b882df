// Rows come from an index in order of their stored display. A row that is due (its `changes_ms` has passed) is worth
// less than that by now, never more: it waits aside, with its exact display, until the index has come down to it. What
// comes out is the exact order, and reading stops as soon as the page is full.
//
// A page far down begins at that place of the index, skipped to inside SQLite. Of the rows above it only those that are
// due can belong further down: they are found by an index of their own and put aside at once, and as many rows as were
// put aside are passed over before the page begins.
#include "store/board_order.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { DUE_MOST = 500 }; // more, and the board is read from the top until the writer has brought them up to date

struct due {
    struct entry stored;
    double display;      // now
    int64_t rated_games; // of all games: 0 for a house agent, which takes no place
    int64_t changes_ms;
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

void board_sum_up(struct store *s, int64_t agent, int64_t now_ms, struct store_total *out)
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

static double worth_now(struct store *s, int64_t agent, int64_t game, int64_t now_ms)
{
    double display = 0;
    if (!game) {
        struct store_total total = {0};
        board_sum_up(s, agent, now_ms, &total);
        return total.aggregate;
    }
    sqlite3_stmt *st = db_use(&s->reader, SQL_BOARD_GRADE);
    bind_int(st, 1, agent);
    bind_int(st, 2, game);
    if (db_next(&s->reader, st))
        display = grade_display(read_grade(st), now_ms);
    db_done(st);
    return display;
}

// --- rows that are due

static bool some_are_due(struct store *s, int64_t now_ms)
{
    sqlite3_stmt *st = db_use(&s->reader, SQL_BOARD_DUE);
    bind_int(st, 1, now_ms);
    bool due = db_next(&s->reader, st);
    db_done(st);
    return due;
}

static bool read_row_of(struct store *s, int64_t agent, int64_t game, struct due *out)
{
    sqlite3_stmt *st = db_use(&s->reader, SQL_BOARD_ROW);
    bind_int(st, 1, agent);
    bind_int(st, 2, game);
    bool found = db_next(&s->reader, st);
    if (found) {
        out->stored =
            (struct entry){agent, read_uuid(st, 0), sqlite3_column_double(st, 1), sqlite3_column_int64(st, 2)};
        out->rated_games = sqlite3_column_int64(st, 3);
        out->changes_ms = sqlite3_column_int64(st, 4);
    }
    db_done(st);
    return found;
}

// The agent's row on the board, when it is due there. Of all games it may not be: the game that is may not count.
static bool read_due(struct store *s, int64_t agent, int64_t game, uint32_t min_rated, int64_t now_ms, struct due *out)
{
    if (!read_row_of(s, agent, game, out) || out->rated_games < min_rated)
        return false;
    if (out->changes_ms == 0 || out->changes_ms > now_ms)
        return false;
    out->display = worth_now(s, agent, game, now_ms);
    return true;
}

// How many there are, or -1 when they are too many.
static int list_due(struct store *s, int64_t game, uint32_t min_rated, int64_t now_ms, struct due out[DUE_MOST])
{
    int count = 0, met = 0;
    sqlite3_stmt *st = db_use(&s->reader, SQL_DUE_AGENTS);
    bind_int(st, 1, now_ms);
    bind_int(st, 2, game);
    bind_int(st, 3, DUE_MOST + 1);
    while (met <= DUE_MOST && db_next(&s->reader, st))
        if (met++ < DUE_MOST && read_due(s, sqlite3_column_int64(st, 0), game, min_rated, now_ms, &out[count]))
            count++;
    db_done(st);
    return met > DUE_MOST ? -1 : count;
}

// --- the merged order

static struct entry read_entry(sqlite3_stmt *st)
{
    return (struct entry){sqlite3_column_int64(st, 0), read_uuid(st, 1), sqlite3_column_double(st, 2),
                          sqlite3_column_int64(st, 3)};
}

static void fetch(struct board *b)
{
    b->has_next = db_next(&b->store->reader, b->rows);
    if (b->has_next)
        b->next = read_entry(b->rows);
}

bool board_next(struct board *b, struct entry *out)
{
    while (b->has_next && (b->count == 0 || is_before(&b->next, &b->aside[0]))) {
        int64_t changes_ms = sqlite3_column_int64(b->rows, 4);
        struct entry e = b->next;
        bool due = changes_ms != 0 && changes_ms <= b->now_ms;
        if (due) {
            e.display = worth_now(b->store, e.agent, b->game, b->now_ms);
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

// Puts aside the due rows that stood above the first of the index; how many.
static int put_due_aside(struct board *b, const struct due *due, int count)
{
    int aside = 0;
    for (int i = 0; i < count; i++) {
        struct entry e = due[i].stored;
        if (b->has_next && !is_before(&e, &b->next))
            continue;
        e.display = due[i].display;
        put_aside(b, e);
        aside++;
    }
    return aside;
}

int board_size(struct store *s, int64_t game, uint32_t min_rated)
{
    sqlite3_stmt *st = db_use(&s->reader, min_rated <= STORE_STANDING_MOST ? SQL_STANDING : SQL_COUNT_ELIGIBLE);
    bind_int(st, 1, game);
    bind_int(st, 2, min_rated);
    int size = db_next(&s->reader, st) ? sqlite3_column_int(st, 0) : 0;
    db_done(st);
    return size;
}

// The row that stands at a place in the index, looked for from the nearer end.
static bool find_row(struct store *s, int64_t game, uint32_t min_rated, int at, struct entry *out)
{
    int size = board_size(s, game, min_rated);
    bool low = at > size / 2;
    if (at >= size)
        return false;
    sqlite3_stmt *st = db_use(&s->reader, low ? SQL_BOARD_FROM_BOTTOM : SQL_BOARD_FROM_TOP);
    bind_int(st, 1, game);
    bind_int(st, 2, min_rated);
    bind_int(st, 3, low ? size - 1 - at : at);
    bool found = db_next(&s->reader, st);
    if (found)
        *out = read_entry(st);
    db_done(st);
    return found;
}

// Where the page begins in the index, and how many rows are to be passed over there.
static int begin_at(struct board *b, uint32_t min_rated, int from)
{
    struct due due[DUE_MOST];
    struct entry first = {.display = INFINITY};
    int count = from > 0 ? list_due(b->store, b->game, min_rated, b->now_ms, due) : 0;
    if (from > 0 && count >= 0 && !find_row(b->store, b->game, min_rated, from, &first))
        first.display = -INFINITY;
    bind_int(b->rows, 1, b->game);
    bind_int(b->rows, 2, min_rated);
    bind_real(b->rows, 3, first.display);
    fetch(b);
    while (from > 0 && count >= 0 && b->has_next && is_before(&b->next, &first)) // of the same display
        fetch(b);
    return count < 0 ? from : put_due_aside(b, due, count);
}

struct board board_open(struct store *s, int64_t game, uint32_t min_rated, int64_t now_ms, int from)
{
    struct board b = {.store = s, .now_ms = now_ms, .game = game, .rows = db_use(&s->reader, SQL_BOARD)};
    struct entry passed;
    int pass = begin_at(&b, min_rated, from);
    while (pass-- > 0 && board_next(&b, &passed))
        ;
    if (some_are_due(s, now_ms))
        store_ask_ageing(s, now_ms);
    return b;
}

void board_close(struct board *b)
{
    db_done(b->rows);
    free(b->aside);
}

static int count_rows(struct store *s, enum sql which, const struct entry *e)
{
    sqlite3_stmt *st = db_use(&s->reader, which);
    bind_real(st, 1, e->display);
    if (which == SQL_OVERALL_TIES) {
        bind_int(st, 2, e->games);
        bind_uuid(st, 3, &e->id);
    }
    int count = db_next(&s->reader, st) ? sqlite3_column_int(st, 0) : 0;
    db_done(st);
    return count;
}

// Rows are counted from the nearer end. Which that is, the middle row tells as it was when the board had about this
// size; a wrong guess costs time alone.
static int count_stored_before(struct store *s, const struct entry *e)
{
    struct entry middle;
    int size = board_size(s, 0, 0);
    if (abs(size - s->middle_size) > size / 8 && find_row(s, 0, 0, size / 2, &middle)) {
        s->middle_size = size;
        s->middle = middle.display;
    }
    int above =
        e->display >= s->middle ? count_rows(s, SQL_OVERALL_ABOVE, e) : size - count_rows(s, SQL_OVERALL_NOT_ABOVE, e);
    return above + count_rows(s, SQL_OVERALL_TIES, e);
}

static int count_house_before(struct store *s, const struct entry *e)
{
    int before = 0;
    struct due row;
    sqlite3_stmt *st = db_use(&s->reader, SQL_HOUSE_AGENTS);
    while (db_next(&s->reader, st))
        before += read_row_of(s, sqlite3_column_int64(st, 0), 0, &row) && is_before(&row.stored, e);
    return before;
}

int board_count_before(struct store *s, const struct entry *e, int64_t now_ms)
{
    struct due due[DUE_MOST];
    int before = count_stored_before(s, e) - count_house_before(s, e), count = list_due(s, 0, 0, now_ms, due);
    for (int i = 0; i < count; i++) { // those who have fallen behind it, and itself
        struct entry now = due[i].stored;
        now.display = due[i].display;
        before -= due[i].rated_games > 0 && is_before(&due[i].stored, e) && !is_before(&now, e);
    }
    return before;
}
