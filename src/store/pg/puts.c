// Puts, as statements.
#include "store/pg/internal.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

int pg_game_row(const struct pg *p, const char *game)
{
    for (int i = 1; i <= p->games; i++)
        if (strcmp(p->game[i], game) == 0)
            return i;
    return 0;
}

static int name_game(struct pg *p, const char *game)
{
    int row = pg_game_row(p, game);
    if (row)
        return row;
    assert(p->games < STORE_GAMES && strlen(game) < sizeof p->game[0]);
    row = ++p->games;
    memcpy(p->game[row], game, strlen(game) + 1);
    struct args a = batch_begin_put(p, PG_ADD_GAME);
    args_int(&a, row);
    args_text(&a, game, sizeof p->game[0]);
    batch_end_put(p, &a);
    return row;
}

const char *pg_game_name(const struct pg *p, int64_t row)
{
    return row > 0 && row <= p->games ? p->game[row] : "";
}

static void put_by_uuid(struct pg *p, enum pg_statement which, struct uuid id)
{
    struct args a = batch_begin_put(p, which);
    args_uuid(&a, id);
    batch_end_put(p, &a);
}

// --- agents

static void note_change(struct pg *p, const struct store_agent *agent)
{
    board_updates_add_agent(&p->board_updates, p->last, agent);
    if (!p->shared)
        return;
    struct args a = batch_begin_put(p, PG_NOTE_CHANGE); // S27
    args_uuid(&a, agent->id);
    args_int(&a, p->epoch);
    batch_end_put(p, &a);
}

store_ticket pg_change_agent(struct store *s, const struct store_agent *agent, const uint32_t before[STORE_AGENT_MARKS])
{
    struct pg *p = pg_of(s);
    uint32_t now[STORE_AGENT_MARKS] = {0};
    uint64_t changed = 0;
    store_mark_agent(agent, now);
    for (int i = 0; i < STORE_AGENT_COLUMNS; i++)
        changed |= (uint64_t)(now[i] != before[i]) << i;
    p->last++;
    struct args a = batch_begin_put(p, PG_CHANGE_AGENT);
    args_row(&a, store_agent_columns, STORE_AGENT_COLUMNS, agent);
    args_int(&a, (int64_t)changed);
    batch_end_put(p, &a);
    note_change(p, agent);
    return p->last;
}

store_ticket pg_put_agent(struct store *s, const struct store_agent *agent)
{
    struct pg *p = pg_of(s);
    p->last++;
    put_by_uuid(p, PG_MAKE_AGENT, agent->id);
    struct args a = batch_begin_put(p, PG_SET_AGENT);
    args_row(&a, store_agent_columns, STORE_AGENT_COLUMNS, agent);
    batch_end_put(p, &a);
    note_change(p, agent);
    p->fresh_number[p->fresh_numbers++ % STORE_FRESH_NUMBERS] = agent->public_no;
    return p->last;
}

store_ticket pg_put_pairing(struct store *s, const struct store_pairing *pairing)
{
    struct pg *p = pg_of(s);
    p->last++;
    put_by_uuid(p, PG_REVOKE_PAIRINGS, pairing->agent);
    struct args a = batch_begin_put(p, PG_PUT_PAIRING);
    args_row(&a, store_pairing_columns, STORE_PAIRING_COLUMNS, pairing);
    args_uuid(&a, pairing->agent);
    batch_end_put(p, &a);
    return p->last;
}

store_ticket pg_use_pairing(struct store *s, const uint8_t code_hash[STORE_HASH])
{
    struct pg *p = pg_of(s);
    p->last++;
    struct args a = batch_begin_put(p, PG_USE_PAIRING);
    args_bytes(&a, (struct span){(const char *)code_hash, STORE_HASH});
    batch_end_put(p, &a);
    return p->last;
}

store_ticket pg_put_challenge(struct store *s, const struct store_challenge *c)
{
    struct pg *p = pg_of(s);
    int game = name_game(p, c->game);
    p->last++;
    struct args a = batch_begin_put(p, PG_PUT_CHALLENGE);
    args_int(&a, game);
    args_row(&a, store_challenge_columns, STORE_CHALLENGE_COLUMNS, c);
    batch_end_put(p, &a);
    put_by_uuid(p, PG_CLEAR_PLACES, c->id);
    a = batch_begin_put(p, PG_ADD_PLACES);
    args_uuid(&a, c->id);
    args_begin_array(&a, ARGS_UUID);
    for (int i = 0; i < c->taken && i < STORE_SEATS; i++)
        args_uuid(&a, c->agent[i]);
    args_end_array(&a);
    batch_end_put(p, &a);
    return p->last;
}

// --- the list of commitments

static void put_entry(struct pg *p, const struct store_entry *e)
{
    assert(e->size <= sizeof e->body);
    if (e->place == STORE_NEXT_PLACE) {
        memcpy(store_grow(&p->open.entries, sizeof *e), e, sizeof *e);
        return;
    }
    struct args a = batch_begin_put(p, PG_ADD_ENTRY);
    args_int(&a, (int64_t)e->place);
    args_int(&a, e->kind);
    args_int(&a, (int64_t)e->number);
    args_int(&a, e->at_ms);
    args_bytes(&a, (struct span){(const char *)e->body, e->size});
    args_bytes(&a, (struct span){(const char *)e->link, sizeof e->link});
    batch_end_put(p, &a);
}

store_ticket pg_put_entry(struct store *s, const struct store_entry *e)
{
    pg_of(s)->last++;
    put_entry(pg_of(s), e);
    return pg_of(s)->last;
}

store_ticket pg_put_epoch(struct store *s, const struct store_epoch *e)
{
    struct pg *p = pg_of(s);
    p->last++;
    struct args a = batch_begin_put(p, PG_ADD_DEAL_EPOCH);
    args_int(&a, (int64_t)e->first);
    args_bytes(&a, (struct span){(const char *)e->id, STORE_HASH});
    args_bytes(&a, (struct span){(const char *)e->secret, STORE_HASH});
    args_int(&a, p->shared ? p->epoch : 0);
    batch_end_put(p, &a);
    return p->last;
}

store_ticket pg_end_epoch(struct store *s, uint64_t first)
{
    struct pg *p = pg_of(s);
    p->last++;
    struct args a = batch_begin_put(p, PG_END_DEAL_EPOCH);
    args_int(&a, (int64_t)first);
    batch_end_put(p, &a);
    return p->last;
}

// --- a match

static int64_t take_row(struct pg *p)
{
    if (p->row == p->row_end && !p->spare) { // thousands of matches in one batch
        p->holding = false;
        pg_wait((struct store *)(void *)p);
    }
    if (p->row == p->row_end) {
        if (!p->spare) // rows from 0 on belong to other blocks
            pg_fail(p, "cannot begin a match", "the store has given no rows for it");
        p->row = p->spare;
        p->row_end = p->row + PG_ROWS;
        p->spare = 0;
    }
    return p->row++;
}

static void put_record(struct args *a, const struct store_match *m)
{
    struct bytes record = {0};
    pack_match(&record, m);
    args_bytes(a, (struct span){record.at, record.size});
    free(record.at);
}

static void put_seats(struct pg *p, struct args *a, const struct store_match *m)
{
    args_begin_array(a, ARGS_UUID);
    for (int i = 0; i < m->seats; i++) {
        args_uuid(a, m->seat[i].agent);
        batch_add_agent(p, m->seat[i].agent);
    }
    args_end_array(a);
}

static void put_sessions(struct args *a, const struct store_match *m)
{
    args_begin_array(a, ARGS_UUID);
    for (int i = 0; i < m->seats; i++)
        args_uuid(a, m->seat[i].session);
    args_end_array(a);
}

store_ticket pg_begin_match(struct store *s, const struct store_match *m, const struct store_entry *e, struct span log)
{
    struct pg *p = pg_of(s);
    assert(m->seats > 0 && m->seats <= STORE_SEATS && !running_find(&p->running, m->id));
    int game = name_game(p, m->game);
    struct running_match *known = running_add(&p->running, m->id, take_row(p));
    store_ticket ticket = ++p->last;
    struct args a = batch_begin_put(p, PG_BEGIN_MATCHES);
    args_int(&a, p->epoch);
    args_int(&a, known->row);
    args_uuid(&a, m->id);
    args_int(&a, 1); // version of the rules: only one so far
    args_int(&a, game);
    args_int(&a, m->created_ms);
    args_int(&a, m->started_ms ? m->started_ms : m->created_ms);
    args_int(&a, m->unreported);
    put_record(&a, m);
    put_seats(p, &a, m);
    args_begin_array(&a, ARGS_BOOL);
    for (int i = 0; i < m->seats; i++)
        args_bool(&a, m->seat[i].one_shot);
    args_end_array(&a);
    put_sessions(&a, m);
    args_begin_array(&a, ARGS_INT8);
    for (int i = 0; i < m->seats; i++)
        args_int(&a, m->seat[i].places);
    args_end_array(&a);
    args_text(&a, m->order_role, sizeof m->order_role);
    args_int(&a, (int64_t)m->order_term);
    struct put *put = batch_end_put(p, &a);
    put->match = m->id;
    put->role = PUT_BEGIN;
    if (e)
        put_entry(p, e);
    batch_add_piece(p, known, m->created_ms, log, (struct span){0});
    return ticket;
}

store_ticket pg_append(struct store *s, struct uuid match, int64_t at_ms, struct span log, struct span note)
{
    struct pg *p = pg_of(s);
    struct running_match *m = running_find(&p->running, match);
    assert(m);
    batch_add_piece(p, m, at_ms, log, note);
    return ++p->last;
}

// Begins a put about a running match of this node, by its row; the match must be known.
static struct args begin_match_put(struct pg *p, enum pg_statement which, struct uuid match)
{
    const struct running_match *m = running_find(&p->running, match);
    assert(m);
    p->last++;
    struct args a = batch_begin_put(p, which);
    args_int(&a, m->row);
    return a;
}

store_ticket pg_mark_unreported(struct store *s, struct uuid match, uint16_t seats)
{
    struct pg *p = pg_of(s);
    struct args a = begin_match_put(p, PG_MARK_UNREPORTED, match);
    args_int(&a, seats);
    batch_end_put(p, &a);
    return p->last;
}

store_ticket pg_mark_adopted(struct store *s, struct uuid match)
{
    struct pg *p = pg_of(s);
    struct args a = begin_match_put(p, PG_MARK_ADOPTED, match);
    args_int(&a, p->epoch);
    batch_end_put(p, &a);
    p->nodes.figures.adopted++;
    return p->last;
}

store_ticket pg_mark_dropped(struct store *s, struct uuid match, int seat)
{
    struct pg *p = pg_of(s);
    struct args a = begin_match_put(p, PG_MARK_DROPPED, match);
    args_int(&a, seat);
    batch_end_put(p, &a);
    return p->last;
}

store_ticket pg_hand_over(struct store *s, struct uuid match, uint64_t epoch, struct span state)
{
    struct pg *p = pg_of(s);
    struct args a = begin_match_put(p, PG_HAND_OVER, match);
    args_int(&a, (int64_t)epoch);
    args_int(&a, p->epoch);
    args_bytes(&a, state);
    batch_end_put(p, &a);
    running_drop(&p->running, running_find(&p->running, match));
    p->nodes.figures.handed_over++;
    return p->last;
}

store_ticket pg_keep_match(struct store *s, struct uuid match)
{
    struct pg *p = pg_of(s);
    struct args a = begin_match_put(p, PG_KEEP_MATCH, match);
    batch_end_put(p, &a);
    return p->last;
}

store_ticket pg_mark_delivered(struct store *s, struct uuid match, int seat)
{
    struct pg *p = pg_of(s);
    p->last++;
    struct args a = batch_begin_put(p, PG_MARK_DELIVERED);
    args_uuid(&a, match);
    args_int(&a, seat);
    batch_end_put(p, &a)->match = match;
    return p->last;
}

// The end of the log is part of the result, so that a refused end adds nothing to the log.
static void put_tail(struct args *a, const struct running_match *m, int64_t at_ms, struct span log)
{
    size_t size;
    char *at = malloc(piece_size(log, (struct span){0}));
    if (!at)
        abort();
    piece_fill(at, m->row, m->count, at_ms, m->log_ms, log, (struct span){0}, &size);
    args_bytes(a, (struct span){at, size});
    free(at);
}

static void put_results(struct args *a, const struct store_match *m)
{
    args_begin_array(a, ARGS_INT8);
    for (int i = 0; i < m->seats; i++)
        args_int(a, m->seat[i].result);
    args_end_array(a);
    args_begin_array(a, ARGS_BOOL);
    for (int i = 0; i < m->seats; i++)
        args_bool(a, m->seat[i].delivered);
    args_end_array(a);
}

static void put_rating_body(struct args *a, const struct store_rating *r)
{
    struct bytes body = {0};
    pack_row(&body, store_rating_columns, STORE_RATING_COLUMNS, r);
    args_bytes(a, (struct span){body.at, body.size});
    free(body.at);
}

static const struct store_rating *find_rating(const struct store_rating *r, int count, struct uuid agent)
{
    for (int i = 0; i < count; i++)
        if (uuid_equals(r[i].agent, agent))
            return &r[i];
    return NULL;
}

// Ratings after the match, by seat; NULL: unrated.
static void put_points(struct args *a, const struct store_match *m, const struct store_rating *r, int count)
{
    for (int which = 0; which < 2; which++) {
        args_begin_array(a, ARGS_REAL);
        for (int i = 0; i < m->seats; i++) {
            const struct store_rating *of = m->rated ? find_rating(r, count, m->seat[i].agent) : NULL;
            if (of)
                args_real(a, which ? of->deviation : of->rating);
            else
                args_null(a);
        }
        args_end_array(a);
    }
}

// A rated agent always has a seat.
static int find_seat(const struct store_match *m, struct uuid agent)
{
    int i = 0;
    while (i < m->seats - 1 && !uuid_equals(m->seat[i].agent, agent))
        i++;
    assert(uuid_equals(m->seat[i].agent, agent));
    return i;
}

// S41: each rating with the version it was computed from, and a seat of its agent, from 1.
static void put_ratings(struct pg *p, struct args *a, const struct store_match *m, const struct store_rating *r,
                        int count)
{
    struct end_rating end = {.match = m->id};
    args_begin_array(a, ARGS_INT8);
    for (int i = 0; i < count; i++)
        args_int(a, find_seat(m, r[i].agent) + 1);
    args_end_array(a);
    args_begin_array(a, ARGS_INT8);
    for (int i = 0; i < count; i++) {
        end.agent = r[i].agent;
        end.game = name_game(p, r[i].game);
        args_int(a, (int64_t)(batch_has_moved(p, &end) ? STORE_NO_VERSION : r[i].version));
        end.at = (uint32_t)(a->to->size - sizeof(uint64_t));
        memcpy(store_grow(&p->open.ends, sizeof end), &end, sizeof end);
    }
    args_end_array(a);
    args_begin_array(a, ARGS_BYTEA);
    for (int i = 0; i < count; i++)
        put_rating_body(a, &r[i]);
    args_end_array(a);
}

// F5.13: all pairs except partners.
static void put_versus(struct args *a, const struct store_match *m)
{
    for (int column = 0; column < 3; column++) {
        args_begin_array(a, ARGS_INT8);
        for (int seat = 0; seat < m->seats && m->status == STORE_FINISHED; seat++)
            for (int other = 0; other < m->seats; other++) {
                bool partner = m->teams > 0 && other % m->teams == seat % m->teams;
                if (other != seat && !partner)
                    args_int(a, column == 0 ? seat : column == 1 ? other : store_compare_seats(m, seat, other));
            }
        args_end_array(a);
    }
}

void pg_put_counts(struct args *a, const struct counts *counts, int seats)
{
    for (int column = 0; column < 3; column++) {
        args_begin_array(a, column < 2 ? ARGS_INT8 : ARGS_REAL);
        for (int i = 0; i < seats * COUNTERS_MAX; i++) {
            const struct count *c = &counts[i / COUNTERS_MAX].at[i % COUNTERS_MAX];
            if (column == 2)
                args_real(a, c->squares);
            else
                args_int(a, column == 0 ? c->n : c->of);
        }
        args_end_array(a);
    }
}

store_ticket pg_finish_match(struct store *s, const struct store_match *m, const struct store_entry *e, int64_t at_ms,
                             struct span log, const struct store_rating *ratings, int count,
                             const struct counts *habits)
{
    struct pg *p = pg_of(s);
    const struct running_match *known = running_find(&p->running, m->id);
    assert(known && m->status != STORE_RUNNING && count >= 0);
    int game = name_game(p, m->game);
    store_ticket ticket = ++p->last;
    struct args a = batch_begin_put(p, PG_END_MATCHES);
    args_int(&a, p->epoch);
    args_int(&a, known->row);
    args_uuid(&a, m->id);
    args_uuid(&a, m->replay);
    args_int(&a, game);
    args_int(&a, m->finished_ms);
    args_bool(&a, m->status == STORE_FINISHED);
    args_int(&a, (int64_t)known->count - 1); // without the head
    put_record(&a, m);
    put_tail(&a, known, at_ms, log);
    put_seats(p, &a, m);
    put_sessions(&a, m);
    put_results(&a, m);
    put_points(&a, m, ratings, count);
    put_ratings(p, &a, m, ratings, count);
    put_versus(&a, m);
    args_int(&a, COUNTERS_MAX);
    if (habits)
        pg_put_counts(&a, habits, m->seats);
    for (int i = 0; i < 3 && !habits; i++)
        args_null(&a);
    struct put *put = batch_end_put(p, &a);
    put->match = m->id;
    put->role = PUT_END;
    for (int i = 0; i < count; i++)
        board_updates_add_rating(&p->board_updates, ticket, &ratings[i], name_game(p, ratings[i].game));
    if (e)
        put_entry(p, e);
    return ticket;
}

// --- replacing all ratings

store_ticket pg_add_counts(struct store *s, struct uuid agent, const char *game, int64_t at_ms,
                           const struct counts *counts)
{
    struct pg *p = pg_of(s);
    int row = name_game(p, game);
    p->last++;
    struct args a = batch_begin_put(p, PG_ADD_COUNTS);
    args_uuid(&a, agent);
    args_int(&a, row);
    args_int(&a, at_ms);
    pg_put_counts(&a, counts, 1);
    batch_end_put(p, &a);
    return p->last;
}

store_ticket pg_begin_ratings(struct store *s)
{
    static const enum pg_statement clear[] = {PG_CLEAR_RATINGS, PG_CLEAR_HISTORY, PG_CLEAR_COUNTERS};
    struct pg *p = pg_of(s);
    p->last++;
    for (int i = 0; i < COUNT_OF(clear); i++) {
        struct args a = batch_begin_put(p, clear[i]);
        batch_end_put(p, &a);
    }
    p->holding = true;
    board_updates_add_clear(&p->board_updates, p->last);
    return p->last;
}

// The version is the number of finished matches, like `games`.
store_ticket pg_put_rating(struct store *s, const struct store_rating *r, struct uuid match)
{
    struct pg *p = pg_of(s);
    int game = name_game(p, r->game);
    p->last++;
    struct args a = batch_begin_put(p, PG_PUT_RATING);
    args_uuid(&a, r->agent);
    args_int(&a, game);
    args_int(&a, r->games);
    put_rating_body(&a, r);
    batch_end_put(p, &a);
    if (!uuid_is_none(match)) {
        a = batch_begin_put(p, PG_ADD_HISTORY);
        args_uuid(&a, r->agent);
        args_uuid(&a, match);
        args_real(&a, r->rating);
        args_real(&a, r->deviation);
        batch_end_put(p, &a);
    }
    board_updates_add_rating(&p->board_updates, p->last, r, game);
    return p->last;
}

store_ticket pg_end_ratings(struct store *s)
{
    pg_of(s)->holding = false;
    return ++pg_of(s)->last;
}
