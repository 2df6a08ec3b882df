#include "app/serve_mesh.h"

#include <stdio.h>

// One matchmaker for each game, whichever node it is.
static void role_of(char out[STORE_ROLE], const char *game)
{
    snprintf(out, STORE_ROLE, "mm:%s", game);
}

// The role of a dead node stays with it until another node takes it.
static bool find_holder(void *owner, const char *game, uint64_t *epoch, uint64_t *term)
{
    const struct serve_mesh *m = owner;
    char name[STORE_ROLE];
    struct store_role role;
    role_of(name, game);
    if (!store_find_role(m->store, name, &role) || !store_is_live(m->store, role.epoch))
        return false;
    *epoch = role.epoch;
    *term = role.term;
    return true;
}

static void want(void *owner, const char *game, bool wanted)
{
    const struct serve_mesh *m = owner;
    char name[STORE_ROLE];
    role_of(name, game);
    if (wanted)
        store_want_role(m->store, name);
    else
        store_give_role_up(m->store, name);
}

static int list_peers(void *owner, struct lobby_peer out[STORE_NODES], int room)
{
    const struct serve_mesh *m = owner;
    struct store_node node[STORE_NODES];
    int count = 0, nodes = store_list_nodes(m->store, node, STORE_NODES);
    int32_t program = 0; // S24: a node of another version may have other rules
    for (int i = 0; i < nodes; i++)
        if (node[i].epoch == node_bus_epoch(m->node_bus))
            program = node[i].program;
    for (int i = 0; i < nodes && count < room; i++) {
        bool ours = node[i].epoch == node_bus_epoch(m->node_bus);
        if (!ours && (!node[i].has_bus || !node_bus_is_connected(m->node_bus, node[i].epoch)))
            continue;
        bool serves = node[i].state == STORE_SERVES && node[i].program == program;
        out[count++] = (struct lobby_peer){.epoch = node[i].epoch, .load = node[i].load, .serves = serves || ours};
    }
    return count;
}

static void send_entry(void *owner, uint64_t epoch, const struct entry *e)
{
    node_bus_put(((const struct serve_mesh *)owner)->node_bus, epoch, e);
}

static void introduce(void *owner, struct uuid agent, uint64_t host)
{
    relay_introduce_once(node_bus_relay(((const struct serve_mesh *)owner)->node_bus), agent, host);
}

static void on_entry(void *owner, uint64_t from, const struct entry *e)
{
    const struct serve_mesh *m = owner;
    lobby_mesh_receive(m->lobby, from, e, m->now_ms());
}

static void on_reset(void *owner, uint64_t epoch)
{
    const struct serve_mesh *m = owner;
    lobby_mesh_reset(m->lobby, epoch, m->now_ms());
}

static void on_gone(void *owner, uint64_t epoch)
{
    const struct serve_mesh *m = owner;
    lobby_mesh_end_node(m->lobby, epoch, m->now_ms());
}

void serve_mesh_open(struct serve_mesh *m)
{
    m->mesh = (struct lobby_mesh){.owner = m,
                                  .me = node_bus_epoch(m->node_bus),
                                  .find_holder = find_holder,
                                  .want = want,
                                  .list_peers = list_peers,
                                  .send = send_entry,
                                  .introduce = introduce};
    for (int kind = ENTRY_JOIN; kind <= ENTRY_REFUSED; kind++)
        node_bus_on_entry(m->node_bus, (enum entry_kind)kind, on_entry, m);
    node_bus_on_reset(m->node_bus, on_reset, m);
    node_bus_on_node_gone(m->node_bus, on_gone, m);
    lobby_set_mesh(m->lobby, &m->mesh, m->now_ms());
}

void serve_mesh_close(struct serve_mesh *m)
{
    if (m->node_bus)
        lobby_set_mesh(m->lobby, NULL, m->now_ms());
}
