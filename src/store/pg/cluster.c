// The arena's nodes, roles and takeovers as the store has them, for operators.
#include "store/pg/internal.h"

#include <stdio.h>
#include <string.h>

static void read_member(struct answer *a, struct store_member *m)
{
    *m = (struct store_member){.node = {.epoch = (uint64_t)answer_int(a)}};
    answer_text(a, m->node.name, sizeof m->node.name);
    answer_text(a, m->node.address, sizeof m->node.address);
    m->node.program = (int32_t)answer_int(a);
    m->node.state = (uint8_t)answer_int(a);
    m->node.has_bus = answer_bool(a);
    m->node.batch = answer_int(a);
    m->node.age_ms = answer_int(a);
    m->matches = m->node.load = (int32_t)answer_int(a);
    m->agents = (int32_t)answer_int(a);
    m->node.queued = (int32_t)answer_int(a);
    m->node.spectators = (int32_t)answer_int(a);
}

static void read_takeover(struct answer *a, struct store_takeover *t)
{
    *t = (struct store_takeover){.epoch = (uint64_t)answer_int(a)};
    answer_text(a, t->name, sizeof t->name);
    t->by = (uint64_t)answer_int(a);
    answer_text(a, t->by_name, sizeof t->by_name);
    t->at_ms = answer_int(a);
    t->silent_ms = answer_int(a);
    t->matches = (int32_t)answer_int(a);
}

static const enum pg_statement of_cluster[] = {PG_MEMBERS, PG_ROLES, PG_TAKEOVERS};

static void read_part(int part, struct answer *r, struct store_cluster *out)
{
    while (answer_next(r)) {
        if (part == 0 && out->nodes < STORE_NODES) {
            read_member(r, &out->node[out->nodes++]);
        } else if (part == 1 && out->roles < STORE_ROLES) {
            struct store_role *role = &out->role[out->roles++];
            answer_text(r, role->role, sizeof role->role);
            role->epoch = (uint64_t)answer_int(r);
            role->term = (uint64_t)answer_int(r);
        } else if (part == 2 && out->takeovers < COUNT_OF(out->takeover)) {
            read_takeover(r, &out->takeover[out->takeovers++]);
        }
    }
}

bool pg_read_cluster(struct store *s, struct store_cluster *out)
{
    *out = (struct store_cluster){0};
    for (int i = 0; i < COUNT_OF(of_cluster); i++) {
        struct query q;
        struct args a = query_begin(&q, of_cluster[i]);
        struct answer r = query_run(pg_of(s), &q, &a);
        if (!r.result)
            return false;
        read_part(i, &r, out);
    }
    return true;
}

bool pg_peek_cluster(const char *url, struct store_cluster *out, char *why, size_t room)
{
    PGconn *c = link_connect(url, 0, why, room);
    bool sound = c != NULL;
    *out = (struct store_cluster){0};
    for (int i = 0; sound && i < COUNT_OF(of_cluster); i++) {
        PGresult *r = PQexecParams(c, link_text(of_cluster[i]), 0, NULL, NULL, NULL, NULL, 1);
        sound = PQresultStatus(r) == PGRES_TUPLES_OK;
        if (!sound)
            snprintf(why, room, "PostgreSQL: %.*s", (int)strcspn(PQresultErrorMessage(r), "\n"),
                     PQresultErrorMessage(r));
        struct answer a = {r, sound ? PQntuples(r) : 0, -1, 0};
        read_part(i, &a, out);
        answer_end(&a);
    }
    PQfinish(c);
    return sound;
}
