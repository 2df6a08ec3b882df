// Arbitrary requests to REST, from a caller without a key, an agent and the operator: nobody crashes, every request is
// answered once with JSON, a page or figures, no answer is a fault of ours, and no answer shows the key of another.
//
// Byte 0 chooses who calls, byte 1 the method; then the path up to LF; the rest is the body.
#include "front/arena/rest.h"
#include "app/arena_games.h"
#include "base/json_read.h"
#include "lobby/identity.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

static struct site {
    struct loop loop;
    struct store *store;
    struct lobby *lobby;
    struct arena_rest *rest;
    struct tournaments *tournaments;
    struct http *http;
    char key[IDENTITY_KEY + 1], path[64];
} site;

static void on_request(void *owner, struct http_request *r)
{
    (void)owner;
    if (!arena_rest_request(site.rest, r))
        http_reply(r, 404, "application/json", SPAN("{}"));
    store_ticket durable;
    store_submit(site.store);
    store_wait(site.store);
    store_collect(site.store, &durable);
    arena_rest_release(site.rest, durable);
}

static void on_gone(void *owner, struct http_request *r)
{
    (void)owner;
    arena_rest_disconnected(site.rest, r);
}

static int64_t fixed_ms(void)
{
    return 1700000000000;
}

static char folder[] = "/tmp/agon-fuzz-rest-XXXXXX";

static void remove_folder(void)
{
    static const char *const files[] = {"agon.db", "agon.db-wal", "agon.db-shm", "lock", "http"};
    char path[128];
    for (unsigned i = 0; i < sizeof files / sizeof *files; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, files[i]);
        unlink(path);
    }
    rmdir(folder);
}

static void open_site(void)
{
    static const struct http_handler handler = {.on_request = on_request, .on_gone = on_gone};
    char why[256], token[IDENTITY_TOKEN + 1], error[IDENTITY_ERROR_ROOM];
    struct store_options store;
    struct lobby_options lobby;
    struct arena_rest_options rest;
    struct http_options http;
    struct tournaments_options tournaments;
    struct lobby_agent *agent;
    struct identity_new new = {.name = SPAN("fuzz"), .games = ""};
    store_defaults(&store);
    store.folder = mkdtemp(folder);
    atexit(remove_folder);
    store.synchronous = "OFF";
    store.margin_bytes = 0;
    site.store = store_open(&store, why, sizeof why);
    lobby_defaults(&lobby);
    lobby.games = arena_games();
    site.lobby = lobby_open(&lobby, site.store, fixed_ms());
    loop_init(&site.loop);
    tournaments_defaults(&tournaments);
    tournaments.loop = &site.loop;
    tournaments.lobby = site.lobby;
    tournaments.games = arena_tournament_games();
    tournaments.folder = ""; // never written to
    tournaments.now_ms = fixed_ms;
    tournaments.max_running = 0; // what is asked is judged, and nothing is played
    site.tournaments = tournaments_open(&tournaments);
    arena_rest_defaults(&rest);
    rest.lobby = site.lobby;
    rest.tournaments = site.tournaments;
    rest.now_ms = fixed_ms;
    rest.admin_token = "operator";
    site.rest = arena_rest_open(&rest);
    if (identity_register(site.lobby, &new, fixed_ms(), &agent, site.key, token, error) != 201)
        abort();
    http_defaults(&http);
    snprintf(site.path, sizeof site.path, "%s/http", folder);
    http.conn.host = NULL;
    http.conn.path = site.path;
    site.http = http_listen(&site.loop, &http, &handler, &site);
    if (!site.http)
        abort();
}

// Byte by byte and unseen by the fuzzer, which would learn the key from a comparison and write it everywhere.
__attribute__((no_sanitize("coverage"))) static bool holds_key(struct span bytes)
{
    for (size_t at = 0; at + IDENTITY_KEY <= bytes.size; at++) {
        size_t same = 0;
        while (same < IDENTITY_KEY && ((const volatile char *)bytes.at)[at + same] == site.key[same])
            same++;
        if (same == IDENTITY_KEY)
            return true;
    }
    return false;
}

// `told`: the visitor has written the key, so an answer that quotes him, now or later, tells nothing new.
static void check_answer(struct span answer, bool told)
{
    const char *body = memmem(answer.at, answer.size, "\r\n\r\n", 4);
    if (!body || memcmp(answer.at, "HTTP/1.1 ", 9) != 0 || answer.at[9] == '5')
        abort();
    if (!told && holds_key(answer))
        abort();
    if (!memmem(answer.at, (size_t)(body - answer.at), "application/json", 16))
        return;
    struct json_reader r = json_reader_of((struct span){body + 4, (size_t)(answer.at + answer.size - body - 4)}, 64);
    json_skip(&r);
    if (json_finish(&r) != OK)
        abort();
}

static void exchange(struct span request, bool told)
{
    static char answer[1 << 20];
    struct sockaddr_un at = {.sun_family = AF_UNIX};
    size_t got = 0;
    int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    memcpy(at.sun_path, site.path, strlen(site.path) + 1);
    if (fd < 0 || connect(fd, (struct sockaddr *)&at, sizeof at) != 0 ||
        send(fd, request.at, request.size, MSG_NOSIGNAL) != (ssize_t)request.size)
        abort();
    fcntl(fd, F_SETFL, O_NONBLOCK);
    for (int turn = 0; turn < 1000; turn++) {
        loop_end_turn(&site.loop);
        loop_turn(&site.loop);
        ssize_t size = recv(fd, answer + got, sizeof answer - got, 0);
        if (size == 0)
            break;
        got += size > 0 ? (size_t)size : 0;
    }
    close(fd);
    loop_end_turn(&site.loop);
    loop_turn(&site.loop);
    check_answer((struct span){answer, got}, told);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const methods[] = {"GET", "POST", "PATCH", "PUT", "DELETE", "OPTIONS", "HEAD"};
    static char request[131072];
    if (!site.http)
        open_site();
    if (size < 3 || size > 65000)
        return 0;
    const uint8_t *end = memchr(data + 2, '\n', size - 2);
    size_t path = end ? (size_t)(end - data) - 2 : size - 2, body = end ? size - path - 3 : 0;
    for (size_t i = 0; i < path; i++)
        if (data[2 + i] <= ' ' || data[2 + i] >= 127)
            return 0; // HTTP itself has a fuzzer of its own
    if (path == 0 || data[2] != '/')
        return 0;
    const char *method = methods[data[1] % (sizeof methods / sizeof *methods)];
    bool head = strcmp(method, "HEAD") == 0;
    if (head)
        return 0; // an answer without the body it describes
    int used = snprintf(request, sizeof request,
                        "%s %.*s HTTP/1.1\r\nHost: h\r\nConnection: close\r\n%s%s\r\n%sContent-Length: %zu\r\n\r\n",
                        method, (int)path, (const char *)data + 2,
                        data[0] & 1 ? "X-API-Key: " : "X-None: ", data[0] & 1 ? site.key : "-",
                        data[0] & 2 ? "X-Agon-Admin: operator\r\n" : "", body);
    memcpy(request + used, data + size - body, body);
    static bool told;
    told = told || holds_key((struct span){(const char *)data, size});
    exchange((struct span){request, (size_t)used + body}, told);
    return 0;
}
