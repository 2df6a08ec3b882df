// Tables for named players who may be connected to any node (S25): challenges and rematches, begun by the matchmaker of
// their game.
#include "cluster/note.h"
#include "lobby/internal.h"

static void find_player(struct lobby *l, struct uuid id, struct table_player *p)
{
    *p = (struct table_player){.agent = lobby_agent_by_id(l, id)};
    if (!p->agent)
        return;
    lobby_agent_hold(p->agent);
    const struct store_agent *r = &p->agent->record;
    p->is_there = r->kind == STORE_HOUSE || is_here(p->agent);
    if (p->is_there || r->disabled)
        return;
    p->is_there = store_find_presence(l->store, id, &p->at) && store_is_live(l->store, p->at.epoch) &&
                  store_count_places(l->store, id) < r->max_concurrent;
    if (p->is_there)
        nodes_reload_agent(l, p->agent);
}

void tables_find_players(struct lobby *l, const struct uuid *agent, int count, struct table_player *out)
{
    for (int i = 0; i < count; i++)
        find_player(l, agent[i], &out[i]);
}

bool tables_can_seat(const struct lobby *l, const struct lobby_agent *a, const struct lobby_game *g)
{
    return !a->record.disabled && a->active < a->record.max_concurrent && eligibility_has_game(l, a, g);
}

int tables_find_missing(const struct lobby *l, const struct lobby_game *g, const struct table_player *p, int count)
{
    for (int i = 0; i < count; i++) {
        const struct lobby_agent *a = p[i].agent;
        bool house = a && a->record.kind == STORE_HOUSE;
        if (!a || !p[i].is_there || (!house && is_here(a) && !tables_can_seat(l, a, g)))
            return i;
    }
    return -1;
}

// Makes the players' gateways describe their connections to this node.
static void call_players(struct lobby *l, const struct lobby_game *g, const struct table_player *p, int count)
{
    for (int i = 0; i < count; i++) {
        struct note n = mesh_note(l, ENTRY_BEGUN, g);
        n.flags = NOTE_DOWN | NOTE_SEATED | NOTE_ONE_SHOT;
        n.agent = p[i].agent->record.id;
        n.host = l->mesh.call->me;
        mesh_send(l, p[i].at.epoch, &n);
    }
}

int tables_begin(struct lobby *l, const struct lobby_game *g, const struct table_player *p, int count,
                 struct uuid challenge, struct uuid *match)
{
    struct lobby_agent *agents[STORE_SEATS];
    for (int i = 0; i < count; i++)
        agents[i] = p[i].agent;
    int err = lobby_seat_table(l, g, "friendly", agents, count, challenge, l->now_ms, match);
    if (err == OK)
        call_players(l, g, p, count);
    return err;
}

void tables_release_players(struct table_player *p, int count)
{
    for (int i = 0; i < count; i++)
        if (p[i].agent)
            lobby_agent_release(p[i].agent);
}
