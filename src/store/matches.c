// A match from start to end: what is put, and how it is written.
#include "store/internal.h"

#include "base/hash.h"
#include "store/columns.h"

#include <assert.h>
#include <string.h>

enum {
    SWEEP_AT_LEAST = 256, // pieces of finished matches are deleted in lots of this size
    // A running match whose first piece is so far behind is moved to the end of the table, so that later pieces can be
    // deleted.
    MOVE_BEYOND = 1 << 17
};

struct begin_record {
    struct store_match match;
    struct store_entry entry;
    bool has_entry;
    int64_t row, game;
    struct piece piece;
};

// Followed by `ratings` elements of rating_record, `habits` of struct counts; then the whole log, or `pieces` ids and
// the last piece with its bytes.
struct finish_record {
    struct store_match match;
    struct store_entry entry;
    bool has_entry;
    int64_t row, game, sweep; // pieces below `sweep` belong to finished matches
    uint32_t ratings, pieces;
    uint32_t habits; // one for every seat, or none
    size_t log_size; // 0: the log must be assembled from its pieces
};

struct rating_record {
    struct store_rating rating;
    int64_t game;
};

struct unreported_record {
    int64_t row, seats;
};

struct move_record {
    int64_t to, count;
    int64_t from[]; // ids, which become to, to + 1, ...
};

struct delivered_record {
    struct uuid match;
    int64_t seat;
};

static struct piece next_piece(struct store *s, struct running_match *m, int64_t at_ms)
{
    if (m->count == 0)
        running_make_newest(&s->running, m);
    struct piece p = {.id = ++s->last_piece, .match = m->row, .number = m->count, .at_ms = at_ms};
    running_add_piece(m, p.id);
    return p;
}

// --- start

store_ticket lite_begin_match(struct store *s, const struct store_match *m, const struct store_entry *e,
                              struct span log)
{
    assert(m->seats > 0 && m->seats <= STORE_SEATS && !running_find(&s->running, m->id));
    if (store_refuse_begin(s, m->id, s->last + 1))
        return store_put_refused(s, e);
    int game = store_name_game(s, m->game);
    struct begin_record *r = store_put(s, RECORD_BEGIN, sizeof *r + log.size);
    r->match = *m;
    if ((r->has_entry = e != NULL))
        r->entry = *e;
    r->row = ++s->last_match;
    r->game = game;
    struct running_match *known = running_add(&s->running, m->id, r->row);
    known->whole = true;
    r->piece = next_piece(s, known, m->created_ms);
    store_fill_piece(&r->piece, log, (struct span){0});
    store_append_log(known, m->created_ms, log, (struct span){0});
    return s->last;
}

static int write_seat(struct store *s, const struct begin_record *r, int seat, int64_t agent)
{
    sqlite3_stmt *st = db_use(&s->writer, SQL_BEGIN_SEAT);
    bind_int(st, 1, r->row);
    bind_int(st, 2, seat);
    bind_int(st, 3, r->match.payoffs[seat]);
    bind_int(st, 4, agent);
    bind_row(st, 5, store_seat_columns, STORE_SEAT_COLUMNS, &r->match.seat[seat]);
    return db_run(&s->writer, st);
}

static int write_start(struct store *s, const struct begin_record *r, int64_t agent)
{
    sqlite3_stmt *st = db_use(&s->writer, SQL_ADD_START);
    bind_int(st, 1, agent);
    bind_int(st, 2, r->match.started_ms ? r->match.started_ms : r->match.created_ms);
    bind_int(st, 3, r->row);
    return db_run(&s->writer, st);
}

static int write_begin(struct store *s, const struct begin_record *r, const int64_t agent[STORE_SEATS])
{
    char players[STORE_PLAYERS];
    sqlite3_stmt *st = db_use(&s->writer, SQL_BEGIN_MATCH);
    bind_int(st, 1, r->row);
    bind_int(st, 2, r->game);
    bind_row(st, 3, store_match_columns, STORE_MATCH_COLUMNS, &r->match);
    bind_span(st, 3 + STORE_MATCH_COLUMNS, store_write_players(&r->match, agent, players));
    return db_run(&s->writer, st);
}

int store_apply_begin(struct store *s, const void *body)
{
    const struct begin_record *r = body;
    int64_t agent[STORE_SEATS];
    for (int seat = 0; seat < r->match.seats; seat++)
        if (!(agent[seat] = store_row_of_agent(s, &r->match.seat[seat].agent)))
            return ERR_STORAGE;
    if (write_begin(s, r, agent) != OK)
        return ERR_STORAGE;
    for (int seat = 0; seat < r->match.seats; seat++) {
        if (write_seat(s, r, seat, agent[seat]) != OK)
            return ERR_STORAGE;
        if (!r->match.seat[seat].one_shot && write_start(s, r, agent[seat]) != OK)
            return ERR_STORAGE;
    }
    if (r->has_entry && store_apply_entry(s, &r->entry) != OK)
        return ERR_STORAGE;
    return store_write_piece(s, &r->piece);
}

// --- actions

store_ticket lite_append(struct store *s, struct uuid match, int64_t at_ms, struct span log, struct span note)
{
    struct running_match *m = running_find(&s->running, match);
    assert(m);
    struct piece *p = store_put(s, RECORD_APPEND, sizeof *p + log.size + note.size);
    *p = next_piece(s, m, at_ms);
    store_fill_piece(p, log, note);
    store_append_log(m, at_ms, log, note);
    return s->last;
}

int store_apply_append(struct store *s, const void *body)
{
    return store_write_piece(s, body);
}

store_ticket lite_mark_unreported(struct store *s, struct uuid match, uint16_t seats)
{
    const struct running_match *m = running_find(&s->running, match);
    assert(m);
    struct unreported_record *r = store_put(s, RECORD_UNREPORTED, sizeof *r);
    *r = (struct unreported_record){m->row, seats};
    return s->last;
}

int store_apply_unreported(struct store *s, const void *body)
{
    const struct unreported_record *r = body;
    sqlite3_stmt *st = db_use(&s->writer, SQL_MARK_UNTOLD);
    bind_int(st, 1, r->row);
    bind_int(st, 2, r->seats);
    return db_run(&s->writer, st);
}

// --- end

// The oldest match that has any pieces.
static struct running_match *find_oldest(struct store *s)
{
    struct running_match *m = s->running.oldest;
    while (m && m->count == 0)
        m = m->newer;
    return m;
}

// The oldest match prevents all later pieces from being deleted. If it is too old, its pieces are moved to the end.
static void move_oldest(struct store *s)
{
    struct running_match *m = find_oldest(s);
    if (!m || s->last_piece - m->piece[0] < MOVE_BEYOND)
        return;
    struct move_record *r = store_put(s, RECORD_MOVE, sizeof *r + m->count * sizeof *r->from);
    r->to = s->last_piece + 1;
    r->count = m->count;
    memcpy(r->from, m->piece, m->count * sizeof *r->from);
    for (uint32_t i = 0; i < m->count; i++)
        m->piece[i] = ++s->last_piece;
    running_make_newest(&s->running, m);
}

int store_apply_move(struct store *s, const void *body)
{
    const struct move_record *r = body;
    int err = OK;
    for (int64_t i = 0; i < r->count && err == OK; i++) {
        sqlite3_stmt *st = db_use(&s->writer, SQL_MOVE_PIECE);
        bind_int(st, 1, r->from[i]);
        bind_int(st, 2, r->to + i);
        err = db_run(&s->writer, st);
    }
    return err;
}

// Pieces below this id may be deleted, now that the match is over.
static int64_t find_sweep_end(struct store *s)
{
    const struct running_match *oldest = find_oldest(s);
    int64_t below = oldest ? oldest->piece[0] : s->last_piece + 1;
    if (below - s->swept >= SWEEP_AT_LEAST)
        s->swept = below;
    return s->swept;
}

static void put_log(struct finish_record *r, char *at, const struct running_match *m, const struct piece *last,
                    struct span log)
{
    r->pieces = m->count;
    if (m->whole) {
        r->log_size = m->log_size;
        memcpy(at, m->log, m->log_size);
        return;
    }
    memcpy(at, m->piece, m->count * sizeof *m->piece);
    struct piece *p = (struct piece *)(at + m->count * sizeof *m->piece);
    *p = *last;
    store_fill_piece(p, log, (struct span){0});
}

store_ticket lite_finish_match(struct store *s, const struct store_match *m, const struct store_entry *e, int64_t at_ms,
                               struct span log, const struct store_rating *ratings, int count,
                               const struct counts *habits)
{
    struct running_match *known = running_find(&s->running, m->id);
    struct rating_record *rating;
    uint32_t habit_rows = habits ? (uint32_t)m->seats : 0;
    assert(known && m->status != STORE_RUNNING && count >= 0);
    if (store_refuse_finish(s, m, ratings, count, s->last + 1))
        return store_put_refused(s, e);
    int64_t game = store_name_game(s, m->game);
    for (int i = 0; i < count; i++)
        store_name_game(s, ratings[i].game);
    struct piece last = next_piece(s, known, at_ms);
    store_append_log(known, at_ms, log, (struct span){0});
    size_t rows = (size_t)count * sizeof *rating + habit_rows * sizeof *habits;
    size_t end = known->whole ? known->log_size : known->count * sizeof *known->piece + sizeof(struct piece) + log.size;
    struct finish_record *r = store_put(s, RECORD_FINISH, sizeof *r + rows + end);
    *r = (struct finish_record){
        .match = *m, .row = known->row, .game = game, .ratings = (uint32_t)count, .habits = habit_rows};
    if ((r->has_entry = e != NULL))
        r->entry = *e;
    rating = (struct rating_record *)(r + 1);
    for (int i = 0; i < count; i++)
        rating[i] = (struct rating_record){ratings[i], store_game_row(s, ratings[i].game)};
    struct counts *habit = (struct counts *)(rating + count);
    if (habits)
        memcpy(habit, habits, habit_rows * sizeof *habits);
    put_log(r, (char *)(habit + habit_rows), known, &last, log);
    running_drop(&s->running, known);
    r->sweep = find_sweep_end(s);
    for (int i = 0; i < count; i++)
        board_updates_add_rating(&s->board_updates, s->last, &ratings[i], store_game_row(s, ratings[i].game));
    store_ticket ticket = s->last;
    move_oldest(s);
    return ticket;
}

static int write_result(struct store *s, const struct finish_record *r)
{
    char outcome[STORE_PLAYERS];
    sqlite3_stmt *st = db_use(&s->writer, SQL_FINISH_MATCH);
    bind_int(st, 1, r->row);
    bind_row(st, 2, store_result_columns, STORE_RESULT_COLUMNS, &r->match);
    bind_span(st, 2 + STORE_RESULT_COLUMNS, store_write_outcome(&r->match, outcome));
    return db_run(&s->writer, st);
}

static int write_seat_result(struct store *s, const struct finish_record *r, int seat, int64_t number)
{
    const struct store_seat *at = &r->match.seat[seat];
    sqlite3_stmt *st = db_use(&s->writer, SQL_FINISH_SEAT);
    bind_int(st, 1, r->row);
    bind_int(st, 2, seat);
    bind_int(st, 3, r->match.payoffs[seat]);
    bind_int(st, 4, at->delivered);
    bind_int(st, 5, at->dropped);
    bind_int(st, 6, at->result);
    bind_int(st, 7, number);
    return db_run(&s->writer, st);
}

static int add_undelivered(struct store *s, const struct finish_record *r, int64_t agent)
{
    sqlite3_stmt *st = db_use(&s->writer, SQL_ADD_UNDELIVERED);
    bind_int(st, 1, agent);
    bind_int(st, 2, r->match.finished_ms);
    bind_int(st, 3, r->row);
    return db_run(&s->writer, st);
}

// Only the writer appends to lists, so its cache is always right.
static struct list_end *find_list_end(struct store *s, int64_t agent, int64_t game)
{
    uint64_t spread = (uint64_t)agent * 0x9e3779b97f4a7c15u + (uint64_t)game * 0xbf58476d1ce4e5b9u;
    return &s->list_end[spread >> 32 & (STORE_LIST_ENDS - 1)];
}

static int64_t end_of_list(struct store *s, int64_t agent, int64_t game)
{
    const struct list_end *known = find_list_end(s, agent, game);
    if (known->number && known->agent == agent && known->game == game)
        return known->number;
    sqlite3_stmt *st = db_use(&s->writer, SQL_END_OF_LIST);
    bind_int(st, 1, agent);
    bind_int(st, 2, game);
    if (!db_next(&s->writer, st))
        return 0;
    int64_t number = sqlite3_column_int64(st, 0);
    db_done(st);
    return number;
}

static int64_t add_to_list(struct store *s, const struct finish_record *r, int64_t agent, int64_t game,
                           const struct store_rating *rating)
{
    int64_t number = end_of_list(s, agent, game) + 1;
    sqlite3_stmt *st = db_use(&s->writer, SQL_ADD_TO_LIST);
    bind_int(st, 1, agent);
    bind_int(st, 2, game);
    bind_int(st, 3, number);
    bind_int(st, 4, r->row);
    for (int i = 5; i <= 8; i++)
        sqlite3_bind_null(st, i);
    if (rating) {
        bind_real(st, 5, rating->rating);
        bind_real(st, 8, rating->deviation);
    }
    if (agent && !game) {
        bind_int(st, 6, r->game);
        bind_int(st, 7, r->match.finished_ms);
    }
    if (db_run(&s->writer, st) != OK)
        return 0;
    *find_list_end(s, agent, game) = (struct list_end){agent, game, number};
    return number;
}

// Adds the match to the lists of the agent (0: of all), by its game and for all games. Returns its number there, or 0
// on an error. `rating`: the agent's rating after the match, for the history; NULL: none.
static int64_t add_to_lists(struct store *s, const struct finish_record *r, int64_t agent,
                            const struct store_rating *rating)
{
    return add_to_list(s, r, agent, r->game, NULL) ? add_to_list(s, r, agent, 0, rating) : 0;
}

static const struct store_rating *find_rating(const struct finish_record *r, int seat)
{
    const struct rating_record *rating = (const void *)(r + 1);
    for (uint32_t i = 0; i < r->ratings && r->match.rated; i++)
        if (uuid_equals(rating[i].rating.agent, r->match.seat[seat].agent))
            return &rating[i].rating;
    return NULL;
}

int store_compare_seats(const struct store_match *m, int seat, int other)
{
    if (m->seat[seat].dropped || m->seat[other].dropped)
        return m->seat[other].dropped - m->seat[seat].dropped;
    return (m->payoffs[seat] > m->payoffs[other]) - (m->payoffs[seat] < m->payoffs[other]);
}

static int add_versus(struct store *s, const struct finish_record *r, int seat, const int64_t agent[])
{
    int err = OK;
    for (int other = 0; other < r->match.seats && err == OK; other++) {
        bool partner = r->match.teams > 0 && other % r->match.teams == seat % r->match.teams;
        if (other == seat || partner)
            continue;
        int better = store_compare_seats(&r->match, seat, other);
        sqlite3_stmt *st = db_use(&s->writer, SQL_ADD_VERSUS);
        bind_int(st, 1, agent[seat]);
        bind_int(st, 2, r->game);
        bind_int(st, 3, agent[other]);
        bind_int(st, 4, better > 0);
        bind_int(st, 5, better < 0);
        bind_int(st, 6, better == 0);
        err = db_run(&s->writer, st);
    }
    return err;
}

static int end_seat(struct store *s, const struct finish_record *r, int seat, int64_t agent)
{
    bool counts = r->match.status == STORE_FINISHED;
    int64_t number = counts ? add_to_lists(s, r, agent, find_rating(r, seat)) : 0;
    if ((counts && !number) || write_seat_result(s, r, seat, number) != OK)
        return ERR_STORAGE;
    return r->match.seat[seat].delivered ? OK : add_undelivered(s, r, agent);
}

static struct ended_match *find_ended(struct store *s, const struct uuid *match)
{
    return &s->ended[hash_bytes(match, sizeof *match) & (STORE_ENDED - 1)];
}

static int write_seats(struct store *s, const struct finish_record *r)
{
    struct ended_match *ended = find_ended(s, &r->match.id);
    *ended = (struct ended_match){.id = r->match.id, .row = r->row, .at_ms = r->match.finished_ms};
    int64_t *agent = ended->agent;
    bool counts = r->match.status == STORE_FINISHED;
    int err = !counts || add_to_lists(s, r, 0, NULL) ? OK : ERR_STORAGE;
    for (int seat = 0; seat < r->match.seats && err == OK; seat++) {
        agent[seat] = store_row_of_agent(s, &r->match.seat[seat].agent);
        err = agent[seat] ? end_seat(s, r, seat, agent[seat]) : ERR_STORAGE;
    }
    for (int seat = 0; seat < r->match.seats && err == OK && counts; seat++)
        err = add_versus(s, r, seat, agent);
    return err;
}

static int sweep_pieces(struct store *s, int64_t below)
{
    if (below <= s->writer_swept)
        return OK;
    s->writer_swept = below;
    sqlite3_stmt *st = db_use(&s->writer, SQL_SWEEP_PIECES);
    bind_int(st, 1, below);
    return db_run(&s->writer, st);
}

static int count_actions(struct store *s, uint32_t pieces)
{
    sqlite3_stmt *st = db_use(&s->writer, SQL_ADD_ACTIONS);
    bind_int(st, 1, (int64_t)pieces - 2); // the head and the end are not actions
    return db_run(&s->writer, st);
}

static int write_log(struct store *s, const struct finish_record *r, const void *end)
{
    const int64_t *id = end;
    if (r->log_size)
        return store_write_log(s, r->row, r->pieces, (struct span){end, r->log_size}, true);
    int err = store_write_piece(s, (const struct piece *)(id + r->pieces));
    return err == OK ? store_fold_pieces(s, r->row, id, r->pieces) : err;
}

int store_apply_finish(struct store *s, const void *body)
{
    const struct finish_record *r = body;
    const struct rating_record *rating = (const void *)(r + 1);
    const struct counts *habit = (const void *)(rating + r->ratings);
    int err = write_log(s, r, habit + r->habits);
    if (err == OK)
        err = write_result(s, r);
    if (err == OK)
        err = write_seats(s, r);
    for (uint32_t i = 0; i < r->ratings && err == OK; i++)
        err = store_write_rating(s, &rating[i].rating, rating[i].game, 0); // its history is in the list
    for (uint32_t i = 0; i < r->habits && err == OK; i++)
        err = store_write_counts(s, &r->match.seat[i].agent, r->game, r->match.finished_ms, &habit[i]);
    if (err == OK && r->has_entry)
        err = store_apply_entry(s, &r->entry);
    if (err == OK)
        err = count_actions(s, r->pieces);
    return err == OK ? sweep_pieces(s, r->sweep) : err;
}

// --- delivery of game_over

store_ticket lite_mark_delivered(struct store *s, struct uuid match, int seat)
{
    struct delivered_record *r = store_put(s, RECORD_DELIVERED, sizeof *r);
    *r = (struct delivered_record){match, seat};
    return s->last;
}

static int drop_undelivered(struct store *s, int64_t agent, int64_t at_ms, int64_t match)
{
    sqlite3_stmt *st = db_use(&s->writer, SQL_DROP_UNDELIVERED);
    bind_int(st, 1, agent);
    bind_int(st, 2, at_ms);
    bind_int(st, 3, match);
    return db_run(&s->writer, st);
}

// Reads a match that is not in the cache: it ended long ago, or before the start.
static void load_ended(struct store *s, const struct delivered_record *r, struct ended_match *out)
{
    sqlite3_stmt *st = db_use(&s->writer, SQL_END_OF_MATCH);
    *out = (struct ended_match){.id = r->match};
    bind_uuid(st, 1, &r->match);
    if (db_next(&s->writer, st)) {
        out->row = sqlite3_column_int64(st, 0);
        out->at_ms = sqlite3_column_int64(st, 1);
    }
    db_done(st);
    st = db_use(&s->writer, SQL_AGENT_OF_SEAT);
    bind_int(st, 1, out->row);
    bind_int(st, 2, r->seat);
    if (db_next(&s->writer, st))
        out->agent[r->seat] = sqlite3_column_int64(st, 0);
    db_done(st);
}

int store_apply_delivered(struct store *s, const void *body)
{
    const struct delivered_record *r = body;
    struct ended_match looked_up;
    const struct ended_match *m = find_ended(s, &r->match);
    if (!m->row || !uuid_equals(m->id, r->match)) {
        load_ended(s, r, &looked_up);
        m = &looked_up;
    }
    sqlite3_stmt *st = db_use(&s->writer, SQL_MARK_DELIVERED);
    bind_int(st, 1, m->row);
    bind_int(st, 2, r->seat);
    if (db_run(&s->writer, st) != OK)
        return ERR_STORAGE;
    return drop_undelivered(s, m->agent[r->seat], m->at_ms, m->row);
}
