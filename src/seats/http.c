// HTTP calls: libcurl's multi interface on our loop, with a queue and a pool of connections for each origin, time
// limits, retries and backoff (B12.23-B12.39).
#include "seats/internal.h"
#include "transfer/transfer.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>
#include <sys/resource.h>

enum {
    BUFFER_BYTES = 1024, // answers are small, and a small buffer is cheap to allocate
    LANE_CALLS = 64,     // concurrent calls in one CURLM, whose search for a free connection is linear
    // B12.29: waits before retries.
    FIRST_WAIT_MS = 100,
    MAX_WAIT_MS = 5000,
    IDLE_S = 4,       // B12.34: bots on Node.js close idle connections after 5 s
    WATCHDOG_MS = 10, // how late a time limit may be noticed
};

// One CURLM: a part of an origin's connections.
struct lane {
    struct transfers transfers;
    int active;
    CURL *idle[LANE_CALLS];
    int idles;
    LIST_ENTRY(lane) next;
};

struct origin {
    char *base;    // scheme, host and port
    CURLU *parsed; // the same, parsed
    LIST_HEAD(, lane) lanes;
    int active;
    // Learnt from the server's Keep-Alive, at most IDLE_S.
    int idle_s; // after which a connection is not reused; 0: never reused
    struct calls waiting;
    LIST_ENTRY(origin) next;
};

static void start_waiting(struct origin *o);
static void send_call(struct call *k);

// --- ending a call

static void end_call(struct call *k, const struct outcome *o)
{
    k->running = false;
    k->on_done(k->owner, o); // last, because it may start the next call
}

static int64_t left_ms(const struct call *k)
{
    int64_t left = (k->due_us - loop_now_us()) / 1000;
    return left > 0 ? left : 0;
}

static void fail_call(struct call *k, enum seat_fault_kind kind, int status, const char *text)
{
    end_call(k, &(struct outcome){.failed = true,
                                  .kind = kind,
                                  .status = status,
                                  .took_us = k->began_us ? loop_now_us() - k->began_us : 0,
                                  .text = text});
}

// --- retries

static bool is_worth_retrying(const struct call *k, CURLcode code, long status, long sent_bytes)
{
    if (code == CURLE_OK)
        return status == 503 || (!k->cautious && (status == 500 || status == 502 || status == 504));
    bool broke = code == CURLE_COULDNT_CONNECT || code == CURLE_GOT_NOTHING || code == CURLE_RECV_ERROR ||
                 code == CURLE_SEND_ERROR || code == CURLE_PARTIAL_FILE;
    return broke && (!k->cautious || sent_bytes == 0);
}

static void on_timer(evutil_socket_t fd, short what, void *arg)
{
    (void)fd, (void)what;
    struct call *k = arg;
    if (k->queued) { // it is in the queue again, and the time is up
        TAILQ_REMOVE(&k->origin->waiting, k, next);
        k->queued = false;
        fail_call(k, SEAT_TIMEOUT, 0, "no connection became free in time");
        return;
    }
    k->queued = true;
    // In front: its budget is running, unlike that of calls that have not begun (B12.28).
    TAILQ_INSERT_HEAD(&k->origin->waiting, k, next);
    int64_t left = left_ms(k);
    event_add(k->timer, &(struct timeval){left / 1000, left % 1000 * 1000});
    start_waiting(k->origin);
}

// B12.29; false if the time limit does not allow it.
static bool schedule_retry(struct call *k, long status)
{
    int64_t wait = (int64_t)FIRST_WAIT_MS << (k->attempt - 1);
    if (status == 503 && k->retry_after_s * 1000 > wait)
        wait = k->retry_after_s * 1000 < MAX_WAIT_MS ? k->retry_after_s * 1000 : MAX_WAIT_MS;
    if (k->retries == 0 || wait >= left_ms(k))
        return false;
    k->retries--;
    k->retried++;
    if (!k->timer)
        k->timer = evtimer_new(k->client->loop->base, on_timer, k);
    event_add(k->timer, &(struct timeval){wait / 1000, wait % 1000 * 1000});
    return true;
}

// --- answers

static size_t on_body(char *at, size_t size, size_t count, void *arg)
{
    struct call *k = arg;
    size_t bytes = size * count;
    k->drained += bytes;
    if (k->drained > k->max_bytes) {
        k->too_large = true;
        return 0;
    }
    // What is beyond is counted and dropped: bodies of acknowledgements are read to the end and ignored (B12.22).
    if (k->reply.size + bytes <= ANSWER_BYTES)
        text_put(&k->reply, (struct span){at, bytes});
    return bytes;
}

static int number_after(const char *line, size_t size, const char *name)
{
    size_t length = strlen(name);
    for (; size > length; line++, size--)
        if (strncasecmp(line, name, length) == 0) {
            line += length;
            size -= length;
            while (size && *line == ' ')
                line++, size--;
            int number = 0, digits = 0;
            for (; size && *line >= '0' && *line <= '9' && digits < 6; line++, size--, digits++)
                number = 10 * number + (*line - '0');
            return digits ? number : -1;
        }
    return -1;
}

static size_t on_header(char *at, size_t size, size_t count, void *arg)
{
    struct call *k = arg;
    size_t bytes = size * count;
    k->head_bytes += bytes;
    if (k->head_bytes > HEADER_BYTES) {
        k->too_large = true;
        return 0;
    }
    int number;
    if (bytes > 12 && strncasecmp(at, "Retry-After:", 12) == 0 &&
        (number = number_after(at, bytes, "Retry-After:")) >= 0)
        k->retry_after_s = number;
    if (bytes > 11 && strncasecmp(at, "Keep-Alive:", 11) == 0 && (number = number_after(at, bytes, "timeout=")) >= 0)
        k->keep_alive_s = number;
    return bytes;
}

// B12.34: a second before the server closes the connection, and never more than IDLE_S.
static void set_idle_limit(struct call *k)
{
    if (k->keep_alive_s < 0)
        return;
    int idle = k->keep_alive_s - 1;
    k->origin->idle_s = idle < 0 ? 0 : idle < IDLE_S ? idle : IDLE_S;
}

static void report_result(struct call *k, CURLcode code, long status)
{
    char text[SEAT_TEXT_ROOM];
    if (k->too_large) {
        fail_call(k, SEAT_ILLEGAL, (int)status, "the answer is too large");
        // B12.28: a late answer counts as a timeout.
    } else if (code == CURLE_OPERATION_TIMEDOUT || loop_now_us() > k->due_us) {
        snprintf(text, sizeof text, "no answer within %d ms", k->budget_ms);
        fail_call(k, SEAT_TIMEOUT, 0, text);
    } else if (code != CURLE_OK) {
        fail_call(k, SEAT_TRANSPORT, 0, transfer_describe(code));
    } else if (status < 200 || status > 299) {
        snprintf(text, sizeof text, "status %ld", status);
        fail_call(k, SEAT_STATUS, (int)status, text);
    } else {
        end_call(k, &(struct outcome){.status = (int)status, .took_us = loop_now_us() - k->began_us});
    }
}

static void release_easy(struct call *k)
{
    struct lane *lane = k->lane;
    assert(lane); // it is in progress
    curl_multi_remove_handle(lane->transfers.multi, k->easy);
    lane->idle[lane->idles++] = k->easy;
    lane->active--;
    k->origin->active--;
    TAILQ_REMOVE(&k->client->under_way, k, next);
    k->lane = NULL;
    k->easy = NULL;
}

// B12.35: a reused connection was closed without a byte of this answer. Curl repeats the request on another one itself,
// but not always (it counts over all transfers of a handle).
static bool is_stale(const struct call *k, CURLcode code)
{
    long opened = 1;
    curl_easy_getinfo(k->easy, CURLINFO_NUM_CONNECTS, &opened);
    return (code == CURLE_GOT_NOTHING || code == CURLE_RECV_ERROR || code == CURLE_SEND_ERROR) && opened == 0 &&
           k->head_bytes == 0 && !k->fresh;
}

static void on_transfer_end(void *call, CURLcode code)
{
    struct call *k = call;
    long status = 0, sent = 0;
    struct origin *o = k->origin;
    curl_easy_getinfo(k->easy, CURLINFO_RESPONSE_CODE, &status);
    curl_easy_getinfo(k->easy, CURLINFO_REQUEST_SIZE, &sent);
    if (code == CURLE_OK)
        set_idle_limit(k);
    // Before release_easy, which takes the handle away.
    bool stale = is_stale(k, code);
    release_easy(k);
    if (stale) {
        k->fresh = true;
        // B12.35: not a retry, so neither the count nor the wait grows.
        k->attempt--;
        send_call(k);
        return;
    }
    if (k->too_large || !is_worth_retrying(k, code, status, sent) || !schedule_retry(k, status))
        report_result(k, code, status);
    start_waiting(o);
}

// --- time limits

// Curl's own timers cost more than all else it does for a call. So this watchdog checks all calls every few
// milliseconds. B12.23: connecting has a limit of its own within the call's limit.
static bool is_overdue(const struct call *k, int64_t now_us)
{
    curl_off_t connected = 0;
    if (now_us >= k->due_us)
        return true;
    if (now_us < k->sent_us + (int64_t)k->client->options.connect_ms * 1000)
        return false;
    curl_easy_getinfo(k->easy, CURLINFO_PRETRANSFER_TIME_T, &connected);
    return connected == 0;
}

static void set_watchdog(struct seat_client *c)
{
    if (!evtimer_pending(c->watchdog, NULL))
        event_add(c->watchdog, &(struct timeval){.tv_usec = WATCHDOG_MS * 1000});
}

// A call that ends may start the next one, which is put behind all others and is not overdue.
static void on_watchdog(evutil_socket_t fd, short what, void *arg)
{
    (void)fd, (void)what;
    struct seat_client *c = arg;
    int64_t now = loop_now_us();
    for (struct call *k = TAILQ_FIRST(&c->under_way), *after; k; k = after) {
        after = TAILQ_NEXT(k, next);
        if (!is_overdue(k, now))
            continue;
        on_transfer_end(k, CURLE_OPERATION_TIMEDOUT);
        after = TAILQ_FIRST(&c->under_way); // the next one may be gone
    }
    if (!TAILQ_EMPTY(&c->under_way))
        set_watchdog(c);
}

// --- lanes and origins

static struct lane *lane_create(struct seat_client *c, struct origin *o)
{
    struct lane *lane = calloc(1, sizeof *lane);
    if (!lane)
        abort();
    transfers_open(&lane->transfers, c->loop, on_transfer_end);
    curl_multi_setopt(lane->transfers.multi, CURLMOPT_MAXCONNECTS, (long)LANE_CALLS);
    LIST_INSERT_HEAD(&o->lanes, lane, next);
    return lane;
}

static void lane_destroy(struct lane *lane)
{
    assert(lane->active == 0);
    for (int i = 0; i < lane->idles; i++)
        curl_easy_cleanup(lane->idle[i]);
    transfers_close(&lane->transfers);
    LIST_REMOVE(lane, next);
    free(lane);
}

// Options that all calls have in common; set once for each handle.
static CURL *easy_create(struct seat_client *c, struct lane *lane, const struct origin *origin)
{
    CURL *easy = curl_easy_init();
    if (!easy)
        abort();
    transfers_prepare(&lane->transfers, easy, c->options.ca_file, c->options.trust_anyone);
    // The URL, parsed once: a call only sets its target. With a plain URL it would be parsed and printed again for
    // every request, which is a sixth of curl's work.
    curl_easy_setopt(easy, CURLOPT_URL, origin->base);
    curl_easy_setopt(easy, CURLOPT_CURLU, origin->parsed);
    curl_easy_setopt(easy, CURLOPT_SHARE, c->share);
    curl_easy_setopt(easy, CURLOPT_PROXY, "");
    curl_easy_setopt(easy, CURLOPT_NOPROXY, "*"); // otherwise curl reads the environment each time
    curl_easy_setopt(easy, CURLOPT_BUFFERSIZE, (long)BUFFER_BYTES);
    curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, on_body);
    curl_easy_setopt(easy, CURLOPT_HEADERFUNCTION, on_header);
    return easy;
}

static struct lane *find_lane(struct seat_client *c, struct origin *o)
{
    struct lane *lane;
    LIST_FOREACH(lane, &o->lanes, next)
        if (lane->active < LANE_CALLS)
            return lane;
    return lane_create(c, o);
}

struct origin *origin_find(struct seat_client *c, const char *base)
{
    struct origin *o;
    const char *host = strstr(base, "://") + 3;
    size_t size = (size_t)(host - base) + strcspn(host, "/");
    LIST_FOREACH(o, &c->origins, next)
        if (strlen(o->base) == size && strncasecmp(o->base, base, size) == 0)
            return o;
    o = calloc(1, sizeof *o);
    if (!o || !(o->base = strndup(base, size)) || !(o->parsed = curl_url()))
        abort();
    curl_url_set(o->parsed, CURLUPART_URL, o->base, 0); // it was checked before (seat_check_address)
    o->idle_s = IDLE_S;
    LIST_INIT(&o->lanes);
    TAILQ_INIT(&o->waiting);
    LIST_INSERT_HEAD(&c->origins, o, next);
    return o;
}

// --- calls

static void set_request_options(struct call *k)
{
    CURL *easy = k->easy;
    curl_easy_setopt(easy, CURLOPT_REQUEST_TARGET, k->url + strlen(k->origin->base));
    curl_easy_setopt(easy, CURLOPT_PRIVATE, k);
    curl_easy_setopt(easy, CURLOPT_WRITEDATA, k);
    curl_easy_setopt(easy, CURLOPT_HEADERDATA, k);
    curl_easy_setopt(easy, CURLOPT_MAXAGE_CONN, (long)(k->origin->idle_s > 0 ? k->origin->idle_s : 1));
    curl_easy_setopt(easy, CURLOPT_FRESH_CONNECT, (long)k->fresh);
    curl_easy_setopt(easy, CURLOPT_FORBID_REUSE, (long)(k->origin->idle_s == 0));
    if (k->body.at) {
        curl_easy_setopt(easy, CURLOPT_CUSTOMREQUEST, NULL);
        curl_easy_setopt(easy, CURLOPT_POST, 1L);
        curl_easy_setopt(easy, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)k->body.size);
        curl_easy_setopt(easy, CURLOPT_POSTFIELDS, k->body.at);
        curl_easy_setopt(easy, CURLOPT_HTTPHEADER, k->client->post_headers);
    } else {
        curl_easy_setopt(easy, CURLOPT_HTTPGET, 1L);
        curl_easy_setopt(easy, CURLOPT_CUSTOMREQUEST, k->is_get ? NULL : "DELETE");
        curl_easy_setopt(easy, CURLOPT_HTTPHEADER, k->client->delete_headers);
    }
}

static void send_call(struct call *k)
{
    struct lane *lane = find_lane(k->client, k->origin);
    // B12.28: the budget covers retries, so only the first attempt sets it.
    if (!k->due_us) {
        k->began_us = loop_now_us();
        k->due_us = k->began_us + (int64_t)k->budget_ms * 1000;
    } else if (k->timer) {
        event_del(k->timer);
    }
    k->lane = lane;
    k->easy = lane->idles ? lane->idle[--lane->idles] : easy_create(k->client, lane, k->origin);
    k->attempt++;
    k->requests++;
    k->reply.size = k->drained = k->head_bytes = 0;
    k->reply.full = k->too_large = false;
    k->retry_after_s = 0;
    k->keep_alive_s = -1;
    lane->active++;
    k->origin->active++;
    k->sent_us = k->attempt == 1 ? k->began_us : loop_now_us();
    TAILQ_INSERT_TAIL(&k->client->under_way, k, next);
    set_watchdog(k->client);
    set_request_options(k);
    curl_multi_add_handle(lane->transfers.multi, k->easy);
}

static void start_waiting(struct origin *o)
{
    struct call *k;
    while ((k = TAILQ_FIRST(&o->waiting)) && o->active < k->client->options.max_conns) {
        TAILQ_REMOVE(&o->waiting, k, next);
        k->queued = false;
        send_call(k);
    }
}

void call_start(struct call *k)
{
    // A call is part of its seat and used again; two at once would share one buffer.
    assert(!k->running);
    k->running = k->queued = true;
    k->attempt = 0;
    k->fresh = false;
    k->began_us = k->due_us = 0;
    k->reply.grow = heap_text_grow;
    TAILQ_INSERT_TAIL(&k->origin->waiting, k, next);
    start_waiting(k->origin);
}

void call_cancel(struct call *k)
{
    struct origin *o = k->origin;
    if (!k->running)
        return;
    k->running = false;
    if (k->timer)
        event_del(k->timer);
    if (k->queued)
        TAILQ_REMOVE(&o->waiting, k, next);
    k->queued = false;
    if (k->easy) {
        release_easy(k);
        start_waiting(o);
    }
}

void call_release(struct call *k)
{
    call_cancel(k);
    if (k->timer)
        event_free(k->timer);
    k->timer = NULL;
    free(k->reply.at);
    k->reply = (struct text){0};
}

// --- opening and closing a client

int64_t seat_raise_descriptors(void)
{
    struct rlimit limit;
    getrlimit(RLIMIT_NOFILE, &limit);
    limit.rlim_cur = limit.rlim_max;
    setrlimit(RLIMIT_NOFILE, &limit);
    getrlimit(RLIMIT_NOFILE, &limit);
    return limit.rlim_cur > INT32_MAX ? INT32_MAX : (int64_t)limit.rlim_cur;
}

bool http_open(struct seat_client *c)
{
    if (curl_global_init(CURL_GLOBAL_DEFAULT) != 0)
        return false;
    seat_raise_descriptors();
    LIST_INIT(&c->origins);
    TAILQ_INIT(&c->under_way);
    c->watchdog = evtimer_new(c->loop->base, on_watchdog, c);
    c->share = curl_share_init();
    curl_share_setopt(c->share, CURLSHOPT_SHARE, CURL_LOCK_DATA_DNS);
    curl_share_setopt(c->share, CURLSHOPT_SHARE, CURL_LOCK_DATA_SSL_SESSION);
    c->delete_headers = curl_slist_append(NULL, "User-Agent: agon"); // B12.2
    c->delete_headers = curl_slist_append(c->delete_headers, "Accept: application/json");
    c->post_headers = curl_slist_append(NULL, "User-Agent: agon");
    c->post_headers = curl_slist_append(c->post_headers, "Accept: application/json");
    c->post_headers = curl_slist_append(c->post_headers, "Content-Type: application/json; charset=utf-8");
    c->post_headers = curl_slist_append(c->post_headers, "Expect:");
    return c->share && c->watchdog && c->post_headers && c->delete_headers;
}

void http_close_all(struct seat_client *c)
{
    for (struct origin *o; (o = LIST_FIRST(&c->origins));) {
        assert(TAILQ_EMPTY(&o->waiting));
        while (!LIST_EMPTY(&o->lanes))
            lane_destroy(LIST_FIRST(&o->lanes));
        LIST_REMOVE(o, next);
        curl_url_cleanup(o->parsed);
        free(o->base);
        free(o);
    }
    event_free(c->watchdog);
    curl_share_cleanup(c->share);
    curl_slist_free_all(c->post_headers);
    curl_slist_free_all(c->delete_headers);
}
