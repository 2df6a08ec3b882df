// Queries on the connection that the node keeps for itself (struct pg, `async`). Nobody waits for them: each has a
// callback that gets the result.
#include "store/pg/internal.h"

#include <stdlib.h>

struct query *async_query_begin(enum pg_statement which, async_query_callback *on_result, struct args *a)
{
    struct query *q = malloc(sizeof *q);
    if (!q)
        abort();
    *a = query_begin(q, which);
    a->to = &q->args;
    q->on_result = on_result;
    return q;
}

void async_query_send(struct pg *p, struct query *q, const struct args *a)
{
    struct link *l = &p->async;
    bool can = l->state == LINK_READY && l->units < PG_UNITS;
    if (can && l->units == 0)
        l->last_result_ms = pg_now_ms();
    bool sent = can && args_send(l->conn, q->which, q->args.at, a->count) && PQpipelineSync(l->conn) == 1;
    free(q->args.at);
    if (sent) {
        l->unit[(l->first + l->units++) % PG_UNITS] = q;
        link_flush(l);
        return;
    }
    free(q);
    if (can)
        link_lose(l, PQerrorMessage(l->conn));
}

void async_query_run_with(struct pg *p, enum pg_statement which, async_query_callback *on_result, int64_t number)
{
    struct args a;
    struct query *q = async_query_begin(which, on_result, &a);
    q->about = number;
    args_int(&a, number);
    async_query_send(p, q, &a);
}

void async_query_run(struct pg *p, enum pg_statement which, async_query_callback *on_result)
{
    struct args a;
    struct query *q = async_query_begin(which, on_result, &a);
    async_query_send(p, q, &a);
}

struct answer async_query_rows(struct pg *p, const PGresult *r)
{
    if (r && PQresultStatus(r) != PGRES_TUPLES_OK && !query_is_outage(r))
        pg_note_damage(p, PQresultErrorMessage(r));
    bool there = r && PQresultStatus(r) == PGRES_TUPLES_OK;
    return (struct answer){there ? (PGresult *)(uintptr_t)r : NULL, there ? PQntuples(r) : 0, -1, 0};
}

bool async_query_next_row(struct answer *a)
{
    a->column = 0;
    return a->result && ++a->row < a->rows;
}
