// Arbitrary WebSocket messages of an agent that plays in an arena with house bots. Nobody crashes; every frame that
// comes back is whole JSON with a type that the server knows; a match that was joined is never wedged by what is said.
//
// A line is a message. "@m", "@r" and "@f" in it become the session, the request and the confirmation that came last; a
// line "@t" lets 100 ms pass, "@c" cuts the connection and comes back, and one that begins with "@b" is sent as the raw
// bytes behind it.
#include "app/arena_games.h"
#include "base/json_read.h"
#include "front/arena/hub.h"
#include "lobby/identity.h"
#include "net/ws_frame.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

enum { INBOX = 1 << 20, ID = 64 };

static struct site {
    struct loop loop;
    struct store *store;
    struct lobby *lobby;
    struct hub *hub;
    struct http *http;
} site;

struct caller {
    int fd;
    char key[IDENTITY_KEY + 1], match[ID], request[ID], confirm[ID];
    size_t size;
    bool upgraded;
    char in[INBOX];
};

static int64_t clock_ms = 1700000000000;

static int64_t now_ms(void)
{
    return clock_ms;
}

static void on_request(void *owner, struct http_request *r)
{
    (void)owner;
    hub_agent_request(site.hub, r);
}

static const char *address(void)
{
    static char path[64];
    if (!path[0])
        snprintf(path, sizeof path, "/tmp/agon-fuzz-arena.%d", (int)getpid());
    return path;
}

static void forget(void)
{
    char command[128];
    snprintf(command, sizeof command, "rm -rf %s %s.data", address(), address());
    if (system(command) != 0)
        return;
}

static void open_site(void)
{
    static const struct http_handler handler = {.on_request = on_request};
    static char folder[96], why[256];
    struct store_options store;
    struct lobby_options lobby;
    struct hub_options hub;
    struct http_options http;
    forget();
    atexit(forget);
    snprintf(folder, sizeof folder, "%s.data", address());
    loop_init(&site.loop);
    store_defaults(&store);
    store.folder = folder;
    store.synchronous = "OFF";
    site.store = store_open(&store, why, sizeof why);
    lobby_defaults(&lobby);
    lobby.games = arena_games();
    lobby.house_wait_ms = lobby.house_think_ms = lobby.fill_wait_ms = 0;
    lobby.turn_timeout_ms = 5000;
    site.lobby = lobby_open(&lobby, site.store, clock_ms);
    hub_defaults(&hub);
    hub.loop = &site.loop;
    hub.lobby = site.lobby;
    hub.now_ms = now_ms;
    site.hub = hub_open(&hub);
    http_defaults(&http);
    http.conn.host = NULL;
    http.conn.path = address();
    site.http = http_listen(&site.loop, &http, &handler, NULL);
    if (!site.store || !site.hub || !site.http)
        abort();
}

// --- the server, as far as it goes by itself

static void turn(void)
{
    store_ticket durable;
    loop_end_turn(&site.loop);
    loop_turn(&site.loop);
    if (lobby_next_due(site.lobby) <= clock_ms)
        lobby_tick(site.lobby, clock_ms);
    hub_flush(site.hub);
    store_submit(site.store);
    store_wait(site.store);
    if (store_collect(site.store, &durable) != OK)
        abort();
    hub_release(site.hub, durable);
    loop_end_turn(&site.loop);
    loop_turn(&site.loop);
}

// --- a caller

static void remember(char out[ID], struct json_reader *r)
{
    if (json_peek(r) != JSON_STRING)
        abort(); // ids are strings
    if (json_string_copy(json_read_string(r), out, ID) < 0)
        out[0] = 0;
}

static void look_at(struct caller *c, struct span frame)
{
    static const char *const types[] = {"welcome",         "queue_joined",    "queue_left", "match_confirm_request",
                                        "match_cancelled", "readiness_check", "game_start", "action_request",
                                        "action_stale",    "event",           "match_feed", "game_state",
                                        "game_over",       "error",           NULL};
    struct json_reader r = json_reader_of(frame, 64);
    struct json_string key, inner;
    bool asks = false;
    char match[ID] = "", request[ID] = "";
    for (json_enter_object(&r); json_next_key(&r, &key);)
        if (json_string_is(key, "type")) {
            int type = json_string_among(json_read_string(&r), types);
            if (type < 0)
                abort();
            asks = strcmp(types[type], "action_request") == 0;
        } else {
            for (json_enter_object(&r); json_next_key(&r, &inner);)
                if (json_string_is(inner, "match_id"))
                    remember(match, &r);
                else if (json_string_is(inner, "request_id"))
                    remember(request, &r);
                else if (json_string_is(inner, "confirm_id"))
                    remember(c->confirm, &r);
                else
                    json_skip(&r);
        }
    if (json_finish(&r) != OK)
        abort();
    if (asks) {
        memcpy(c->match, match, ID);
        memcpy(c->request, request, ID);
    }
}

static void take_frames(struct caller *c)
{
    struct ws_head h;
    int head;
    if (!c->upgraded) {
        char *end = memmem(c->in, c->size, "\r\n\r\n", 4);
        if (!end)
            return;
        c->upgraded = true;
        c->size -= (size_t)(end + 4 - c->in);
        memmove(c->in, end + 4, c->size);
    }
    while ((head = ws_head_read(&h, (struct span){c->in, c->size})) > 0 && c->size >= (size_t)head + h.length) {
        if (h.opcode == WS_TEXT)
            look_at(c, (struct span){c->in + head, (size_t)h.length});
        c->size -= (size_t)head + (size_t)h.length;
        memmove(c->in, c->in + head + h.length, c->size);
    }
    if (head < 0 || c->size == INBOX)
        abort();
}

static void listen_for(struct caller *c, int ms)
{
    ssize_t n;
    clock_ms += ms;
    turn();
    while (c->fd >= 0 && (n = recv(c->fd, c->in + c->size, INBOX - c->size, MSG_DONTWAIT)) > 0) {
        c->size += (size_t)n;
        take_frames(c);
    }
}

static void call(struct caller *c)
{
    struct sockaddr_un to = {.sun_family = AF_UNIX};
    char head[512];
    memcpy(to.sun_path, address(), strlen(address()) + 1);
    c->fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (c->fd < 0 || connect(c->fd, (struct sockaddr *)&to, sizeof to) != 0)
        abort();
    int size =
        snprintf(head, sizeof head,
                 "GET /api/ws?capabilities=belote,match_feed HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: "
                 "Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
                 "X-API-Key: %s\r\nX-AIFight-Protocol-Version: v1.2.0\r\n\r\n",
                 c->key);
    c->size = 0;
    c->upgraded = false;
    if (send(c->fd, head, (size_t)size, MSG_NOSIGNAL) != size)
        abort();
    for (int i = 0; i < 4; i++)
        listen_for(c, 100);
}

static void error(struct caller *c, struct span text)
{
    struct ws_head h = {.opcode = WS_TEXT, .last = true, .masked = true, .length = text.size};
    uint8_t head[WS_MAX_HEAD];
    int size = ws_head_write(head, &h);
    if (send(c->fd, head, (size_t)size, MSG_NOSIGNAL | MSG_DONTWAIT) == size)
        send(c->fd, text.at, text.size, MSG_NOSIGNAL | MSG_DONTWAIT);
}

static void hang_up(struct caller *c)
{
    close(c->fd);
    c->fd = -1;
    listen_for(c, 1);
}

static const char *find_name(const struct caller *c, char letter)
{
    return letter == 'm' ? c->match : letter == 'r' ? c->request : letter == 'f' ? c->confirm : NULL;
}

static void take_line(struct caller *c, struct span line)
{
    char bytes[8192];
    struct text t = text_on(bytes, sizeof bytes);
    if (span_is(line, "@t")) {
        listen_for(c, 100);
        return;
    }
    if (span_is(line, "@c")) {
        hang_up(c);
        call(c);
        return;
    }
    if (line.size > 2 && memcmp(line.at, "@b", 2) == 0) {
        send(c->fd, line.at + 2, line.size - 2, MSG_NOSIGNAL | MSG_DONTWAIT);
        listen_for(c, 1);
        return;
    }
    for (size_t i = 0; i < line.size; i++) {
        const char *name = i + 1 < line.size && line.at[i] == '@' ? find_name(c, line.at[i + 1]) : NULL;
        if (name)
            text_puts(&t, name), i++;
        else
            text_put_char(&t, line.at[i]);
    }
    error(c, text_span(&t));
    listen_for(c, 1);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct caller c;
    char claim[IDENTITY_TOKEN + 1], why[IDENTITY_ERROR_ROOM];
    struct identity_new n = {.name = SPAN("fuzz"), .model = SPAN(""), .description = SPAN(""), .games = ""};
    struct lobby_agent *agent;
    if (!site.http)
        open_site();
    if (identity_register(site.lobby, &n, clock_ms, &agent, c.key, claim, why) >= 300)
        abort();
    c.match[0] = c.request[0] = c.confirm[0] = 0;
    call(&c);
    for (const char *at = (const char *)data, *end = at + size; at < end;) {
        const char *stop = memchr(at, '\n', (size_t)(end - at));
        if (!stop)
            stop = end;
        take_line(&c, (struct span){at, (size_t)(stop - at)});
        at = stop + 1;
    }
    hang_up(&c);
    clock_ms += 60000; // two strikes end whatever was begun
    for (int i = 0; i < 4; i++)
        listen_for(&c, 10000);
    return 0;
}
