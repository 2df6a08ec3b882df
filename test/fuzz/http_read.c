// Arbitrary bytes to the reader of HTTP messages: however they are split, the result is the same, and what was accepted
// keeps the promises of RFC 9112 on which everything behind the reader relies.
//
// The first byte chooses requests or responses, and the limits.
#include "http_run.h"
#include "net/http_grammar.h"

enum { SMALL_HEAD = 200, SMALL_TARGET = 40, LARGE_HEAD = 16384 };

static void must(bool holds)
{
    if (!holds)
        abort();
}

static void check_head(const struct http_reader *r)
{
    const struct http_message *m = &r->message;
    must(m->fields <= HTTP_MAX_FIELDS && r->head->size <= r->max_head);
    must(!(m->chunked && m->has_length));
    must(!(m->chunked && m->minor == 0));
    if (r->side == HTTP_REQUESTS) {
        must(m->method[0] && (m->absolute || m->path.size));
        must(m->minor == 0 || http_is_host(http_reader_slice(r, m->host)));
    }
    int lengths = 0, codings = 0, hosts = 0;
    for (int i = 0; i < m->fields; i++) {
        struct span name = http_reader_slice(r, r->name[i]), value = http_reader_slice(r, r->value[i]);
        must(http_is_token(name) && http_is_value(value));
        lengths += http_equals(name, "Content-Length");
        codings += http_equals(name, "Transfer-Encoding");
        hosts += http_equals(name, "Host");
    }
    must(lengths == m->has_length && codings == m->chunked);
    must(r->side == HTTP_RESPONSES || hosts <= 1);
}

// The heads alone: their promises.
static void check_promises(enum http_side side, size_t max_head, size_t max_target, struct span bytes)
{
    struct http_run run;
    struct span data;
    enum http_event e;
    http_run_begin(&run, side, max_head, max_target);
    while ((e = http_read(&run.reader, &bytes, &data)) != HTTP_MORE && e != HTTP_BAD) {
        if (e == HTTP_HEAD)
            check_head(&run.reader);
        if (e == HTTP_END)
            http_reader_begin(&run.reader);
    }
    if (e == HTTP_BAD)
        must(run.reader.message.status >= 400 && http_read(&run.reader, &bytes, &data) == HTTP_BAD);
    else
        must(bytes.size == 0);
    http_run_end(&run);
}

// Pieces of 1 to `most` bytes, chosen by the bytes themselves.
static struct http_result run(enum http_side side, size_t max_head, size_t max_target, struct span bytes, size_t most)
{
    struct http_run r;
    uint32_t chance = 1;
    http_run_begin(&r, side, max_head, max_target);
    while (bytes.size) {
        chance = chance * 1664525u + (unsigned char)bytes.at[0] + 1013904223u;
        size_t size = most ? 1 + (chance >> 16) % most : bytes.size;
        if (size > bytes.size)
            size = bytes.size;
        http_run_bytes(&r, (struct span){bytes.at, size});
        bytes.at += size;
        bytes.size -= size;
    }
    return http_run_end(&r);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0)
        return 0;
    enum http_side side = data[0] & 1 ? HTTP_RESPONSES : HTTP_REQUESTS;
    size_t max_head = data[0] & 2 ? SMALL_HEAD : LARGE_HEAD, max_target = data[0] & 4 ? SMALL_TARGET : 0;
    struct span bytes = {(const char *)data + 1, size - 1};
    check_promises(side, max_head, max_target, bytes);
    struct http_result whole = run(side, max_head, max_target, bytes, 0);
    static const size_t pieces[] = {1, 2, 9, 60};
    for (unsigned i = 0; i < sizeof pieces / sizeof *pieces; i++)
        must(http_results_equal(run(side, max_head, max_target, bytes, pieces[i]), whole));
    return 0;
}
