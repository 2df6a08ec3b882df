// Messages on their way out: results, errors, notifications, batches.
#include "front/mcp/mcp_internal.h"

#include "heap/heap.h"

#include <stdlib.h>
#ifdef __SSSE3__
#include <tmmintrin.h>
#endif

enum { FIRST_ROOM = 16384, MOST_ROOM = 128 << 20 };

bool mcp_grow(struct text *t, size_t more)
{
    return heap_text_grow_within(t, more, FIRST_ROOM, MOST_ROOM);
}

static struct text *answer_begin(struct mcp_host *h)
{
    h->out.size = 0;
    h->out.full = false;
    return &h->out;
}

static void put_head(struct text *t, struct span id)
{
    text_put(t, SPAN("{\"jsonrpc\":\"2.0\",\"id\":"));
    text_put(t, id);
}

// G2.1: a message is one line; breaks in JSON are white space. What a client has sent may have some.
static void put_unbroken(struct text *t, struct span json)
{
    char *space = text_reserve(t, json.size);
    if (!space)
        return;
    memcpy(space, json.at, json.size);
    for (const char *breaks = "\r\n"; *breaks; breaks++)
        for (char *at = space; (at = memchr(at, *breaks, (size_t)(space + json.size - at)));)
            *at = ' ';
}

void mcp_write_error(struct text *t, struct span id, int code, const char *name, const char *message, struct span data)
{
    put_head(t, id);
    json_begin_object_at(t, "error");
    json_put_int(t, "code", code);
    json_put_text(t, "message", message);
    json_begin_object_at(t, "data");
    json_put_text(t, "name", name);
    if (data.size) {
        json_separate(t);
        put_unbroken(t, data);
    }
    json_end_object(t);
    json_end_object(t);
    json_end_object(t);
}

// G4.8: a result that is larger than a message is replaced by an error; what the call did has happened.
static void replace_oversize(const struct mcp_request *a)
{
    struct mcp_host *h = a->s->host;
    char bytes[64];
    struct text data = text_on(bytes, sizeof bytes);
    json_put_uint(&data, "limit", h->options.max_message);
    mcp_write_error(answer_begin(h), mcp_id_span(a->id), MCP_EXHAUSTED, "ResponseTooLarge",
                    "the result is larger than a message may be; what it reports has happened", text_span(&data));
}

static void send_out(const struct mcp_request *a, enum mcp_output kind, struct span message)
{
    const struct mcp_link *link = a->s->link;
    link->send(a->s->conn, a->tag, kind, message);
    if (link->end)
        link->end(a->s->conn, a->tag);
}

static void deliver_message(const struct mcp_request *a, enum mcp_output kind)
{
    struct mcp_session *s = a->s;
    struct mcp_host *h = s->host;
    if (h->out.full || h->out.size > h->options.max_message)
        replace_oversize(a);
    if (s->closing)
        return;
    if (a->batch) { // more than one message may be is not collected: the batch is refused in the end
        a->batch->text.full |= a->batch->text.size > h->options.max_message;
        json_write_raw(&a->batch->text, text_span(&h->out));
        return;
    }
    send_out(a, kind, text_span(&h->out));
}

// Sends the batch when all of its requests are answered; a batch of notifications has no reply (G2.6).
void mcp_batch_leave(struct mcp_session *s, struct mcp_batch *b)
{
    if (--b->open > 0)
        return;
    if (!s->closing && b->text.size > 1) {
        struct mcp_id none = {0};
        struct mcp_request a = {.s = s, .id = &none, .tag = b->tag};
        json_end_array(&b->text);
        if (b->text.full || b->text.size > s->host->options.max_message) {
            answer_begin(s->host)->full = true;
            deliver_message(&a, MCP_ANSWER); // says so
        } else {
            send_out(&a, MCP_ANSWER, text_span(&b->text));
        }
    } else if (!s->closing && s->link->end) {
        s->link->end(s->conn, b->tag);
    }
    mcp_batch_free(b);
}

void mcp_batch_free(struct mcp_batch *b)
{
    free(b->text.at);
    free(b);
}

struct text *mcp_begin_result(const struct mcp_request *a)
{
    struct text *t = answer_begin(a->s->host);
    put_head(t, mcp_id_span(a->id));
    json_key(t, "result");
    a->s->host->result_at = t->size;
    a->s->host->extra.size = 0;
    return t;
}

// M10, M12: members that every modern result has in addition.
static void add_modern_members(const struct mcp_request *a)
{
    static const char complete[] = "\"resultType\":\"complete\"", asking[] = "\"resultType\":\"input_required\"";
    const char *first = a->asks ? asking : complete;
    struct mcp_host *h = a->s->host;
    struct text *t = &h->out;
    size_t at = h->result_at + 1, size = strlen(first);
    if (t->full || t->size <= h->result_at + 1)
        return;
    bool empty = t->at[at] == '}';
    char *end = text_reserve(t, size + !empty);
    if (!end)
        return;
    memmove(t->at + at + size + !empty, t->at + at, t->size - size - !empty - at);
    memcpy(t->at + at, first, size);
    if (!empty)
        t->at[at + size] = ',';
    t->size--; // the closing brace
    if (a->ttl_ms >= 0) {
        json_put_int(t, "ttlMs", a->ttl_ms);
        json_put_text(t, "cacheScope", a->shared ? "public" : "private");
    }
    json_begin_object_at(t, "_meta");
    if (h->extra.size)
        json_write_raw(t, text_span(&h->extra));
    json_begin_object_at(t, MCP_PREFIX "serverInfo");
    mcp_put_server(t, a->s, env_pinned_game(h->env), true);
    json_end_object(t);
    json_end_object(t);
    json_end_object(t);
}

void mcp_end_result(const struct mcp_request *a)
{
    if (a->modern)
        add_modern_members(a);
    json_end_object(&a->s->host->out);
    deliver_message(a, MCP_ANSWER);
}

void mcp_answer_empty(const struct mcp_request *a)
{
    text_put(mcp_begin_result(a), SPAN("{}"));
    mcp_end_result(a);
}

void mcp_refuse(const struct mcp_request *a, int code, const char *name, const char *message, struct span data)
{
    mcp_write_error(answer_begin(a->s->host), mcp_id_span(a->id), code, name, message, data);
    deliver_message(a, a->id->size ? MCP_ANSWER : MCP_REFUSAL);
}

void mcp_refuse_params(const struct mcp_request *a, const char *path, const char *expected)
{
    char bytes[512], sentence[320];
    struct text data = text_on(bytes, sizeof bytes), t = text_on(sentence, sizeof sentence - 1);
    json_put_text(&data, "path", path);
    json_put_text(&data, "expected", expected);
    text_puts(&t, path[0] ? path : "params");
    text_puts(&t, " must be ");
    text_puts(&t, expected);
    sentence[t.size] = 0;
    mcp_refuse(a, MCP_INVALID_PARAMS, "InvalidParams", sentence, text_span(&data));
}

// --- results of tools

#ifdef __SSSE3__
// Eight bytes at once: a shuffle puts a backslash in front of each that wants one. By the set of those: the order of
// bytes out of eight and a backslash, and how many there are.
static struct {
    __m128i order[256];
    bool made;
} quoting;

static void make_quoting(void)
{
    for (unsigned set = 0; set < 256; set++) {
        char order[16] = {0};
        int n = 0;
        for (int i = 0; i < 8; i++) {
            if (set >> i & 1)
                order[n++] = 8;
            order[n++] = (char)i;
        }
        quoting.order[set] = _mm_loadu_si128((const __m128i *)order);
    }
    quoting.made = true;
}

// How many bytes were taken; up to the first control character. There is room for twice as many and eight more.
static size_t quote_eights(char **out, const char *from, size_t size)
{
    const __m128i quote = _mm_set1_epi8('"'), slash = _mm_set1_epi8('\\'), space = _mm_set1_epi8(0x1f);
    size_t i = 0;
    if (!quoting.made)
        make_quoting();
    for (; i + 8 <= size; i += 8) {
        __m128i eight = _mm_loadl_epi64((const __m128i *)(from + i));
        __m128i wants = _mm_or_si128(_mm_cmpeq_epi8(eight, quote), _mm_cmpeq_epi8(eight, slash));
        __m128i control = _mm_cmpeq_epi8(_mm_min_epu8(eight, space), eight);
        if (_mm_movemask_epi8(control) & 0xff)
            break;
        unsigned set = (unsigned)_mm_movemask_epi8(wants) & 0xff;
        __m128i both = _mm_unpacklo_epi64(eight, slash);
        _mm_storeu_si128((__m128i *)*out, _mm_shuffle_epi8(both, quoting.order[set]));
        *out += 8 + __builtin_popcount(set);
    }
    return i;
}
#else
static size_t quote_eights(char **out, const char *from, size_t size)
{
    (void)out, (void)from, (void)size;
    return 0;
}
#endif

// Of white space in JSON only breaks and tabs are control characters, and each takes two bytes as an escape; so do
// quotes and backslashes. Everything else stands for itself.
static void put_quoted(struct text *t, struct span json)
{
    char *out = text_reserve(t, 2 * json.size + 16);
    if (!out)
        return;
    char *start = out;
    *out++ = '"';
    for (size_t i = quote_eights(&out, json.at, json.size); i < json.size; i++) {
        char c = json.at[i];
        if ((uint8_t)c < 0x20) {
            *out++ = '\\';
            *out++ = c == '\n' ? 'n' : c == '\r' ? 'r' : 't';
            continue;
        }
        *out = '\\';
        out += (c == '"') | (c == '\\');
        *out++ = c;
    }
    *out++ = '"';
    t->size -= 2 * json.size + 16 - (size_t)(out - start);
}

// --text brief: the members before the first that is an object or an array, in a line.
static void put_summary(struct text *t, struct span body)
{
    char bytes[256], value[96];
    struct text line = text_on(bytes, sizeof bytes);
    struct json_reader r = json_reader_of(body, MCP_MAX_DEPTH);
    struct json_string key;
    for (json_enter_object(&r); json_next_key(&r, &key);) {
        enum json_type type = json_peek(&r);
        if (type == JSON_OBJECT || type == JSON_ARRAY || type == JSON_NONE)
            break;
        if (line.size)
            text_puts(&line, ", ");
        text_put(&line, key.raw);
        text_put_char(&line, ' ');
        if (type == JSON_STRING)
            text_puts(&line, json_string_copy(json_read_string(&r), value, sizeof value) < 0 ? "..." : value);
        else
            text_put(&line, json_read_raw(&r));
    }
    json_write_string(t, line.size ? text_span(&line) : SPAN("done"));
}

// M54: a text of its own after the answer.
static void put_unknown(struct text *t, const struct mcp_request *a)
{
    char bytes[256];
    struct text line = text_on(bytes, sizeof bytes);
    if (!a->unknown || !a->unknown[0])
        return;
    text_puts(&line, "Ignored, the tool has no such argument: ");
    text_puts(&line, a->unknown);
    text_put(t, SPAN(",{\"type\":\"text\",\"text\":"));
    json_write_string(t, text_span(&line));
    text_put_char(t, '}');
}

static void write_success(const struct mcp_request *a, struct span body)
{
    const struct mcp_session *s = a->s;
    struct text *t = mcp_begin_result(a);
    text_put(t, SPAN("{\"content\":[{\"type\":\"text\",\"text\":"));
    if (s->host->options.brief)
        put_summary(t, body);
    else
        put_quoted(t, body);
    text_put_char(t, '}');
    put_unknown(t, a);
    text_put_char(t, ']');
    if (mcp_revision_of(a) >= R2025_06_18) { // G3.4
        text_put(t, SPAN(",\"structuredContent\":"));
        put_unbroken(t, body);
    }
    json_end_object(t);
    mcp_end_result(a);
}

// M17: the code and data of a refusal, for programs.
static void put_error(const struct mcp_request *a, const struct env_result *r)
{
    struct text *t = &a->s->host->extra;
    if (!a->modern)
        return;
    json_begin_object_at(t, "agon/error");
    json_put_int(t, "code", r->code);
    json_put_text(t, "name", r->name);
    if (r->body.size) {
        json_separate(t);
        put_unbroken(t, r->body);
    }
    json_end_object(t);
}

static void write_failure(const struct mcp_request *a, const struct env_result *r)
{
    char bytes[2048];
    struct text line = text_on(bytes, sizeof bytes), *t = mcp_begin_result(a);
    if (!a->modern) {
        text_put_int(&line, r->code);
        text_put_char(&line, ' ');
        text_puts(&line, r->name);
        text_puts(&line, ": ");
    }
    text_puts(&line, r->message);
    put_error(a, r);
    text_put(t, SPAN("{\"content\":[{\"type\":\"text\",\"text\":"));
    json_write_string(t, text_span(&line));
    text_put_char(t, '}');
    put_unknown(t, a);
    text_put(t, SPAN("],\"isError\":true}"));
    mcp_end_result(a);
}

// M52, M57: text, the picture if there is one, and what programs need in _meta. A refusal is a result too.
void mcp_write_player_result(const struct mcp_request *a, const struct env_result *r)
{
    struct span said = {0}, step = {0}, image = {0};
    struct text *t = mcp_begin_result(a);
    if (!r->code) {
        json_find_member(r->body, "text", &said);
        json_find_member(r->body, "step", &step);
        json_find_member(r->body, "image", &image);
    }
    text_put(t, SPAN("{\"content\":["));
    if (a->unknown && a->unknown[0]) {
        char bytes[256];
        struct text line = text_on(bytes, sizeof bytes);
        text_puts(&line, "Ignored, no such argument: ");
        text_puts(&line, a->unknown);
        text_put(t, SPAN("{\"type\":\"text\",\"text\":"));
        json_write_string(t, text_span(&line));
        text_put(t, SPAN("},"));
    }
    text_put(t, SPAN("{\"type\":\"text\",\"text\":"));
    if (r->code)
        json_write_string(t, span_of(r->message));
    else
        text_put(t, said);
    text_put_char(t, '}');
    if (image.size) {
        text_put(t, SPAN(",{\"type\":\"image\",\"data\":"));
        text_put(t, image);
        text_put(t, SPAN(",\"mimeType\":\"image/png\"}"));
    }
    text_put_char(t, ']');
    if (r->code)
        text_put(t, SPAN(",\"isError\":true"));
    if (r->code)
        put_error(a, r);
    if (step.size && a->modern) {
        json_put_raw(&a->s->host->extra, "agon/step", step);
    } else if (step.size) {
        text_put(t, SPAN(",\"_meta\":{\"agon/step\":"));
        text_put(t, step);
        text_put_char(t, '}');
    }
    json_end_object(t);
    mcp_end_result(a);
}

// M23: an agent that the request named by its handle has this name in the reply.
static struct span name_agent(const struct mcp_request *a, struct span body)
{
    static const char key[] = "\"agent_id\":\"";
    struct text *t = &a->s->host->body;
    const char *colon = a->known_as ? strrchr(a->known_as, ':') : NULL;
    size_t size = colon ? (size_t)(colon - a->known_as) : 0;
    t->size = 0;
    t->full = false;
    while (colon && body.size) {
        const char *at = memmem(body.at, body.size, key, sizeof key - 1);
        size_t before = at ? (size_t)(at - body.at) + sizeof key - 1 : body.size;
        text_put(t, (struct span){body.at, before});
        body.at += before;
        body.size -= before;
        if (at && body.size > size && memcmp(body.at, a->known_as, size) == 0 && body.at[size] == '"') {
            text_puts(t, a->known_as);
            body.at += size;
            body.size -= size;
        }
    }
    return colon ? text_span(t) : body;
}

void mcp_write_tool_result(const struct mcp_request *a, const struct env_result *r)
{
    bool domain = r->code == MCP_INVALID_PARAMS || (r->code <= -32000 && r->code >= -32004);
    if (r->code == 0)
        write_success(a, name_agent(a, r->body));
    else if (domain && (a->modern || a->s->host->options.errors_as_results)) // G4.7, M17
        write_failure(a, r);
    else
        mcp_refuse(a, r->code, r->name, r->message, r->body);
}

// --- notifications

static void write_note(struct text *t, const char *method, struct span params)
{
    text_put(t, SPAN("{\"jsonrpc\":\"2.0\",\"method\":\""));
    text_puts(t, method);
    text_put(t, SPAN("\",\"params\":"));
    put_unbroken(t, params);
    text_put_char(t, '}');
}

void mcp_notify(struct mcp_session *s, const char *method, struct span params)
{
    struct text *t = answer_begin(s->host);
    write_note(t, method, params);
    if (!s->closing && !t->full && t->size <= s->host->options.max_message)
        s->link->send(s->conn, 0, MCP_NOTE, text_span(t));
}

void mcp_notify_later(struct mcp_session *s, const char *method, struct span params)
{
    size_t before = s->later.size;
    if (s->closing)
        return;
    write_note(&s->later, method, params);
    text_put_char(&s->later, '\n');
    if (s->later.full || s->later.size - before > s->host->options.max_message) {
        s->later.size = before;
        s->later.full = false;
    }
    s->host->notes = true;
}
