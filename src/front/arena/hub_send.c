// Messages of the server itself: greetings, errors, replies.
#include "base/rfc3339.h"
#include "front/arena/hub_internal.h"

void hub_send_welcome(struct hub_conn *c, uint32_t capabilities)
{
    const struct lobby *l = c->hub->lobby;
    const struct store_agent *record = lobby_agent_record(c->agent);
    struct text *t = hub_begin(c->hub, "welcome");
    json_put_text(t, "server_protocol_version", c->old ? "v1.0.0" : "v1.2.0");
    uuid_put(t, "agent_id", record->id);
    json_put_text(t, "agent_name", record->name);
    rfc3339_put(t, "server_time", c->hub->options.now_ms());
    json_begin_array_at(t, "games"); // F2.2: in order; gated ones only for clients that declared them
    for (const struct lobby_game *g = lobby_options_of(l)->games; g->codec; g++)
        if (!g->gated || capabilities >> lobby_game_index(l, g) & 1)
            json_write_text(t, g->codec->game->name);
    json_end_array(t);
    hub_send(c, HUB_WELCOME, NULL);
}

void hub_send_error(struct hub_conn *c, const char *message)
{
    struct text *t = hub_begin(c->hub, "error");
    json_put_text(t, "message", message);
    hub_send(c, HUB_REPLY, NULL);
}

// F1.6: profile L has no such message and gets an error instead (F4.7).
void hub_send_stale(struct hub_conn *c, struct uuid session, const char *reason, struct span request)
{
    if (c->old) {
        hub_send_error(c, "action ignored: no decision is pending");
        return;
    }
    struct text *t = hub_begin(c->hub, "action_stale");
    uuid_put(t, "match_id", session);
    json_put_text(t, "reason", reason);
    if (request.size)
        json_put_string(t, "request_id", request);
    hub_send(c, HUB_REPLY, &session);
}

void hub_send_queue_left(struct hub_conn *c)
{
    json_put_text(hub_begin(c->hub, "queue_left"), "status", "ok");
    hub_send(c, HUB_REPLY, NULL);
}
