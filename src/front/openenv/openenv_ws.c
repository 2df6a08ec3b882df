// /ws and /mcp as WebSockets: one request a message, one reply each, in order (O20-O34).
#include "front/openenv/openenv_internal.h"

#include <stdio.h>

// --- requests

static void handle_step(struct session *s, struct span data)
{
    struct openenv_action a;
    struct openenv_fault f;
    if (!openenv_read_action(data, (const char(*)[40])s->game->params, s->game->param_count, &a, &f)) {
        reply_fault(s, &f, false);
        return;
    }
    if (a.form == OPENENV_LISTS) {
        reply_tools(s);
        return;
    }
    if (a.form == OPENENV_CALLS) {
        openenv_mcp_call(s, a.words, a.arguments);
        return;
    }
    session_act(s, &a);
}

static void handle_reset(struct session *s, struct span data)
{
    struct openenv_reset o;
    struct openenv_fault f;
    if (openenv_read_reset(data, &o, &f))
        session_reset(s, &o);
    else
        reply_fault(s, &f, false);
}

static void refuse_type(struct session *s, struct span type)
{
    char why[160], word[64] = "";
    struct json_reader r = json_reader_of(type, 4);
    if (json_peek(&r) == JSON_STRING && json_string_copy(json_read_string(&r), word, sizeof word) < 0)
        snprintf(word, sizeof word, "(long)");
    snprintf(why, sizeof why, "Unknown message type: %s", word);
    reply_error(s, "UNKNOWN_TYPE", why);
}

void openenv_ws_message(struct session *s, struct span text)
{
    struct openenv_message m;
    struct openenv_fault f;
    int err = openenv_read_message(text, &m, &f);
    bool steers = m.kind == OPENENV_RESET || m.kind == OPENENV_STEP || m.kind == OPENENV_STATE;
    if (err != OK && f.type)
        reply_fault(s, &f, false);
    else if (err != OK)
        reply_error(s, "INVALID_JSON", "Invalid JSON");
    else if (m.kind == OPENENV_UNKNOWN || (steers && s->host->options.production)) // O5
        refuse_type(s, m.type);
    else if (m.kind == OPENENV_RESET)
        handle_reset(s, m.data);
    else if (m.kind == OPENENV_STEP)
        handle_step(s, m.data);
    else if (m.kind == OPENENV_STATE)
        reply_state(s);
    else if (m.kind == OPENENV_MCP)
        openenv_mcp_message(s, m.data);
    else
        s->closing = true;
}

// --- the socket

void openenv_ws_close(struct session *s, uint16_t code, const char *why)
{
    s->ending = true;
    ws_end(s->ws, code, why);
}

// O28: the client is waiting for the reply to its first message; it finds the error, and only then the end.
void openenv_ws_refuse(struct session *s)
{
    s->closing = true;
    s->pending_us = loop_now_us();
    loop_end_turn(s->host->options.loop);
}

static void on_message(void *client, struct span text)
{
    struct session *s = client;
    if (s->ending)
        return;
    if (s->closing) {
        if (!s->at_work)
            openenv_ws_close(s, WS_NORMAL, "");
        return;
    }
    if (!s->greeted)
        conn_set_greeted(ws_conn(s->ws));
    s->greeted = true;
    if (!session_add(s, s->rpc ? ON_MCP_WS : ON_WS, text)) {
        openenv_ws_close(s, WS_POLICY, "too many requests are queued");
        return;
    }
    session_run(s);
    loop_end_turn(s->host->options.loop);
}

static void on_heard(void *client)
{
    struct session *s = client;
    s->heard_us = loop_now_us();
}

static void on_close(void *client)
{
    struct session *s = client;
    s->ws = NULL;
    s->ending = s->closing = false;
    if (s->owned || s->turned || s->doomed) {
        session_end(s);
        return;
    }
    session_lose_socket(s);
    s->active_us = loop_now_us();
    session_run(s);
}

static const struct ws_handler handler = {.on_message = on_message, .on_close = on_close, .on_heard = on_heard};

static void turn_away(struct openenv *o, struct served *g, struct http_request *r, const char *code, const char *why)
{
    // Takes no place among the sessions: it exists only to carry the error (O28).
    struct session *s = session_make(o, g, 0);
    s->turned = true;
    s->ws = ws_accept(r, &handler, s, OPENENV_MAX_BODY, NULL);
    if (!s->ws) {
        session_destroy(s);
        return;
    }
    s->channel = ON_WS;
    reply_error(s, code, why);
    openenv_ws_refuse(s);
}

// O31: a session of openenv/session/create; NULL: refused, and the error was sent.
static struct session *attach_session(struct openenv *o, struct served *g, struct http_request *r, const char *id)
{
    char why[128];
    struct session *s = session_find(o, g, span_of(id));
    if (s && !s->ws)
        return s;
    if (s)
        snprintf(why, sizeof why, "Session %s already has an attached WebSocket", id);
    else
        snprintf(why, sizeof why, "Unknown session_id: %.64s", id);
    turn_away(o, g, r, "SESSION_ERROR", why);
    return NULL;
}

void openenv_ws_open(struct openenv *o, struct served *g, struct http_request *r, bool rpc)
{
    char id[65] = "", why[128];
    bool named = http_has_query(r, "session_id") && !rpc;
    http_query(r, "session_id", id, sizeof id);
    struct session *s = named ? attach_session(o, g, r, id) : session_create(o, g, http_client(r));
    if (!s && named)
        return;
    if (!s) {
        snprintf(why, sizeof why, "Server at capacity: %d/%d sessions active. Cannot accept new connections.",
                 o->figures.sessions, o->options.max_sessions);
        turn_away(o, g, r, "CAPACITY_REACHED", why);
        return;
    }
    s->owned = !named;
    s->rpc = rpc;
    s->heard_us = s->active_us = loop_now_us();
    s->ws = ws_accept(r, &handler, s, OPENENV_MAX_BODY, NULL);
    if (!s->ws) {
        if (s->owned)
            session_destroy(s);
        return;
    }
}
