#include "net/http_read.h"

#include "net/http_grammar.h"

#include <assert.h>

enum {
    REQUEST_LINE_REST = 32, // a request line without its target: the longest method, spaces, version, CRLF
    MAX_CHUNK_LINE = 256,
    MAX_EXTENSIONS = 4096, // of all chunks together: extensions must not outweigh the body
    MAX_EMPTY_LINES = 1,   // RFC 9112, 2.2: before a request line
    MAX_INTERIM = 8,       // 1xx responses before the final one
};

// BEFORE_BODY: the caller knows the head and may stop here. TO_THE_END: a response without a length, which lasts as
// long as its connection. Lines of CHUNK_LINE, CHUNK_END and TRAILERS are collected behind the head and dropped again.
enum state { START, FIELDS, BEFORE_BODY, BODY, TO_THE_END, CHUNK_LINE, CHUNK, CHUNK_END, TRAILERS, DONE, BAD };

enum { GO_ON = -1 }; // instead of an enum http_event: look at the state again

void http_reader_init(struct http_reader *r, enum http_side side, struct text *head, size_t max_head, size_t max_target)
{
    assert(max_head < UINT32_MAX);
    *r = (struct http_reader){.side = side, .head = head, .max_head = max_head, .max_target = max_target};
    http_reader_begin(r);
}

static void begin_head(struct http_reader *r)
{
    r->head->size = 0;
    r->line_at = 0;
    r->message = (struct http_message){.method = ""};
    r->has_host = r->has_coding = r->wants_close = r->wants_more = false;
    r->state = START;
}

void http_reader_begin(struct http_reader *r)
{
    begin_head(r);
    r->left = 0;
    r->extra = 0;
    r->skipped = 0;
}

struct span http_reader_slice(const struct http_reader *r, struct http_piece p)
{
    return p.size ? (struct span){r->head->at + p.at, p.size} : (struct span){"", 0};
}

struct span http_reader_field(const struct http_reader *r, const char *name)
{
    if (http_equals(SPAN("host"), name))
        return r->message.host.size ? http_reader_slice(r, r->message.host) : (struct span){0};
    for (int i = 0; i < r->message.fields; i++)
        if (http_equals(http_reader_slice(r, r->name[i]), name))
            return http_reader_slice(r, r->value[i]);
    return (struct span){0};
}

struct span http_reader_last_field(const struct http_reader *r, const char *name)
{
    for (int i = r->message.fields; i-- > 0;)
        if (http_equals(http_reader_slice(r, r->name[i]), name))
            return http_reader_slice(r, r->value[i]);
    return (struct span){0};
}

static int fail_with(struct http_reader *r, int status)
{
    r->message.status = status;
    r->state = BAD;
    return HTTP_BAD;
}

static struct http_piece piece_of(const struct http_reader *r, struct span s)
{
    return (struct http_piece){(uint32_t)(s.at - r->head->at), (uint32_t)s.size};
}

// --- lines

enum line { LINE_MORE, LINE_WHOLE, LINE_LONG, LINE_BARE, LINE_NO_ROOM };

// Moves bytes to the end of the head until a line is complete, and sets `line` to it without its CRLF. A line end
// without CR is an error, and so is a line of more than `limit` bytes, complete or not.
static enum line collect_line(struct http_reader *r, struct span *bytes, size_t limit, struct span *line)
{
    const char *end = bytes->size ? memchr(bytes->at, '\n', bytes->size) : NULL;
    size_t size = end ? (size_t)(end - bytes->at) + 1 : bytes->size;
    if (r->head->size - r->line_at + size > limit)
        return LINE_LONG;
    text_put(r->head, (struct span){bytes->at, size});
    if (r->head->full)
        return LINE_NO_ROOM;
    bytes->at += size;
    bytes->size -= size;
    if (!end)
        return LINE_MORE;
    *line = (struct span){r->head->at + r->line_at, r->head->size - r->line_at};
    if (line->size < 2 || line->at[line->size - 2] != '\r')
        return LINE_BARE;
    line->size -= 2;
    return LINE_WHOLE;
}

static void keep_line(struct http_reader *r)
{
    r->line_at = (uint32_t)r->head->size;
}

static void drop_line(struct http_reader *r)
{
    r->head->size = r->line_at;
}

// The event for an incomplete line.
static int wait_or_fail(struct http_reader *r, enum line l, int too_long)
{
    return l == LINE_MORE ? HTTP_MORE : fail_with(r, l == LINE_LONG ? too_long : l == LINE_BARE ? 400 : 503);
}

// --- the first line

static const char *const methods[] = {"GET", "HEAD", "POST", "PUT", "DELETE", "CONNECT", "OPTIONS", "TRACE", "PATCH"};

static const char *find_method(struct span word) // in upper case only (RFC 9110, 9.1)
{
    for (unsigned i = 0; i < sizeof methods / sizeof *methods; i++)
        if (span_is(word, methods[i]))
            return methods[i];
    return NULL;
}

static void split_query(struct http_reader *r, struct span target)
{
    const char *mark = memchr(target.at, '?', target.size);
    size_t path = mark ? (size_t)(mark - target.at) : target.size;
    r->message.path = piece_of(r, (struct span){target.at, path});
    r->message.query = piece_of(r, (struct span){target.at + path, target.size - path});
}

static size_t scheme_size(struct span target)
{
    if (target.size > 7 && http_equals((struct span){target.at, 7}, "http://"))
        return 7;
    return target.size > 8 && http_equals((struct span){target.at, 8}, "https://") ? 8 : 0;
}

// RFC 9112, 3.2.2. User and password before the host are an error (RFC 9110, 4.2.4).
static int parse_absolute_target(struct http_reader *r, struct span target)
{
    size_t at = scheme_size(target), size = 0;
    if (at == 0)
        return 400;
    while (at + size < target.size && target.at[at + size] != '/' && target.at[at + size] != '?')
        size++;
    struct span host = {target.at + at, size};
    if (!http_is_host(host))
        return 400;
    r->message.absolute = true;
    r->message.host = piece_of(r, host);
    split_query(r, (struct span){host.at + size, target.size - at - size});
    return 0;
}

// RFC 9112, 3.2: the form depends on the method.
static int parse_target(struct http_reader *r, struct span target)
{
    const char *method = r->message.method;
    if (strcmp(method, "CONNECT") == 0) {
        r->message.path = piece_of(r, target);
        return http_is_host(target) && memchr(target.at, ':', target.size) ? 0 : 400;
    }
    if (span_is(target, "*")) {
        r->message.path = piece_of(r, target);
        return strcmp(method, "OPTIONS") == 0 ? 0 : 400;
    }
    if (target.at[0] != '/')
        return parse_absolute_target(r, target);
    split_query(r, target);
    return 0;
}

// "HTTP/" and two digits. Returns 0 if the version is supported.
static int parse_version(struct http_reader *r, struct span s)
{
    if (s.size != 8 || memcmp(s.at, "HTTP/", 5) != 0 || s.at[6] != '.' || s.at[5] < '0' || s.at[5] > '9' ||
        s.at[7] < '0' || s.at[7] > '9')
        return 400;
    if (s.at[5] != '1' || s.at[7] > '1')
        return 505;
    r->message.minor = (uint8_t)(s.at[7] - '0');
    return 0;
}

static int parse_request_line(struct http_reader *r, struct span line)
{
    const char *first = memchr(line.at, ' ', line.size), *last = memrchr(line.at, ' ', line.size);
    if (!first || first == last)
        return 400;
    struct span method = {line.at, (size_t)(first - line.at)}, target = {first + 1, (size_t)(last - first - 1)};
    int status = parse_version(r, (struct span){last + 1, (size_t)(line.at + line.size - last - 1)});
    if (status)
        return status;
    if (!http_is_token(method) || !http_is_target(target))
        return 400;
    if (r->max_target && target.size > r->max_target)
        return 414;
    const char *known = find_method(method);
    if (!known)
        return 501;
    r->message.method = known;
    return parse_target(r, target);
}

static int parse_status_line(struct http_reader *r, struct span line)
{
    if (line.size < 12 || line.at[8] != ' ' || (line.size > 12 && line.at[12] != ' ') || !http_is_value(line))
        return 400;
    int status = parse_version(r, (struct span){line.at, 8});
    uint64_t code = 0;
    if (status || !http_read_length((struct span){line.at + 9, 3}, &code) || code < 100)
        return 400;
    r->message.status = (int)code;
    return 0;
}

static size_t first_line_limit(const struct http_reader *r, int *status)
{
    size_t line = r->max_target + REQUEST_LINE_REST;
    bool counts = r->side == HTTP_REQUESTS && r->max_target && line < r->max_head;
    *status = counts ? 414 : 431;
    return counts ? line : r->max_head;
}

static int read_start(struct http_reader *r, struct span *bytes)
{
    struct span line;
    int too_long;
    size_t limit = first_line_limit(r, &too_long);
    // Refuses what cannot begin a message without waiting for a line end: a TLS handshake, for example.
    if (r->head->size == 0 && bytes->size && bytes->at[0] != '\r' && !http_is_token((struct span){bytes->at, 1}))
        return fail_with(r, 400);
    enum line l = collect_line(r, bytes, limit, &line);
    if (l != LINE_WHOLE)
        return wait_or_fail(r, l, too_long);
    if (line.size == 0 && r->side == HTTP_REQUESTS && r->skipped++ < MAX_EMPTY_LINES) {
        drop_line(r);
        return GO_ON;
    }
    int status = r->side == HTTP_REQUESTS ? parse_request_line(r, line) : parse_status_line(r, line);
    if (status)
        return fail_with(r, status);
    keep_line(r);
    r->state = FIELDS;
    return GO_ON;
}

// --- fields

static int parse_host(struct http_reader *r, struct span value)
{
    if (r->has_host || !http_is_host(value))
        return 400;
    r->has_host = true;
    if (!r->message.absolute)
        r->message.host = piece_of(r, value);
    return 0;
}

// RFC 9112, 6.3: a second one is refused even if it is equal.
static int parse_length(struct http_reader *r, struct span value)
{
    if (r->message.has_length || !http_read_length(value, &r->message.length))
        return 400;
    r->message.has_length = true;
    return 0;
}

static int parse_coding(struct http_reader *r, struct span value)
{
    if (r->has_coding || !http_equals(value, "chunked"))
        return 400;
    r->has_coding = r->message.chunked = true;
    return 0;
}

static int parse_connection(struct http_reader *r, struct span value)
{
    r->wants_close |= http_list_has(value, "close");
    r->wants_more |= http_list_has(value, "keep-alive");
    return 0;
}

// Fields that decide where a message ends, and for whom it is. A server that reads them otherwise than the proxy in
// front of it lets clients smuggle requests past the proxy (decision 011).
static const struct {
    const char *name;
    int (*parse)(struct http_reader *r, struct span value);
} framing[] = {
    {"Host", parse_host},
    {"Content-Length", parse_length},
    {"Transfer-Encoding", parse_coding},
    {"Connection", parse_connection},
};

// Refuses a blank before the colon or the name, hence also folded lines (RFC 9112, 5.1 and 5.2).
static bool split_field(struct span line, struct span *name, struct span *value)
{
    const char *colon = line.size ? memchr(line.at, ':', line.size) : NULL;
    if (!colon)
        return false;
    *name = (struct span){line.at, (size_t)(colon - line.at)};
    *value = http_trim((struct span){colon + 1, line.size - name->size - 1});
    return http_is_token(*name) && http_is_value(*value);
}

static int parse_field(struct http_reader *r, struct span line)
{
    struct span name, value;
    if (!split_field(line, &name, &value))
        return 400;
    if (r->message.fields == HTTP_MAX_FIELDS)
        return 431;
    r->name[r->message.fields] = piece_of(r, name);
    r->value[r->message.fields++] = piece_of(r, value);
    for (unsigned i = 0; i < sizeof framing / sizeof *framing; i++)
        if (http_equals(name, framing[i].name) && (i > 0 || r->side == HTTP_REQUESTS))
            return framing[i].parse(r, value);
    return 0;
}

// Checks that need the whole head.
static int check_head(struct http_reader *r)
{
    struct http_message *m = &r->message;
    if (r->side == HTTP_REQUESTS && m->minor > 0 && !r->has_host)
        return 400;
    if (r->has_coding && (m->has_length || m->minor == 0)) // RFC 9112, 6.1
        return 400;
    m->keep_alive = !r->wants_close && (m->minor > 0 || r->wants_more);
    return 0;
}

static int read_fields(struct http_reader *r, struct span *bytes)
{
    struct span line;
    enum line l = collect_line(r, bytes, r->max_head - r->line_at, &line);
    if (l != LINE_WHOLE)
        return wait_or_fail(r, l, 431);
    int status = line.size ? parse_field(r, line) : check_head(r);
    if (status)
        return fail_with(r, status);
    keep_line(r);
    if (line.size)
        return GO_ON;
    if (r->side == HTTP_RESPONSES && r->message.status < 200 && r->message.status != 101) { // interim
        begin_head(r);
        return r->skipped++ < MAX_INTERIM ? GO_ON : fail_with(r, 400);
    }
    r->state = BEFORE_BODY;
    return HTTP_HEAD;
}

// --- bodies

static bool has_no_body(const struct http_reader *r)
{
    int status = r->message.status;
    return r->side == HTTP_RESPONSES && (r->bodiless || status == 101 || status == 204 || status == 304);
}

// RFC 9112, 6.3.
static int choose_body(struct http_reader *r)
{
    const struct http_message *m = &r->message;
    r->left = m->length;
    if (has_no_body(r))
        r->state = DONE;
    else if (m->chunked)
        r->state = CHUNK_LINE;
    else if (m->has_length || r->side == HTTP_REQUESTS)
        r->state = m->length ? BODY : DONE;
    else
        r->state = TO_THE_END;
    return GO_ON;
}

// Passes up to `most` bytes of the body.
static int pass_body(struct span *bytes, uint64_t most, struct span *data)
{
    size_t size = bytes->size < most ? bytes->size : (size_t)most;
    if (size == 0)
        return HTTP_MORE;
    *data = (struct span){bytes->at, size};
    bytes->at += size;
    bytes->size -= size;
    return HTTP_DATA;
}

static int read_body(struct http_reader *r, struct span *bytes, struct span *data)
{
    int e = pass_body(bytes, r->left, data);
    if (e == HTTP_DATA && (r->left -= data->size) == 0)
        r->state = r->state == BODY ? DONE : CHUNK_END;
    return e;
}

static int read_chunk_line(struct http_reader *r, struct span *bytes)
{
    struct span line;
    size_t extension;
    enum line l = collect_line(r, bytes, MAX_CHUNK_LINE, &line);
    if (l != LINE_WHOLE)
        return wait_or_fail(r, l, 400);
    if (!http_read_chunk(line, &r->left, &extension) || (r->extra += extension) > MAX_EXTENSIONS)
        return fail_with(r, 400);
    drop_line(r);
    r->state = r->left ? CHUNK : TRAILERS;
    if (r->left == 0)
        r->extra = 0; // from now on: bytes of trailers
    return GO_ON;
}

// The CRLF after the data of a chunk.
static int read_chunk_end(struct http_reader *r, struct span *bytes)
{
    struct span line;
    enum line l = collect_line(r, bytes, 2, &line);
    if (l != LINE_WHOLE)
        return wait_or_fail(r, l, 400);
    drop_line(r);
    r->state = CHUNK_LINE;
    return GO_ON;
}

static int read_trailers(struct http_reader *r, struct span *bytes)
{
    struct span line, name, value;
    enum line l = collect_line(r, bytes, r->max_head - r->extra, &line);
    if (l != LINE_WHOLE)
        return wait_or_fail(r, l, 431);
    if (line.size && !split_field(line, &name, &value))
        return fail_with(r, 400);
    if (line.size == 0)
        r->state = DONE;
    r->extra += line.size + 2;
    drop_line(r);
    return GO_ON;
}

// --- the state machine

static int run_state(struct http_reader *r, struct span *bytes, struct span *data)
{
    switch ((enum state)r->state) {
    case START:
        return read_start(r, bytes);
    case FIELDS:
        return read_fields(r, bytes);
    case BEFORE_BODY:
        return choose_body(r);
    case BODY:
    case CHUNK:
        return read_body(r, bytes, data);
    case TO_THE_END:
        return pass_body(bytes, UINT64_MAX, data);
    case CHUNK_LINE:
        return read_chunk_line(r, bytes);
    case CHUNK_END:
        return read_chunk_end(r, bytes);
    case TRAILERS:
        return read_trailers(r, bytes);
    case DONE:
        return HTTP_END;
    case BAD:
        break;
    }
    return HTTP_BAD;
}

enum http_event http_read(struct http_reader *r, struct span *bytes, struct span *data)
{
    int event;
    do
        event = run_state(r, bytes, data);
    while (event == GO_ON);
    return (enum http_event)event;
}

bool http_reader_ends(const struct http_reader *r)
{
    return r->state == TO_THE_END;
}
