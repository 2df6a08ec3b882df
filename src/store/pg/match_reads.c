// Reads matches, their logs and the ratings of one agent.
#include "store/pg/internal.h"

#include "base/hash.h"
#include "store/log_piece.h"

#include <stdlib.h>
#include <string.h>

static void copy_game(const struct pg *p, int64_t row, char out[24])
{
    const char *game = pg_game_name(p, row);
    memcpy(out, game, strlen(game));
}

// Reads the four columns of PG_MATCH.
static bool read_match(struct pg *p, struct answer *r, struct store_match *out)
{
    int64_t game = answer_int(r), unreported = answer_int(r);
    bool sound = unpack_match(answer_bytes(r), out);
    int64_t given = answer_int(r);
    if (!sound) {
        pg_note_damage(p, "table matches: a record is damaged");
        return false;
    }
    copy_game(p, game, out->game);
    out->unreported = (uint16_t)unreported;
    for (int i = 0; i < out->seats; i++)
        out->seat[i].delivered |= given >> i & 1;
    return true;
}

static int read_matches(struct pg *p, struct query *q, struct args *a, struct store_match *out, int *seat, int room)
{
    int count = 0;
    struct answer r = query_run(p, q, a);
    while (count < room && answer_next(&r)) {
        bool sound = read_match(p, &r, &out[count]);
        if (sound && seat)
            seat[count] = (int)answer_int(&r);
        count += sound;
    }
    answer_end(&r);
    return count;
}

static bool find_match(struct store *s, enum pg_statement which, struct uuid id, struct store_match *out, int *seat)
{
    struct query q;
    struct args a = query_begin(&q, which);
    args_uuid(&a, id);
    return read_matches(pg_of(s), &q, &a, out, seat, 1) == 1;
}

bool pg_find_match(struct store *s, struct uuid id, struct store_match *out)
{
    return find_match(s, PG_FIND_MATCH, id, out, NULL);
}

bool pg_find_replay(struct store *s, struct uuid replay, struct store_match *out)
{
    return find_match(s, PG_FIND_REPLAY, replay, out, NULL);
}

bool pg_find_session(struct store *s, struct uuid session, struct store_match *out, int *seat)
{
    return find_match(s, PG_FIND_SESSION, session, out, seat);
}

int pg_list_running(struct store *s, struct uuid *out, int room, int *total)
{
    struct query q;
    int count = 0;
    if (total)
        *total = 0;
    struct args a = query_begin(&q, PG_LIST_RUNNING);
    args_int(&a, room > 0 ? room : 1);
    struct answer r = query_run(pg_of(s), &q, &a);
    while (answer_next(&r)) {
        struct uuid id = answer_uuid(&r);
        if (total)
            *total = (int)answer_int(&r);
        if (count < room)
            out[count++] = id;
    }
    return count;
}

// Sets the agent's row and the size of its list. Returns false if there is no such agent.
static bool find_list(struct pg *p, struct uuid agent, int game, int64_t *row, int64_t *size)
{
    struct query q;
    struct args a = query_begin(&q, PG_LIST_SIZE);
    args_uuid(&a, agent);
    args_int(&a, game);
    struct answer r = query_run(p, &q, &a);
    if (!answer_next(&r))
        return false;
    *row = answer_int(&r);
    *size = answer_int(&r);
    answer_end(&r);
    return true;
}

// S35: the numbers of a list have no gaps, so a page is found directly, however far down it is.
static int list_of_agent(struct pg *p, struct uuid agent, int game, int from, struct store_match *out, int *seat,
                         int room, int *total)
{
    struct query q;
    int64_t row, size;
    *total = 0;
    if (!find_list(p, agent, game, &row, &size))
        return 0;
    *total = (int)size;
    struct args a = query_begin(&q, game ? PG_LIST_OF_AGENT : PG_RECENT_OF_AGENT);
    args_int(&a, row);
    if (game)
        args_int(&a, game);
    args_int(&a, size - from);
    args_int(&a, room);
    return read_matches(p, &q, &a, out, seat, room);
}

static int list_of_all(struct pg *p, int game, int from, struct store_match *out, int room, int *total)
{
    struct query q;
    int count = 0;
    struct args a = query_begin(&q, PG_LIST_ALL);
    args_int(&a, game);
    args_int(&a, from);
    args_int(&a, room);
    *total = 0;
    struct answer r = query_run(p, &q, &a);
    while (answer_next(&r)) {
        *total = (int)answer_int(&r);
        if (count < room && from < *total) // otherwise the only row has just the total
            count += read_match(p, &r, &out[count]);
    }
    return count;
}

int pg_list_matches(struct store *s, const char *game, const struct uuid *agent, int from, struct store_match *out,
                    int room, int *total)
{
    struct pg *p = pg_of(s);
    int all = 0, count = 0, row = game ? pg_game_row(p, game) : 0;
    if (!game || row)
        count = agent ? list_of_agent(p, *agent, row, from, out, NULL, room, &all)
                      : list_of_all(p, row, from, out, room, &all);
    if (total)
        *total = all;
    return count;
}

int pg_list_ended(struct store *s, uint64_t *after, struct store_match *out, int room)
{
    struct query q;
    int count = 0;
    struct args a = query_begin(&q, PG_LIST_ENDED);
    args_int(&a, (int64_t)*after);
    args_int(&a, room);
    struct answer r = query_run(pg_of(s), &q, &a);
    while (answer_next(&r)) {
        count += read_match(pg_of(s), &r, &out[count]);
        *after = (uint64_t)answer_int(&r);
    }
    return count;
}

int pg_list_recent(struct store *s, struct uuid agent, struct store_match *out, int *seat, int room)
{
    int total, count = list_of_agent(pg_of(s), agent, 0, 0, out, seat, room, &total);
    for (int i = 0; i < count; i++)
        for (int k = 0; k < out[i].seats; k++) { // cleared, as store.h says for every store
            struct store_seat *at = &out[i].seat[k],
                              public = {.result = at->result, .before = at->before, .after = at->after};
            memcpy(public.name, at->name, sizeof public.name);
            *at = public;
        }
    return count;
}

int pg_list_undelivered(struct store *s, struct uuid agent, int64_t since_ms, struct uuid *out, int room)
{
    struct query q;
    int count = 0;
    struct args a = query_begin(&q, PG_LIST_UNDELIVERED);
    args_uuid(&a, agent);
    args_int(&a, since_ms);
    args_int(&a, room);
    struct answer r = query_run(pg_of(s), &q, &a);
    while (count < room && answer_next(&r))
        out[count++] = answer_uuid(&r);
    answer_end(&r);
    return count;
}

int pg_list_starts(struct store *s, struct uuid agent, int64_t since_ms, int64_t *at_ms, int room)
{
    struct query q;
    int count = 0;
    struct args a = query_begin(&q, PG_LIST_STARTS);
    args_uuid(&a, agent);
    args_int(&a, since_ms);
    args_int(&a, room);
    struct answer r = query_run(pg_of(s), &q, &a);
    while (count < room && answer_next(&r))
        at_ms[count++] = answer_int(&r);
    answer_end(&r);
    return count;
}

int pg_versus(struct store *s, struct uuid agent, const char *game, struct store_versus *out, int room)
{
    struct pg *p = pg_of(s);
    struct query q;
    int count = 0, only = game ? pg_game_row(p, game) : 0;
    if (game && !only)
        return 0;
    struct args a = query_begin(&q, game ? PG_VERSUS_IN : PG_VERSUS);
    args_uuid(&a, agent);
    if (game)
        args_int(&a, only);
    args_int(&a, room);
    struct answer r = query_run(p, &q, &a);
    while (count < room && answer_next(&r)) {
        struct store_versus *v = &out[count++];
        *v = (struct store_versus){.opponent = answer_uuid(&r)};
        answer_text(&r, v->name, sizeof v->name);
        copy_game(p, answer_int(&r), v->game);
        v->games = (uint32_t)answer_int(&r);
        v->wins = (uint32_t)answer_int(&r);
        v->losses = (uint32_t)answer_int(&r);
        v->draws = (uint32_t)answer_int(&r);
    }
    answer_end(&r);
    return count;
}

// --- logs

int pg_tell_log(int64_t match, struct span bytes, store_each *each, void *owner, struct bytes *sums)
{
    int64_t at_ms = 0;
    bool more = true;
    if (bytes.size == 0)
        return ERR_FORMAT;
    for (uint32_t number = 0; bytes.size > 0 && more; number++) {
        uint64_t sum;
        struct span log, note, rest;
        if (bytes.size < sizeof sum)
            return ERR_FORMAT;
        memcpy(&sum, bytes.at, sizeof sum);
        rest = (struct span){bytes.at + sizeof sum, bytes.size - sizeof sum};
        bytes = rest;
        if (!log_piece_read(&bytes, &at_ms, &log, &note) ||
            piece_sum(match, number, (struct span){rest.at, rest.size - bytes.size}) != sum)
            return ERR_FORMAT;
        if (sums)
            memcpy(store_grow(sums, sizeof sum), &sum, sizeof sum);
        more = each(owner, at_ms, log, note);
    }
    return OK;
}

int pg_read_log(struct store *s, struct uuid match, store_each *each, void *owner)
{
    struct query q;
    struct args a = query_begin(&q, PG_LOG_OF);
    args_uuid(&a, match);
    struct answer r = query_run(pg_of(s), &q, &a);
    if (!r.result)
        return ERR_STORAGE;
    if (!answer_next(&r))
        return ERR_UNKNOWN;
    int64_t row = answer_int(&r);
    int err = pg_tell_log(row, answer_bytes(&r), each, owner, NULL);
    answer_end(&r);
    return err;
}

// --- ratings of one agent

int pg_ratings(struct store *s, struct uuid agent, struct store_rating *out, int room)
{
    struct pg *p = pg_of(s);
    struct query q;
    int filled = 0;
    struct args a = query_begin(&q, PG_RATINGS_OF);
    args_uuid(&a, agent);
    struct answer r = query_run(p, &q, &a);
    while (filled < room && answer_next(&r)) {
        struct store_rating *one = &out[filled];
        *one = (struct store_rating){.agent = agent};
        copy_game(p, answer_int(&r), one->game);
        one->version = (uint64_t)answer_int(&r);
        if (unpack_rating(answer_bytes(&r), one))
            filled++;
        else
            pg_note_damage(p, "table ratings: a record is damaged");
    }
    answer_end(&r);
    return filled;
}

// Items of an array of numbers; missing ones are zero.
static void read_array(struct answer *r, uint64_t out[COUNTERS_MAX])
{
    enum { HEAD = 20, ITEM = 12 };
    struct span bytes = answer_bytes(r);
    memset(out, 0, COUNTERS_MAX * sizeof *out);
    for (size_t i = 0; i < COUNTERS_MAX && HEAD + (i + 1) * ITEM <= bytes.size; i++)
        for (int k = 0; k < 8; k++)
            out[i] = out[i] << 8 | (uint8_t)bytes.at[HEAD + i * ITEM + 4 + (size_t)k];
}

void pg_read_counters(struct answer *r, struct store_counters *c)
{
    uint64_t n[COUNTERS_MAX], of[COUNTERS_MAX], squares[COUNTERS_MAX];
    c->matches = (uint32_t)answer_int(r);
    c->since_ms = answer_int(r);
    read_array(r, n);
    read_array(r, of);
    read_array(r, squares);
    for (int i = 0; i < COUNTERS_MAX; i++) {
        c->counts.at[i].n = (int64_t)n[i];
        c->counts.at[i].of = (int64_t)of[i];
        memcpy(&c->counts.at[i].squares, &squares[i], sizeof squares[i]);
    }
}

int pg_counters(struct store *s, struct uuid agent, struct store_counters *out, int room)
{
    struct pg *p = pg_of(s);
    struct query q;
    int count = 0;
    struct args a = query_begin(&q, PG_COUNTERS_OF);
    args_uuid(&a, agent);
    struct answer r = query_run(p, &q, &a);
    while (count < room && answer_next(&r)) {
        struct store_counters *c = &out[count++];
        *c = (struct store_counters){0};
        copy_game(p, answer_int(&r), c->game);
        pg_read_counters(&r, c);
    }
    answer_end(&r);
    return count;
}

static void reverse(struct store_point *at, int count)
{
    for (int i = 0, k = count - 1; i < k; i++, k--) {
        struct store_point kept = at[i];
        at[i] = at[k];
        at[k] = kept;
    }
}

int pg_rating_history(struct store *s, struct uuid agent, struct store_point *out, int room)
{
    struct pg *p = pg_of(s);
    struct query q;
    int filled = 0;
    struct args a = query_begin(&q, PG_HISTORY_OF);
    args_uuid(&a, agent);
    args_int(&a, room);
    struct answer r = query_run(p, &q, &a);
    while (filled < room && answer_next(&r)) {
        struct store_point *one = &out[filled++];
        *one = (struct store_point){0};
        copy_game(p, answer_int(&r), one->game);
        one->rating = answer_real(&r);
        one->at_ms = answer_int(&r);
        one->deviation = answer_real(&r);
    }
    answer_end(&r);
    reverse(out, filled);
    return filled;
}

static bool read_rated(struct pg *p, struct answer *r, struct store_rated *out)
{
    struct store_match m;
    *out = (struct store_rated){0};
    if (!read_match(p, r, &m))
        return false;
    out->seat = (int)answer_int(r);
    memcpy(out->point.game, m.game, sizeof m.game);
    out->point.rating = answer_real(r);
    out->point.deviation = answer_real(r);
    out->point.at_ms = answer_int(r);
    out->replay = m.replay, out->seats = m.seats, out->teams = m.teams;
    for (int i = 0; i < m.seats; i++)
        memcpy(out->name[i], m.seat[i].name, sizeof out->name[i]);
    return true;
}

int pg_rated_matches(struct store *s, struct uuid agent, const char *game, int from, struct store_rated *out, int room)
{
    struct pg *p = pg_of(s);
    struct query q;
    int count = 0, only = game ? pg_game_row(p, game) : 0;
    if (game && !only)
        return 0;
    struct args a = query_begin(&q, PG_RATED_MATCHES);
    args_uuid(&a, agent);
    args_int(&a, only);
    args_int(&a, room);
    args_int(&a, from);
    struct answer r = query_run(p, &q, &a);
    while (count < room && answer_next(&r))
        count += read_rated(p, &r, &out[count]);
    answer_end(&r);
    return count;
}
