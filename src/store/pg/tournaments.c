// Tournaments of several nodes (S47): the files that their directors write.
#include "store/pg/internal.h"

#include <string.h>

store_ticket pg_put_tournament_file(struct store *s, struct uuid tour, const char *file, uint64_t at, struct span bytes,
                                    bool ends)
{
    struct pg *p = pg_of(s);
    p->last++;
    struct args a = batch_begin_put(p, PG_PUT_TOURNAMENT_FILE);
    args_uuid(&a, tour);
    args_text(&a, file, STORE_TOURNAMENT_FILE);
    args_int(&a, at == STORE_TOURNAMENT_WHOLE ? -1 : (int64_t)at);
    args_bytes(&a, bytes);
    args_bool(&a, ends);
    batch_end_put(p, &a);
    return p->last;
}

store_ticket pg_drop_tournament_file(struct store *s, struct uuid tour, const char *file)
{
    struct pg *p = pg_of(s);
    p->last++;
    struct args a = batch_begin_put(p, PG_DROP_TOURNAMENT_FILE);
    args_uuid(&a, tour);
    args_text(&a, file, STORE_TOURNAMENT_FILE);
    batch_end_put(p, &a);
    return p->last;
}

int pg_list_tournaments(struct store *s, bool all, struct store_tournament *out, int room)
{
    struct query q;
    int count = 0;
    struct args a = query_begin(&q, PG_LIST_TOURNAMENTS);
    args_bool(&a, all);
    args_int(&a, room);
    struct answer r = query_run(pg_of(s), &q, &a);
    if (!r.result)
        return -1;
    while (answer_next(&r)) {
        out[count].id = answer_uuid(&r);
        out[count].changes = (uint64_t)answer_int(&r);
        out[count++].is_past = answer_bool(&r);
    }
    return count;
}

// `each` must not wait: the bytes belong to the answer.
static bool tell_files(struct pg *p, struct query *q, struct args *a, store_each_tournament_file *each, void *owner)
{
    char name[STORE_TOURNAMENT_FILE];
    struct answer r = query_run(p, q, a);
    if (!r.result)
        return false;
    while (answer_next(&r)) {
        answer_text(&r, name, sizeof name);
        int64_t at = answer_int(&r);
        each(owner, name, at < 0 ? STORE_TOURNAMENT_WHOLE : (uint64_t)at, answer_bytes(&r));
    }
    return true;
}

bool pg_read_tournament(struct store *s, struct uuid tour, store_each_tournament_file *each, void *owner)
{
    struct query q;
    struct args a = query_begin(&q, PG_READ_TOURNAMENT);
    args_uuid(&a, tour);
    return tell_files(pg_of(s), &q, &a, each, owner);
}

bool pg_read_tournament_file(struct store *s, struct uuid tour, const char *file, uint64_t from, uint64_t to,
                             store_each_tournament_file *each, void *owner)
{
    struct query q;
    struct args a = query_begin(&q, PG_READ_TOURNAMENT_FILE);
    args_uuid(&a, tour);
    args_text(&a, file, STORE_TOURNAMENT_FILE);
    args_int(&a, from > INT64_MAX ? INT64_MAX : (int64_t)from);
    args_int(&a, to > INT64_MAX ? INT64_MAX : (int64_t)to);
    return tell_files(pg_of(s), &q, &a, each, owner);
}
