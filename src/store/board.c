// Leaderboards, and the ratings of one agent.
#include "store/board_order.h"
#include "store/rating_columns.h"

#include <string.h>

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
        struct board b = board_open(s, row, min_rated, now_ms, from);
        while (filled < room && board_next(&b, &e))
            read_rank(s, &e, row, &out[filled++]);
        board_close(&b);
        if (total)
            all = board_size(s, row, min_rated);
    }
    store_end_read(s);
    if (total)
        *total = all;
    return filled;
}

static void read_total(struct store *s, const struct entry *e, int64_t now_ms, struct store_total *out)
{
    *out = (struct store_total){.agent = e->id};
    board_sum_up(s, e->agent, now_ms, out);
    read_names(s, e->agent, out->name, out->model, &out->is_house);
}

int store_overall(struct store *s, int64_t now_ms, int from, struct store_total *out, int room, int *total)
{
    int filled = 0;
    struct entry e;
    store_begin_read(s);
    struct board b = board_open(s, 0, 0, now_ms, from);
    while (filled < room && board_next(&b, &e))
        read_total(s, &e, now_ms, &out[filled++]);
    board_close(&b);
    if (total)
        *total = board_size(s, 0, 0);
    store_end_read(s);
    return filled;
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
        e.games = sqlite3_column_int64(st, 1);
    } else {
        e.agent = store_agent_row(s, agent);
    }
    bool ranked = e.games > 0;
    db_done(st);
    read_total(s, &e, now_ms, out);
    e.display = out->aggregate;
    if (ranked && !out->is_house)
        place = 1 + board_count_before(s, &e, now_ms);
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
