// Arbitrary messages to two MCP sessions at one table, with time passing between them. Nobody crashes, every message is
// answered by whole JSON on one line, and a request that is not parked is answered exactly once.
//
// Bytes up to 7 choose who speaks next, let time pass or hang up; everything else is a message, ended by LF.
#include "app/games.h"
#include "base/json_read.h"
#include "front/mcp/mcp_session.h"

#include <stdlib.h>
#include <string.h>

enum { CLIENTS = 2 };

static struct client {
    struct mcp_session *session;
    int answers, notes, ends;
} clients[CLIENTS];

static void on_send(void *conn, uint64_t tag, enum mcp_output kind, struct span message)
{
    struct client *c = conn;
    struct json_reader r = json_reader_of(message, 64);
    (void)tag;
    json_skip(&r);
    if (json_finish(&r) != OK || memchr(message.at, '\n', message.size) || memchr(message.at, '\r', message.size))
        abort();
    c->answers += kind != MCP_NOTE;
    c->notes += kind == MCP_NOTE;
}

static void on_end(void *conn, uint64_t tag)
{
    (void)tag;
    ((struct client *)conn)->ends++;
}

static const struct mcp_link link = {.send = on_send, .end = on_end};

// A message, or the start of the handshake for those who never find it.
static void handle(struct client *c, struct span message, int64_t now)
{
    int answers = c->answers, ends = c->ends;
    mcp_session_handle(c->session, message, 1, now);
    if (c->answers - answers > c->ends - ends && c->ends == ends)
        abort(); // an answer without its end
}

// M75: as HTTP brings modern requests, each with a session of its own.
static void handle_web(struct client *c, struct mcp_host *host, struct span message, int64_t now)
{
    struct mcp_headers headers = {
        .version = SPAN("2026-07-28"), .method = SPAN("tools/call"), .name = SPAN("register_agent")};
    mcp_session_close(c->session, now);
    *c = (struct client){.session = mcp_session_open(host, &link, c, NULL, NULL)};
    mcp_session_set_stateless(c->session);
    if (mcp_is_stateless(message, &headers))
        mcp_session_handle_web(c->session, message, 1, now, &headers);
}

static void greet(struct client *c, int64_t now)
{
    handle(
        c,
        SPAN(
            "{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"initialize\",\"params\":{\"protocolVersion\":\"2025-03-26\"}}"),
        now);
}

static void open_client(struct client *c, struct mcp_host *host)
{
    *c = (struct client){.session = mcp_session_open(host, &link, c, NULL, NULL)};
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct env_options rules;
    struct mcp_options options;
    int64_t now = 1000000;
    int speaker = 0;
    if (size == 0)
        return 0;
    env_defaults(&rules);
    mcp_defaults(&options);
    rules.games = options.games = app_env_games();
    rules.pinned = data[0] & 1 ? "liars_dice" : NULL;
    rules.data_dir = "/nonexistent";
    options.table = data[0] & 2 ? "t" : NULL;
    options.brief = data[0] & 4;
    options.errors_as_results = data[0] & 8;
    options.player = data[0] & 16;
    options.fixtures = data[0] & 32;
    options.max_message = 65536;
    struct env *env = env_create(&rules);
    struct mcp_host *host = mcp_host_create(&options, env);
    for (int i = 0; i < CLIENTS; i++)
        open_client(&clients[i], host);
    for (size_t at = 1; at < size;) {
        struct client *c = &clients[speaker];
        uint8_t byte = data[at];
        if (byte < 8)
            at++;
        if (byte < 2) {
            speaker = byte;
        } else if (byte < 5) {
            now += byte == 2 ? 1000 : byte == 3 ? 100000 : 3000000;
            mcp_host_advance(host, now);
        } else if (byte == 5) {
            mcp_session_close(c->session, now);
            open_client(c, host);
        } else if (byte < 8) {
            greet(c, now);
        } else {
            const uint8_t *end = memchr(data + at, '\n', size - at);
            size_t stop = end ? (size_t)(end - data) : size;
            struct span message = {(const char *)data + at, stop - at};
            if (data[0] & 64 && speaker)
                handle_web(c, host, message, now);
            else
                handle(c, message, now);
            at = stop + 1;
        }
    }
    for (int i = 0; i < CLIENTS; i++)
        mcp_session_close(clients[i].session, now);
    mcp_host_destroy(host);
    env_destroy(env);
    return 0;
}
