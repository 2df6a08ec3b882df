// Parses HTTP/1.1 messages strictly: RFC 9112 without the leniency it permits (decision 011). It knows no connection
// and allocates nothing; the head is stored in a text of the caller. Bytes may be split anywhere: the result is the
// same.
//
//     http_reader_init(&r, HTTP_REQUESTS, &head, 16384, 8192);
//     while ((e = http_read(&r, &bytes, &data)) != HTTP_MORE) ...
//
// After HTTP_END the rest of `bytes` belongs to the next message: call http_reader_begin, then continue. After HTTP_BAD
// it is unknown where the next message begins: reply with `message.status` and close the connection.
#pragma once

#include "base/text.h"

#include <stdint.h>

enum { HTTP_MAX_FIELDS = 64 };

enum http_side { HTTP_REQUESTS, HTTP_RESPONSES };

enum http_event {
    HTTP_MORE, // all bytes are used
    HTTP_HEAD, // the head is complete and valid
    HTTP_DATA, // a part of the body, in `data`: never empty, points into `bytes`
    HTTP_END,  // the message is complete; trailers were checked and dropped
    HTTP_BAD,
};

struct http_piece {
    // An offset and no pointer: the head may move when it grows.
    uint32_t at, size; // offset in the head, and size
};

// What is known of the message so far.
struct http_message {
    const char *method;            // of a request, one of those in RFC 9110 and RFC 5789; "" until it is known
    int status;                    // of a response; of a request after HTTP_BAD: the status to reply with
    struct http_piece path, query; // of the target; the query includes its '?'
    struct http_piece host;        // with the port: of an absolute target, else of the Host header
    uint64_t length;               // of a body that is not chunked
    int fields;                    // number of elements of reader.name and reader.value
    uint8_t minor;                 // HTTP/1.minor
    bool absolute;                 // the target has scheme and host; then an empty path means "/"
    bool has_length, chunked, keep_alive;
};

struct http_reader {
    struct text *head;
    size_t max_head, max_target; // beyond them 431, 414; max_target 0: only max_head counts
    enum http_side side;
    bool bodiless; // of a response: the request was HEAD
    struct http_message message;
    // State of the parser.
    int state;
    uint32_t line_at; // offset of the current line in the head
    uint64_t left;    // bytes left of the body or the chunk
    size_t extra;     // bytes of chunk extensions or trailers so far
    int skipped;      // empty lines or interim responses before the message
    bool has_host, has_coding, wants_close, wants_more;
    struct http_piece name[HTTP_MAX_FIELDS], value[HTTP_MAX_FIELDS]; // without blanks at both ends
};

void http_reader_init(struct http_reader *r, enum http_side side, struct text *head, size_t max_head,
                      size_t max_target);
void http_reader_begin(struct http_reader *r); // the next message; empties the head
// Consumes a part of `bytes`. Call it again until it returns HTTP_MORE or HTTP_BAD.
enum http_event http_read(struct http_reader *r, struct span *bytes, struct span *data);
// The connection has ended. Returns true if that also ends the message (a response without a length).
bool http_reader_ends(const struct http_reader *r);

struct span http_reader_slice(const struct http_reader *r, struct http_piece p);
// The first value of a field; at is NULL if absent. "Host" is that of an absolute target, if there is one.
struct span http_reader_field(const struct http_reader *r, const char *name);
// The last value: a proxy appends its line to those of its client.
struct span http_reader_last_field(const struct http_reader *r, const char *name);
