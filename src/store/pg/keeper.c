// Reads that nobody waits for, on the connection that the node keeps for itself: each has a function that gets the
// answer.
#include "store/pg/internal.h"

#include <stdlib.h>

struct asked *keeper_begin(enum pg_statement which, keeper_hearer *then, struct args *a)
{
    struct asked *q = malloc(sizeof *q);
    if (!q)
        abort();
    *a = ask_begin(q, which);
    a->to = &q->args;
    q->then = then;
    return q;
}

void keeper_send(struct pg *p, struct asked *q, const struct args *a)
{
    struct link *l = &p->keeper;
    bool can = l->state == LINK_READY && l->units < PG_UNITS;
    if (can && l->units == 0)
        l->heard_ms = pg_now_ms();
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

void keeper_ask(struct pg *p, enum pg_statement which, keeper_hearer *then, int64_t number)
{
    struct args a;
    struct asked *q = keeper_begin(which, then, &a);
    q->about = number;
    args_int(&a, number);
    keeper_send(p, q, &a);
}

void keeper_ask_all(struct pg *p, enum pg_statement which, keeper_hearer *then)
{
    struct args a;
    struct asked *q = keeper_begin(which, then, &a);
    keeper_send(p, q, &a);
}

struct answer keeper_rows(struct pg *p, const PGresult *r)
{
    if (r && PQresultStatus(r) != PGRES_TUPLES_OK && !ask_means_away(r))
        pg_note_damage(p, PQresultErrorMessage(r));
    bool there = r && PQresultStatus(r) == PGRES_TUPLES_OK;
    return (struct answer){there ? (PGresult *)(uintptr_t)r : NULL, there ? PQntuples(r) : 0, -1, 0};
}

bool keeper_next(struct answer *a)
{
    a->column = 0;
    return a->result && ++a->row < a->rows;
}
