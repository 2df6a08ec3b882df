// Leaderboards, and the ratings of one agent.
#include "store/internal.h"

#include "store/boards.h"
#include "store/columns.h"

#include <string.h>

// --- the boards

// Names are read when a board first shows the agent.
static void find_names(struct store *s, struct uuid agent, char name[STORE_NAME], char model[STORE_MODEL])
{
    sqlite3_stmt *st = db_use(&s->reader, SQL_AGENT_WORDS);
    bind_uuid(st, 1, &agent);
    if (db_next(&s->reader, st)) {
        read_text(st, 0, name, STORE_NAME);
        read_text(st, 1, model, STORE_MODEL);
        boards_set_names(s->boards, agent, name, model);
    }
    db_done(st);
}

int lite_leaderboard(struct store *s, const char *game, int64_t now_ms, int from, struct store_rank *out, int room,
                     int *total)
{
    if (!store_await(s)) {
        if (total)
            *total = 0;
        return 0;
    }
    int row = store_game_row(s, game);
    struct boards *b = store_boards(s);
    store_begin_read(s);
    int count = row ? boards_read(b, row, now_ms, from, out, room) : 0;
    for (int i = 0; i < count; i++)
        if (!out[i].name[0])
            find_names(s, out[i].agent, out[i].name, out[i].model);
    store_end_read(s);
    if (total)
        *total = row ? boards_size(b, row) : 0;
    return count;
}

int lite_overall(struct store *s, int64_t now_ms, int from, struct store_total *out, int room, int *total)
{
    if (!store_await(s)) {
        if (total)
            *total = 0;
        return 0;
    }
    struct boards *b = store_boards(s);
    store_begin_read(s);
    int count = boards_read_totals(b, now_ms, from, out, room);
    for (int i = 0; i < count; i++)
        if (!out[i].name[0])
            find_names(s, out[i].agent, out[i].name, out[i].model);
    store_end_read(s);
    if (total)
        *total = boards_size(b, 0);
    return count;
}

void lite_overall_of(struct store *s, struct uuid agent, int64_t now_ms, struct store_total *out)
{
    boards_read_total(store_boards(s), agent, now_ms, out);
}

void lite_tend_boards(struct store *s, int64_t now_ms)
{
    if (lite_has_boards(s))
        boards_tend(s->boards, now_ms);
}

// --- ratings of one agent

int lite_ratings(struct store *s, struct uuid agent, struct store_rating *out, int room)
{
    if (!store_await(s))
        return 0;
    int filled = 0;
    store_begin_read(s);
    sqlite3_stmt *st = db_use(&s->reader, SQL_RATINGS_OF);
    bind_uuid(st, 1, &agent);
    while (filled < room && db_next(&s->reader, st)) {
        struct store_rating *r = &out[filled++];
        const char *game = store_game_name(s, sqlite3_column_int(st, 1));
        *r = (struct store_rating){.agent = read_uuid(st, 0)};
        memcpy(r->game, game, strlen(game));
        read_row(st, 2, store_rating_columns, STORE_RATING_COLUMNS, r);
    }
    db_done(st);
    store_end_read(s);
    return filled;
}

int lite_rating_history(struct store *s, struct uuid agent, struct store_point *out, int room)
{
    if (!store_await(s))
        return 0;
    int filled = 0;
    store_begin_read(s);
    sqlite3_stmt *st = db_use(&s->reader, SQL_HISTORY_OF);
    bind_uuid(st, 1, &agent);
    bind_int(st, 2, room);
    while (filled < room && db_next(&s->reader, st)) {
        struct store_point *p = &out[filled++];
        const char *game = store_game_name(s, sqlite3_column_int(st, 0));
        *p = (struct store_point){.rating = sqlite3_column_double(st, 1),
                                  .deviation = sqlite3_column_double(st, 3),
                                  .at_ms = sqlite3_column_int64(st, 2)};
        memcpy(p->game, game, strlen(game));
    }
    db_done(st);
    store_end_read(s);
    return filled;
}
