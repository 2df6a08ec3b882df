// The connection of a person's seat: requests that are waited for, and the WebSocket, which is reconnected when lost.
#include "app/arena_games.h"
#include "app/play_internal.h"
#include "base/utf8.h"
#include "heap/heap.h"
#include "net/tls.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    MAX_MESSAGE = 2 << 20,
    AGAIN_MS = 500, // first pause before reconnecting; doubled each time
    AGAIN_MOST = 8000,
    ANSWER_S = 30,      // then a request has failed
    SILENCE_MS = 60000, // of the server: then the connection is made again
    REPLACED = 4409,
};

// --- calls

struct http_ask play_connection_ask(struct play_session *p, const char *method, const char *path, const char *lines)
{
    return (struct http_ask){.address = p->conn.address,
                             .port = p->conn.server.port,
                             .host = p->conn.server.host,
                             .method = method,
                             .path = path,
                             .lines = lines,
                             .client = p};
}

static void on_answer(void *client, int status, struct span body)
{
    struct play_connection *l = &((struct play_session *)client)->conn;
    l->status = status;
    l->answered = true;
    l->body.size = 0;
    text_put(&l->body, body);
}

static void on_late(evutil_socket_t fd, short what, void *arg)
{
    (void)fd, (void)what;
    ((struct play_connection *)arg)->late = true;
}

int play_connection_call(struct play_session *p, const char *method, const char *path, struct span body)
{
    struct play_connection *l = &p->conn;
    char lines[PLAY_KEY + 256];
    snprintf(lines, sizeof lines, "Content-Type: application/json\r\nX-AIFight-Capabilities: %s\r\n%s%s%s",
             arena_games_gated(), l->key[0] ? "X-API-Key: " : "", l->key, l->key[0] ? "\r\n" : "");
    struct http_ask ask = play_connection_ask(p, method, path, lines);
    ask.body = body;
    ask.on_answer = on_answer;
    l->answered = l->late = false;
    l->status = 0;
    if (http_client_ask(l->http, &ask) != 0)
        return 0;
    struct event *late = event_new(l->loop.base, -1, 0, on_late, l);
    event_add(late, &(struct timeval){.tv_sec = ANSWER_S});
    while (!l->answered && !l->late && loop_turn(&l->loop))
        ;
    event_free(late);
    return l->status;
}

_Noreturn void play_connection_refuse(const struct play_session *p, const char *what)
{
    char why[PLAY_WHY];
    const struct play_connection *l = &p->conn;
    play_read_shown(json_member(text_span(&l->body), "error"), why, sizeof why);
    if (l->late)
        app_refuse(l->o->command, "%s: %s has not answered for %d seconds", what, l->base, ANSWER_S);
    if (l->status == 0)
        app_refuse(l->o->command, "cannot connect to %s; is the server running, and its certificate trusted?", l->base);
    app_refuse(l->o->command, "%s: the server answers %d%s%s", what, l->status, *why ? ", " : "", why);
}

// --- the WebSocket

static void reconnect_later(struct play_session *p)
{
    int tries = p->conn.tries++;
    int64_t ms = AGAIN_MS << (tries < 8 ? tries : 8);
    ms = ms < AGAIN_MOST ? ms : AGAIN_MOST;
    event_add(p->conn.again, &(struct timeval){ms / 1000, ms % 1000 * 1000});
}

static void on_again(evutil_socket_t fd, short what, void *arg)
{
    (void)fd, (void)what;
    play_connection_connect(arg);
}

static void on_message(void *client, struct span text)
{
    play_messages_handle(client, text);
}

static void on_end(void *client, int code, struct span why)
{
    struct play_session *p = client;
    (void)why;
    if (code == REPLACED && p->stage <= PLAY_PLAYING)
        play_end(p, PLAY_FAILED, "another client has connected with this key and took over your seat");
}

static void on_close(void *client)
{
    struct play_session *p = client;
    p->conn.ws = NULL;
    if (p->stage > PLAY_PLAYING)
        return;
    reconnect_later(p);
    play_screen_refresh(p);
}

static void on_open(void *client, struct ws *w)
{
    struct play_session *p = client;
    p->conn.ws = w;
    if (!ws_watch(w, &p->conn.loop, SILENCE_MS))
        app_die("no memory");
}

static void on_refused(void *client, int status, struct span body)
{
    struct play_session *p = client;
    char why[PLAY_WHY];
    if (p->stage > PLAY_PLAYING)
        return;
    if (status == 401 || status == 403) {
        play_read_shown(json_member(body, "error"), why, sizeof why);
        if (!*why)
            utf8_copy_shown(why, sizeof why, body, false);
        play_end(p, PLAY_FAILED, why);
        return;
    }
    reconnect_later(p);
    play_screen_refresh(p);
}

void play_connection_connect(struct play_session *p)
{
    static const struct ws_handler handler = {.on_message = on_message, .on_close = on_close, .on_end = on_end};
    char lines[512];
    snprintf(lines, sizeof lines,
             "X-API-Key: %s\r\nX-AIFight-Protocol-Version: v1.2.0\r\nX-AIFight-Instance: %s\r\n"
             "X-AIFight-Capabilities: match_feed,game_state,%s\r\n"
             "X-AIFight-Bridge-Capabilities: replaced-close-code\r\n",
             p->conn.key, p->conn.instance, arena_games_gated());
    struct http_ask ask = play_connection_ask(p, "GET", "/api/ws", lines);
    ask.timeout_ms = SILENCE_MS;
    ask.on_answer = on_refused;
    ask.on_open = on_open;
    ask.handler = &handler;
    ask.max_message = MAX_MESSAGE;
    if (http_client_ask(p->conn.http, &ask) != 0)
        reconnect_later(p);
}

void play_connection_send(struct play_session *p, const char *text)
{
    if (p->conn.ws)
        ws_send(p->conn.ws, span_of(text));
}

// --- opening and closing

void play_connection_open(struct play_session *p)
{
    char why[PLAY_WHY];
    struct play_connection *l = &p->conn;
    const struct play_server_options *o = l->o;
    if (!http_url_read(&l->server, o->url))
        app_refuse(o->command, "--server: '%s' is not an address, as http://127.0.0.1:8080", o->url);
    size_t host = (size_t)(strstr(o->url, "//") + 2 - o->url);
    snprintf(l->base, sizeof l->base, "%.*s", (int)(host + strcspn(o->url + host, "/?")), o->url);
    if (!http_find_address(l->server.host, l->address))
        app_refuse(o->command, "cannot resolve the host name %s", l->server.host);
    if (l->server.secure && !(l->tls = tls_open_client(o->trust_anyone, why, sizeof why)))
        app_refuse(o->command, "%s", why);
    signal(SIGPIPE, SIG_IGN);
    loop_init(&l->loop);
    l->http = http_client_open(&l->loop, l->tls, 8);
    l->again = event_new(l->loop.base, -1, 0, on_again, p);
    snprintf(l->instance, sizeof l->instance, "agon-play-%d", (int)getpid());
    l->body.grow = p->rules.grow = heap_text_grow;
}

void play_connection_close(struct play_session *p)
{
    struct play_connection *l = &p->conn;
    event_free(l->again);
    http_client_close(l->http);
    tls_close(l->tls);
    loop_release(&l->loop);
    free(l->body.at);
}
