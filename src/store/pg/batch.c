// From put to durable. Puts are collected in `open` as the statements they will be. store_submit makes them the batch
// in flight if there is none: fence, locks, pieces of logs, then all statements in order, and one Sync, which makes it
// one transaction (S11). After a broken connection the number in the node's own row tells whether it was committed
// (S12).
#include "store/pg/internal.h"
#include "store/pg/pace.h"

#include "base/hash.h"
#include "store/log_piece.h"

#include <assert.h>
#include <endian.h>
#include <stdlib.h>
#include <string.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

enum { RATED_US = 250000 }; // the rate of puts is measured over this time

// --- collecting

struct args batch_begin_put(struct pg *p, enum pg_statement which)
{
    size_t begin = p->open.puts.size;
    struct put *head = store_grow(&p->open.puts, sizeof *head);
    *head = (struct put){.statement = (uint16_t)which, .ticket = p->last};
    p->open.count++;
    return (struct args){.to = &p->open.puts, .begin = begin};
}

struct put *batch_end_put(struct pg *p, struct args *a)
{
    size_t pad = -p->open.puts.size & 7;
    memset(store_grow(&p->open.puts, pad), 0, pad);
    struct put *head = (struct put *)(void *)(p->open.puts.at + a->begin);
    head->size = (uint32_t)(p->open.puts.size - a->begin);
    head->params = (uint16_t)a->count;
    return head;
}

size_t piece_size(struct span log, struct span note)
{
    return sizeof(uint64_t) + LOG_PIECE_HEAD + log.size + note.size;
}

uint64_t piece_sum(int64_t match, uint32_t number, struct span bytes)
{
    const uint64_t head[] = {(uint64_t)match, number, hash_bytes(bytes.at, bytes.size)};
    return hash_bytes(head, sizeof head);
}

void piece_fill(char *at, int64_t match, uint32_t number, int64_t at_ms, int64_t before_ms, struct span log,
                struct span note, size_t *size)
{
    char head[LOG_PIECE_HEAD];
    size_t head_size = log_piece_write_head(head, at_ms, before_ms, log.size, note.size);
    log_piece_copy(at + sizeof(uint64_t), (struct span){head, head_size}, log, note);
    *size = sizeof(uint64_t) + head_size + log.size + note.size;
    uint64_t sum = piece_sum(match, number, (struct span){at + sizeof sum, *size - sizeof sum});
    memcpy(at, &sum, sizeof sum);
}

void batch_add_piece(struct pg *p, struct running_match *m, int64_t at_ms, struct span log, struct span note)
{
    struct batch *b = &p->open;
    size_t begin = b->piece.size, size;
    store_grow(&b->piece, sizeof(struct piece_head) + piece_size(log, note) + 7);
    char *at = b->piece.at + begin;
    piece_fill(at + sizeof(struct piece_head), m->row, m->count, at_ms, m->log_ms, log, note, &size);
    struct piece_head head = {m->row, at_ms, m->count, (uint32_t)size};
    memcpy(at, &head, sizeof head);
    b->piece.size = begin + ((sizeof head + size + 7) & ~(size_t)7);
    b->pieces++;
    m->count++;
    m->log_ms = at_ms;
}

void batch_add_agent(struct pg *p, struct uuid agent)
{
    memcpy(store_grow(&p->open.agents, sizeof agent), &agent, sizeof agent);
}

void batch_release(struct batch *b)
{
    free(b->puts.at);
    free(b->ends.at);
    free(b->piece.at);
    free(b->agents.at);
    free(b->entries.at);
    *b = (struct batch){0};
}

// --- sending

static bool send_args(struct pg *p, enum pg_statement which, struct args *a)
{
    bool sent = args_send(p->writer.conn, which, a->to->at, a->count);
    free(a->to->at);
    return sent;
}

static bool send_fence(struct pg *p)
{
    struct bytes bytes = {0};
    struct args a = {.to = &bytes};
    args_int(&a, p->epoch);
    args_int(&a, p->number + 1);
    args_int(&a, p->state);
    args_int(&a, (int64_t)p->running.count);
    args_bool(&a, p->has_bus);
    return send_args(p, PG_FENCE, &a);
}

static bool send_take_rows(struct pg *p)
{
    struct bytes bytes = {0};
    struct args a = {.to = &bytes};
    args_int(&a, p->epoch);
    return send_args(p, PG_TAKE_ROWS, &a);
}

// What the link of an entry covers after the place (make_entry in lobby/deals.c).
static void put_hashed_bytes(struct args *a, const struct store_entry *e)
{
    uint64_t number = htole64(e->number), at_ms = htole64((uint64_t)e->at_ms);
    char bytes[1 + sizeof number + sizeof at_ms + sizeof e->body];
    bytes[0] = (char)e->kind;
    memcpy(bytes + 1, &number, sizeof number);
    memcpy(bytes + 1 + sizeof number, &at_ms, sizeof at_ms);
    memcpy(bytes + 1 + sizeof number + sizeof at_ms, e->body, e->size);
    args_bytes(a, (struct span){bytes, 1 + sizeof number + sizeof at_ms + e->size});
}

static void put_entry_column(struct args *a, int column, const struct store_entry *e)
{
    switch (column) {
    case 0:
        args_int(a, e->kind);
        break;
    case 1:
        args_int(a, (int64_t)e->number);
        break;
    case 2:
        args_int(a, e->at_ms);
        break;
    case 3:
        args_bytes(a, (struct span){(const char *)e->body, e->size});
        break;
    default:
        put_hashed_bytes(a, e);
    }
}

// Last in the batch, because the places are assigned under a lock that all nodes want.
static bool send_entries(struct pg *p)
{
    static const enum args_type type[] = {ARGS_INT8, ARGS_INT8, ARGS_INT8, ARGS_BYTEA, ARGS_BYTEA};
    const struct store_entry *e = (const void *)p->flight.entries.at;
    size_t count = p->flight.entries.size / sizeof *e;
    struct bytes bytes = {0};
    struct args a = {.to = &bytes};
    for (int column = 0; column < COUNT_OF(type); column++) {
        args_begin_array(&a, type[column]);
        for (size_t i = 0; i < count; i++)
            put_entry_column(&a, column, &e[i]);
        args_end_array(&a);
    }
    return send_args(p, PG_ADD_ENTRIES, &a);
}

static bool send_agents(struct pg *p)
{
    struct bytes bytes = {0};
    struct args a = {.to = &bytes};
    args_begin_array(&a, ARGS_UUID);
    for (size_t at = 0; at < p->flight.agents.size; at += sizeof(struct uuid))
        args_uuid(&a, *(const struct uuid *)(const void *)(p->flight.agents.at + at));
    args_end_array(&a);
    return send_args(p, PG_LOCK_AGENTS, &a);
}

static void put_piece_column(struct args *a, int column, const struct piece_head *h)
{
    switch (column) {
    case 0:
        args_int(a, h->match);
        break;
    case 1:
        args_int4(a, (int32_t)h->number);
        break;
    case 2:
        args_int(a, h->at_ms);
        break;
    default:
        args_bytes(a, (struct span){(const char *)(h + 1), h->size});
    }
}

static bool send_pieces(struct pg *p)
{
    static const enum args_type type[] = {ARGS_INT8, ARGS_INT4, ARGS_INT8, ARGS_BYTEA};
    struct bytes bytes = {0};
    struct args a = {.to = &bytes};
    for (int column = 0; column < COUNT_OF(type); column++) {
        args_begin_array(&a, type[column]);
        for (size_t at = 0; at < p->flight.piece.size;) {
            const struct piece_head *h = (const void *)(p->flight.piece.at + at);
            put_piece_column(&a, column, h);
            at += (sizeof *h + h->size + 7) & ~(size_t)7;
        }
        args_end_array(&a);
    }
    args_int(&a, p->epoch); // S90: who wrote them, and in which batch
    args_int(&a, p->number + 1);
    return send_args(p, PG_ADD_PIECES, &a);
}

// Results come in the same order (batch_handle_result).
static void send_flight(struct pg *p)
{
    struct batch *b = &p->flight;
    p->result = 0;
    p->puts_answered = 0;
    p->failed_batch = false;
    p->sent_flight = true;
    p->flight_ms = p->writer.last_result_ms = pg_now_ms();
    bool sent = send_fence(p) && (!b->agents.size || send_agents(p)) && (!b->takes_rows || send_take_rows(p)) &&
                (!b->pieces || send_pieces(p)) && batch_send_puts(p) && (!b->entries.size || send_entries(p)) &&
                PQpipelineSync(p->writer.conn) == 1;
    if (sent)
        link_flush(&p->writer);
    else
        link_lose(&p->writer, PQerrorMessage(p->writer.conn));
}

static void send_open_batch(struct pg *p)
{
    struct batch empty = p->flight;
    empty.puts.size = empty.ends.size = empty.piece.size = empty.agents.size = empty.entries.size = 0;
    empty.pieces = empty.count = 0;
    p->flight = p->open;
    p->open = empty;
    p->flight.last = p->last;
    p->flight.takes_rows = !p->spare && p->row_end - p->row < PG_ROWS / 2;
    p->in_flight = true;
    send_flight(p);
}

static int64_t now_us(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000 + t.tv_nsec / 1000;
}

static void note_rate(struct pg *p, int64_t now)
{
    p->rated += p->open.count + p->open.pieces;
    if (now - p->rated_us < RATED_US)
        return;
    p->rate = (uint32_t)((int64_t)p->rated * 1000000 / (now - p->rated_us));
    p->rated = 0;
    p->rated_us = now;
}

// Under load a batch begins at most once in each pace, so that several turns share one; after a pause, at once.
static bool is_paced(struct pg *p)
{
    int64_t pace_us = pace_choose_us((int64_t)p->options.pace_ms * 1000, p->shared ? p->nodes.count : 1, p->rate);
    int64_t left = p->submitted_us + pace_us - now_us();
    if (left <= 0 || p->given_up)
        return false;
    struct itimerspec when = {.it_value = {.tv_sec = left / 1000000, .tv_nsec = left % 1000000 * 1000}};
    timerfd_settime(p->pace, 0, &when, NULL);
    return true;
}

static bool is_empty(const struct batch *b)
{
    return b->count == 0 && b->pieces == 0 && b->entries.size == 0;
}

static bool is_able(const struct pg *p)
{
    return !p->failed && !p->in_flight && p->writer.state == LINK_READY;
}

void pg_submit(struct store *s)
{
    struct pg *p = pg_of(s);
    if (is_empty(&p->open) || p->holding || !is_able(p) || is_paced(p))
        return;
    p->submitted_us = now_us();
    note_rate(p, p->submitted_us);
    send_open_batch(p);
}

// S14: renews the lease, and fetches rows for matches. Not while puts wait for store_submit: they belong to one turn,
// which must not be split.
void batch_renew(struct pg *p, int64_t now_ms)
{
    if (is_empty(&p->open) && is_able(p) && now_ms - p->renewed_ms >= PG_RENEW_MS && !p->holding)
        send_open_batch(p);
}

// --- results

static int64_t read_number(const PGresult *r)
{
    uint64_t wire = 0;
    if (PQntuples(r) == 1 && PQnfields(r) == 1 && PQgetlength(r, 0, 0) == sizeof wire)
        memcpy(&wire, PQgetvalue(r, 0, 0), sizeof wire);
    return (int64_t)be64toh(wire);
}

// Number of results before those of the puts: fence, locks, rows, pieces.
static uint32_t count_before(const struct batch *b)
{
    return 1u + (b->agents.size > 0) + b->takes_rows + (b->pieces > 0);
}

// What follows from an error: the same batch again, another connection, an end of this node, an end of the program.
enum { AGAIN, BROKEN, FENCED, MISTAKE };

static int classify_error(const PGresult *r)
{
    static const struct {
        const char *state;
        int what;
    } known[] = {{"AG001", FENCED}, {"40001", AGAIN}, {"40P01", AGAIN}, {"55P03", AGAIN},
                 {"08", BROKEN},    {"57", BROKEN},   {"53", BROKEN},   {"25006", BROKEN}};
    const char *state = PQresultErrorField(r, PG_DIAG_SQLSTATE);
    if (!state)
        return BROKEN;
    for (int i = 0; i < COUNT_OF(known); i++)
        if (strncmp(state, known[i].state, strlen(known[i].state)) == 0)
            return known[i].what;
    return MISTAKE;
}

static void send_settle(struct pg *p);

static void handle_error(struct pg *p, const PGresult *r)
{
    if (p->failed_batch)
        return;
    p->failed_batch = true;
    switch (classify_error(r)) {
    case AGAIN:
        break;
    case BROKEN:
        p->doubted = true;
        link_lose(&p->writer, PQresultErrorMessage(r));
        break;
    case FENCED: // taken over; or the batch in doubt was committed meanwhile
        p->doubted = true;
        break;
    default:
        pg_fail(p, "cannot write the data", PQresultErrorMessage(r));
    }
}

static void handle_settled(struct pg *p, const PGresult *r);

void batch_handle_result(struct pg *p, PGresult *r)
{
    bool bad = PQresultStatus(r) != PGRES_TUPLES_OK && PQresultStatus(r) != PGRES_COMMAND_OK;
    if (p->writer.state == LINK_SETTLES) {
        if (bad)
            link_lose(&p->writer, PQresultErrorMessage(r));
        else
            handle_settled(p, r);
    } else if (bad) {
        handle_error(p, r);
    } else if (p->result++ < count_before(&p->flight)) {
        if (p->flight.takes_rows && PQntuples(r) == 1 && p->result == count_before(&p->flight) - (p->flight.pieces > 0))
            p->spare = read_number(r);
    } else if (p->puts_answered < p->sent_puts.size / sizeof(struct sent_put)) { // after the puts come the entries
        batch_read_outcomes(p, r);
    }
    PQclear(r);
}

static void drop_running(struct pg *p, struct uuid match)
{
    struct running_match *m = running_find(&p->running, match);
    if (m)
        running_drop(&p->running, m);
}

// Deletes what a refused start has added to the log, with the next batch. A match that began before keeps its own
// pieces, which are under its own row.
static void forget_pieces(struct pg *p, struct uuid match)
{
    const struct running_match *m = running_find(&p->running, match);
    if (!m)
        return;
    struct args a = batch_begin_put(p, PG_FORGET_PIECES);
    args_int(&a, m->row);
    batch_end_put(p, &a);
}

// --- ratings of refused ends (S41)

static size_t count_ratings(const struct bytes *of)
{
    return of->size / sizeof(struct end_rating);
}

static struct end_rating *ratings_in(const struct bytes *of)
{
    return (struct end_rating *)(void *)of->at;
}

static bool is_same_rating(const struct end_rating *a, const struct end_rating *b)
{
    return a->game == b->game && uuid_equals(a->agent, b->agent);
}

bool batch_has_moved(const struct pg *p, const struct end_rating *r)
{
    for (size_t i = 0; i < count_ratings(&p->moved); i++)
        if (is_same_rating(&ratings_in(&p->moved)[i], r))
            return true;
    return false;
}

// Ends that wait for the next batch may build on the refused one. The version that they name could be another node's by
// then, so they name none.
static void refuse_followers(struct pg *p, const struct end_rating *refused)
{
    uint64_t none = htobe64(STORE_NO_VERSION);
    for (size_t i = 0; i < count_ratings(&p->open.ends); i++)
        if (is_same_rating(&ratings_in(&p->open.ends)[i], refused))
            memcpy(p->open.puts.at + ratings_in(&p->open.ends)[i].at, &none, sizeof none);
}

// Ends that named no version were built on a refused one themselves, and that one is recorded already.
static void record_moved(struct pg *p, struct uuid match)
{
    uint64_t none = htobe64(STORE_NO_VERSION);
    for (size_t i = 0; i < count_ratings(&p->flight.ends); i++) {
        const struct end_rating *r = &ratings_in(&p->flight.ends)[i];
        if (!uuid_equals(r->match, match) || memcmp(p->flight.puts.at + r->at, &none, sizeof none) >= 0)
            continue;
        memcpy(store_grow(&p->moved, sizeof *r), r, sizeof *r);
        refuse_followers(p, r);
    }
}

// The owner reads the ratings of this match again, so they no longer follow from other refused ends either.
void batch_forget_moved(struct pg *p, struct uuid match)
{
    struct end_rating *r = ratings_in(&p->moved);
    size_t found = 0, kept = 0, count = count_ratings(&p->moved);
    struct end_rating of_match[STORE_SEATS];
    for (size_t i = 0; i < count && found < STORE_SEATS; i++)
        if (uuid_equals(r[i].match, match))
            of_match[found++] = r[i];
    for (size_t i = 0; i < count; i++) {
        bool known = false;
        for (size_t k = 0; k < found; k++)
            known |= is_same_rating(&r[i], &of_match[k]);
        if (!known)
            r[kept++] = r[i];
    }
    p->moved.size = kept * sizeof *r;
}

static void apply_outcome(struct pg *p, const struct put *one)
{
    int outcome = one->outcome;
    if (one->role == PUT_BEGIN && outcome != 0) {
        enum store_reason why = outcome == -2 ? STORE_NO_PLACE : outcome == -1 ? STORE_TERM_OVER : STORE_BEGAN_BEFORE;
        refusals_add(&p->refusals, (struct store_refusal){one->ticket, one->match, why});
        p->nodes.figures.begins_refused[why]++;
        forget_pieces(p, one->match);
        drop_running(p, one->match);
    } else if (one->role == PUT_END && outcome == 0) {
        drop_running(p, one->match);
    } else if (one->role == PUT_END && outcome == 1) {
        refusals_add(&p->refusals, (struct store_refusal){one->ticket, one->match, STORE_MOVED});
        p->nodes.figures.finishes_refused++;
        record_moved(p, one->match);
    } else if (one->role == PUT_END) {
        nodes_fence(p, "cannot end a match", "it belongs to another server, or was ended by one");
    }
}

// The batch in flight is durable.
static void confirm_flight(struct pg *p)
{
    for (size_t at = 0; at < p->flight.puts.size;) {
        const struct put *one = (const void *)(p->flight.puts.at + at);
        if (one->role)
            apply_outcome(p, one);
        at += one->size;
    }
    p->number++;
    if (!p->unproven)
        p->durable = p->flight.last;
    p->renewed_ms = pg_now_ms();
    p->in_flight = p->sent_flight = p->doubted = false;
}

void batch_end(struct pg *p)
{
    if (p->writer.state == LINK_SETTLES) {
        p->writer.state = LINK_READY;
        if (p->in_flight)
            send_flight(p);
        return;
    }
    p->sent_flight = false;
    if (p->failed)
        return;
    if (p->doubted)
        send_settle(p);
    else if (p->failed_batch) {
        send_flight(p);
    } else {
        p->unproven = false;
        confirm_flight(p);
    }
}

// --- a batch in doubt

void batch_lost(struct pg *p)
{
    p->doubted |= p->in_flight;
    p->sent_flight = false;
}

static void send_settle(struct pg *p)
{
    struct bytes bytes = {0};
    struct args a = {.to = &bytes};
    p->writer.state = LINK_SETTLES;
    args_int(&a, p->epoch);
    args_begin_array(&a, ARGS_UUID);
    for (size_t at = 0; p->in_flight && at < p->flight.puts.size;) {
        const struct put *one = (const void *)(p->flight.puts.at + at);
        if (one->role)
            args_uuid(&a, one->match);
        at += one->size;
    }
    args_end_array(&a);
    args_text(&a, p->name, sizeof p->name);
    if (args_send(p->writer.conn, PG_SETTLE, bytes.at, a.count) && PQpipelineSync(p->writer.conn) == 1)
        link_flush(&p->writer);
    else
        link_lose(&p->writer, PQerrorMessage(p->writer.conn));
    free(bytes.at);
}

void batch_connected(struct pg *p)
{
    send_settle(p);
}

// -1: no such match; 0: running; 1: over.
static int find_settled(const PGresult *r, struct uuid match)
{
    for (int i = 0; i < PQntuples(r); i++)
        if (!PQgetisnull(r, i, 1) && memcmp(PQgetvalue(r, i, 1), match.byte, sizeof match.byte) == 0)
            return PQgetvalue(r, i, 2)[0];
    return -1;
}

// Finds the outcome of each start and end of the batch from the tables: a match that is not there was refused, and so
// was the end of one that is still running.
static void read_outcomes(struct pg *p, const PGresult *r)
{
    for (size_t at = 0; at < p->flight.puts.size;) {
        struct put *one = (void *)(p->flight.puts.at + at);
        int found = one->role ? find_settled(r, one->match) : 0;
        if (one->role == PUT_BEGIN)
            one->outcome = found < 0 ? -3 : 0;
        else if (one->role == PUT_END)
            one->outcome = found == 1 ? 0 : found == 0 ? 1 : 2;
        at += one->size;
    }
}

// S73: the database has lost confirmed batches. Nothing is written back from memory.
static void lose_batches(struct pg *p, int64_t number)
{
    char why[160];
    p->lost_batches = (uint64_t)(p->number - number);
    snprintf(why, sizeof why, "batches %lld to %lld of epoch %lld are missing: it came back from an older copy; %s",
             (long long)number + 1, (long long)p->number, (long long)p->epoch,
             p->shared ? "going on from what it has" : "start again to go on from what it has");
    nodes_fence(p, "the store has lost what it had confirmed", why);
}

static void handle_settled(struct pg *p, const PGresult *r)
{
    uint64_t wire = 0;
    bool there = PQntuples(r) > 0 && !PQgetisnull(r, 0, 0);
    bool lived = PQntuples(r) > 0 && PQgetvalue(r, 0, 3)[0];
    if (there)
        memcpy(&wire, PQgetvalue(r, 0, 0), sizeof wire);
    int64_t number = (int64_t)be64toh(wire);
    if (!there && !lived && p->number > 0) { // even the row of this node's start is gone
        lose_batches(p, 0);
    } else if (!there) {
        nodes_fence(p, "the arena was taken over", "another server has opened this store; this one must stop");
    } else if (number < p->number) {
        lose_batches(p, number);
    } else if (p->in_flight && number == p->number + 1) {
        // This server has the batch, but a standby may not: a commit that waited for one may have been cut off. The
        // commit of the next batch proves it, since the log is sent in order.
        p->unproven = true;
        read_outcomes(p, r);
        confirm_flight(p);
        p->renewed_ms = 0;
    }
    p->doubted = false;
}
