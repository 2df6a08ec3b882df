#include "llm/http.h"

#include "heap/heap.h"
#include "transfer/transfer.h"

#include <stdio.h>
#include <stdlib.h>
#include <strings.h>
#include <time.h>

// KEPT_ERROR: of a body that is no answer; 300 bytes of it are shown (L22).
enum { CONNECT_MS = 30000, KEPT_ERROR = 8192 };

struct llm_http {
    struct transfers transfers;
    const char *ca_file;
    bool trust_anyone;
    LIST_HEAD(, llm_call) running;
};

// --- headers

static bool is_header(struct span line, const char *name, char value[64])
{
    size_t size = strlen(name);
    if (line.size <= size || line.at[size] != ':' || strncasecmp(line.at, name, size) != 0)
        return false;
    const char *at = line.at + size + 1, *end = line.at + line.size;
    while (at < end && *at == ' ')
        at++;
    while (end > at && (end[-1] == '\n' || end[-1] == '\r' || end[-1] == ' '))
        end--;
    snprintf(value, 64, "%.*s", (int)(end - at < 63 ? end - at : 63), at);
    return true;
}

static int64_t read_ms(const char *value, double scale)
{
    char *end;
    double number = strtod(value, &end);
    return end == value || *end || !(number >= 0) || number > 1e9 ? -1 : (int64_t)(number * scale);
}

// "2", "2.5", or a date.
static int64_t read_retry_after(const char *value)
{
    int64_t ms = read_ms(value, 1000);
    time_t at = ms < 0 ? curl_getdate(value, NULL) : -1;
    if (at != -1)
        ms = at > time(NULL) ? (int64_t)(at - time(NULL)) * 1000 : 0;
    return ms;
}

// "1m2.5s", "200ms", or a timestamp as 2026-01-31T23:59:59Z.
static int64_t read_reset(const char *value)
{
    struct tm tm = {0};
    if (strptime(value, "%Y-%m-%dT%H:%M:%S", &tm)) {
        time_t at = timegm(&tm);
        return at > time(NULL) ? (int64_t)(at - time(NULL)) * 1000 : 0;
    }
    double sum = 0;
    for (char *end; *value; value = end) {
        double number = strtod(value, &end);
        if (end == value || !(number >= 0))
            return -1;
        if (strncmp(end, "ms", 2) == 0)
            sum += number, end += 2;
        else if (*end == 'h' || *end == 'm' || *end == 's')
            sum += number * (*end == 'h' ? 3600000 : *end == 'm' ? 60000 : 1000), end++;
        else
            return -1;
    }
    return sum < 1e9 ? (int64_t)sum : -1;
}

static size_t on_header(char *at, size_t size, size_t count, void *owner)
{
    struct llm_call *k = owner;
    struct span line = {at, size * count};
    char value[64];
    k->heard_us = loop_now_us();
    if (is_header(line, "retry-after-ms", value))
        k->retry_after_ms = read_ms(value, 1);
    // L100: the one in milliseconds wins, in whatever order they come.
    else if (is_header(line, "retry-after", value) && k->retry_after_ms < 0)
        k->retry_after_ms = read_retry_after(value);
    else if (is_header(line, "x-should-retry", value))
        k->should_retry = strcmp(value, "true") == 0 ? 1 : strcmp(value, "false") == 0 ? 0 : -1;
    else if (is_header(line, "x-ratelimit-remaining-requests", value) ||
             is_header(line, "anthropic-ratelimit-requests-remaining", value))
        k->remaining = read_ms(value, 1);
    else if (is_header(line, "x-ratelimit-reset-requests", value) ||
             is_header(line, "anthropic-ratelimit-requests-reset", value))
        k->reset_ms = read_reset(value);
    return line.size;
}

// --- bodies

static size_t on_body(char *at, size_t size, size_t count, void *owner)
{
    struct llm_call *k = owner;
    size_t bytes = size * count;
    long status = 0;
    k->heard_us = loop_now_us();
    if (!k->first_us)
        k->first_us = k->heard_us;
    k->received += bytes;
    // L146: a server must not be able to fill the memory.
    if (k->received > HTTP_BODY) {
        k->too_large = true;
        return 0;
    }
    curl_easy_getinfo(k->easy, CURLINFO_RESPONSE_CODE, &status);
    if (status == 200)
        k->on_bytes(k->owner, (struct span){at, bytes});
    else if (k->error.size < KEPT_ERROR)
        text_put(&k->error, (struct span){at, bytes});
    return bytes;
}

// --- the end of a call

void llm_call_cancel(struct llm_call *k)
{
    if (!k->running)
        return;
    k->running = false;
    LIST_REMOVE(k, next);
    event_del(k->timer);
    curl_multi_remove_handle(k->http->transfers.multi, k->easy);
    curl_easy_cleanup(k->easy);
    k->easy = NULL;
}

static void end_call(void *call, CURLcode code)
{
    struct llm_call *k = call;
    long status = 0;
    curl_easy_getinfo(k->easy, CURLINFO_RESPONSE_CODE, &status);
    k->status = code == CURLE_OK ? (int)status : 0;
    k->final_fault = code == CURLE_COULDNT_RESOLVE_HOST || code == CURLE_PEER_FAILED_VERIFICATION ||
                     code == CURLE_UNSUPPORTED_PROTOCOL || code == CURLE_URL_MALFORMAT ||
                     code == CURLE_SSL_CACERT_BADFILE;
    if (k->too_large)
        snprintf(k->text, sizeof k->text, "the answer is longer than %d MiB", HTTP_BODY >> 20);
    else if (code != CURLE_OK)
        snprintf(k->text, sizeof k->text, "%s", transfer_describe(code));
    if (k->remaining == 0 && k->reset_ms > 0)
        k->pause_ms = k->reset_ms;
    k->done_us = loop_now_us();
    llm_call_cancel(k);
    k->on_done(k->owner);
}

// --- time

static int64_t due_us(const struct llm_call *k)
{
    int64_t total = k->sent_us + (int64_t)k->total_ms * 1000;
    // Until the first byte only the total limit counts.
    int64_t idle = k->heard_us ? k->heard_us + (int64_t)k->idle_ms * 1000 : total;
    return idle < total ? idle : total;
}

static void set_timer(struct llm_call *k)
{
    int64_t left = due_us(k) - loop_now_us();
    int64_t most = (int64_t)k->idle_ms * 1000; // bytes that arrive meanwhile make the idle limit apply
    left = left < 1000 ? 1000 : left > most ? most : left;
    event_add(k->timer, &(struct timeval){left / 1000000, left % 1000000});
}

static void on_time(evutil_socket_t fd, short what, void *owner)
{
    (void)fd, (void)what;
    struct llm_call *k = owner;
    int64_t now = loop_now_us();
    if (now < due_us(k)) {
        set_timer(k);
        return;
    }
    bool all = now >= k->sent_us + (int64_t)k->total_ms * 1000;
    k->timed_out = true;
    k->done_us = now;
    snprintf(k->text, sizeof k->text, all ? "no complete answer within %d s" : "silence for %d s",
             (all ? k->total_ms : k->idle_ms) / 1000);
    llm_call_cancel(k);
    k->on_done(k->owner);
}

// --- calls

struct llm_http *llm_http_open(struct loop *l, const char *ca_file, bool trust_anyone)
{
    struct llm_http *h = calloc(1, sizeof *h);
    if (!h)
        abort();
    h->ca_file = ca_file;
    h->trust_anyone = trust_anyone;
    transfers_open(&h->transfers, l, end_call);
    return h;
}

void llm_http_close(struct llm_http *h)
{
    if (!h)
        return;
    transfers_close(&h->transfers);
    free(h);
}

static void set_options(struct llm_http *h, struct llm_call *k)
{
    CURL *e = k->easy;
    transfers_prepare(&h->transfers, e, h->ca_file, h->trust_anyone);
    curl_easy_setopt(e, CURLOPT_URL, k->url);
    // "": whatever this curl can unpack.
    curl_easy_setopt(e, CURLOPT_ACCEPT_ENCODING, "");
    curl_easy_setopt(e, CURLOPT_CONNECTTIMEOUT_MS, (long)(k->total_ms < CONNECT_MS ? k->total_ms : CONNECT_MS));
    curl_easy_setopt(e, CURLOPT_HTTPHEADER, k->headers);
    curl_easy_setopt(e, CURLOPT_POSTFIELDS, k->body.at);
    curl_easy_setopt(e, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)k->body.size);
    curl_easy_setopt(e, CURLOPT_WRITEFUNCTION, on_body);
    curl_easy_setopt(e, CURLOPT_WRITEDATA, k);
    curl_easy_setopt(e, CURLOPT_HEADERFUNCTION, on_header);
    curl_easy_setopt(e, CURLOPT_HEADERDATA, k);
    curl_easy_setopt(e, CURLOPT_PRIVATE, k);
    if (k->is_loopback)
        // L104: keys and prompts for a model on this machine do not leave it.
        curl_easy_setopt(e, CURLOPT_NOPROXY, "*");
}

void llm_call_begin(struct llm_http *h, struct llm_call *k)
{
    k->http = h;
    k->status = 0;
    k->timed_out = k->final_fault = k->too_large = false;
    k->text[0] = 0;
    k->error.grow = heap_text_grow;
    k->error.size = 0;
    k->retry_after_ms = k->pause_ms = k->remaining = k->reset_ms = -1;
    k->should_retry = -1;
    k->sent_us = loop_now_us();
    k->first_us = k->done_us = k->heard_us = 0;
    k->received = 0;
    if (!(k->easy = curl_easy_init()))
        abort();
    set_options(h, k);
    if (!k->timer)
        k->timer = evtimer_new(h->transfers.loop->base, on_time, k);
    k->running = true;
    LIST_INSERT_HEAD(&h->running, k, next);
    set_timer(k);
    curl_multi_add_handle(h->transfers.multi, k->easy);
}

void llm_call_release(struct llm_call *k)
{
    llm_call_cancel(k);
    if (k->timer)
        event_free(k->timer);
    k->timer = NULL;
    free(k->error.at);
    k->error = (struct text){0};
}
