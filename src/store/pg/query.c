// Reads: each is sent as a unit of its own on the connection that has least to do. The caller waits as a job; outside a
// job it blocks the thread and handles everything else that comes meanwhile.
#include "store/pg/internal.h"

#include <assert.h>
#include <endian.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// --- sending

struct args query_begin(struct query *q, enum pg_statement which)
{
    *q = (struct query){.which = which};
    return (struct args){.to = &q->args};
}

static struct link *find_reader(struct pg *p)
{
    struct link *best = NULL;
    for (int i = 0; i < PG_READERS; i++) {
        struct link *l = &p->reader[i];
        if (l->state == LINK_READY && l->units < PG_UNITS && (!best || l->units < best->units))
            best = l;
    }
    return best;
}

void query_send_waiting(struct pg *p)
{
    struct link *l;
    for (struct query *q; (q = TAILQ_FIRST(&p->waiting)) && (l = find_reader(p));) {
        if (l->units == 0)
            l->last_result_ms = pg_now_ms();
        if (!args_send(l->conn, q->which, q->args.at, q->params) || PQpipelineSync(l->conn) != 1) {
            link_lose(l, PQerrorMessage(l->conn));
            continue;
        }
        TAILQ_REMOVE(&p->waiting, q, link);
        TAILQ_INSERT_TAIL(&p->sent, q, link);
        l->unit[(l->first + l->units++) % PG_UNITS] = q;
        link_flush(l);
    }
}

void query_requeue_all(struct link *l)
{
    for (; l->units > 0; l->units--, l->first = (l->first + 1) % PG_UNITS) {
        struct query *q = l->unit[l->first];
        if (q && q->on_result) {
            q->on_result(l->pg, q, NULL);
            free(q);
            continue;
        }
        if (!q)
            continue;
        TAILQ_REMOVE(&l->pg->sent, q, link);
        TAILQ_INSERT_TAIL(&l->pg->waiting, q, link);
    }
}

static void wake_caller(struct pg *p, struct query *q)
{
    q->done = true;
    if (q->in_job)
        work_wake(p->options.work, &q->job);
}

// Some reads write, as an agent's arrival does. A database may be made read-only while it runs, by whoever watches its
// disk; a new connection to it is refused then, as to a standby.
static bool is_read_only(const PGresult *r)
{
    const char *state = PQresultErrorField(r, PG_DIAG_SQLSTATE);
    return state && strcmp(state, "25006") == 0;
}

bool query_is_outage(const PGresult *r)
{
    const char *state = PQresultErrorField(r, PG_DIAG_SQLSTATE);
    return !state || strncmp(state, "08", 2) == 0 || strncmp(state, "57", 2) == 0 || strncmp(state, "53", 2) == 0 ||
           strncmp(state, "40", 2) == 0 || strcmp(state, "55P03") == 0 || // 40 and 55P03: another session's lock
           is_read_only(r);
}

void query_finish(struct link *l, struct query *q, PGresult *r)
{
    struct pg *p = l->pg;
    bool answered = r && PQresultStatus(r) == PGRES_TUPLES_OK;
    if (q && q->on_result) {
        q->on_result(p, q, r);
        free(q);
        PQclear(r);
        return;
    }
    if (q)
        TAILQ_REMOVE(&p->sent, q, link);
    if (q && answered) {
        q->answer = r;
        wake_caller(p, q);
    } else if (q && r && is_read_only(r)) { // sent again to a server that can be written
        TAILQ_INSERT_TAIL(&p->waiting, q, link);
        link_lose(l, PQresultErrorMessage(r));
        PQclear(r);
        return;
    } else if (q && r && query_is_outage(r)) { // sent again when it is back
        PQclear(r);
        TAILQ_INSERT_TAIL(&p->waiting, q, link);
    } else if (q) {
        q->damaged = true;
        q->bad = r;
        wake_caller(p, q);
    } else {
        PQclear(r);
    }
    query_send_waiting(p);
}

// The caller no longer waits. An answer that is on its way is dropped.
static void cancel_query(struct pg *p, struct query *q)
{
    bool sent = false;
    for (int i = 0; i < PG_READERS; i++) {
        struct link *l = &p->reader[i];
        for (uint32_t k = 0; k < l->units; k++)
            if (l->unit[(l->first + k) % PG_UNITS] == q) {
                l->unit[(l->first + k) % PG_UNITS] = NULL;
                sent = true;
            }
    }
    if (sent)
        TAILQ_REMOVE(&p->sent, q, link);
    else
        TAILQ_REMOVE(&p->waiting, q, link);
    wake_caller(p, q);
}

void query_expire(struct pg *p, int64_t now_ms)
{
    struct query *next;
    for (struct query *q = TAILQ_FIRST(&p->waiting); q; q = next) {
        next = TAILQ_NEXT(q, link);
        if (p->given_up || now_ms >= q->until_ms)
            cancel_query(p, q);
    }
    for (struct query *q = TAILQ_FIRST(&p->sent); q; q = next) {
        next = TAILQ_NEXT(q, link);
        if (p->given_up || now_ms >= q->until_ms)
            cancel_query(p, q);
    }
}

static void block_thread(struct pg *p, const struct query *q)
{
    p->blocked++;
    while (!q->done) {
        struct pollfd fd = {.fd = p->epoll, .events = POLLIN};
        poll(&fd, 1, 50);
        pg_pump(p);
    }
}

struct answer query_run(struct pg *p, struct query *q, struct args *a)
{
    assert(a->to == &q->args);
    q->params = a->count;
    q->until_ms = pg_now_ms() + STORE_PATIENCE_MS;
    if (!p->given_up) {
        TAILQ_INSERT_TAIL(&p->waiting, q, link);
        query_send_waiting(p);
        q->in_job = work_is_inside(p->options.work);
        if (q->in_job)
            work_sleep(p->options.work, &q->job);
        else
            block_thread(p, q);
    }
    free(q->args.at);
    p->unanswered += !q->answer && !q->damaged;
    if (q->damaged) // counted while the caller runs, so that no other job takes it for its own
        pg_note_damage(p, q->bad ? PQresultErrorMessage(q->bad) : "no result");
    PQclear(q->bad);
    return (struct answer){q->answer, q->answer ? PQntuples(q->answer) : 0, -1, 0};
}

// --- answers

bool answer_next(struct answer *a)
{
    a->column = 0;
    if (a->result && ++a->row < a->rows)
        return true;
    answer_end(a);
    return false;
}

void answer_end(struct answer *a)
{
    PQclear(a->result);
    a->result = NULL;
}

static struct span next_column(struct answer *a)
{
    int column = a->column++;
    assert(column < PQnfields(a->result));
    return (struct span){PQgetvalue(a->result, a->row, column), (size_t)PQgetlength(a->result, a->row, column)};
}

int64_t answer_int(struct answer *a)
{
    struct span s = next_column(a);
    uint64_t wire = 0;
    uint32_t half = 0;
    if (s.size == sizeof half) {
        memcpy(&half, s.at, sizeof half);
        return (int32_t)be32toh(half);
    }
    if (s.size == sizeof wire)
        memcpy(&wire, s.at, sizeof wire);
    return (int64_t)be64toh(wire);
}

double answer_real(struct answer *a)
{
    uint64_t bits = (uint64_t)answer_int(a);
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

bool answer_bool(struct answer *a)
{
    struct span s = next_column(a);
    return s.size == 1 && s.at[0];
}

struct span answer_bytes(struct answer *a)
{
    return next_column(a);
}

struct uuid answer_uuid(struct answer *a)
{
    struct span s = next_column(a);
    struct uuid id = {0};
    if (s.size == sizeof id.byte)
        memcpy(id.byte, s.at, sizeof id.byte);
    return id;
}

void answer_text(struct answer *a, char *out, size_t room)
{
    struct span s = next_column(a);
    size_t size = s.size < room ? s.size : room - 1;
    memcpy(out, s.at, size);
    memset(out + size, 0, room - size);
}

static void read_column(struct answer *a, const struct column *c, char *field)
{
    int64_t number;
    double real;
    struct span s;
    switch ((enum column_kind)c->kind) {
    case COLUMN_INT:
    case COLUMN_UINT:
    case COLUMN_NUMBER:
        number = answer_int(a);
        memcpy(field, &number, c->size);
        break;
    case COLUMN_BOOL:
        *(bool *)field = answer_bool(a);
        break;
    case COLUMN_REAL:
        real = answer_real(a);
        memcpy(field, &real, sizeof real);
        break;
    case COLUMN_TEXT:
        answer_text(a, field, c->size);
        break;
    case COLUMN_NAME:
    case COLUMN_BYTES:
    case COLUMN_TRIMMED:
        s = next_column(a);
        memset(field, 0, c->size);
        memcpy(field, s.at, s.size < c->size ? s.size : c->size);
        break;
    }
}

void answer_row(struct answer *a, const struct column *columns, int count, void *row)
{
    for (int i = 0; i < count; i++)
        read_column(a, &columns[i], (char *)row + columns[i].offset);
}
