// Counters of how agents play, by agent and game: sums over their matches.
#include "store/internal.h"

#include <string.h>

struct counters_record {
    struct uuid agent;
    int64_t game, at_ms;
    struct counts counts;
};

store_ticket lite_add_counts(struct store *s, struct uuid agent, const char *game, int64_t at_ms,
                             const struct counts *counts)
{
    int64_t row = store_name_game(s, game);
    struct counters_record *r = store_put(s, RECORD_COUNTERS, sizeof *r);
    *r = (struct counters_record){agent, row, at_ms, *counts};
    return s->last;
}

static void read_counts(sqlite3_stmt *st, int column, struct counts *out)
{
    struct span bytes = read_bytes(st, column);
    *out = (struct counts){0};
    memcpy(out, bytes.at, bytes.size < sizeof *out ? bytes.size : sizeof *out);
}

static void add_counts(struct counts *to, const struct counts *more)
{
    for (int i = 0; i < COUNTERS_MAX; i++) {
        to->at[i].n += more->at[i].n;
        to->at[i].of += more->at[i].of;
        to->at[i].squares += more->at[i].squares;
    }
}

// Trailing zeros are not stored, because most games have few counters.
static size_t used_size(const struct counts *c)
{
    static const struct count none;
    int used = COUNTERS_MAX;
    while (used > 0 && count_equals(&c->at[used - 1], &none))
        used--;
    return (size_t)used * sizeof none;
}

int store_write_counts(struct store *s, const struct uuid *id, int64_t game, int64_t at_ms, const struct counts *counts)
{
    struct counts all = *counts, before;
    int64_t agent = store_row_of_agent(s, id), matches = 1, since_ms = at_ms;
    if (!agent)
        return ERR_STORAGE;
    sqlite3_stmt *st = db_use(&s->writer, SQL_GET_COUNTERS);
    bind_int(st, 1, agent);
    bind_int(st, 2, game);
    if (db_next(&s->writer, st)) {
        matches += sqlite3_column_int64(st, 0);
        since_ms = sqlite3_column_int64(st, 1);
        read_counts(st, 2, &before);
        add_counts(&all, &before);
    }
    db_done(st);
    st = db_use(&s->writer, SQL_PUT_COUNTERS);
    bind_int(st, 1, agent);
    bind_int(st, 2, game);
    bind_int(st, 3, matches);
    bind_int(st, 4, since_ms);
    bind_bytes(st, 5, (struct span){(const char *)&all, used_size(&all)});
    return db_run(&s->writer, st);
}

int store_apply_counters(struct store *s, const void *body)
{
    const struct counters_record *r = body;
    return store_write_counts(s, &r->agent, r->game, r->at_ms, &r->counts);
}

int lite_counters(struct store *s, struct uuid agent, struct store_counters *out, int room)
{
    if (!store_await(s))
        return 0;
    int count = 0;
    store_begin_read(s);
    sqlite3_stmt *st = db_use(&s->reader, SQL_COUNTERS_OF);
    bind_uuid(st, 1, &agent);
    while (count < room && db_next(&s->reader, st)) {
        struct store_counters *c = &out[count++];
        const char *game = store_game_name(s, sqlite3_column_int(st, 0));
        *c = (struct store_counters){.matches = (uint32_t)sqlite3_column_int64(st, 1),
                                     .since_ms = sqlite3_column_int64(st, 2)};
        memcpy(c->game, game, strlen(game));
        read_counts(st, 3, &c->counts);
    }
    db_done(st);
    store_end_read(s);
    return count;
}
