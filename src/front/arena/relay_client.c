// Players that are connected to this node by another front than the hub (MCP), and whose matches may be at other nodes.
//
// Such a player has a connection without a socket: its matches' hosts see an agent like any other, and what they write
// for it ends here, as a call of its front.
#include "front/arena/relay_internal.h"

#include <stdlib.h>

struct hub_conn *relay_client_open(struct relay *r, struct lobby_agent *a, const struct store_arrival *arrival,
                                   const struct relay_client_handler *front, void *client)
{
    struct hub_conn *c = hub_add(r->o.hub);
    struct relay_conn *x = c ? relay_add(r, c, lobby_agent_record(a)->id, arrival->conn) : NULL;
    if (!x) {
        free(c);
        return NULL;
    }
    c->agent = a;
    c->phase = HUB_OPEN;
    c->has_feed = c->has_states = true; // it follows every step
    c->front = front;
    c->client = client;
    x->capabilities = UINT32_MAX;
    for (int i = 0; i < arrival->matches; i++)
        if (arrival->match[i].epoch != r->o.epoch)
            relay_introduce_once(r, x->agent, arrival->match[i].epoch);
    relay_replace_older(r, c, &arrival->before);
    return c;
}

void relay_client_close(struct hub_conn *c)
{
    hub_remove(c);
}

void relay_client_end(struct hub_conn *c, enum lobby_gone why)
{
    c->front->on_gone(c->client, why);
}

bool relay_client_send(struct hub_conn *c, struct uuid session, struct span message)
{
    return c->agent && relay_forward(c, session, message, 0);
}

static enum relay_frame frame_of(enum hub_kind kind)
{
    return kind == HUB_ASKED     ? RELAY_ASK
           : kind == HUB_STARTED ? RELAY_START
           : kind == HUB_OVER    ? RELAY_OVER
                                 : RELAY_EVENT;
}

void relay_client_deliver(struct hub_conn *c, enum hub_kind kind, struct uuid session, uint32_t ask, struct span frame)
{
    if (!c->agent || uuid_is_none(session))
        return;
    relay_note_written(c, kind, session, ask);
    c->front->on_frame(c->client, frame_of(kind), session, frame);
}

void relay_client_confirm(struct hub_conn *c, enum relay_frame kind, struct uuid session)
{
    struct hub_due due = {.session = session, .kind = kind == RELAY_OVER ? HUB_OVER : HUB_STARTED, .relayed = true};
    if (kind == RELAY_OVER || kind == RELAY_START)
        relay_note_pong(c, &due);
}
