// test_connection: handshake, messages, and the end of the process (C1-C18).
#include "verify/gamerl_internal.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { END_MS = 2000, LONG_LINE = (8 << 20) + 1024, DEEP = 100000 }; // G21.4, G2.2; DEEP: brackets

static const char *const revisions[] = {"2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"};

static const char *revision_given(struct gamerl *g, const char *asked)
{
    json_t *answer = gr_initialize(g, gr_open(g), asked, NULL);
    gr_check(g, answer && !gr_code(answer), "initialize with %s was refused", asked);
    return gr_text(answer, "result.protocolVersion");
}

static void newest(struct gamerl *g)
{
    const char *given = revision_given(g, revisions[0]);
    gr_check(g, strcmp(given, revisions[0]) == 0, "%s was answered by %s", revisions[0], given);
}

static void older(struct gamerl *g)
{
    for (int i = 1; i < 4; i++) {
        const char *given = revision_given(g, revisions[i]);
        gr_check(g, strcmp(given, revisions[i]) == 0, "%s was answered by %s", revisions[i], given);
    }
}

static void unknown_revision(struct gamerl *g)
{
    const char *given = revision_given(g, "2099-01-01");
    bool known = false;
    for (int i = 0; i < 4; i++)
        known |= strcmp(given, revisions[i]) == 0;
    gr_check(g, known, "2099-01-01 was answered by '%s'", given);
}

static void capabilities(struct gamerl *g)
{
    json_t *has = gr_get(gr_initialize(g, gr_open(g), revisions[0], NULL), "result.capabilities");
    gr_check(g, json_is_false(gr_get(has, "tools.listChanged")), "tools.listChanged is not false");
    gr_check(g, gr_true(has, "resources.subscribe"), "resources.subscribe is not true");
    gr_check(g, json_is_false(gr_get(has, "resources.listChanged")), "resources.listChanged is not false");
    gr_check(g, json_is_object(gr_get(has, "logging")), "logging is no object");
}

static void server_info(struct gamerl *g)
{
    int a, b, c, end = 0;
    json_t *info = gr_get(gr_initialize(g, gr_open(g), revisions[0], NULL), "result.serverInfo");
    const char *version = gr_text(info, "gameRlVersion");
    gr_check(g, gr_text(info, "name")[0] && gr_text(info, "version")[0], "serverInfo lacks name or version");
    gr_check(g, sscanf(version, "%d.%d.%d%n", &a, &b, &c, &end) == 3 && !version[end], "gameRlVersion is '%s'",
             version);
}

// Nothing before the reply to a ping may be a reply to a notification.
static void no_answer_to_notes(struct gamerl *g)
{
    struct rpc *r = gr_connect(g);
    size_t i;
    json_t *note;
    if (!r)
        return;
    rpc_notify(r, "notifications/initialized", NULL);
    rpc_notify(r, "notifications/no_such_thing", json_pack("{s:i}", "a", 1));
    gr_ask(g, r, "ping", NULL);
    json_array_foreach(r->notes, i, note)
    {
        gr_check(g, json_object_get(note, "method"), "a notification was answered");
    }
}

static void ping(struct gamerl *g)
{
    json_t *result = gr_get(gr_ask(g, gr_connect(g), "ping", NULL), "result");
    gr_check(g, json_is_object(result) && json_object_size(result) == 0, "the result of ping is not {}");
}

static void too_early(struct gamerl *g)
{
    gr_check(g, gr_code(gr_ask(g, gr_open(g), "tools/list", NULL)), "tools/list was answered before initialize");
}

static void ids(struct gamerl *g)
{
    static const char *const sent[] = {"\"a-string\"", "\"7\"", "7", "0", "-3", "9007199254740991"};
    struct rpc *r = gr_connect(g);
    for (unsigned i = 0; i < sizeof sent / sizeof *sent && gr_goes_on(g); i++) {
        char line[128];
        snprintf(line, sizeof line, "{\"jsonrpc\":\"2.0\",\"id\":%s,\"method\":\"ping\"}", sent[i]);
        rpc_send_line(r, line);
        json_t *answer = gr_keep(g, rpc_read(r, RPC_WAIT_MS)),
               *id = gr_keep(g, json_loads(sent[i], JSON_DECODE_ANY, 0));
        gr_check(g, json_equal(json_object_get(answer, "id"), id), "id %s did not come back", sent[i]);
    }
}

// A line that must be refused without an id; the connection must survive.
static void refuse_line(struct gamerl *g, struct rpc *r, const char *line, size_t size, int code, const char *what)
{
    if (!r || !gr_goes_on(g))
        return;
    rpc_write(r, line, size);
    rpc_write(r, "\n", 1);
    json_t *answer = gr_keep(g, rpc_read(r, RPC_WAIT_MS));
    gr_check(g, answer, "%s: no answer%s", what, r->ended ? ", the server has gone" : "");
    gr_check(g, gr_code(answer) == code, "%s: %d, not %d", what, gr_code(answer), code);
}

static void malformed(struct gamerl *g)
{
    struct rpc *r = gr_connect(g);
    if (!r)
        return;
    rpc_send_line(r, "{\"jsonrpc\":\"2.0\",\"id\":1,");
    json_t *answer = gr_keep(g, rpc_read(r, RPC_WAIT_MS));
    gr_check(g, gr_code(answer) == -32700, "malformed JSON: %d, not -32700", gr_code(answer));
    gr_check(g, json_is_null(json_object_get(answer, "id")), "malformed JSON: the id is not null");
    gr_check(g, gr_code(gr_ask(g, r, "ping", NULL)) == 0, "the next request was refused");
}

static void no_request(struct gamerl *g)
{
    static const char *const lines[] = {"{\"jsonrpc\":\"2.0\",\"id\":5}", "{\"id\":6,\"method\":\"ping\"}",
                                        "{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":8}"};
    struct rpc *r = gr_connect(g);
    for (unsigned i = 0; i < sizeof lines / sizeof *lines; i++)
        refuse_line(g, r, lines[i], strlen(lines[i]), -32600, lines[i]);
}

static void unknown(struct gamerl *g)
{
    struct rpc *r = gr_connect(g);
    int method = gr_code(gr_ask(g, r, "no/such_method", NULL));
    gr_check(g, method == -32601, "unknown method: %d, not -32601", method);
    gr_refused(g, r, -32601, "no_such_tool", "{}");
}

static void wrong_arguments(struct gamerl *g)
{
    struct rpc *r = gr_connect(g);
    gr_refused(g, r, -32602, "sim_step", "{s:i}", "agent_id", 5);
    gr_refused(g, r, -32602, "register_agent", "{}");
    gr_refused(g, r, -32602, "reset", "{s:s}", "seed", "seven");
    gr_refused(g, r, -32602, "sim_step", "[]");
    int unnamed = gr_code(gr_ask(g, r, "tools/call", json_pack("{s:{}}", "arguments")));
    gr_check(g, unnamed == -32602, "a call without name: %d, not -32602", unnamed);
}

static void clean_output(struct gamerl *g)
{
    struct rpc *r = gr_connect(g);
    struct gr_agent a;
    gr_player(&a, g, r, "clean", 0, NULL);
    gr_reset(&a, 1, NULL);
    for (int i = 0; i < 5 && !gr_is_over(&a); i++)
        gr_step(&a, gr_legal_action(&a), 1);
    gr_ask(g, r, "tools/list", NULL);
    gr_ask(g, r, "prompts/list", NULL);
    if (!r || !gr_goes_on(g))
        return;
    rpc_end_input(r);
    for (json_t *rest; (rest = rpc_read(r, END_MS));)
        json_decref(rest);
    gr_check(g, !r->wrong[0], "a line is no message: %s", r->wrong);
    gr_check(g, r->size == 0, "the last line has no end");
}

static bool has_process(struct gamerl *g)
{
    if (g->at_socket)
        gr_skip(g, "needs a command");
    return !g->at_socket;
}

static void end_of_input(struct gamerl *g)
{
    struct rpc *r = has_process(g) ? gr_connect(g) : NULL;
    if (!r)
        return;
    rpc_end_input(r);
    int status = rpc_exit_status(r, END_MS);
    gr_check(g, status == 0, status < 0 ? "it still runs after 2 s" : "it ended with status %d", status);
}

static void terminated(struct gamerl *g)
{
    struct rpc *r = has_process(g) ? gr_connect(g) : NULL;
    if (!r)
        return;
    kill(r->pid, SIGTERM);
    int status = rpc_exit_status(r, END_MS);
    gr_check(g, status == 0, status < 0 ? "it still runs after 2 s" : "it ended with status %d", status);
}

static void monstrous(struct gamerl *g)
{
    static const char head[] = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\",\"params\":{\"x\":\"";
    struct rpc *r = gr_connect(g);
    char *line = malloc(LONG_LINE);
    if (!line)
        abort();
    memset(line, 'a', LONG_LINE);
    memcpy(line, head, sizeof head - 1);
    memcpy(line + LONG_LINE - 3, "\"}}", 3);
    refuse_line(g, r, line, LONG_LINE, -32700, "a line above 8 MiB");
    memset(line, '[', DEEP);
    refuse_line(g, r, line, DEEP, -32700, "deep nesting");
    refuse_line(g, r, "{\"x\":\"\xff\xfe\"}", 10, -32700, "invalid UTF-8");
    free(line);
    gr_check(g, gr_code(gr_ask(g, r, "ping", NULL)) == 0, "the next request was refused");
}

static void set_level(struct gamerl *g)
{
    struct rpc *r = gr_connect(g);
    json_t *result = gr_get(gr_ask(g, r, "logging/setLevel", json_pack("{s:s}", "level", "warning")), "result");
    gr_check(g, json_is_object(result) && json_object_size(result) == 0, "the result is not {}");
    int bad = gr_code(gr_ask(g, r, "logging/setLevel", json_pack("{s:s}", "level", "shouting")));
    gr_check(g, bad == -32602, "a bad level: %d, not -32602", bad);
}

const struct gamerl_gate gamerl_connection[] = {
    {"C1", 1, false, "G3.1", "initialize with 2025-11-25 echoes it", newest},
    {"C2", 1, false, "G3.1", "2025-06-18, 2025-03-26 and 2024-11-05 are echoed too", older},
    {"C3", 1, false, "G3.1", "an unknown revision gets a supported one, no error", unknown_revision},
    {"C4", 1, false, "G3.3",
     "tools.listChanged false, resources.subscribe true, resources.listChanged false, logging an object", capabilities},
    {"C5", 1, false, "G3.3", "serverInfo has name, version, gameRlVersion N.N.N", server_info},
    {"C6", 1, false, "G2.4", "no answer to notifications/initialized or to an unknown notification",
     no_answer_to_notes},
    {"C7", 1, false, "G6.4", "ping answers {}", ping},
    {"C8", 1, false, "G3.2", "tools/list before initialize is an error", too_early},
    {"C9", 1, false, "G2.4", "string and integer ids come back with their type", ids},
    {"C10", 1, false, "G2.2", "malformed JSON: -32700, id null; the next request works", malformed},
    {"C11", 1, false, "G2.3", "a value that is no request is refused: -32600", no_request},
    {"C12", 1, false, "G2.5 G4.4", "unknown method and unknown tool: -32601", unknown},
    {"C13", 1, false, "G4.5", "arguments of wrong shape: -32602", wrong_arguments},
    {"C14", 1, false, "G2.1", "stdout holds only one-line JSON objects", clean_output},
    {"C15", 1, false, "G21.4", "stdin EOF: exit 0 within 2 s", end_of_input},
    {"C16", 1, false, "G21.5", "SIGTERM: exit 0 within 2 s", terminated},
    {"C17", 1, false, "G2.2", "over-long, deeply nested, invalid UTF-8 lines: refused, no crash", monstrous},
    {"C18", 1, false, "G6.5", "logging/setLevel answers exactly {}; bad level -32602", set_level},
    {0},
};
