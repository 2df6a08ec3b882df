// Challenges (F3.19) and the agents that have accepted them.
#include "store/internal.h"

#include "store/columns.h"

#include <string.h>

#define CHALLENGE(kind, field) COLUMN(kind, struct store_challenge, field)

const struct column store_challenge_columns[STORE_CHALLENGE_COLUMNS] = {
    CHALLENGE(NAME, id),    CHALLENGE(NAME, token_hash), CHALLENGE(INT, created_ms), CHALLENGE(INT, expires_ms),
    CHALLENGE(NAME, match), CHALLENGE(INT, places),      CHALLENGE(INT, taken),      CHALLENGE(UINT, status),
};

struct challenge_record {
    struct store_challenge challenge;
    int64_t game;
};

store_ticket lite_put_challenge(struct store *s, const struct store_challenge *c)
{
    int64_t game = store_name_game(s, c->game);
    struct challenge_record *r = store_put(s, RECORD_CHALLENGE, sizeof *r);
    *r = (struct challenge_record){*c, game};
    return s->last;
}

static int write_places(struct store *s, int64_t row, const struct store_challenge *c)
{
    sqlite3_stmt *st = db_use(&s->writer, SQL_CLEAR_PLACES);
    bind_int(st, 1, row);
    int err = db_run(&s->writer, st);
    for (int i = 0; i < c->taken && i < STORE_SEATS && err == OK; i++) {
        int64_t agent = store_row_of_agent(s, &c->agent[i]);
        if (!agent)
            return ERR_STORAGE;
        st = db_use(&s->writer, SQL_ADD_PLACE);
        bind_int(st, 1, row);
        bind_int(st, 2, i);
        bind_int(st, 3, agent);
        err = db_run(&s->writer, st);
    }
    return err;
}

int store_apply_challenge(struct store *s, const void *body)
{
    const struct challenge_record *r = body;
    int64_t row = 0;
    sqlite3_stmt *st = db_use(&s->writer, SQL_PUT_CHALLENGE);
    bind_int(st, 1, r->game);
    bind_row(st, 2, store_challenge_columns, STORE_CHALLENGE_COLUMNS, &r->challenge);
    while (db_next(&s->writer, st))
        row = sqlite3_column_int64(st, 0);
    return s->writer.failed ? ERR_STORAGE : write_places(s, row, &r->challenge);
}

static void read_places(struct store *s, int64_t row, struct store_challenge *out)
{
    sqlite3_stmt *st = db_use(&s->reader, SQL_PLACES_OF);
    bind_int(st, 1, row);
    while (db_next(&s->reader, st)) {
        int place = sqlite3_column_int(st, 0);
        if (place >= 0 && place < STORE_SEATS)
            out->agent[place] = read_uuid(st, 1);
    }
}

static bool read_challenge(struct store *s, sqlite3_stmt *st, struct store_challenge *out)
{
    if (!db_next(&s->reader, st))
        return false;
    const char *game = store_game_name(s, sqlite3_column_int(st, 1));
    *out = (struct store_challenge){0};
    memcpy(out->game, game, strlen(game));
    read_row(st, 2, store_challenge_columns, STORE_CHALLENGE_COLUMNS, out);
    read_places(s, sqlite3_column_int64(st, 0), out);
    return true;
}

static int read_all(struct store *s, sqlite3_stmt *st, struct store_challenge *out, int room)
{
    int count = 0;
    store_begin_read(s);
    while (count < room && read_challenge(s, st, &out[count]))
        count++;
    db_done(st);
    store_end_read(s);
    return count;
}

bool lite_find_challenge(struct store *s, struct uuid id, struct store_challenge *out)
{
    if (!store_await(s))
        return false;
    sqlite3_stmt *st = db_use(&s->reader, SQL_FIND_CHALLENGE);
    bind_uuid(st, 1, &id);
    return read_all(s, st, out, 1) == 1;
}

bool lite_find_challenge_by_token(struct store *s, const uint8_t hash[STORE_HASH], struct store_challenge *out)
{
    if (!store_await(s))
        return false;
    sqlite3_stmt *st = db_use(&s->reader, SQL_FIND_CHALLENGE_BY_TOKEN);
    bind_hash(st, 1, hash);
    return read_all(s, st, out, 1) == 1;
}

int lite_list_challenges(struct store *s, struct uuid agent, struct store_challenge *out, int room)
{
    if (!store_await(s))
        return 0;
    sqlite3_stmt *st = db_use(&s->reader, SQL_LIST_CHALLENGES);
    bind_uuid(st, 1, &agent);
    bind_int(st, 2, room);
    return read_all(s, st, out, room);
}

int lite_list_open_challenges(struct store *s, struct store_challenge *out, int room)
{
    if (!store_await(s))
        return 0;
    sqlite3_stmt *st = db_use(&s->reader, SQL_LIST_OPEN_CHALLENGES);
    bind_int(st, 1, room);
    return read_all(s, st, out, room);
}
