// Ratings as they are written: with the place on the leaderboards they give.
//
// A display falls a little with every idle day (F7.5). The stored one is exact until `changes_ms` and too high after
// that; when somebody has looked at a board (store_ask_ageing) the writer brings the rows that are due up to
// date, some with every transaction, until none is left.
#include "store/inside.h"

#include "store/grade.h"
#include "store/rating_columns.h"

#include <string.h>

enum { AGE_LOT = 100 }; // two milliseconds or so

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
    int64_t game, at_ms;
};

static void bind_changes(sqlite3_stmt *st, int at, int64_t changes_ms)
{
    if (changes_ms)
        bind_int(st, at, changes_ms);
    else
        sqlite3_bind_null(st, at);
}

// --- how many agents have how many rated games

static int64_t standing(int64_t rated_games)
{
    return rated_games < STORE_STANDING_MOST ? rated_games : STORE_STANDING_MOST;
}

static int add_standing(struct store *s, int64_t game, int64_t rated, int more)
{
    sqlite3_stmt *st = db_use(&s->writer, SQL_ADD_STANDING);
    bind_int(st, 1, game);
    bind_int(st, 2, rated);
    bind_int(st, 3, more);
    return db_run(&s->writer, st);
}

// `rated_games` -1: the agent has no row there from now on.
static int change_standing(struct store *s, int64_t agent, int64_t game, int64_t rated_games)
{
    int64_t before = -1, now = standing(rated_games);
    sqlite3_stmt *st = db_use(&s->writer, SQL_OLD_RATED_GAMES);
    bind_int(st, 1, agent);
    bind_int(st, 2, game);
    if (db_next(&s->writer, st))
        before = standing(sqlite3_column_int64(st, 0));
    db_done(st);
    if (s->writer.failed)
        return ERR_STORAGE;
    if (before == now)
        return OK;
    int err = before < 0 ? OK : add_standing(s, game, before, -1);
    return err == OK && now >= 0 ? add_standing(s, game, now, 1) : err;
}

// --- all games of an agent

static int drop_overall(struct store *s, int64_t agent)
{
    if (change_standing(s, agent, 0, -1) != OK)
        return ERR_STORAGE;
    sqlite3_stmt *st = db_use(&s->writer, SQL_DROP_OVERALL);
    bind_int(st, 1, agent);
    return db_run(&s->writer, st);
}

static int write_overall(struct store *s, int64_t agent, const struct uuid *id, int kind)
{
    struct grade_sum sum = {0};
    int64_t changes_ms = 0, games = 0;
    sqlite3_stmt *st = db_use(&s->writer, SQL_AGENT_GRADES);
    bind_int(st, 1, agent);
    while (db_next(&s->writer, st)) {
        int64_t changes = sqlite3_column_int64(st, 3);
        games += sqlite3_column_int64(st, 1);
        if (sqlite3_column_int64(st, 2) < s->options.min_rated)
            continue;
        grade_add(&sum, sqlite3_column_double(st, 0), (uint32_t)sqlite3_column_int64(st, 1));
        if (changes && (!changes_ms || changes < changes_ms))
            changes_ms = changes;
    }
    if (s->writer.failed)
        return ERR_STORAGE;
    if (sum.games == 0)
        return drop_overall(s, agent);
    if (change_standing(s, agent, 0, kind != STORE_HOUSE) != OK)
        return ERR_STORAGE;
    st = db_use(&s->writer, SQL_PUT_OVERALL);
    bind_int(st, 1, agent);
    bind_uuid(st, 2, id);
    bind_real(st, 3, grade_aggregate(&sum));
    bind_int(st, 4, games);
    bind_int(st, 5, kind != STORE_HOUSE);
    bind_changes(st, 6, changes_ms);
    return db_run(&s->writer, st);
}

// --- one rating

static int add_history(struct store *s, int64_t agent, int64_t match, double rating)
{
    sqlite3_stmt *st = db_use(&s->writer, SQL_ADD_HISTORY);
    bind_int(st, 1, agent);
    bind_int(st, 2, match);
    bind_real(st, 3, rating);
    return db_run(&s->writer, st);
}

int store_write_rating(struct store *s, const struct store_rating *r, int64_t game, int64_t match, int64_t at_ms)
{
    struct grade grade = {{r->rating, r->deviation, r->volatility}, r->rated_ms};
    int kind;
    int64_t agent = store_row_of_agent(s, &r->agent, &kind);
    if (!agent || change_standing(s, agent, game, r->rated_games) != OK)
        return ERR_STORAGE;
    sqlite3_stmt *st = db_use(&s->writer, SQL_PUT_RATING);
    bind_int(st, 1, agent);
    bind_int(st, 2, game);
    bind_uuid(st, 3, &r->agent);
    bind_real(st, 4, grade_display(grade, at_ms));
    bind_changes(st, 5, grade_changes_ms(grade, at_ms));
    bind_row(st, 6, store_rating_columns, STORE_RATING_COLUMNS, r);
    int err = db_run(&s->writer, st);
    if (err == OK && match)
        err = add_history(s, agent, match, r->rating);
    return err == OK ? write_overall(s, agent, &r->agent, kind) : err;
}

// --- idle days

void store_ask_ageing(struct store *s, int64_t now_ms)
{
    if (s->ageing > atomic_load(&s->durable) || atomic_load(&s->failed))
        return;
    memcpy(store_put(s, RECORD_AGE, sizeof now_ms), &now_ms, sizeof now_ms);
    s->ageing = s->last;
}

struct due {
    int64_t agent, game;
    struct uuid id;
    struct grade grade;
};

static int list_due(struct store *s, int64_t now_ms, struct due out[AGE_LOT])
{
    int count = 0;
    sqlite3_stmt *st = db_use(&s->writer, SQL_DUE_RATINGS);
    bind_int(st, 1, now_ms);
    bind_int(st, 2, AGE_LOT);
    while (count < AGE_LOT && db_next(&s->writer, st)) {
        struct due *d = &out[count++];
        *d = (struct due){.agent = sqlite3_column_int64(st, 0), .game = sqlite3_column_int64(st, 1)};
        d->id = read_uuid(st, 2);
        d->grade.glicko =
            (struct glicko){sqlite3_column_double(st, 3), sqlite3_column_double(st, 4), sqlite3_column_double(st, 5)};
        d->grade.rated_ms = sqlite3_column_int64(st, 6);
    }
    db_done(st);
    return count;
}

static int age(struct store *s, const struct due *d, int64_t now_ms)
{
    int kind;
    sqlite3_stmt *st = db_use(&s->writer, SQL_AGE_RATING);
    bind_int(st, 1, d->agent);
    bind_int(st, 2, d->game);
    bind_real(st, 3, grade_display(d->grade, now_ms));
    bind_changes(st, 4, grade_changes_ms(d->grade, now_ms));
    if (db_run(&s->writer, st) != OK || !store_row_of_agent(s, &d->id, &kind))
        return ERR_STORAGE;
    return write_overall(s, d->agent, &d->id, kind);
}

int store_apply_age(struct store *s, const void *body)
{
    int64_t now_ms;
    memcpy(&now_ms, body, sizeof now_ms);
    atomic_store(&s->age_to_ms, now_ms);
    return OK;
}

int store_age_some(struct store *s)
{
    struct due due[AGE_LOT];
    int err = OK;
    int64_t now_ms = atomic_load(&s->age_to_ms);
    if (!now_ms)
        return OK;
    int count = list_due(s, now_ms, due);
    for (int i = 0; i < count && err == OK; i++)
        err = age(s, &due[i], now_ms);
    s->aged = count < AGE_LOT;
    return s->writer.failed ? ERR_STORAGE : err;
}

// --- all ratings anew

store_ticket store_begin_ratings(struct store *s)
{
    store_put(s, RECORD_BEGIN_RATINGS, 0);
    return s->last;
}

int store_apply_begin_ratings(struct store *s, const void *body)
{
    static const enum sql clear[] = {SQL_CLEAR_RATINGS, SQL_CLEAR_HISTORY, SQL_CLEAR_STANDINGS};
    int err = OK;
    (void)body;
    s->holding = true;
    for (int i = 0; i < COUNT_OF(clear) && err == OK; i++)
        err = db_run(&s->writer, db_use(&s->writer, clear[i]));
    return err;
}

store_ticket store_put_rating(struct store *s, const struct store_rating *r, struct uuid match, int64_t at_ms)
{
    int64_t game = store_name_game(s, r->game);
    struct rating_record *record = store_put(s, RECORD_RATING, sizeof *record);
    *record = (struct rating_record){*r, match, game, at_ms};
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
    return store_write_rating(s, &r->rating, r->game, match, r->at_ms);
}

store_ticket store_end_ratings(struct store *s)
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
