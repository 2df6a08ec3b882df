#include "llm/http.h"

#include "net/heap_text.h"

#include <stdio.h>
#include <stdlib.h>
#include <strings.h>
#include <time.h>

enum { CONNECT_MS = 30000, KEPT_ERROR = 8192 };

struct llm_http {
    struct loop *loop;
    CURLM *multi;
    struct event *timer;
    const char *ca_file;
    bool trust_anyone;
    LIST_HEAD(, watch) watches;
    LIST_HEAD(, llm_call) running;
};

struct watch {
    struct llm_http *http;
    struct event *event;
    curl_socket_t fd;
    LIST_ENTRY(watch) next;
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

// "1m2.5s", "200ms", or a moment as 2026-01-31T23:59:59Z.
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

static void leave(struct llm_call *k)
{
    if (!k->running)
        return;
    k->running = false;
    LIST_REMOVE(k, next);
    event_del(k->timer);
    curl_multi_remove_handle(k->http->multi, k->easy);
    curl_easy_cleanup(k->easy);
    k->easy = NULL;
}

static const char *say_code(CURLcode code)
{
    static const struct {
        CURLcode code;
        const char *text;
    } rows[] = {
        {CURLE_COULDNT_CONNECT, "connection refused"},
        {CURLE_COULDNT_RESOLVE_HOST, "the host name is unknown"},
        {CURLE_PEER_FAILED_VERIFICATION, "its TLS certificate is not trusted"},
        {CURLE_GOT_NOTHING, "the connection ended before the answer"},
        {CURLE_PARTIAL_FILE, "the connection ended in the middle of the answer"},
        {CURLE_RECV_ERROR, "the connection was lost"},
    };
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].code == code)
            return rows[i].text;
    return curl_easy_strerror(code);
}

static void end_call(struct llm_call *k, CURLcode code)
{
    long status = 0;
    curl_easy_getinfo(k->easy, CURLINFO_RESPONSE_CODE, &status);
    k->status = code == CURLE_OK ? (int)status : 0;
    k->final_fault = code == CURLE_COULDNT_RESOLVE_HOST || code == CURLE_PEER_FAILED_VERIFICATION ||
                     code == CURLE_UNSUPPORTED_PROTOCOL || code == CURLE_URL_MALFORMAT ||
                     code == CURLE_SSL_CACERT_BADFILE;
    if (k->too_large)
        snprintf(k->text, sizeof k->text, "the answer is longer than %d MiB", HTTP_BODY >> 20);
    else if (code != CURLE_OK)
        snprintf(k->text, sizeof k->text, "%s", say_code(code));
    if (k->remaining == 0 && k->reset_ms > 0)
        k->pause_ms = k->reset_ms;
    k->done_us = loop_now_us();
    leave(k);
    k->on_done(k->owner);
}

static void collect(struct llm_http *h)
{
    int left;
    for (CURLMsg *m; (m = curl_multi_info_read(h->multi, &left));) {
        struct llm_call *k = NULL;
        CURLcode code = m->data.result;
        if (m->msg != CURLMSG_DONE)
            continue;
        curl_easy_getinfo(m->easy_handle, CURLINFO_PRIVATE, (char **)&k);
        end_call(k, code);
    }
}

// --- time

static int64_t due_us(const struct llm_call *k)
{
    int64_t total = k->sent_us + (int64_t)k->total_ms * 1000;
    int64_t idle =
        k->heard_us ? k->heard_us + (int64_t)k->idle_ms * 1000 : total; // the first byte may take all there is
    return idle < total ? idle : total;
}

static void set_timer(struct llm_call *k)
{
    int64_t left = due_us(k) - loop_now_us();
    int64_t most = (int64_t)k->idle_ms * 1000; // what is heard meanwhile brings the end nearer
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
    leave(k);
    k->on_done(k->owner);
}

// --- curl on the loop

static void on_socket(evutil_socket_t fd, short what, void *owner)
{
    struct watch *w = owner;
    struct llm_http *h = w->http;
    int running;
    curl_multi_socket_action(
        h->multi, fd, (what & EV_READ ? CURL_CSELECT_IN : 0) | (what & EV_WRITE ? CURL_CSELECT_OUT : 0), &running);
    collect(h);
}

static int on_watch(CURL *easy, curl_socket_t fd, int what, void *owner, void *known)
{
    (void)easy;
    struct llm_http *h = owner;
    struct watch *w = known;
    if (w && w->event)
        event_free(w->event);
    if (what == CURL_POLL_REMOVE) {
        if (w) {
            LIST_REMOVE(w, next);
            free(w);
        }
        return 0;
    }
    if (!w) {
        w = calloc(1, sizeof *w);
        if (!w)
            abort();
        w->http = h;
        w->fd = fd;
        LIST_INSERT_HEAD(&h->watches, w, next);
        curl_multi_assign(h->multi, fd, w);
    }
    short events = (short)((what & CURL_POLL_IN ? EV_READ : 0) | (what & CURL_POLL_OUT ? EV_WRITE : 0) | EV_PERSIST);
    w->event = event_new(h->loop->base, fd, events, on_socket, w);
    event_add(w->event, NULL);
    return 0;
}

static void on_multi_time(evutil_socket_t fd, short what, void *owner)
{
    (void)fd, (void)what;
    struct llm_http *h = owner;
    int running;
    curl_multi_socket_action(h->multi, CURL_SOCKET_TIMEOUT, 0, &running);
    collect(h);
}

static int on_multi_timer(CURLM *multi, long ms, void *owner)
{
    (void)multi;
    struct llm_http *h = owner;
    if (ms < 0)
        event_del(h->timer);
    else
        event_add(h->timer, &(struct timeval){ms / 1000, ms % 1000 * 1000});
    return 0;
}

struct llm_http *llm_http_open(struct loop *l, const char *ca_file, bool trust_anyone)
{
    struct llm_http *h = calloc(1, sizeof *h);
    if (!h || !(h->multi = curl_multi_init()))
        abort();
    h->loop = l;
    h->ca_file = ca_file;
    h->trust_anyone = trust_anyone;
    h->timer = evtimer_new(l->base, on_multi_time, h);
    curl_multi_setopt(h->multi, CURLMOPT_SOCKETFUNCTION, on_watch);
    curl_multi_setopt(h->multi, CURLMOPT_SOCKETDATA, h);
    curl_multi_setopt(h->multi, CURLMOPT_TIMERFUNCTION, on_multi_timer);
    curl_multi_setopt(h->multi, CURLMOPT_TIMERDATA, h);
    return h;
}

void llm_http_close(struct llm_http *h)
{
    if (!h)
        return;
    curl_multi_cleanup(h->multi);
    for (struct watch *w; (w = LIST_FIRST(&h->watches));) {
        LIST_REMOVE(w, next);
        event_free(w->event);
        free(w);
    }
    event_free(h->timer);
    free(h);
}

static void set_options(struct llm_http *h, struct llm_call *k)
{
    CURL *e = k->easy;
    curl_easy_setopt(e, CURLOPT_URL, k->url);
    curl_easy_setopt(e, CURLOPT_PROTOCOLS_STR, "http,https");
    curl_easy_setopt(e, CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_1_1);
    curl_easy_setopt(e, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(e, CURLOPT_FOLLOWLOCATION, 0L); // a key goes to no other host
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
        curl_easy_setopt(e, CURLOPT_NOPROXY, "*");
    if (h->ca_file)
        curl_easy_setopt(e, CURLOPT_CAINFO, h->ca_file);
    if (h->trust_anyone) {
        curl_easy_setopt(e, CURLOPT_SSL_VERIFYPEER, 0L);
        curl_easy_setopt(e, CURLOPT_SSL_VERIFYHOST, 0L);
    }
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
        k->timer = evtimer_new(h->loop->base, on_time, k);
    k->running = true;
    LIST_INSERT_HEAD(&h->running, k, next);
    set_timer(k);
    curl_multi_add_handle(h->multi, k->easy);
}

void llm_call_cancel(struct llm_call *k)
{
    leave(k);
}

void llm_call_release(struct llm_call *k)
{
    leave(k);
    if (k->timer)
        event_free(k->timer);
    k->timer = NULL;
    free(k->error.at);
    k->error = (struct text){0};
}
