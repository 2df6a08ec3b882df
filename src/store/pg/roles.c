// What one node of an arena does for all of them (S20): who holds a role, and taking those that are free and wanted.
#include "store/pg/internal.h"

#include <stdio.h>
#include <string.h>

static struct store_role *find_role(const struct pg *p, const char *role)
{
    for (int i = 0; i < p->nodes.roles; i++)
        if (strcmp(p->nodes.role[i].role, role) == 0)
            return (struct store_role *)(uintptr_t)&p->nodes.role[i];
    return NULL;
}

static void report_role(struct pg *p, const char *role, uint64_t term)
{
    struct store_news *news = nodes_add_news(p, STORE_NEWS_ROLE);
    snprintf(news->name, sizeof news->name, "%.*s", (int)sizeof news->name - 1, role);
    news->count = term;
}

static void handle_roles(struct pg *p, const struct query *q, PGresult *r)
{
    struct nodes *n = &p->nodes;
    struct answer a = async_query_rows(p, r);
    (void)q;
    if (!a.result)
        return;
    struct store_role old[STORE_ROLES];
    int olds = n->roles;
    memcpy(old, n->role, sizeof old);
    for (n->roles = 0; n->roles < STORE_ROLES && async_query_next_row(&a);) {
        struct store_role *one = &n->role[n->roles++];
        answer_text(&a, one->role, sizeof one->role);
        one->epoch = (uint64_t)answer_int(&a);
        one->term = (uint64_t)answer_int(&a);
    }
    for (int i = 0; i < olds; i++) {
        const struct store_role *now = find_role(p, old[i].role);
        if (old[i].epoch == (uint64_t)p->epoch && (!now || now->epoch != old[i].epoch))
            report_role(p, old[i].role, 0);
    }
}

static int find_wanted(const struct nodes *n, const char *role)
{
    for (int i = 0; i < n->wants; i++)
        if (strcmp(n->wanted[i], role) == 0)
            return i;
    return -1;
}

static void free_role(struct pg *p, const char *role)
{
    struct args a = batch_begin_put(p, PG_GIVE_ROLE_UP);
    args_text(&a, role, STORE_ROLE);
    args_int(&a, p->epoch);
    batch_end_put(p, &a);
}

static void handle_role(struct pg *p, const struct query *q, PGresult *r)
{
    struct answer a = async_query_rows(p, r);
    char role[STORE_ROLE];
    (void)q;
    if (!async_query_next_row(&a) || PQgetisnull(r, 0, 0))
        return;
    uint64_t term = (uint64_t)answer_int(&a);
    answer_text(&a, role, sizeof role);
    if (find_wanted(&p->nodes, role) < 0) { // given up while the claim was on its way: nobody here would do it later
        free_role(p, role);
        return;
    }
    struct store_role *known = find_role(p, role);
    if (!known && p->nodes.roles == STORE_ROLES)
        return;
    if (!known) {
        known = &p->nodes.role[p->nodes.roles++];
        snprintf(known->role, sizeof known->role, "%s", role);
    }
    known->epoch = (uint64_t)p->epoch;
    known->term = term;
    report_role(p, role, term);
}

void roles_claim(struct pg *p)
{
    struct nodes *n = &p->nodes;
    for (int i = 0; i < n->wants; i++) {
        const struct store_role *known = find_role(p, n->wanted[i]);
        if (!n->wanted[i][0] || (known && nodes_find(n, known->epoch)))
            continue;
        struct args a;
        struct query *q = async_query_begin(PG_TAKE_ROLE, handle_role, &a);
        args_text(&a, n->wanted[i], sizeof n->wanted[i]);
        args_int(&a, p->epoch);
        async_query_send(p, q, &a);
    }
}

void roles_read(struct pg *p)
{
    async_query_run(p, PG_ROLES, handle_roles);
}

void pg_want_role(struct store *s, const char *role)
{
    const struct pg *p = pg_of(s);
    struct nodes *n = &pg_of(s)->nodes;
    int at = find_wanted(n, role);
    if (p->options.may_hold && !p->options.may_hold(role))
        return;
    if (at >= 0 || ((at = find_wanted(n, "")) < 0 && n->wants == STORE_ROLES))
        return;
    at = at >= 0 ? at : n->wants++;
    snprintf(n->wanted[at], sizeof n->wanted[at], "%s", role);
}

void pg_give_role_up(struct store *s, const char *role)
{
    struct pg *p = pg_of(s);
    struct store_role *known = find_role(p, role);
    int at = find_wanted(&p->nodes, role);
    if (at >= 0)
        p->nodes.wanted[at][0] = 0;
    if (!known || known->epoch != (uint64_t)p->epoch)
        return;
    known->epoch = 0;
    free_role(p, role);
    report_role(p, role, 0);
}

uint64_t pg_term(const struct store *s, const char *role)
{
    const struct pg *p = pg_of(s);
    const struct store_role *known = find_role(p, role);
    return !p->shared ? 1 : known && known->epoch == (uint64_t)p->epoch && !p->failed ? known->term : 0;
}

bool pg_find_role(const struct store *s, const char *role, struct store_role *out)
{
    const struct store_role *known = find_role(pg_of(s), role);
    if (known)
        *out = *known;
    return known != NULL;
}
