// Seats agents for a tournament of this node, wherever they are connected (S47).
#include "cluster/note.h"
#include "lobby/internal.h"

#include <string.h>

// A readiness check of an older connection does not count for a new one.
static void note_place(struct lobby *l, struct lobby_agent *a, const struct store_presence *at)
{
    if (a->invited_conn != at->conn) {
        standby_cancel_check(l, a);
        a->left_out_until_ms = 0;
    }
    a->invited_at = at->epoch;
    a->invited_conn = at->conn;
}

static bool plays_tournament(struct lobby *l, struct uuid id)
{
    enum { MOST = 4 };
    struct store_elsewhere rows[MOST];
    int count = store_list_played(l->store, id, rows, MOST);
    for (int i = 0; i < count; i++)
        if (strcmp(rows[i].match.mode, "tournament") == 0)
            return true;
    return false;
}

static enum lobby_reach invite_remote(struct lobby *l, const struct lobby_game *g, struct lobby_invited *out)
{
    struct lobby_agent *a = out->agent;
    struct store_presence at;
    struct uuid id = a->record.id;
    bool found = !a->record.disabled && store_find_presence(l->store, id, &at) && at.conn;
    int places = found ? store_count_places(l->store, id) : -1, most = a->record.max_concurrent;
    if (places >= 0 && a->active > places)
        places = a->active; // matches begun here may not be durable yet
    if (places >= (most > 0 ? most : 1))
        out->plays = plays_tournament(l, id);
    // Tested after the reads above, which may have suspended the job.
    else if (places >= 0 && !is_here(a) && l->mesh.call && at.epoch != l->mesh.call->me &&
             store_is_live(l->store, at.epoch) && !a->candidate && !l->closing) {
        note_place(l, a, &at);
        out->gateway = at.epoch;
        return standby_invite_remote(l, a, g, l->now_ms);
    }
    return LOBBY_AWAY;
}

enum lobby_reach lobby_invite_anywhere(struct lobby *l, struct uuid id, const struct lobby_game *g,
                                       struct lobby_invited *out)
{
    *out = (struct lobby_invited){.agent = lobby_agent_by_id(l, id)};
    if (!out->agent)
        return LOBBY_AWAY;
    lobby_agent_hold(out->agent);
    if (out->agent->record.kind == STORE_HOUSE || is_here(out->agent) || !l->mesh.call)
        return lobby_invite(l, out->agent, g, l->now_ms);
    return invite_remote(l, g, out);
}

// Makes the player's gateway describe its connection to this node.
static void introduce(struct lobby *l, const struct lobby_game *g, const struct lobby_invited *p)
{
    struct note n = mesh_note(l, ENTRY_BEGUN, g);
    n.flags = NOTE_DOWN | NOTE_TOURNAMENT | NOTE_SEATED | NOTE_ONE_SHOT;
    n.agent = p->agent->record.id;
    n.host = l->mesh.call->me;
    mesh_send(l, p->gateway, &n);
}

// Checked again: while the job was suspended, the agent may have got another match.
static bool can_still_sit(const struct lobby_invited *p)
{
    const struct lobby_agent *a = p->agent;
    if (a->record.kind == STORE_HOUSE)
        return true;
    return !a->record.disabled && !a->candidate && eligibility_has_capacity(a) &&
           (p->gateway ? !is_here(a) : is_here(a) && a->synced && !gateway_waits(a));
}

int lobby_seat_invited(struct lobby *l, const struct lobby_game *g, const char *mode,
                       const struct lobby_invited *players, int count, const struct lobby_fixed *fixed)
{
    struct lobby_agent *agents[STORE_SEATS];
    if (count < 1 || count > STORE_SEATS)
        return ERR_RANGE;
    for (int i = 0; i < count; i++) {
        agents[i] = players[i].agent;
        if (players[i].gateway)
            nodes_reload_agent(l, agents[i]);
    }
    if (l->closing)
        return ERR_STORAGE;
    for (int i = 0; i < count; i++)
        if (!can_still_sit(&players[i]))
            return ERR_RANGE;
    int err = lobby_seat_fixed(l, g, mode, agents, count, fixed, l->now_ms);
    for (int i = 0; i < count && err == OK; i++)
        if (players[i].gateway && l->mesh.call)
            introduce(l, g, &players[i]);
    return err;
}
