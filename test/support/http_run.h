// A reader of HTTP messages and what it made of some bytes, in whatever pieces they came.
#pragma once

#include "heap/heap.h"
#include "net/http_read.h"

#include <stdlib.h>

// The digest covers everything that was read: equal digests, equal messages.
struct http_result {
    int messages, status; // complete ones; what the next one is refused with, or 0
    bool inside;          // of a message that has begun
    uint64_t digest;
};

struct http_run {
    struct http_reader reader;
    struct text head;
    struct http_result result;
    bool stopped; // refused, or the last message asked for the end
};

static inline void http_run_begin(struct http_run *r, enum http_side side, size_t max_head, size_t max_target)
{
    *r = (struct http_run){.head.grow = heap_text_grow};
    http_reader_init(&r->reader, side, &r->head, max_head, max_target);
}

static inline void http_run_mix(struct http_run *r, struct span s)
{
    for (size_t i = 0; i < s.size; i++)
        r->result.digest = (r->result.digest ^ (unsigned char)s.at[i]) * 1099511628211u;
    r->result.digest += s.size;
}

static inline void http_run_head(struct http_run *r)
{
    const struct http_message *m = &r->reader.message;
    http_run_mix(r, span_of(m->method));
    http_run_mix(r, http_reader_slice(&r->reader, m->path));
    http_run_mix(r, http_reader_slice(&r->reader, m->query));
    http_run_mix(r, http_reader_slice(&r->reader, m->host));
    for (int i = 0; i < m->fields; i++) {
        http_run_mix(r, http_reader_slice(&r->reader, r->reader.name[i]));
        http_run_mix(r, http_reader_slice(&r->reader, r->reader.value[i]));
    }
    r->result.digest += (uint64_t)m->status + m->length;
}

static inline void http_run_data(struct http_run *r, struct span data)
{
    if (data.size == 0)
        abort();
    for (size_t i = 0; i < data.size; i++) // one by one: pieces may be of any size
        http_run_mix(r, (struct span){data.at + i, 1});
}

// Of pieces: a copy each, so that a sanitizer sees when a byte too many is read.
static inline void http_run_bytes(struct http_run *r, struct span piece)
{
    char *copy = malloc(piece.size ? piece.size : 1);
    memcpy(copy, piece.at, piece.size);
    struct span bytes = {copy, piece.size}, data;
    r->result.inside |= bytes.size > 0;
    for (enum http_event e; !r->stopped && (e = http_read(&r->reader, &bytes, &data)) != HTTP_MORE;) {
        if (e == HTTP_BAD) {
            r->result.status = r->reader.message.status;
            r->stopped = true;
        } else if (e == HTTP_HEAD) {
            http_run_head(r);
        } else if (e == HTTP_DATA) {
            http_run_data(r, data);
        } else {
            r->result.messages++;
            r->stopped = !r->reader.message.keep_alive;
            http_reader_begin(&r->reader);
            r->result.inside = bytes.size > 0;
        }
    }
    free(copy);
}

static inline struct http_result http_run_end(struct http_run *r)
{
    free(r->head.at);
    return r->result;
}

static inline bool http_results_equal(struct http_result a, struct http_result b)
{
    return a.messages == b.messages && a.status == b.status && a.digest == b.digest;
}
