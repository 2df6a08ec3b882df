// What reading a request costs, in nanoseconds of CPU time: our reader, and in the same run http-parser, which it
// replaced (decision 011), where libhttp-parser-dev is installed. The best of several rounds counts.
#include "net/http_read.h"
#include "heap/heap.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { ROUNDS = 15, CALLS = 20000, MAX_HEAD = 16384 };

static const struct {
    const char *name, *bytes;
} requests[] = {
    {"GET, 3 fields",
     "GET /api/health HTTP/1.1\r\nHost: 127.0.0.1:8080\r\nUser-Agent: curl/7.88.1\r\nAccept: */*\r\n\r\n"},
    {"GET of a browser, 13 fields",
     "GET /api/leaderboard/coup?limit=50 HTTP/1.1\r\nHost: arena.example.org\r\nConnection: keep-alive\r\n"
     "sec-ch-ua: \"Chromium\";v=\"118\", \"Not=A?Brand\";v=\"99\"\r\nsec-ch-ua-mobile: ?0\r\nUser-Agent: Mozilla/5.0 "
     "(X11; "
     "Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/118.0.0.0 Safari/537.36\r\nAccept: "
     "application/json\r\nSec-Fetch-Site: same-origin\r\nSec-Fetch-Mode: cors\r\nSec-Fetch-Dest: empty\r\nReferer: "
     "https://arena.example.org/\r\nAccept-Encoding: gzip, deflate, br\r\nAccept-Language: en-GB,en;q=0.9,de;q=0.8\r\n"
     "X-Forwarded-For: 203.0.113.7\r\n\r\n"},
    {"POST, JSON of 100 bytes",
     "POST /mcp HTTP/1.1\r\nHost: localhost:8080\r\nContent-Type: application/json\r\nAccept: application/json, "
     "text/event-stream\r\nMCP-Session-Id: 0123456789abcdef0123456789abcdef\r\nContent-Length: 100\r\n\r\n"
     "{\"jsonrpc\":\"2.0\",\"id\":12345,\"method\":\"tools/"
     "call\",\"params\":{\"name\":\"sim_step\",\"arguments\":{\"t\":100}}} "
     "     "},
    {"POST, 3 chunks",
     "POST /mcp HTTP/1.1\r\nHost: localhost:8080\r\nContent-Type: application/json\r\nTransfer-Encoding: "
     "chunked\r\n\r\n"
     "20\r\n01234567890123456789012345678901\r\n20\r\n01234567890123456789012345678901\r\n5\r\nhello\r\n0\r\n\r\n"},
};

static struct text head = {.grow = heap_text_grow}, body = {.grow = heap_text_grow};
static uint64_t sink;

static void fail(const char *who)
{
    fprintf(stderr, "http_read: %s refused a request\n", who);
    exit(1);
}

static void read_ours(struct span bytes)
{
    static struct http_reader r;
    struct span data;
    if (!r.head)
        http_reader_init(&r, HTTP_REQUESTS, &head, MAX_HEAD, 0);
    else
        http_reader_begin(&r);
    body.size = 0;
    for (enum http_event e; (e = http_read(&r, &bytes, &data)) != HTTP_END;) {
        if (e == HTTP_DATA)
            text_put(&body, data);
        else if (e != HTTP_HEAD)
            fail("our reader");
    }
    sink += head.size + body.size + (uint64_t)r.message.fields;
}

#ifdef HAS_HTTP_PARSER
#define HTTP_HEAD HTTP_PARSER_HEAD // its name for a method is ours for an event
#include <http_parser.h>
#undef HTTP_HEAD

// As src/net/http.c used it: names and values are gathered in one text.
static struct {
    struct http_piece name[HTTP_MAX_FIELDS], value[HTTP_MAX_FIELDS], target;
    int fields;
    bool in_value, complete;
} theirs;

static int add_piece(struct http_piece *p, const char *at, size_t size)
{
    if (head.size + size > MAX_HEAD)
        return 1;
    if (p->size == 0)
        p->at = (uint32_t)head.size;
    text_put(&head, (struct span){at, size});
    p->size += (uint32_t)size;
    return head.full;
}

static int on_url(http_parser *p, const char *at, size_t size)
{
    (void)p;
    return add_piece(&theirs.target, at, size);
}

static int on_field(http_parser *p, const char *at, size_t size)
{
    (void)p;
    if (theirs.in_value || theirs.fields == 0) {
        if (theirs.fields == HTTP_MAX_FIELDS)
            return 1;
        theirs.name[theirs.fields] = theirs.value[theirs.fields] = (struct http_piece){0};
        theirs.fields++;
        theirs.in_value = false;
    }
    return add_piece(&theirs.name[theirs.fields - 1], at, size);
}

static int on_value(http_parser *p, const char *at, size_t size)
{
    (void)p;
    theirs.in_value = true;
    return add_piece(&theirs.value[theirs.fields - 1], at, size);
}

static int on_body(http_parser *p, const char *at, size_t size)
{
    (void)p;
    text_put(&body, (struct span){at, size});
    return body.full;
}

static int on_end(http_parser *p)
{
    theirs.complete = true;
    sink += (uint64_t)http_should_keep_alive(p);
    http_parser_pause(p, 1);
    return 0;
}

static const http_parser_settings settings = {.on_url = on_url,
                                              .on_header_field = on_field,
                                              .on_header_value = on_value,
                                              .on_body = on_body,
                                              .on_message_complete = on_end};

static void read_theirs(struct span bytes)
{
    http_parser p;
    http_parser_init(&p, HTTP_REQUEST);
    head.size = body.size = 0;
    theirs.target = (struct http_piece){0};
    theirs.fields = 0;
    theirs.in_value = theirs.complete = false;
    http_parser_execute(&p, &settings, bytes.at, bytes.size);
    if (!theirs.complete)
        fail("http-parser");
    sink += head.size + body.size + (uint64_t)theirs.fields;
}
#endif

static double cpu_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return 1e9 * (double)t.tv_sec + (double)t.tv_nsec;
}

static double time_once(void (*read)(struct span), struct span bytes)
{
    double begin = cpu_ns();
    for (int i = 0; i < CALLS; i++)
        read(bytes);
    return (cpu_ns() - begin) / CALLS;
}

// In turns, so that whatever else the machine does meets both.
static void measure_parsers(struct span bytes, double *ours, double *other)
{
    *ours = *other = 1e18;
    for (int round = 0; round < ROUNDS; round++) {
        double ns = time_once(read_ours, bytes);
        *ours = ns < *ours ? ns : *ours;
#ifdef HAS_HTTP_PARSER
        ns = time_once(read_theirs, bytes);
        *other = ns < *other ? ns : *other;
#endif
    }
}

int main(void)
{
    printf("[");
    for (unsigned i = 0; i < sizeof requests / sizeof *requests; i++) {
        double ours, other;
        struct span bytes = span_of(requests[i].bytes);
        measure_parsers(bytes, &ours, &other);
        printf("%s\n {\"name\":\"%s\",\"bytes\":%zu,\"ns\":%.1f", i ? "," : "", requests[i].name, bytes.size, ours);
        if (other < 1e17)
            printf(",\"http_parser_ns\":%.1f,\"ratio\":%.2f", other, ours / other);
        printf("}");
    }
    printf("\n]\n");
    fprintf(stderr, "%s", sink == 1 ? " " : ""); // nothing is left out
    free(head.at);
    free(body.at);
    return 0;
}
