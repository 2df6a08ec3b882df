#include "app/serve_tournaments.h"

#include "work/work.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct store *store_of(void *owner)
{
    return lobby_store(((const struct serve_tournaments *)owner)->lobby);
}

static void put(void *owner, struct uuid tour, const char *file, uint64_t at, struct span bytes, bool ends)
{
    store_put_tournament_file(store_of(owner), tour, file, at, bytes, ends);
}

static void drop(void *owner, struct uuid tour, const char *file)
{
    store_drop_tournament_file(store_of(owner), tour, file);
}

// Waits for a store that is away, because the result is unknown meanwhile.
static bool wait(void *owner)
{
    const struct serve_tournaments *t = owner;
    struct store *s = store_of(owner);
    store_ticket last = store_last(s);
    while (store_durable(s) < last && !store_fault(s)[0] && !lobby_is_closing(t->lobby)) {
        loop_end_turn(t->loop);
        store_wait(s);
        if (store_durable(s) < last && store_is_away(s))
            store_reach(s);
        else if (store_durable(s) < last)
            work_wait_turn(loop_work(t->loop));
    }
    return store_durable(s) >= last;
}

static int list(void *owner, bool all, struct store_tournament *out, int room)
{
    return store_list_tournaments(store_of(owner), all, out, room);
}

static bool read_whole(void *owner, struct uuid tour, store_each_tournament_file *each, void *each_owner)
{
    return store_read_tournament(store_of(owner), tour, each, each_owner);
}

static bool read_file(void *owner, struct uuid tour, const char *file, uint64_t from, uint64_t to,
                      store_each_tournament_file *each, void *each_owner)
{
    return store_read_tournament_file(store_of(owner), tour, file, from, to, each, each_owner);
}

// Without hyphens, to fit into STORE_ROLE bytes.
static void role_of(char out[STORE_ROLE], struct uuid tour)
{
    int size = snprintf(out, STORE_ROLE, "tour:");
    for (int i = 0; i < UUID_BYTES; i++)
        size += snprintf(out + size, STORE_ROLE - (size_t)size, "%02x", tour.byte[i]);
}

static void want(void *owner, struct uuid tour, bool wanted)
{
    char role[STORE_ROLE];
    role_of(role, tour);
    if (wanted)
        store_want_role(store_of(owner), role);
    else
        store_give_role_up(store_of(owner), role);
}

static bool holds(void *owner, struct uuid tour)
{
    char role[STORE_ROLE];
    role_of(role, tour);
    return store_term(store_of(owner), role) != 0;
}

// Reads the store: what this node has seen may be a second old.
static uint64_t find_director(struct store *s, const char *role)
{
    struct store_cluster *c = calloc(1, sizeof *c);
    uint64_t found = 0;
    bool read = c && store_read_cluster(s, c);
    for (int i = 0; read && i < c->roles; i++)
        for (int k = 0; k < c->nodes && strcmp(c->role[i].role, role) == 0; k++)
            if (c->node[k].node.epoch == c->role[i].epoch)
                found = c->role[i].epoch;
    free(c);
    return found;
}

// 0: this node is the director itself, or there is none.
static int ask(void *owner, const struct lobby_tournament_request *w, char said[LOBBY_TOURNAMENT_ERROR_ROOM])
{
    const struct serve_tournaments *t = owner;
    struct store *s = store_of(owner);
    char name[STORE_ROLE];
    struct store_role role;
    role_of(name, w->tour);
    bool known = store_find_role(s, name, &role) && store_is_live(s, role.epoch);
    uint64_t epoch = known ? role.epoch : find_director(s, name);
    return epoch && epoch != store_my_epoch(s) ? lobby_ask_director(t->lobby, epoch, w, said) : 0;
}

void serve_tournaments_open(struct serve_tournaments *t, struct lobby *l, struct loop *loop)
{
    *t = (struct serve_tournaments){.nodes = {.owner = t,
                                              .put = put,
                                              .drop = drop,
                                              .wait = wait,
                                              .list = list,
                                              .read = read_whole,
                                              .read_file = read_file,
                                              .want = want,
                                              .holds = holds,
                                              .ask = ask},
                                    .lobby = l,
                                    .loop = loop};
}
