// One MCP session over a Game-RL that only echoes: messages in, messages out.
#include "fake_rl.h"
#include "front/mcp/mcp_session.h"
#include "games/coup/codec.h"
#include "games/coup/rules/coup.h"
#include "games/tetris/codec.h"
#include "games/tetris/rules/tetris.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

static const struct env_game games[] = {
    {.game = &tetris_game, .codec = &tetris_codec},
    {.game = &coup_game, .codec = &coup_codec},
    {0},
};

// A transport in memory: what left since the last look, a message per line.
struct wire {
    struct env_options env_options;
    struct mcp_options options;
    struct env *env;
    struct mcp_host *host;
    struct mcp_session *session;
    char out[1 << 16];
    size_t size;
    int ends, streams;
    uint64_t last_tag;
    enum mcp_output last_kind;
};

static void wire_send(void *conn, uint64_t tag, enum mcp_output kind, struct span message)
{
    struct wire *w = conn;
    assert_null(memchr(message.at, '\n', message.size)); // G2.1
    assert_null(memchr(message.at, '\r', message.size));
    assert_true(message.size <= w->options.max_message);
    assert_true(w->size + message.size + 2 < sizeof w->out);
    memcpy(w->out + w->size, message.at, message.size);
    w->size += message.size;
    w->out[w->size++] = '\n';
    w->out[w->size] = 0;
    w->last_tag = tag;
    w->last_kind = kind;
}

static void wire_stream(void *conn, uint64_t tag)
{
    (void)tag;
    ((struct wire *)conn)->streams++;
}

static void wire_end(void *conn, uint64_t tag)
{
    (void)tag;
    ((struct wire *)conn)->ends++;
}

static const struct mcp_link wire_link = {wire_send, wire_stream, wire_end};

static void wire_open(struct wire *w)
{
    if (!w->options.max_message)
        mcp_defaults(&w->options);
    w->options.version = "9.8.7";
    w->options.games = w->env_options.games = games;
    w->env = env_create(&w->env_options);
    w->host = mcp_host_create(&w->options, w->env);
    w->session = mcp_session_open(w->host, &wire_link, w, NULL, NULL);
}

static void wire_close(struct wire *w)
{
    mcp_session_close(w->session, 0);
    assert_int_equal(mcp_host_count(w->host), 0);
    mcp_host_destroy(w->host);
    env_destroy(w->env);
    assert_int_equal(fake_rl.connected, 0);
}

static void forget(struct wire *w)
{
    w->size = 0;
    w->out[0] = 0;
}

static int64_t now;

// What the session says to one message, as text.
static const char *why(struct wire *w, const char *message)
{
    forget(w);
    mcp_session_handle(w->session, span_of(message), 7, now);
    return w->out;
}

static void greet(struct wire *w, const char *revision)
{
    char message[512];
    snprintf(message, sizeof message,
             "{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"initialize\",\"params\":{\"protocolVersion\":\"%s\","
             "\"capabilities\":{\"roots\":{}},\"clientInfo\":{\"name\":\"t\",\"version\":\"1\"}}}",
             revision);
    assert_non_null(strstr(why(w, message), "\"result\""));
    assert_true(mcp_session_is_ready(w->session));
}

#define CALL(id, tool, arguments)                                                                                      \
    "{\"jsonrpc\":\"2.0\",\"id\":" id ",\"method\":\"tools/call\",\"params\":{\"name\":\"" tool "\",\"arguments\":"    \
    "" arguments "}}"
#define ASK(id, method, params) "{\"jsonrpc\":\"2.0\",\"id\":" id ",\"method\":\"" method "\",\"params\":" params "}"

struct row {
    const char *message;
    const char *answer; // that must be part of it; NULL: silence
};

static void check_rows(struct wire *w, const struct row *rows, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const char *out = why(w, rows[i].message);
        bool good = rows[i].answer ? strstr(out, rows[i].answer) != NULL : out[0] == 0;
        if (!good)
            fail_msg("%s\n gives %s\n not %s", rows[i].message, out, rows[i].answer ? rows[i].answer : "nothing");
        struct json_reader r = json_reader_of(span_of(out[0] ? out : "0"), 64);
        json_skip(&r);
        if (json_finish(&r) != OK)
            fail_msg("%s\n is no JSON", out);
    }
}

#define CHECK_ROWS(w, rows) check_rows(w, rows, sizeof(rows) / sizeof *(rows))

static void messages_are_judged_before_they_are_obeyed(void **unused)
{
    (void)unused;
    static const struct row rows[] = {
        {"{", "-32700,\"message\":\"the text is not valid JSON\",\"data\":{\"name\":\"ParseError\"}"}, // G2.2
        {"\xff", "\"id\":null,\"error\":{\"code\":-32700"},
        {"{\"a\":\"\xff\"}", "\"name\":\"BadUtf8\""},
        {"{} {}", "-32700"},
        {"7", "\"id\":null,\"error\":{\"code\":-32600"}, // G2.3
        {"\"x\"", "-32600"},
        {"{}", "-32600"},
        {"{\"jsonrpc\":\"1.0\",\"id\":1,\"method\":\"ping\"}", "\"id\":1,\"error\":{\"code\":-32600"},
        {"{\"id\":\"q\",\"method\":\"ping\"}", "\"id\":\"q\",\"error\":{\"code\":-32600"},
        {"{\"jsonrpc\":\"2.0\",\"id\":1}", "-32600"},
        {"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":5}", "-32600"},
        {"{\"jsonrpc\":\"2.0\",\"id\":null,\"method\":\"ping\"}", "\"id\":null,\"error\":{\"code\":-32600"},
        {"{\"jsonrpc\":\"2.0\",\"id\":1.5,\"method\":\"ping\"}", "\"id\":null,\"error\":{\"code\":-32600"},
        {"{\"jsonrpc\":\"2.0\",\"id\":true,\"method\":\"ping\"}", "-32600"},
        {"{\"jsonrpc\":\"2.0\",\"id\":[1],\"method\":\"ping\"}", "-32600"},
        {"{\"jsonrpc\":\"2.0\",\"id\":9007199254740993,\"method\":\"ping\"}", "-32600"}, // G2.4: beyond 2^53
        {"{\"jsonrpc\":\"2.0\",\"id\":9007199254740992,\"method\":\"ping\"}", "\"id\":9007199254740992,\"result\":{}"},
        {"{\"jsonrpc\":\"2.0\",\"id\":-3,\"method\":\"ping\"}", "\"id\":-3,\"result\":{}"},
        {"{\"jsonrpc\":\"2.0\",\"id\":2.0,\"method\":\"ping\"}", "\"id\":2,\"result\":{}"}, // G2.7
        {"{\"jsonrpc\":\"2.0\",\"id\":\"1\",\"method\":\"ping\"}", "\"id\":\"1\",\"result\":{}"},
        {"{\"jsonrpc\":\"2.0\",\"id\":\"\",\"method\":\"ping\"}", "\"id\":\"\",\"result\":{}"},
        {"{\"jsonrpc\":\"2.0\",\"id\":\"\\u00e9\\n\",\"method\":\"ping\"}", "\"id\":\"\\u00e9\\n\",\"result\":{}"},
        {"{\"jsonrpc\":\"2.0\",\"id\":1,\"id\":2,\"method\":\"nope\",\"method\":\"ping\"}", "\"id\":2,\"result\":{}"},
        {"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"pi\\u006eg\"}", "\"result\":{}"},
        {"{\"jsonrpc\":\"2.0\",\"method\":\"nope\"}", NULL}, // G2.4: notifications are never answered
        {"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":1}}", NULL},
        {"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":7}", NULL},
        {"{\"jsonrpc\":\"2.0\",\"method\":\"tools/call\",\"params\":{\"name\":\"sim_step\"}}", NULL},
        {"{\"jsonrpc\":\"2.0\",\"id\":99,\"result\":{}}", NULL}, // responses with unknown ids are ignored
        {"{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":1,\"message\":\"\"}}", NULL},
        {ASK("1", "nope", "{}"), "-32601"},
        {ASK("1", "server/discover", "{}"), "\"missing\":[\"_meta\"]"}, // G2.5, M2
        {"[]", "-32600"},
        {"[{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}]", "\"id\":null,\"error\":{\"code\":-32600"}, // G2.6
    };
    struct wire w = {0};
    wire_open(&w);
    greet(&w, "2025-11-25");
    CHECK_ROWS(&w, rows);
    wire_close(&w);
}

static void only_some_methods_come_before_initialize(void **unused)
{
    (void)unused;
    static const struct row rows[] = {
        {ASK("1", "ping", "{}"), "\"result\":{}"},            // G3.2
        {ASK("1", "server/discover", "{}"), "-32602"},        // G2.5, M2
        {ASK("1", "tools/list", "{}"), "\"NotInitialized\""}, // G3.2
        {ASK("1", "nope", "{}"), "\"NotInitialized\""},
        {CALL("1", "sim_step", "{}"), "\"NotInitialized\""},
        {ASK("1", "initialize", "{}"), "-32602"}, // G3.1
        {ASK("1", "initialize", "{\"protocolVersion\":5}"), "-32602"},
        {ASK("1", "initialize", "[]"), "-32602"},
        {ASK("1", "initialize", "{\"protocolVersion\":\"1999\"}"), "\"protocolVersion\":\"2025-11-25\""},
        {ASK("1", "initialize", "{\"protocolVersion\":\"2025-11-25\"}"), "-32600"}, // twice
        {ASK("1", "notifications/initialized", "{}"), "\"result\":{}"},             // as a request
        {ASK("1", "initialized", "{}"), "\"result\":{}"},
        {"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\",\"params\":null}", "\"result\":{}"},
    };
    struct wire w = {0};
    wire_open(&w);
    CHECK_ROWS(&w, rows);
    wire_close(&w);
}

static void each_revision_has_what_it_knows(void **unused)
{
    (void)unused;
    static const struct {
        const char *revision;
        bool completions, titles, annotations, structured;
    } cases[] = {
        {"2024-11-05", false, false, false, false}, // G3.3, G3.4
        {"2025-03-26", true, false, true, false},
        {"2025-06-18", true, true, true, true},
        {"2025-11-25", true, true, true, true},
    };
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct wire w = {0};
        wire_open(&w);
        greet(&w, cases[i].revision);
        assert_non_null(strstr(w.out, cases[i].revision));
        assert_int_equal(strstr(w.out, "\"completions\":{}") != NULL, cases[i].completions);
        assert_int_equal(strstr(w.out, "\"title\":\"Games (agon)\"") != NULL, cases[i].titles);
        why(&w, ASK("1", "tools/list", "{}"));
        assert_int_equal(strstr(w.out, "\"outputSchema\"") != NULL, cases[i].structured);
        assert_int_equal(strstr(w.out, "\"annotations\"") != NULL, cases[i].annotations);
        why(&w, CALL("1", "register_agent", "{\"a\":1}"));
        assert_int_equal(strstr(w.out, "\"structuredContent\":{") != NULL, cases[i].structured);
        assert_int_equal(mcp_session_primes(w.session), i == 3);
        wire_close(&w);
    }
}

static void initialize_tells_what_is_here(void **unused)
{
    (void)unused;
    struct wire w = {.env_options = {.pinned = "coup"}};
    wire_open(&w);
    greet(&w, "2025-06-18");
    const char *text = strstr(w.out, "\"instructions\":\"");
    assert_non_null(text);
    assert_true(strlen(text) > 200 && strlen(text) <= 1500 + 60); // G3.3
    assert_non_null(strstr(text, "play_coup"));
    assert_non_null(
        strstr(w.out, "\"experimental\":{\"gameRl\":{\"version\":\"1.0.0\",\"level\":3,\"game\":\"coup\"}}"));
    assert_non_null(strstr(w.out, "\"name\":\"agon-coup\",\"title\":\"Coup (agon)\",\"version\":\"9.8.7\","
                                  "\"gameRlVersion\":\"1.0.0\""));
    wire_close(&w);
}

static void calls_are_wrapped(void **unused)
{
    (void)unused;
    static const struct row rows[] = {
        {CALL("1", "register_agent", "{\"q\":\"\\\"\"}"), // G4.3: the text is the same object
         "{\"content\":[{\"type\":\"text\",\"text\":\"{\\\"tool\\\":\\\"register_agent\\\",\\\"call\\\":1,"
         "\\\"echo\\\":{\\\"q\\\":\\\"\\\\\\\"\\\"}}\"}],\"structuredContent\":{\"tool\":\"register_agent\",\"call\":1,"
         "\"echo\":{\"q\":\"\\\"\"}}}"},
        {CALL("1", "register_agent", "{\n\"a\":\r\n[\t1]}"), "\"echo\":{ \"a\":  [\t1]}}}"}, // G2.1: breaks leave
        {ASK("1", "tools/call", "{\"name\":\"sim_step\"}"), "\"echo\":{}"},                  // G4.4
        {ASK("1", "tools/call", "{\"name\":\"sim_step\",\"arguments\":null}"), "\"echo\":{}"},
        {ASK("1", "tools/call", "{\"arguments\":{}}"), "-32602"},
        {ASK("1", "tools/call", "{\"name\":7}"), "-32602"},
        {ASK("1", "tools/call", "[]"), "-32602"},
        {ASK("1", "tools/call", "{\"name\":\"sim_step\",\"arguments\":[]}"), "\"path\":\"/arguments\""},
        {CALL("1", "fly", "{}"), "\"code\":-32601"},
        {CALL("1", "fly", "{}"), "\"name\":\"UnknownTool\",\"known\":[\"register_agent\",\"sim_step\"]"},
        {CALL("1", "sim_step", "{\"fail\":1}"), "\"error\":{\"code\":-32001,\"message\":\"not "
                                                "now\",\"data\":{\"name\":\"InvalidAction\",\"reason\":\"turn\"}}"},
        {CALL("1", "sim_step", "{\"fail\":1,\"lines\":1}"), "\"action\":{ \"type\":  \"x\"}"}, // G2.1
        {CALL("1", "sim_step", "{\"big\":1}"), "\"code\":-32004"},                             // G4.8
        {CALL("1", "sim_step", "{\"big\":1}"), "\"name\":\"ResponseTooLarge\",\"limit\":8388608"},
    };
    struct wire w = {0};
    wire_open(&w);
    greet(&w, "2025-11-25");
    CHECK_ROWS(&w, rows);
    wire_close(&w);
}

static void results_can_be_brief_and_errors_results(void **unused)
{
    (void)unused;
    static const struct row rows[] = {
        {CALL("1", "sim_step", "{\"x\":1}"), "[{\"type\":\"text\",\"text\":\"tool sim_step, call 1\"}],\"structured"},
        {CALL("1", "sim_step", "{\"fail\":1}"), // G4.7
         "\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"-32001 InvalidAction: not now\"}],\"isError\":true}}"},
        {CALL("1", "fly", "{}"), "\"error\":{\"code\":-32601"},
    };
    struct wire w = {.options = {.max_message = 1 << 20, .brief = true, .errors_as_results = true}};
    wire_open(&w);
    greet(&w, "2025-11-25");
    CHECK_ROWS(&w, rows);
    wire_close(&w);
}

static void parked_calls_are_answered_later(void **unused)
{
    (void)unused;
    struct wire w = {0};
    wire_open(&w);
    greet(&w, "2025-11-25");
    w.ends = 0;
    assert_string_equal(why(&w, CALL("\"slow\"", "sim_step", "{\"park\":1}")), "");
    assert_string_equal(why(&w, CALL("2", "sim_step", "{\"park\":1}")), "");
    assert_int_equal(w.ends, 0);
    assert_non_null(strstr(why(&w, ASK("3", "ping", "{}")), "\"id\":3,\"result\":{}")); // G2.8: overtakes
    w.size = 0;
    fake_answer_all(w.env);
    assert_non_null(strstr(w.out, "\"id\":2,\"result\":{\"content\""));
    assert_non_null(strstr(w.out, "\"id\":\"slow\",\"result\":{\"content\""));
    assert_int_equal(w.last_tag, 7);
    assert_int_equal(w.ends, 3);
    wire_close(&w);
}

static void cancelled_calls_are_not_answered(void **unused)
{
    (void)unused;
    struct wire w = {0};
    wire_open(&w);
    greet(&w, "2025-11-25");
    int before = fake_rl.cancelled;
    why(&w, CALL("\"A\"", "sim_step", "{\"park\":1}"));
    why(&w, CALL("5", "sim_step", "{\"park\":1}"));
    assert_string_equal(why(&w, "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":"
                                "\"5\"}}"),
                        ""); // another type: nobody
    assert_int_equal(fake_rl.cancelled, before);
    w.ends = 0;
    assert_string_equal(why(&w, "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":"
                                "\"\\u0041\",\"reason\":\"enough\"}}"),
                        "");
    assert_int_equal(fake_rl.cancelled, before + 1);
    assert_int_equal(w.ends, 2); // of the call and of the notification
    fake_answer_all(w.env);
    assert_non_null(strstr(w.out, "\"id\":5,"));
    assert_null(strstr(w.out, "\"A\""));
    wire_close(&w);
}

static void batches_belong_to_one_revision(void **unused)
{
    (void)unused;
    static const struct row rows[] = {
        {"[]", "-32600"}, // G2.6
        {"[{\"jsonrpc\":\"2.0\",\"method\":\"x\"}]", NULL},
        {"[{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"},{\"jsonrpc\":\"2.0\",\"method\":\"x\"},"
         "{\"jsonrpc\":\"2.0\",\"id\":\"b\",\"method\":\"nope\"},5]",
         "[{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}},{\"jsonrpc\":\"2.0\",\"id\":\"b\",\"error\":{\"code\":-32601"},
        {"[" ASK("1", "initialize", "{\"protocolVersion\":\"2025-03-26\"}") "]", "-32600"},
        {"[1", "-32700"},
    };
    struct wire w = {0};
    wire_open(&w);
    greet(&w, "2025-03-26");
    CHECK_ROWS(&w, rows);
    const char *mixed = "[" CALL("1", "sim_step", "{\"park\":1}") "," ASK("2", "ping", "{}") "]";
    w.ends = 0;
    assert_string_equal(why(&w, mixed), ""); // waits for its slowest
    fake_answer_all(w.env);
    assert_non_null(
        strstr(w.out, "[{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{}},{\"jsonrpc\":\"2.0\",\"id\":1,\"result\""));
    assert_int_equal(w.ends, 1);
    why(&w, mixed); // left open: closing frees it
    wire_close(&w);
}

static void resources_are_read_and_watched(void **unused)
{
    (void)unused;
    static const struct row rows[] = {
        {ASK("1", "resources/list", "{}"), "{\"uri\":\"game://manifest\",\"name\":\"manifest\",\"description\":"},
        {ASK("1", "resources/templates/list", "{}"), "[{\"uriTemplate\":\"game://agents/{agent_id}\",\"name\":"},
        {ASK("1", "resources/list", "{\"cursor\":\"x\"}"), "-32602"}, // G6.6
        {ASK("1", "resources/read", "{\"uri\":\"game://rules\"}"),    // G5.2
         "{\"contents\":[{\"uri\":\"game://rules\",\"mimeType\":\"text/markdown\",\"text\":\"# \\\"Rules\\\"\\n\"}]}"},
        {ASK("1", "resources/read", "{\"uri\":\"game://nowhere\"}"),
         "-32002,\"message\":\"there is no such resource; resources/list names them\",\"data\":"
         "{\"name\":\"ResourceNotFound\",\"uri\":\"game://nowhere\"}"},
        {ASK("1", "resources/read", "{}"), "-32602"},
        {ASK("1", "resources/subscribe", "{\"uri\":\"game://nowhere\"}"), "-32002"}, // G5.7
        {ASK("1", "resources/unsubscribe", "{\"uri\":\"game://nowhere\"}"), "-32002"},
        {ASK("1", "resources/unsubscribe", "{\"uri\":\"game://world\"}"), "\"result\":{}"},
        {CALL("1", "sim_step", "{\"change\":1}"), "\"result\""},
        {ASK("1", "resources/subscribe", "{\"uri\":\"game://world\"}"), "\"result\":{}"},
        {ASK("1", "resources/subscribe", "{\"uri\":\"game://world\"}"), "\"result\":{}"},
    };
    struct wire w = {0};
    wire_open(&w);
    greet(&w, "2025-11-25");
    CHECK_ROWS(&w, rows);
    static const char told[] =
        "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/resources/updated\",\"params\":{\"uri\":"
        "\"game://world\"}}\n";
    now = 1000000;
    w.size = 0;
    mcp_host_advance(w.host, now);
    assert_int_equal(w.size, 0);
    why(&w, CALL("1", "sim_step", "{\"change\":1}"));
    assert_null(strstr(w.out, "updated")); // G5.8: after the answer
    w.size = 0;
    assert_true(mcp_host_advance(w.host, now) == INT64_MAX);
    assert_string_equal(w.out, told);
    for (int i = 0; i < 5; i++) // coalesced, the last never lost
        why(&w, CALL("1", "sim_step", "{\"change\":1}"));
    forget(&w);
    int64_t due = mcp_host_advance(w.host, now + 10000);
    assert_string_equal(w.out, "");
    assert_true(due > now + 33333 && due < now + 34000); // 30 a second
    assert_true(mcp_host_advance(w.host, due) == INT64_MAX);
    assert_string_equal(w.out, told);
    why(&w, ASK("1", "resources/unsubscribe", "{\"uri\":\"game://world\"}"));
    why(&w, CALL("1", "sim_step", "{\"change\":1}"));
    forget(&w);
    mcp_host_advance(w.host, due + 1000000);
    assert_string_equal(w.out, "");
    now = 0;
    wire_close(&w);
}

static void subscriptions_have_a_limit(void **unused)
{
    (void)unused;
    struct wire w = {0};
    char message[200];
    wire_open(&w);
    greet(&w, "2025-11-25");
    for (int i = 0; i < 65; i++) {
        snprintf(message, sizeof message, ASK("1", "resources/subscribe", "{\"uri\":\"game://agents/a%d\"}"), i);
        assert_non_null(strstr(why(&w, message), i < 64 ? "\"result\":{}" : "-32004")); // G5.7
    }
    why(&w, ASK("1", "resources/unsubscribe", "{\"uri\":\"game://agents/a3\"}"));
    assert_non_null(strstr(why(&w, message), "\"result\":{}"));
    wire_close(&w);
}

static void prompts_and_completion(void **unused)
{
    (void)unused;
    static const struct row rows[] = {
        {ASK("1", "prompts/list", "{}"), "\"name\":\"play_tetris\""},
        {ASK("1", "prompts/list", "{}"), "\"name\":\"play_coup\""},
        {ASK("1", "prompts/get",
             "{\"name\":\"play_coup\",\"arguments\":{\"agent_id\":\"a\",\"seat\":\"seat_1\"}}"), // G6.2
         "\"messages\":[{\"role\":\"user\",\"content\":{\"type\":\"text\",\"text\":\"coup: a - seat_1\"}}]}"},
        {ASK("1", "prompts/get", "{\"name\":\"play_chess\"}"), "-32602"}, // G6.1
        {ASK("1", "prompts/get", "{}"), "-32602"},
        {ASK("1", "prompts/get", "{\"name\":\"play_coup\",\"arguments\":{\"seat\":1}}"), "\"path\":\"/arguments\""},
        {ASK("1", "completion/complete",
             "{\"ref\":{\"type\":\"ref/prompt\",\"name\":\"play_coup\"},\"argument\":{\"name\":\"seat\",\"value\":"
             "\"seat_\"}}"),
         "{\"completion\":{\"values\":[\"seat_0\",\"seat_1\",\"seat_2\",\"seat_3\",\"seat_4\",\"seat_5\"],\"hasMore\":"
         "false}}"}, // G6.4
        {ASK("1", "completion/complete",
             "{\"ref\":{\"type\":\"ref/"
             "prompt\",\"name\":\"play_tetris\"},\"argument\":{\"name\":\"seat\",\"value\":\"\"}}"),
         "[\"player\"]"},
        {ASK("1", "completion/complete",
             "{\"ref\":{\"type\":\"ref/resource\",\"uri\":\"game://agents/{agent_id}\"},\"argument\":{\"name\":"
             "\"agent_id\",\"value\":\"al\"}}"),
         "[\"alice\"]"},
        {ASK("1", "completion/complete",
             "{\"ref\":{\"type\":\"ref/prompt\",\"name\":\"x\"},\"argument\":{\"name\":\"seat\",\"value\":\"\"}}"),
         "-32602"},
        {ASK("1", "completion/complete", "{}"), "-32602"},
    };
    struct wire w = {0};
    wire_open(&w);
    greet(&w, "2025-11-25");
    CHECK_ROWS(&w, rows);
    wire_close(&w);
    struct wire pinned = {.env_options = {.pinned = "coup"}}; // G6.1: only its own
    wire_open(&pinned);
    greet(&pinned, "2025-11-25");
    assert_null(strstr(why(&pinned, ASK("1", "prompts/list", "{}")), "play_tetris"));
    assert_non_null(strstr(why(&pinned, ASK("1", "prompts/get", "{\"name\":\"play_tetris\"}")), "-32602"));
    wire_close(&pinned);
}

static void logs_go_by_their_level(void **unused)
{
    (void)unused;
    struct wire w = {0};
    wire_open(&w);
    mcp_host_log(w.host, MCP_EMERGENCY, "nobody is greeted yet");
    assert_int_equal(w.size, 0);
    greet(&w, "2025-11-25");
    why(&w, CALL("1", "sim_step", "{\"log\":1}"));
    const char *note = strstr(w.out, "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/message\",\"params\":{\"level\":"
                                     "\"warning\",\"logger\":\"agon\",\"data\":\"watch out\"}}"); // G6.5
    assert_non_null(note);
    assert_true(strstr(w.out, "\"id\":1") < note);
    assert_string_equal(why(&w, ASK("1", "logging/setLevel", "{\"level\":\"error\"}")),
                        "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\n"); // G8.6: exactly
    assert_non_null(strstr(why(&w, ASK("1", "logging/setLevel", "{\"level\":\"loud\"}")), "-32602"));
    assert_non_null(strstr(why(&w, ASK("1", "logging/setLevel", "{}")), "-32602"));
    assert_null(strstr(why(&w, CALL("1", "sim_step", "{\"log\":1}")), "watch out"));
    wire_close(&w);
}

static void notifications_follow_their_answer(void **unused)
{
    (void)unused;
    struct wire w = {0};
    wire_open(&w);
    greet(&w, "2025-11-25");
    why(&w, CALL("1", "sim_step", "{\"notify\":1}")); // G16.5
    const char *note = strstr(w.out, "\"method\":\"notifications/event\",\"params\":{\"event_type\":\"time_changed\"}");
    assert_non_null(note);
    assert_true(strstr(w.out, "\"id\":1") < note);
    assert_int_equal(w.last_tag, 0);
    assert_int_equal(w.last_kind, MCP_NOTE);
    wire_close(&w);
}

static void progress_is_told_when_asked_for(void **unused)
{
    (void)unused;
    struct wire w = {0};
    wire_open(&w);
    greet(&w, "2025-11-25");
    assert_null(strstr(why(&w, CALL("1", "sim_step", "{\"progress\":1}")), "notifications/progress"));
    assert_int_equal(w.streams, 0);
    why(&w, ASK("1", "tools/call",
                "{\"name\":\"sim_step\",\"arguments\":{\"progress\":1},\"_meta\":{\"progressToken\":\"p\"}}"));
    const char *first = strstr(w.out, "\"method\":\"notifications/progress\",\"params\":{\"progressToken\":\"p\","
                                      "\"progress\":1,\"total\":3}"); // G6.7
    assert_non_null(first);
    assert_true(first < strstr(w.out, "\"id\":1"));            // never after the answer
    assert_null(strstr(first + 20, "notifications/progress")); // at most 10 a second
    assert_int_equal(w.streams, 1);
    wire_close(&w);
}

static void rates_are_kept(void **unused)
{
    (void)unused;
    struct wire w = {.options = {.max_message = 1 << 20, .rate = 10}};
    wire_open(&w);
    int refused = 0;
    now = 5000000;
    for (int i = 0; i < 15; i++)
        refused += strstr(why(&w, ASK("1", "ping", "{}")), "\"RateLimited\"") != NULL;
    assert_int_equal(refused, 5); // G21.1: a second's worth at once
    assert_non_null(strstr(w.out, "\"code\":-32004"));
    assert_non_null(strstr(w.out, "\"retry_after_ms\":"));
    now += 100000;
    assert_non_null(strstr(why(&w, ASK("1", "ping", "{}")), "\"result\""));
    assert_non_null(strstr(why(&w, ASK("1", "ping", "{}")), "-32004"));
    now = 0;
    wire_close(&w);
}

static void tables_are_chosen_at_the_door(void **unused)
{
    (void)unused;
#define GREET(meta) ASK("1", "initialize", "{\"protocolVersion\":\"2025-11-25\",\"_meta\":{" meta "}}")
    static const struct {
        bool named;
        const char *message, *table, *game, *answer;
    } cases[] = {
        {false, GREET("\"agon/table\":\"t\""), "-", "-", "\"result\""}, // an exclusive process has one
        {true, GREET("\"agon/table\":\"t\",\"agon/game\":\"coup\""), "t", "coup", "\"result\""}, // G1.7
        {true, GREET(""), "main", "-", "\"result\""},
        {true, GREET("\"agon/table\":\"no spaces\""), NULL, NULL, "-32602"},
        {true, GREET("\"agon/table\":\"\""), NULL, NULL, "-32602"},
        {true, GREET("\"agon/table\":7"), NULL, NULL, "-32602"},
        {true, GREET("\"agon/game\":\"tetris\""), "main", "tetris",
         "\"data\":{\"name\":\"InvalidParams\",\"reason\":\"game\"}"},
    };
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct wire w = {.options = {.max_message = 1 << 20,
                                     .named_tables = cases[i].named,
                                     .table = cases[i].named ? "main" : NULL},
                         .env_options = {.pinned = i == 6 ? "coup" : NULL}};
        wire_open(&w);
        if (!strstr(why(&w, cases[i].message), cases[i].answer))
            fail_msg("%s gives %s", cases[i].message, w.out);
        if (cases[i].table) {
            assert_string_equal(fake_rl.table, cases[i].table);
            assert_string_equal(fake_rl.game, cases[i].game);
        }
        wire_close(&w);
    }
}

static void sizes_are_capped(void **unused)
{
    (void)unused;
    static char deep[200], long_line[3000];
    struct wire w = {.options = {.max_message = 2048}};
    wire_open(&w);
    memset(deep, '[', 65);
    memset(deep + 65, ']', 65);
    assert_non_null(strstr(why(&w, deep), "\"name\":\"TooDeep\",\"limit\":64")); // G2.2
    memset(long_line, ' ', sizeof long_line - 1);
    assert_non_null(strstr(why(&w, long_line), "\"name\":\"TooLarge\",\"limit\":2048"));
    w.size = 0;
    mcp_session_too_large(w.session);
    assert_non_null(strstr(w.out, "-32700"));
    assert_int_equal(w.last_kind, MCP_REFUSAL);
    wire_close(&w);
}

static void a_message_without_a_session_is_told_so(void **unused)
{
    (void)unused;
    static const struct {
        const char *message;
        bool initialize;
        const char *answer;
    } cases[] = {
        {ASK("1", "initialize", "{}"), true, ""}, // G7.4
        {ASK("5", "tools/list", "{}"), false, "\"id\":5,\"error\":{\"code\":-32600"},
        {ASK("5", "server/discover", "{}"), false, "\"id\":5,\"error\":{\"code\":-32600"},
        {"{\"jsonrpc\":\"2.0\",\"method\":\"initialize\"}", false, "-32600"},
        {"[" ASK("1", "initialize", "{}") "]", false, "-32600"},
        {"{", false, "-32700"},
    };
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        char bytes[512] = "";
        struct text t = text_on(bytes, sizeof bytes - 1);
        assert_int_equal(mcp_is_initialize(span_of(cases[i].message), &t), cases[i].initialize);
        assert_non_null(strstr(bytes, cases[i].answer));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(messages_are_judged_before_they_are_obeyed),
        cmocka_unit_test(only_some_methods_come_before_initialize),
        cmocka_unit_test(each_revision_has_what_it_knows),
        cmocka_unit_test(initialize_tells_what_is_here),
        cmocka_unit_test(calls_are_wrapped),
        cmocka_unit_test(results_can_be_brief_and_errors_results),
        cmocka_unit_test(parked_calls_are_answered_later),
        cmocka_unit_test(cancelled_calls_are_not_answered),
        cmocka_unit_test(batches_belong_to_one_revision),
        cmocka_unit_test(resources_are_read_and_watched),
        cmocka_unit_test(subscriptions_have_a_limit),
        cmocka_unit_test(prompts_and_completion),
        cmocka_unit_test(logs_go_by_their_level),
        cmocka_unit_test(notifications_follow_their_answer),
        cmocka_unit_test(progress_is_told_when_asked_for),
        cmocka_unit_test(rates_are_kept),
        cmocka_unit_test(tables_are_chosen_at_the_door),
        cmocka_unit_test(sizes_are_capped),
        cmocka_unit_test(a_message_without_a_session_is_told_so),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
