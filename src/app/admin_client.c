#include "app/admin_client.h"

#include "app/app.h"
#include "app/arena_games.h"
#include "base/json_read.h"
#include "crypto/crypto.h"
#include "front/arena/rest.h"
#include "heap/heap.h"
#include "net/http_client.h"
#include "net/tls.h"
#include "store/pg/pg.h"

#include <errno.h>
#include <limits.h>
#include <netdb.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <unistd.h>

enum { ANSWER_MS = 60000, MAX_ANSWER = 64 << 20, ANSWER_DEPTH = 32 }; // a backup or a long list takes a while

// Without a server, this process opens the REST of a server on the data folder and sends it the same requests.
struct admin_client {
    bool online;
    struct http_url server;
    struct tls *tls; // NULL: plain text
    char token[256];
    struct text answer; // head and body of the last reply
    // Without a server:
    struct loop loop;
    struct store *store;
    struct lobby *lobby;
    struct arena_rest *rest;
    struct http *http;
    struct event *durable;
};

bool admin_client_has_data(const char *folder)
{
    char path[PATH_MAX];
    return folder && snprintf(path, sizeof path, "%s/agon.db", folder) < (int)sizeof path && access(path, F_OK) == 0;
}

bool admin_client_choose_data(const char *usual, const char *service, const char **out, char *error, size_t room)
{
    bool in_usual = admin_client_has_data(usual), in_service = admin_client_has_data(service);
    if (in_usual && in_service) {
        snprintf(error, room, "there is data in %s and in %s; choose one with --data DIR", usual, service);
        return false;
    }
    *out = in_service ? service : usual;
    if (!*out)
        snprintf(error, room,
                 "no data folder, since neither HOME nor XDG_DATA_HOME is set; choose one with --data DIR");
    return *out != NULL;
}

struct lobby *admin_client_lobby(struct admin_client *client)
{
    return client->lobby;
}

// --- a server

// A connection for one request.
struct line {
    int fd;
    struct tls_peer *tls; // NULL: plain text
};

static bool read_server(struct admin_client *client, const struct admin_target *target, char *error, size_t room)
{
    if (!http_url_read(&client->server, target->server) || client->server.path[0]) {
        snprintf(error, room, "--server: '%s' is not http://HOST:PORT or https://HOST:PORT", target->server);
        return false;
    }
    if (!client->server.secure)
        return true;
    signal(SIGPIPE, SIG_IGN); // TLS does not set MSG_NOSIGNAL
    client->tls = tls_open_client(target->trust_anyone, error, room);
    return client->tls != NULL;
}

// "cannot reach https://HOST:PORT: WHY"
static void set_server_error(const struct admin_client *client, const char *what, const char *why, char *error,
                             size_t room)
{
    snprintf(error, room, "%s %s://%s:%u%s%s", what, client->server.secure ? "https" : "http", client->server.host,
             client->server.port, why ? ": " : "", why ? why : "");
}

static int connect_server(const struct admin_client *client, char *error, size_t room)
{
    char port[8];
    snprintf(port, sizeof port, "%u", client->server.port);
    struct addrinfo hints = {.ai_socktype = SOCK_STREAM}, *found = NULL;
    int fd = -1, err = getaddrinfo(client->server.host, port, &hints, &found);
    for (struct addrinfo *a = found; a && fd < 0; a = a->ai_next) {
        fd = socket(a->ai_family, a->ai_socktype | SOCK_CLOEXEC, a->ai_protocol);
        if (fd >= 0 && connect(fd, a->ai_addr, a->ai_addrlen) != 0) {
            err = errno;
            close(fd);
            fd = -1;
        }
    }
    if (fd < 0)
        set_server_error(client, "cannot reach", found ? strerror(err) : gai_strerror(err), error, room);
    if (found)
        freeaddrinfo(found);
    return fd;
}

static bool line_open(struct line *line, const struct admin_client *client, char *error, size_t room)
{
    *line = (struct line){.fd = connect_server(client, error, room)};
    if (line->fd < 0)
        return false;
    setsockopt(line->fd, SOL_SOCKET, SO_RCVTIMEO, &(struct timeval){ANSWER_MS / 1000, 0}, sizeof(struct timeval));
    if (client->tls && !(line->tls = tls_begin(client->tls, line->fd, client->server.host)))
        abort();
    return true;
}

// --- without one

static void on_durable(evutil_socket_t fd, short what, void *arg)
{
    struct admin_client *client = arg;
    store_ticket durable;
    (void)fd, (void)what;
    if (store_collect(client->store, &durable) == OK)
        arena_rest_release(client->rest, durable);
    else
        loop_stop(&client->loop);
}

static void on_turn_end(void *owner)
{
    struct admin_client *client = owner;
    store_submit(client->store);
}

static void on_request(void *owner, struct http_request *r)
{
    struct admin_client *client = owner;
    if (!arena_rest_request(client->rest, r))
        http_reply(r, 404, "application/json", SPAN("{\"error\":\"there is no such path on this server\"}"));
    loop_end_turn(&client->loop);
}

static void on_gone(void *owner, struct http_request *r)
{
    arena_rest_disconnected(((struct admin_client *)owner)->rest, r);
}

static bool open_data(struct admin_client *client, const struct admin_target *target, char *error, size_t room)
{
    struct store_options o;
    struct lobby_options lobby;
    store_defaults(&o);
    o.folder = target->data;
    o.url = target->store;
    o.engine = o.url ? &store_pg : NULL;
    client->store = store_open(&o, error, room);
    if (!client->store)
        return false;
    lobby_defaults(&lobby);
    lobby.games = arena_games();
    lobby.house_bots = 0;
    lobby.damp_repeats = target->damp_repeats;
    client->lobby = lobby_open(&lobby, client->store, loop_unix_ms());
    if (store_unanswered(client->store)) // unread data must not be taken for missing
        app_die("PostgreSQL stopped answering while the arena was opened; try again when it can be reached");
    return true;
}

// Opens the REST port on loopback; its token is random, so no other process can use it.
static bool serve_data(struct admin_client *client, char *error, size_t room)
{
    static const struct http_handler handler = {.on_request = on_request, .on_gone = on_gone};
    struct arena_rest_options rest;
    struct http_options http;
    uint8_t secret[16];
    crypto_random(secret, sizeof secret);
    struct text token = text_on(client->token, sizeof client->token - 1);
    text_put_hex_bytes(&token, secret, sizeof secret);
    arena_rest_defaults(&rest);
    rest.lobby = client->lobby;
    rest.admin_token = client->token;
    client->rest = arena_rest_open(&rest);
    http_defaults(&http);
    http.conn.port = 0;
    client->http = http_listen(&client->loop, &http, &handler, client);
    if (!client->http) {
        snprintf(error, room, "cannot listen on 127.0.0.1: %s", strerror(errno));
        return false;
    }
    client->server = (struct http_url){.host = "127.0.0.1", .port = conn_port(http_port(client->http))};
    client->durable =
        event_new(client->loop.base, store_descriptor(client->store), EV_READ | EV_PERSIST, on_durable, client);
    event_add(client->durable, NULL);
    loop_add_hook(&client->loop, on_turn_end, client);
    return true;
}

struct admin_client *admin_client_open(const struct admin_target *target, char *error, size_t room)
{
    struct admin_client *client = calloc(1, sizeof *client);
    if (!client)
        abort();
    client->answer.grow = heap_text_grow;
    client->online = target->server != NULL;
    loop_init(&client->loop);
    snprintf(client->token, sizeof client->token, "%s", target->token ? target->token : "");
    if (target->server ? read_server(client, target, error, room)
                       : open_data(client, target, error, room) && serve_data(client, error, room))
        return client;
    admin_client_close(client);
    return NULL;
}

void admin_client_close(struct admin_client *client)
{
    if (client->durable)
        event_free(client->durable);
    if (client->http)
        http_close(client->http);
    arena_rest_close(client->rest);
    if (client->store) {
        store_submit(client->store);
        store_wait(client->store);
    }
    if (client->lobby)
        lobby_close(client->lobby);
    if (client->store)
        store_close(client->store);
    tls_close(client->tls);
    loop_release(&client->loop);
    free(client->answer.at);
    free(client);
}

// --- one call

static bool send_all(const struct line *line, struct span bytes)
{
    while (bytes.size) {
        ssize_t sent =
            line->tls ? tls_send(line->tls, bytes.at, bytes.size) : send(line->fd, bytes.at, bytes.size, MSG_NOSIGNAL);
        if (sent <= 0)
            return false;
        bytes = (struct span){bytes.at + sent, bytes.size - (size_t)sent};
    }
    return true;
}

static bool send_request(struct admin_client *client, const struct line *line, const char *method, const char *path,
                         struct span body)
{
    char head[1024]; // HTTP/1.0, so that no proxy replies in chunks
    int size =
        snprintf(head, sizeof head,
                 "%s %s HTTP/1.0\r\nHost: %s:%u\r\nX-Agon-Admin: %s\r\nX-AIFight-Capabilities: %s\r\n"
                 "Content-Type: application/json\r\nContent-Length: %zu\r\nConnection: close\r\n\r\n",
                 method, path, client->server.host, client->server.port, client->token, arena_games_gated(), body.size);
    return size > 0 && (size_t)size < sizeof head && send_all(line, (struct span){head, (size_t)size}) &&
           send_all(line, body);
}

// Waits for bytes to read. Without a running server, the one in this process runs meanwhile.
static bool await_bytes(struct admin_client *client, const struct line *line)
{
    struct pollfd ready = {.fd = line->fd, .events = POLLIN};
    if (client->online)
        return true;              // the socket itself waits, at most ANSWER_MS
    loop_end_turn(&client->loop); // so that the turn does not wait: the reply is read here
    loop_turn(&client->loop);
    return poll(&ready, 1, 1) > 0;
}

// Until the peer has closed. Returns false if it takes too long or is too large.
static bool read_answer(struct admin_client *client, const struct line *line)
{
    int64_t until = loop_now_us() + (int64_t)ANSWER_MS * 1000;
    client->answer.size = 0;
    while (loop_now_us() < until && client->answer.size < MAX_ANSWER) {
        char piece[65536];
        if (!await_bytes(client, line))
            continue;
        ssize_t got = line->tls ? tls_recv(line->tls, piece, sizeof piece) : recv(line->fd, piece, sizeof piece, 0);
        if (got < 0 && errno == EAGAIN)
            continue;
        if (got <= 0)
            return got == 0;
        text_put(&client->answer, (struct span){piece, (size_t)got});
    }
    return false;
}

// --- what came back

// The value of a header as a number; -1: absent.
static long find_length(struct span head)
{
    static const char name[] = "\r\ncontent-length:";
    for (const char *at = head.at; at + sizeof name < head.at + head.size; at++)
        if (strncasecmp(at, name, sizeof name - 1) == 0)
            return strtol(at + sizeof name - 1, NULL, 10);
    return -1;
}

// A reply of our server is exactly one JSON object. Returns NULL, or what is wrong.
static const char *find_fault(struct span all, int *status, struct span *body)
{
    static const char version[] = "HTTP/1.1 ";
    if (!all.size)
        return "no answer";
    const char *end = memmem(all.at, all.size, "\r\n\r\n", 4);
    if (!end)
        return "the answer was cut off";
    struct span head = {all.at, (size_t)(end + 2 - all.at)};
    *body = (struct span){end + 4, all.size - head.size - 2};
    if (head.size < sizeof version + 3 || memcmp(head.at, version, sizeof version - 1) != 0)
        return "it is not an answer of agon";
    *status = (int)strtol(head.at + sizeof version - 1, NULL, 10);
    long length = find_length(head);
    if (length >= 0 && (size_t)length > body->size)
        return "the answer was cut off";
    if ((length >= 0 && (size_t)length != body->size) || json_type_of(*body, ANSWER_DEPTH) != JSON_OBJECT)
        return "it is not an answer of agon";
    return *status >= 200 && *status <= 599 && *status / 100 != 3 ? NULL : "it is not an answer of agon";
}

int admin_client_call(struct admin_client *client, const char *method, const char *path, struct span body,
                      struct span *answer, char *error, size_t room)
{
    struct line line;
    int status = 0;
    if (!line_open(&line, client, error, room))
        return 0;
    bool sent = send_request(client, &line, method, path, body);
    const char *fault = !sent                         ? "the request could not be sent"
                        : !read_answer(client, &line) ? "the answer is incomplete"
                        : client->answer.full         ? "the answer is too long"
                                                      : find_fault(text_span(&client->answer), &status, answer);
    const char *distrust = fault && line.tls ? tls_distrust(line.tls) : NULL;
    if (fault)
        set_server_error(client, "cannot use the answer of", distrust ? distrust : fault, error, room);
    tls_end(line.tls);
    close(line.fd);
    return fault ? 0 : status;
}
