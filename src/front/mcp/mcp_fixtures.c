// --mcp-fixtures (M68): tools, prompts and resources that the official conformance package expects of a server.
#include "base/base64.h"
#include "crypto/crypto.h"
#include "front/mcp/mcp_internal.h"

#include <stdio.h>
#include <stdlib.h>

// One red pixel; half a millisecond of silence.
#define PNG                "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg=="
#define WAV                "UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQIAAAAAAA=="
#define TEXT_CONTENT(text) "{\"type\":\"text\",\"text\":\"" text "\"}"
#define IMAGE_CONTENT      "{\"type\":\"image\",\"data\":\"" PNG "\",\"mimeType\":\"image/png\"}"
#define ASK_NAME                                                                                                       \
    "{\"method\":\"elicitation/create\",\"params\":{\"mode\":\"form\",\"message\":\"What is your name?\","             \
    "\"requestedSchema\":{\"type\":\"object\",\"properties\":{\"name\":{\"type\":\"string\"}},\"required\":[\"name\"]" \
    "}}}"
#define ASK_OK                                                                                                         \
    "{\"method\":\"elicitation/create\",\"params\":{\"mode\":\"form\",\"message\":\"Please confirm\","                 \
    "\"requestedSchema\":{\"type\":\"object\",\"properties\":{\"ok\":{\"type\":\"boolean\"}},\"required\":[\"ok\"]}}}"
#define ASK_CAPITAL                                                                                                    \
    "{\"method\":\"sampling/createMessage\",\"params\":{\"messages\":[{\"role\":\"user\",\"content\":{\"type\":"       \
    "\"text\",\"text\":\"What is the capital of France?\"}}],\"maxTokens\":100}}"
#define ASK_ROOTS "{\"method\":\"roots/list\",\"params\":{}}"

enum { ROUNDS = 2, INPUTS = 3, STATE_ROOM = 256, MAC_DIGITS = 64, STATE_US = 600000000 };

struct input {
    const char *key, *request, *capability;
};

// A tool or a prompt: its result, and what it asks the client for before.
static const struct fixture {
    const char *name;
    const char *content; // items of `content`; of a prompt, of `messages`
    const char *needs;   // a capability of the client, without which it refuses
    bool failing, streams, progress, prompt;
    bool has_state; // rounds are known by requestState
    bool lenient;   // asks only for what the client can do
    bool logs;
    // In older revisions: a request to the client. An argument of the call is inserted between the halves of its
    // params.
    const char *method, *params[2], *argument;
    struct input rounds[ROUNDS][INPUTS];
} fixtures[] = {
    {.name = "test_simple_text", .content = TEXT_CONTENT("This is a simple text response for testing.")},
    {.name = "test_image_content", .content = IMAGE_CONTENT},
    {.name = "test_audio_content", .content = "{\"type\":\"audio\",\"data\":\"" WAV "\",\"mimeType\":\"audio/wav\"}"},
    {.name = "test_embedded_resource",
     .content = "{\"type\":\"resource\",\"resource\":{\"uri\":\"test://embedded-resource\",\"mimeType\":\"text/plain\","
                "\"text\":\"This is an embedded resource content.\"}}"},
    {.name = "test_multiple_content_types",
     .content = TEXT_CONTENT(
         "Multiple content types test:") "," IMAGE_CONTENT ",{\"type\":\"resource\",\"resource\":{\"uri\":\"test://"
                                         "mixed-content-resource\",\"mimeType\":"
                                         "\"application/"
                                         "json\",\"text\":\"{\\\"test\\\":\\\"data\\\",\\\"value\\\":123}\"}}"},
    {.name = "test_error_handling",
     .content = TEXT_CONTENT("This tool intentionally returns an error for testing"),
     .failing = true},
    {.name = "test_tool_with_progress", .content = TEXT_CONTENT("Done."), .progress = true},
    {.name = "test_tool_with_logging", .content = TEXT_CONTENT("Three messages were logged."), .logs = true},
    {.name = "test_sampling",
     .content = TEXT_CONTENT("Nothing was asked."),
     .method = "sampling/createMessage",
     .params = {"{\"messages\":[{\"role\":\"user\",\"content\":{\"type\":\"text\",\"text\":", "}}],\"maxTokens\":100}"},
     .argument = "prompt"},
    {.name = "test_elicitation",
     .content = TEXT_CONTENT("Nothing was asked."),
     .method = "elicitation/create",
     .params =
         {"{\"message\":",
          ",\"requestedSchema\":{\"type\":\"object\",\"properties\":{\"username\":{\"type\":\"string\",\"description\":"
          "\"User's response\"},\"email\":{\"type\":\"string\",\"description\":\"User's email address\"}},"
          "\"required\":[\"username\",\"email\"]}}"},
     .argument = "message"},
    {.name = "test_elicitation_sep1034_defaults",
     .content = TEXT_CONTENT("Nothing was asked."),
     .method = "elicitation/create",
     .params =
         {"{\"message\":\"Please review\",\"requestedSchema\":{\"type\":\"object\",\"properties\":{"
          "\"name\":{\"type\":\"string\",\"default\":\"John Doe\"},\"age\":{\"type\":\"integer\",\"default\":30},"
          "\"score\":{\"type\":\"number\",\"default\":95.5},\"status\":{\"type\":\"string\",\"enum\":[\"active\","
          "\"inactive\",\"pending\"],\"default\":\"active\"},\"verified\":{\"type\":\"boolean\",\"default\":true}},"
          "\"required\":[]}}",
          ""}},
    {.name = "test_elicitation_sep1330_enums",
     .content = TEXT_CONTENT("Nothing was asked."),
     .method = "elicitation/create",
     .params =
         {"{\"message\":\"Please choose\",\"requestedSchema\":{\"type\":\"object\",\"properties\":{"
          "\"untitledSingle\":{\"type\":\"string\",\"enum\":[\"option1\",\"option2\",\"option3\"]},"
          "\"titledSingle\":{\"type\":\"string\",\"oneOf\":[{\"const\":\"value1\",\"title\":\"First Option\"},"
          "{\"const\":\"value2\",\"title\":\"Second Option\"},{\"const\":\"value3\",\"title\":\"Third Option\"}]},"
          "\"legacyEnum\":{\"type\":\"string\",\"enum\":[\"opt1\",\"opt2\",\"opt3\"],\"enumNames\":[\"Option One\","
          "\"Option Two\",\"Option Three\"]},\"untitledMulti\":{\"type\":\"array\",\"items\":{\"type\":\"string\","
          "\"enum\":[\"option1\",\"option2\",\"option3\"]}},\"titledMulti\":{\"type\":\"array\",\"items\":{\"anyOf\":["
          "{\"const\":\"value1\",\"title\":\"First Choice\"},{\"const\":\"value2\",\"title\":\"Second Choice\"},"
          "{\"const\":\"value3\",\"title\":\"Third Choice\"}]}}},\"required\":[]}}",
          ""}},
    {.name = "test_missing_capability", .content = TEXT_CONTENT("The client can sample."), .needs = "sampling"},
    {.name = "test_streaming_elicitation", .content = TEXT_CONTENT("Nothing was asked."), .streams = true},
    {.name = "test_logging_tool", .content = TEXT_CONTENT("Nothing was logged."), .streams = true},
    {.name = "test_input_required_result_elicitation",
     .content = TEXT_CONTENT("Hello!"),
     .rounds = {{{"user_name", ASK_NAME, "elicitation"}}}},
    {.name = "test_input_required_result_sampling",
     .content = TEXT_CONTENT("The client has sampled."),
     .rounds = {{{"capital_question", ASK_CAPITAL, "sampling"}}}},
    {.name = "test_input_required_result_list_roots",
     .content = TEXT_CONTENT("The client has roots."),
     .rounds = {{{"client_roots", ASK_ROOTS, "roots"}}}},
    {.name = "test_input_required_result_request_state",
     .content = TEXT_CONTENT("state-ok"),
     .has_state = true,
     .rounds = {{{"confirm", ASK_OK, "elicitation"}}}},
    {.name = "test_input_required_result_multiple_inputs",
     .content = TEXT_CONTENT("All three came."),
     .has_state = true,
     .rounds = {{{"user_name", ASK_NAME, "elicitation"},
                 {"greeting", ASK_CAPITAL, "sampling"},
                 {"client_roots", ASK_ROOTS, "roots"}}}},
    {.name = "test_input_required_result_multi_round",
     .content = TEXT_CONTENT("Both rounds are over."),
     .has_state = true,
     .rounds = {{{"step1", ASK_NAME, "elicitation"}}, {{"step2", ASK_OK, "elicitation"}}}},
    {.name = "test_input_required_result_tampered_state",
     .content = TEXT_CONTENT("The state is as it was."),
     .has_state = true,
     .rounds = {{{"confirm", ASK_OK, "elicitation"}}}},
    {.name = "test_input_required_result_capabilities",
     .content = TEXT_CONTENT("Done."),
     .lenient = true,
     .rounds = {{{"confirm", ASK_OK, "elicitation"}, {"capital_question", ASK_CAPITAL, "sampling"}}}},
    {.name = "test_simple_prompt",
     .prompt = true,
     .content = "{\"role\":\"user\",\"content\":" TEXT_CONTENT("This is a simple prompt for testing.") "}"},
    {.name = "test_prompt_with_arguments", .prompt = true},
    {.name = "test_prompt_with_embedded_resource", .prompt = true},
    {.name = "test_prompt_with_image",
     .prompt = true,
     .content = "{\"role\":\"user\",\"content\":" IMAGE_CONTENT
                "},{\"role\":\"user\",\"content\":" TEXT_CONTENT("Please analyze the image above.") "}"},
    {.name = "test_input_required_result_prompt",
     .prompt = true,
     .content = "{\"role\":\"user\",\"content\":" TEXT_CONTENT("The context came.") "}",
     .rounds = {{{"user_context", ASK_NAME, "elicitation"}}}},
};

enum { FIXTURES = sizeof fixtures / sizeof *fixtures };

static const struct fixture *find_fixture(struct json_string name, bool prompt)
{
    for (int i = 0; i < FIXTURES; i++)
        if (fixtures[i].prompt == prompt && json_string_is(name, fixtures[i].name))
            return &fixtures[i];
    return NULL;
}

// --- lists

void mcp_fixtures_put_tools(struct text *t)
{
    for (int i = 0; i < FIXTURES; i++) {
        if (fixtures[i].prompt)
            continue;
        json_begin_object(t);
        json_put_text(t, "name", fixtures[i].name);
        json_put_text(t, "description", "A fixture of the conformance package.");
        text_put(t, SPAN(",\"inputSchema\":{\"type\":\"object\"}"));
        json_end_object(t);
    }
}

static void put_argument(struct text *t, const char *name)
{
    json_begin_object(t);
    json_put_text(t, "name", name);
    json_put_text(t, "description", "A test argument.");
    json_put_bool(t, "required", true);
    json_end_object(t);
}

void mcp_fixtures_put_prompts(struct text *t)
{
    for (int i = 0; i < FIXTURES; i++) {
        if (!fixtures[i].prompt)
            continue;
        json_begin_object(t);
        json_put_text(t, "name", fixtures[i].name);
        json_put_text(t, "description", "A fixture of the conformance package.");
        json_begin_array_at(t, "arguments");
        if (strcmp(fixtures[i].name, "test_prompt_with_arguments") == 0) {
            put_argument(t, "arg1");
            put_argument(t, "arg2");
        } else if (strcmp(fixtures[i].name, "test_prompt_with_embedded_resource") == 0) {
            put_argument(t, "resourceUri");
        }
        json_end_array(t);
        json_end_object(t);
    }
}

void mcp_fixtures_put_resources(struct text *t, bool templates)
{
    text_put(t, templates
                    ? SPAN(",{\"uriTemplate\":\"test://template/{id}/data\",\"name\":\"test-template\",\"mimeType\":"
                           "\"application/json\"}")
                    : SPAN(",{\"uri\":\"test://static-text\",\"name\":\"test-text\",\"mimeType\":\"text/plain\"},"
                           "{\"uri\":\"test://static-binary\",\"name\":\"test-binary\",\"mimeType\":\"image/png\"},"
                           "{\"uri\":\"test://watched-resource\",\"name\":\"test-watched\",\"mimeType\":"
                           "\"text/plain\"}"));
}

// --- resources

static bool put_contents(struct text *t, const char *uri)
{
    char id[64];
    int size = 0;
    if (strcmp(uri, "test://static-text") == 0 || strcmp(uri, "test://watched-resource") == 0) {
        json_put_text(t, "mimeType", "text/plain");
        json_put_text(t, "text", "This is the content of the static text resource.");
    } else if (strcmp(uri, "test://static-binary") == 0) {
        json_put_text(t, "mimeType", "image/png");
        json_put_text(t, "blob", PNG);
    } else if (sscanf(uri, "test://template/%63[^/]/data%n", id, &size) == 1 && size == (int)strlen(uri)) {
        char bytes[256], inside[64];
        struct text data = text_on(bytes, sizeof bytes);
        snprintf(inside, sizeof inside, "Data for ID: %.40s", id);
        json_begin_object(&data);
        json_put_text(&data, "id", id);
        json_put_bool(&data, "templateTest", true);
        json_put_text(&data, "data", inside);
        json_end_object(&data);
        json_put_text(t, "mimeType", "application/json");
        json_put_string(t, "text", text_span(&data));
    } else {
        return false;
    }
    return true;
}

bool mcp_fixture_read(const struct mcp_request *a, const char *uri)
{
    struct mcp_request kept = *a;
    if (strncmp(uri, "test://", 7) != 0)
        return false;
    kept.ttl_ms = 0;
    struct text *t = mcp_begin_result(&kept);
    text_put(t, SPAN("{\"contents\":["));
    json_begin_object(t);
    json_put_text(t, "uri", uri);
    if (!put_contents(t, uri))
        return false;
    json_end_object(t);
    text_put(t, SPAN("]}"));
    mcp_end_result(&kept);
    return true;
}

// --- what the client is asked for, and its answers

struct given {
    struct span responses, arguments;
    char state[STATE_ROOM];
    bool has_state, bad_state;
};

static void read_given(const struct mcp_request *a, struct given *g)
{
    struct json_reader r = json_reader_of(a->params, MCP_MAX_DEPTH);
    struct json_string key;
    *g = (struct given){.responses = SPAN("{}"), .arguments = SPAN("{}")};
    for (json_enter_object(&r); json_next_key(&r, &key);)
        if (json_string_is(key, "inputResponses") && json_peek(&r) == JSON_OBJECT) {
            g->responses = json_read_raw(&r);
        } else if (json_string_is(key, "arguments") && json_peek(&r) == JSON_OBJECT) {
            g->arguments = json_read_raw(&r);
        } else if (json_string_is(key, "requestState")) {
            g->has_state = true;
            g->bad_state = !mcp_read_text(&r, g->state, sizeof g->state);
        } else {
            json_skip(&r);
        }
}

static bool is_object(struct span value)
{
    struct json_reader r = json_reader_of(value, MCP_MAX_DEPTH);
    return json_peek(&r) == JSON_OBJECT;
}

static bool has_capability(const struct mcp_request *a, const char *capability)
{
    struct span value;
    return a->meta && a->meta->capabilities.size && json_find_member(a->meta->capabilities, capability, &value) &&
           is_object(value);
}

static bool has_answers(const struct input *round, const struct given *g)
{
    struct span value;
    for (int i = 0; i < INPUTS && round[i].key; i++)
        if (!json_find_member(g->responses, round[i].key, &value) || !is_object(value))
            return false;
    return true;
}

// The HMAC of a requestState, which is: base64url of tool, round and expiry, a dot, and this HMAC.
static void write_mac(struct mcp_host *h, struct span payload, char out[MAC_DIGITS + 1])
{
    uint8_t key[64], mac[32], inner[64 + STATE_ROOM], outer[64 + 32];
    if (!h->has_fixture_key)
        crypto_random(h->fixture_key, sizeof h->fixture_key);
    h->has_fixture_key = true;
    memcpy(key, h->fixture_key, sizeof key);
    for (int i = 0; i < 64; i++) {
        inner[i] = key[i] ^ 0x36;
        outer[i] = key[i] ^ 0x5c;
    }
    memcpy(inner + 64, payload.at, payload.size);
    crypto_sha256(outer + 64, inner, 64 + payload.size);
    crypto_sha256(mac, outer, sizeof outer);
    struct text t = text_on(out, MAC_DIGITS);
    text_put_hex_bytes(&t, mac, sizeof mac);
    out[MAC_DIGITS] = 0;
}

static void write_state(const struct mcp_request *a, const struct fixture *f, int round, char out[STATE_ROOM])
{
    char plain[128], payload[STATE_ROOM - MAC_DIGITS - 2], mac[MAC_DIGITS + 1];
    struct text t = text_on(payload, sizeof payload - 1);
    snprintf(plain, sizeof plain, "{\"tool\":%d,\"round\":%d,\"expires\":%lld}", (int)(f - fixtures), round,
             (long long)(a->s->host->now_us + STATE_US));
    base64_write(&t, plain, strlen(plain));
    while (t.size && payload[t.size - 1] == '=')
        t.size--;
    payload[t.size] = 0; // such bytes have no + and no /
    write_mac(a->s->host, text_span(&t), mac);
    snprintf(out, STATE_ROOM, "%s.%s", payload, mac);
}

// The round that a state means; -1: the state is not one of ours, or has expired.
static int read_state(const struct mcp_request *a, const struct fixture *f, const char *state)
{
    char mac[MAC_DIGITS + 1], padded[STATE_ROOM + 4];
    uint8_t plain[STATE_ROOM];
    const char *dot = strchr(state, '.');
    int tool, round;
    long long expires;
    if (!dot || strlen(dot + 1) != MAC_DIGITS)
        return -1;
    write_mac(a->s->host, (struct span){state, (size_t)(dot - state)}, mac);
    if (!crypto_equal(mac, dot + 1, MAC_DIGITS))
        return -1;
    int size = snprintf(padded, sizeof padded, "%.*s", (int)(dot - state), state);
    while (size % 4)
        padded[size++] = '=';
    long n = base64_read((struct span){padded, (size_t)size}, plain, sizeof plain - 1);
    if (n < 0)
        return -1;
    plain[n] = 0;
    if (sscanf((const char *)plain, "{\"tool\":%d,\"round\":%d,\"expires\":%lld}", &tool, &round, &expires) != 3)
        return -1;
    return tool == f - fixtures && expires > a->s->host->now_us ? round : -1;
}

// M50: nothing is asked of a client that has not said it can.
static bool can_ask(const struct mcp_request *a, const struct fixture *f, const struct input *round)
{
    const char *missing = f->needs && !has_capability(a, f->needs) ? f->needs : NULL;
    char bytes[96];
    for (int i = 0; round && !f->lenient && !missing && i < INPUTS && round[i].key; i++)
        if (!has_capability(a, round[i].capability))
            missing = round[i].capability;
    if (!missing)
        return true;
    snprintf(bytes, sizeof bytes, "\"requiredCapabilities\":{\"%s\":{}}", missing);
    mcp_refuse_status(a, 400, MCP_MISSING_CAPABILITY, "MissingRequiredClientCapability",
                      "the client has not declared a capability that this needs", span_of(bytes));
    return false;
}

static void ask_for(const struct mcp_request *a, const struct fixture *f, int round)
{
    struct mcp_request asking = *a;
    char state[STATE_ROOM];
    asking.asks = true;
    struct text *t = mcp_begin_result(&asking);
    json_begin_object(t);
    json_begin_object_at(t, "inputRequests");
    for (int i = 0; i < INPUTS && f->rounds[round][i].key; i++) {
        const struct input *in = &f->rounds[round][i];
        if (f->lenient && !has_capability(a, in->capability))
            continue;
        json_put_raw(t, in->key, span_of(in->request));
    }
    json_end_object(t);
    if (f->has_state) {
        write_state(a, f, round, state);
        json_put_text(t, "requestState", state);
    }
    json_end_object(t);
    mcp_end_result(&asking);
}

// Whether all rounds are over; otherwise it has been answered.
static bool has_input(const struct mcp_request *a, const struct fixture *f, const struct given *g)
{
    int round = 0;
    if (!f->rounds[0][0].key || !a->modern)
        return true;
    if (g->has_state && f->has_state)
        round = g->bad_state ? -1 : read_state(a, f, g->state);
    if (round < 0) {
        mcp_refuse_params(a, "/requestState", "what the last answer had, within ten minutes");
        return false;
    }
    if (has_answers(f->rounds[round], g) && (g->has_state || !f->has_state))
        round++;
    if (round >= ROUNDS || !f->rounds[round][0].key)
        return true;
    if (can_ask(a, f, f->rounds[round]))
        ask_for(a, f, round);
    return false;
}

// --- tools

static void send_progress(const struct mcp_request *a, const struct mcp_id *token)
{
    for (int progress = 0; progress <= 100; progress += 50) {
        char bytes[MCP_ID_TEXT + 192];
        struct text t = text_on(bytes, sizeof bytes);
        text_put(&t, SPAN("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\",\"params\":{\"progressToken\":"));
        text_put(&t, mcp_id_span(token));
        json_put_int(&t, "progress", progress);
        json_put_int(&t, "total", 100);
        text_put(&t, SPAN("}}"));
        a->s->link->send(a->s->conn, a->tag, MCP_NOTE, text_span(&t));
    }
}

static void send_logs(const struct mcp_request *a)
{
    static const char *const lines[] = {"Tool execution started", "Tool processing data", "Tool execution completed"};
    for (int i = 0; i < 3 && a->s->level <= MCP_INFO; i++) {
        char bytes[256];
        struct text t = text_on(bytes, sizeof bytes);
        text_put(&t, SPAN("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/message\",\"params\":{\"level\":\"info\""));
        json_put_text(&t, "data", lines[i]);
        text_put(&t, SPAN("}}"));
        a->s->link->send(a->s->conn, a->tag, MCP_NOTE, text_span(&t));
    }
}

// A request to the client of an older revision, on the stream of the call that waits for its answer.
struct mcp_question {
    struct mcp_id id; // of the call
    uint64_t tag, number;
};

static void put_text_argument(struct span arguments, const char *key, char out[128]);

static bool ask_client(const struct mcp_request *a, const struct fixture *f, struct span arguments)
{
    struct mcp_session *s = a->s;
    struct text *t = &s->host->body;
    char argument[128] = "";
    if (!f->method || a->modern || a->batch || s->question || !(s->question = calloc(1, sizeof *s->question)))
        return false;
    s->question->id = *a->id;
    s->question->tag = a->tag;
    s->question->number = ++s->host->calls;
    if (f->argument)
        put_text_argument(arguments, f->argument, argument);
    if (s->link->stream)
        s->link->stream(s->conn, a->tag);
    t->size = 0;
    t->full = false;
    text_put(t, SPAN("{\"jsonrpc\":\"2.0\",\"id\":"));
    text_put_uint(t, s->question->number);
    json_put_text(t, "method", f->method);
    json_key(t, "params");
    text_puts(t, f->params[0]);
    if (f->argument)
        json_write_string(t, span_of(argument));
    text_puts(t, f->params[1]);
    text_put_char(t, '}');
    s->link->send(s->conn, a->tag, MCP_NOTE, text_span(t));
    return true;
}

void mcp_fixture_answered(struct mcp_session *s, const struct mcp_message *m)
{
    struct mcp_question *q = s->question;
    char number[32], line[1024];
    struct text said = text_on(line, sizeof line);
    snprintf(number, sizeof number, "%llu", (unsigned long long)q->number);
    if (!span_is(mcp_id_span(&m->id), number))
        return;
    s->question = NULL;
    struct mcp_request a = {.s = s, .id = &q->id, .tag = q->tag, .ttl_ms = -1};
    text_puts(&said, "The client answered: ");
    text_put(&said, m->answer.size && m->answer.size < sizeof line / 2 ? m->answer : SPAN("nothing"));
    struct text *t = mcp_begin_result(&a);
    text_put(t, SPAN("{\"content\":[{\"type\":\"text\",\"text\":"));
    json_write_string(t, text_span(&said));
    text_put(t, SPAN("}]}"));
    mcp_end_result(&a);
    free(q);
}

bool mcp_fixture_call(const struct mcp_request *a, struct json_string name, const struct mcp_id *token)
{
    const struct fixture *f = find_fixture(name, false);
    struct given g;
    if (!f)
        return false;
    read_given(a, &g);
    if (!can_ask(a, f, NULL) || !has_input(a, f, &g))
        return true;
    if (ask_client(a, f, g.arguments))
        return true;
    bool logs = f->logs && !a->modern && !a->batch;
    if ((f->streams || logs || (f->progress && token->size)) && !a->batch && a->s->link->stream)
        a->s->link->stream(a->s->conn, a->tag);
    if (f->progress && token->size && !a->batch)
        send_progress(a, token);
    if (logs)
        send_logs(a);
    struct text *t = mcp_begin_result(a);
    text_put(t, SPAN("{\"content\":["));
    text_puts(t, f->content);
    text_put_char(t, ']');
    if (f->failing)
        json_put_bool(t, "isError", true);
    json_end_object(t);
    mcp_end_result(a);
    return true;
}

// --- prompts

static void put_text_argument(struct span arguments, const char *key, char out[128])
{
    struct span value;
    struct json_reader r;
    out[0] = 0;
    if (!json_find_member(arguments, key, &value))
        return;
    r = json_reader_of(value, 4);
    if (!mcp_read_text(&r, out, 128))
        out[0] = 0;
}

static void put_messages(struct text *t, const struct fixture *f, struct span arguments)
{
    char first[128], second[128], line[320];
    if (f->content) {
        text_puts(t, f->content);
    } else if (strcmp(f->name, "test_prompt_with_arguments") == 0) {
        put_text_argument(arguments, "arg1", first);
        put_text_argument(arguments, "arg2", second);
        snprintf(line, sizeof line, "Prompt with arguments: arg1='%s', arg2='%s'", first, second);
        text_put(t, SPAN("{\"role\":\"user\",\"content\":{\"type\":\"text\",\"text\":"));
        json_write_string(t, span_of(line));
        text_put(t, SPAN("}}"));
    } else {
        put_text_argument(arguments, "resourceUri", first);
        text_put(t, SPAN("{\"role\":\"user\",\"content\":{\"type\":\"resource\",\"resource\":{\"uri\":"));
        json_write_string(t, span_of(first));
        text_put(t,
                 SPAN(",\"mimeType\":\"text/plain\",\"text\":\"Embedded resource content for testing.\"}}},{\"role\":"
                      "\"user\",\"content\":" TEXT_CONTENT("Please process the embedded resource above.") "}"));
    }
}

bool mcp_fixture_prompt(const struct mcp_request *a, const char *name)
{
    const struct fixture *f = find_fixture((struct json_string){.raw = span_of(name)}, true);
    struct given g;
    if (!f)
        return false;
    read_given(a, &g);
    if (!has_input(a, f, &g))
        return true;
    struct text *t = mcp_begin_result(a);
    text_put(t, SPAN("{\"messages\":["));
    put_messages(t, f, g.arguments);
    text_put(t, SPAN("]}"));
    mcp_end_result(a);
    return true;
}

bool mcp_fixture_is_prompt(const char *name)
{
    return find_fixture((struct json_string){.raw = span_of(name)}, true) != NULL;
}
