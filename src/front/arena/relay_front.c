// Players that are connected to this node by another front than the hub (MCP), and whose matches may be at other nodes.
//
// Such a player has a connection without a socket: its matches' hosts see an agent like any other, and what they write
// for it ends here, as a call of its front.
#include "front/arena/relay_parts.h"

#include <stdlib.h>

struct hub_conn *relay_let_in(struct relay *r, struct lobby_agent *a, const struct store_arrival *arrival,
                              const struct relay_front *front, void *client)
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
            relay_acquaint(r, x->agent, arrival->match[i].epoch);
    relay_replace_older(r, c, &arrival->before);
    return c;
}

void relay_let_out(struct hub_conn *c)
{
    hub_remove(c);
}

void relay_end_front(struct hub_conn *c, enum lobby_gone why)
{
    c->front->on_gone(c->client, why);
}

bool relay_speak(struct hub_conn *c, struct uuid session, struct span message)
{
    return c->agent && relay_say(c, session, message, 0);
}

// A frame for it has come. It is told of a beginning and an end once (S44); both have arrived with this call.
void relay_tell_front(struct hub_conn *c, enum hub_kind kind, struct uuid session, uint32_t ask, struct span frame)
{
    static const enum relay_frame frames[] = {
        [HUB_ASKED] = RELAY_ASK, [HUB_STARTED] = RELAY_START, [HUB_OVER] = RELAY_OVER, [HUB_LAST] = RELAY_EVENT};
    bool is_bound = kind == HUB_STARTED || kind == HUB_OVER;
    if (!c->agent || uuid_is_none(session))
        return;
    relay_note_left(c, kind, session, ask);
    if (!is_bound || relay_note_told(c, kind, session))
        c->front->on_frame(c->client, frames[kind], session, frame);
    if (is_bound)
        relay_note_pong(c, &(struct hub_due){.session = session, .kind = (uint8_t)kind, .relayed = true});
}
