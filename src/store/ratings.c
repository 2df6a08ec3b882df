// Writes ratings.
#include "store/internal.h"

#include "store/columns.h"

#include <string.h>

#define RATING(kind, field) COLUMN(kind, struct store_rating, field)

const struct column store_rating_columns[STORE_RATING_COLUMNS] = {
    RATING(REAL, rating),     RATING(REAL, deviation), RATING(REAL, volatility), RATING(REAL, peak),
    RATING(INT, rated_ms),    RATING(INT, played_ms),  RATING(UINT, games),      RATING(UINT, rated_games),
    RATING(UINT, wins),       RATING(UINT, losses),    RATING(UINT, draws),      RATING(INT, streak),
    RATING(INT, best_streak), RATING(TEXT, form),      RATING(TRIMMED, latency),
};

struct rating_record {
    struct store_rating rating;
    struct uuid match;
    int64_t game;
};

// --- one rating

static int add_history(struct store *s, int64_t agent, int64_t match, const struct store_rating *r)
{
    sqlite3_stmt *st = db_use(&s->writer, SQL_ADD_HISTORY);
    bind_int(st, 1, agent);
    bind_int(st, 2, match);
    bind_real(st, 3, r->rating);
    bind_real(st, 4, r->deviation);
    return db_run(&s->writer, st);
}

int store_write_rating(struct store *s, const struct store_rating *r, int64_t game, int64_t match)
{
    int64_t agent = store_row_of_agent(s, &r->agent);
    if (!agent)
        return ERR_STORAGE;
    sqlite3_stmt *st = db_use(&s->writer, SQL_PUT_RATING);
    bind_int(st, 1, agent);
    bind_int(st, 2, game);
    bind_uuid(st, 3, &r->agent);
    bind_row(st, 4, store_rating_columns, STORE_RATING_COLUMNS, r);
    int err = db_run(&s->writer, st);
    return err == OK && match ? add_history(s, agent, match, r) : err;
}

// --- replacing all ratings

store_ticket lite_begin_ratings(struct store *s)
{
    store_put(s, RECORD_BEGIN_RATINGS, 0);
    board_updates_add_clear(&s->board_updates, s->last);
    return s->last;
}

int store_apply_begin_ratings(struct store *s, const void *body)
{
    static const enum sql clear[] = {SQL_CLEAR_RATINGS, SQL_CLEAR_HISTORY, SQL_CLEAR_COUNTERS};
    int err = OK;
    (void)body;
    s->holding = true;
    for (int i = 0; i < COUNT_OF(clear) && err == OK; i++)
        err = db_run(&s->writer, db_use(&s->writer, clear[i]));
    return err;
}

store_ticket lite_put_rating(struct store *s, const struct store_rating *r, struct uuid match)
{
    int64_t game = store_name_game(s, r->game);
    struct rating_record *record = store_put(s, RECORD_RATING, sizeof *record);
    *record = (struct rating_record){*r, match, game};
    board_updates_add_rating(&s->board_updates, s->last, r, (int)game);
    return s->last;
}

int store_apply_rating(struct store *s, const void *body)
{
    const struct rating_record *r = body;
    int64_t match = 0;
    if (!uuid_is_none(r->match)) {
        sqlite3_stmt *st = db_use(&s->writer, SQL_END_OF_MATCH);
        bind_uuid(st, 1, &r->match);
        if (db_next(&s->writer, st))
            match = sqlite3_column_int64(st, 0);
        db_done(st);
    }
    return store_write_rating(s, &r->rating, r->game, match);
}

store_ticket lite_end_ratings(struct store *s)
{
    store_put(s, RECORD_END_RATINGS, 0);
    return s->last;
}

int store_apply_end_ratings(struct store *s, const void *body)
{
    (void)body;
    s->holding = false;
    return OK;
}
