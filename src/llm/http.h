// Requests to model servers: libcurl on the loop. One request is one call, which is not repeated here; the owner judges
// the result (retry.h).
#pragma once

#include "base/text.h"
#include "net/loop.h"

#include <curl/curl.h>
#include <sys/queue.h>

// HTTP_BODY: bytes of an answer; a longer one fails the call (L146). HTTP_TEXT: of an error message.
enum { HTTP_BODY = 8 << 20, HTTP_TEXT = 256 };

struct llm_http;

struct llm_call {
    // Set by the owner; must stay valid until the end.
    const char *url;
    struct curl_slist *headers;
    struct span body;
    int idle_ms, total_ms;                            // L104: between two bytes; in total
    bool is_loopback;                                 // no proxy is used
    void (*on_bytes)(void *owner, struct span bytes); // of a successful answer (200), as they arrive
    void (*on_done)(void *owner);                     // the last call; never inside llm_call_begin
    void *owner;

    // The result.
    int status; // 0: none
    bool timed_out, final_fault;
    char text[HTTP_TEXT];               // error of the connection; "": none
    struct text error;                  // beginning of the body of any other status
    int64_t retry_after_ms, pause_ms;   // -1: not given by the server
    int should_retry;                   // -1: not given by the server
    int64_t sent_us, first_us, done_us; // first: of the body; 0: none came

    // Private.
    struct llm_http *http;
    CURL *easy;
    struct event *timer;
    int64_t heard_us;
    size_t received;
    bool too_large, running;
    int64_t remaining; // of a request limit; -1: unknown
    int64_t reset_ms;
    LIST_ENTRY(llm_call) next;
};

struct llm_http *llm_http_open(struct loop *l, const char *ca_file, bool trust_anyone);
void llm_http_close(struct llm_http *h); // all calls must have ended
void llm_call_begin(struct llm_http *h, struct llm_call *k);
void llm_call_cancel(struct llm_call *k); // on_done will not be called
void llm_call_release(struct llm_call *k);
