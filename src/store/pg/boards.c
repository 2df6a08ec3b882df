// The boards: loaded when the store is opened, by a thread with its own connection; then updated by puts (S33).
#include "store/pg/internal.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static bool load_house(PGconn *c, struct boards *b)
{
    PGresult *r = PQexecParams(c, "SELECT id FROM agents WHERE kind = 1", 0, NULL, NULL, NULL, NULL, 1);
    bool sound = PQresultStatus(r) == PGRES_TUPLES_OK;
    struct answer a = {r, PQntuples(r), -1, 0};
    while (answer_next(&a))
        boards_set_house(b, answer_uuid(&a), true);
    return sound;
}

void pg_apply_rating(struct pg *p, int64_t game, struct uuid agent, struct span body)
{
    struct store_rating rating = {0};
    if (!unpack_rating(body, &rating)) {
        pg_note_damage(p, "table ratings: a row cannot be read");
        return;
    }
    struct boards_row row = boards_row_of(agent, (int)game, &rating);
    if (game > 0 && game <= STORE_GAMES && !boards_has_newer(p->boards, &row))
        boards_set(p->boards, &row);
}

// Row by row, so that a million ratings are not in memory twice.
static bool load_rows(struct pg *p, PGconn *c, struct boards *b)
{
    static const char sql[] = "SELECT a.id, r.game::bigint, r.body FROM ratings r JOIN agents a ON a.row = r.agent";
    bool sound = PQsendQueryParams(c, sql, 0, NULL, NULL, NULL, NULL, 1) == 1 && PQsetSingleRowMode(c) == 1;
    for (PGresult *r; (r = PQgetResult(c));) {
        ExecStatusType status = PQresultStatus(r);
        sound = sound && (status == PGRES_SINGLE_TUPLE || status == PGRES_TUPLES_OK);
        struct answer a = {r, PQntuples(r), -1, 0};
        while (answer_next(&a) && !atomic_load(&p->loader_stop)) {
            struct store_rating rating = {0};
            struct uuid agent = answer_uuid(&a);
            int64_t game = answer_int(&a);
            if (!unpack_rating(answer_bytes(&a), &rating)) {
                sound = false;
                continue;
            }
            struct boards_row row = boards_row_of(agent, (int)game, &rating);
            if (game > 0 && game <= STORE_GAMES)
                boards_set(b, &row);
        }
        answer_end(&a);
    }
    return sound;
}

// Returns false if the server went away in the middle, so that not everything was read. Sets `damage` if a row is
// unreadable.
static bool read_all(struct pg *p, struct boards *b, char damage[STORE_WHY])
{
    char why[STORE_WHY];
    PGconn *c = link_connect(p->url, 0, why, sizeof why);
    bool sound = c && load_house(c, b) && load_rows(p, c, b), there = c && PQstatus(c) == CONNECTION_OK;
    if (there && !sound)
        snprintf(damage, STORE_WHY, "table ratings: %s", PQerrorMessage(c)[0] ? PQerrorMessage(c) : "damaged");
    PQfinish(c);
    return sound || there;
}

static void *run_loader(void *arg)
{
    enum { AGAIN_MS = 500 };
    struct pg *p = arg;
    uint64_t one = 1;
    p->loading = boards_create(p->options.min_rated, p->options.now_ms);
    while (!read_all(p, p->loading, p->loader_damage) && !atomic_load(&p->loader_stop)) {
        boards_destroy(p->loading);
        p->loading = boards_create(p->options.min_rated, p->options.now_ms);
        poll(NULL, 0, AGAIN_MS);
    }
    boards_sort(p->loading);
    atomic_store(&p->loaded, true);
    while (write(p->event, &one, sizeof one) < 0 && errno == EINTR)
        ;
    return NULL;
}

bool pg_start_loader(struct pg *p)
{
    p->has_loader = pthread_create(&p->loader, NULL, run_loader, p) == 0;
    return p->has_loader;
}

void pg_stop_loader(struct pg *p)
{
    atomic_store(&p->loader_stop, true);
    if (p->has_loader)
        pthread_join(p->loader, NULL);
    boards_destroy(p->boards ? p->boards : p->loading);
    board_updates_release(&p->board_updates);
}

void pg_catch_up(struct pg *p)
{
    if (!p->boards && p->has_loader && atomic_load(&p->loaded)) {
        pthread_join(p->loader, NULL);
        p->has_loader = false;
        p->boards = p->loading;
    }
    if (p->boards)
        board_updates_apply(&p->board_updates, p->boards, p->collected);
}

bool pg_has_boards(struct store *s)
{
    pg_catch_up(pg_of(s));
    return pg_of(s)->boards != NULL;
}

void pg_tend_boards(struct store *s, int64_t now_ms)
{
    if (pg_has_boards(s))
        boards_tend(pg_of(s)->boards, now_ms);
}

static struct boards *get_boards(struct pg *p)
{
    while (!p->boards && !atomic_load(&p->loaded))
        poll(NULL, 0, 1);
    pg_catch_up(p);
    if (p->loader_damage[0])
        pg_note_damage(p, p->loader_damage);
    return p->boards;
}

// --- names, read when a board first shows them: all that a page lacks at once

// Where the names of an agent go.
struct agent_names {
    struct uuid id;
    char *name, *model; // of STORE_NAME and STORE_MODEL bytes
};

static void find_names(struct pg *p, struct agent_names *all, int count)
{
    struct query q;
    struct args a = query_begin(&q, PG_NAMES_OF);
    args_begin_array(&a, ARGS_UUID);
    for (int i = 0; i < count; i++)
        args_uuid(&a, all[i].id);
    args_end_array(&a);
    struct answer r = query_run(p, &q, &a);
    while (answer_next(&r)) {
        char name[STORE_NAME], model[STORE_MODEL];
        struct uuid id = answer_uuid(&r);
        answer_text(&r, name, sizeof name);
        answer_text(&r, model, sizeof model);
        boards_set_names(p->boards, id, name, model);
        for (int i = 0; i < count; i++)
            if (uuid_equals(all[i].id, id)) {
                memcpy(all[i].name, name, sizeof name);
                memcpy(all[i].model, model, sizeof model);
            }
    }
}

int pg_leaderboard(struct store *s, const char *game, int64_t now_ms, int from, struct store_rank *out, int room,
                   int *total)
{
    struct pg *p = pg_of(s);
    struct agent_names missing[STORE_PAGE];
    int row = pg_game_row(p, game), lack = 0;
    struct boards *b = get_boards(p);
    int count = row ? boards_read(b, row, now_ms, from, out, room) : 0;
    if (total)
        *total = row ? boards_size(b, row) : 0;
    for (int i = 0; i < count && lack < STORE_PAGE; i++)
        if (!out[i].name[0])
            missing[lack++] = (struct agent_names){out[i].agent, out[i].name, out[i].model};
    if (lack)
        find_names(p, missing, lack);
    return count;
}

int pg_overall(struct store *s, int64_t now_ms, int from, struct store_total *out, int room, int *total)
{
    struct pg *p = pg_of(s);
    struct agent_names missing[STORE_PAGE];
    int lack = 0;
    struct boards *b = get_boards(p);
    int count = boards_read_totals(b, now_ms, from, out, room);
    if (total)
        *total = boards_size(b, 0);
    for (int i = 0; i < count && lack < STORE_PAGE; i++)
        if (!out[i].name[0])
            missing[lack++] = (struct agent_names){out[i].agent, out[i].name, out[i].model};
    if (lack)
        find_names(p, missing, lack);
    return count;
}

void pg_overall_of(struct store *s, struct uuid agent, int64_t now_ms, struct store_total *out)
{
    boards_read_total(get_boards(pg_of(s)), agent, now_ms, out);
}
