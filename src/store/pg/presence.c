// Where agents are connected (S26) and which node has a match (S23), read from the store and written to it.
#include "store/pg/internal.h"

#include <string.h>

bool pg_arrive(struct store *s, struct uuid agent, const char *instance, uint32_t flags, bool claims,
               struct store_arrival *out)
{
    struct pg *p = pg_of(s);
    struct query q;
    bool there = false;
    *out = (struct store_arrival){0};
    if (!p->shared)
        return true;
    struct args a = query_begin(&q, PG_ARRIVE);
    args_uuid(&a, agent);
    args_int(&a, p->epoch);
    args_text(&a, instance, sizeof out->before.instance);
    args_int(&a, flags);
    args_bool(&a, claims);
    struct answer r = query_run(p, &q, &a);
    if (!r.result)
        return false;
    while (out->matches < STORE_SEATS && answer_next(&r)) {
        there = true;
        out->conn = (uint64_t)answer_int(&r);
        out->before.epoch = (uint64_t)answer_int(&r);
        out->before.conn = (uint64_t)answer_int(&r);
        out->before.flags = (uint32_t)answer_int(&r);
        answer_text(&r, out->before.instance, sizeof out->before.instance);
        struct store_hosted *m = &out->match[out->matches];
        m->match = answer_uuid(&r);
        m->epoch = (uint64_t)answer_int(&r);
        m->busy = answer_bool(&r);
        answer_text(&r, m->node, sizeof m->node);
        answer_text(&r, m->address, sizeof m->address);
        out->matches += !uuid_is_none(m->match);
    }
    answer_end(&r);
    return there;
}

void pg_depart(struct store *s, struct uuid agent, uint64_t conn)
{
    struct pg *p = pg_of(s);
    if (!p->shared || !conn)
        return;
    struct args a = batch_begin_put(p, PG_DEPART);
    args_uuid(&a, agent);
    args_int(&a, (int64_t)conn);
    batch_end_put(p, &a);
}

static bool ask_row(struct pg *p, enum pg_statement which, struct uuid id, struct query *q, struct answer *r)
{
    struct args a = query_begin(q, which);
    args_uuid(&a, id);
    *r = query_run(p, q, &a);
    return answer_next(r);
}

int pg_count_places(struct store *s, struct uuid agent)
{
    struct query q;
    struct answer r;
    if (!ask_row(pg_of(s), PG_COUNT_PLACES, agent, &q, &r))
        return -1;
    int count = (int)answer_int(&r);
    answer_end(&r);
    return count;
}

bool pg_find_presence(struct store *s, struct uuid agent, struct store_presence *out)
{
    struct query q;
    struct answer r;
    if (!ask_row(pg_of(s), PG_FIND_PRESENCE, agent, &q, &r))
        return false;
    out->epoch = (uint64_t)answer_int(&r);
    out->conn = (uint64_t)answer_int(&r);
    out->flags = (uint32_t)answer_int(&r);
    answer_text(&r, out->instance, sizeof out->instance);
    answer_end(&r);
    return true;
}

int pg_list_presence(struct store *s, uint64_t *after, struct uuid *out, int room)
{
    struct pg *p = pg_of(s);
    struct query q;
    int count = 0;
    struct args a = query_begin(&q, PG_LIST_PRESENCE);
    args_int(&a, p->epoch);
    args_int(&a, (int64_t)*after);
    args_int(&a, room);
    struct answer r = query_run(p, &q, &a);
    if (!r.result)
        return -1;
    while (count < room && answer_next(&r)) {
        *after = (uint64_t)answer_int(&r);
        out[count++] = answer_uuid(&r);
    }
    answer_end(&r);
    return count;
}

int pg_find_handover(struct store *s, struct uuid match, char out[STORE_HANDOVER])
{
    struct query q;
    struct answer r;
    if (!ask_row(pg_of(s), PG_FIND_HANDOVER, match, &q, &r))
        return 0;
    struct span state = answer_bytes(&r);
    int size = state.size <= STORE_HANDOVER ? (int)state.size : 0;
    memcpy(out, state.at, (size_t)size);
    answer_end(&r);
    return size;
}

bool pg_find_host(struct store *s, struct uuid match, struct store_hosted *out)
{
    struct query q;
    struct answer r;
    *out = (struct store_hosted){.match = match};
    if (!ask_row(pg_of(s), PG_FIND_HOST, match, &q, &r))
        return false;
    out->epoch = (uint64_t)answer_int(&r);
    answer_text(&r, out->node, sizeof out->node);
    answer_text(&r, out->address, sizeof out->address);
    answer_end(&r);
    return true;
}
