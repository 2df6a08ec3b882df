#include "transfer/transfer.h"

#include <event2/event_struct.h>
#include <stdlib.h>
#include <unistd.h>

// A socket. It stays registered between two transfers on its connection: curl forgets it each time, and to tell the
// system so would cost two calls for every request.
struct transfer_watch {
    struct transfers *transfers;
    struct event event;
    curl_socket_t fd;
    short events; // it is registered for; 0: none
    bool idle;    // curl does not ask for it
    LIST_ENTRY(transfer_watch) same;
};

static void collect_finished(struct transfers *t)
{
    int left;
    for (CURLMsg *m; (m = curl_multi_info_read(t->multi, &left));) {
        char *call = NULL;
        CURLcode code = m->data.result;
        if (m->msg != CURLMSG_DONE)
            continue;
        curl_easy_getinfo(m->easy_handle, CURLINFO_PRIVATE, &call);
        t->on_end(call, code);
    }
}

static void unregister(struct transfer_watch *w)
{
    if (w->events)
        event_del(&w->event);
    w->events = 0;
}

static void on_socket(evutil_socket_t fd, short what, void *arg)
{
    struct transfer_watch *w = arg;
    struct transfers *t = w->transfers;
    int running, action = (what & EV_READ ? CURL_CSELECT_IN : 0) | (what & EV_WRITE ? CURL_CSELECT_OUT : 0);
    if (w->idle) { // the server has closed an idle connection: curl notices when it wants to reuse it
        unregister(w);
        return;
    }
    curl_multi_socket_action(t->multi, fd, action, &running);
    collect_finished(t);
}

static struct transfer_watch *find_watch(struct transfers *t, curl_socket_t fd)
{
    struct transfer_watch *w;
    LIST_FOREACH(w, &t->watches[fd % TRANSFER_PLACES], same)
        if (w->fd == fd)
            return w;
    w = calloc(1, sizeof *w);
    if (!w)
        abort();
    w->transfers = t;
    w->fd = fd;
    LIST_INSERT_HEAD(&t->watches[fd % TRANSFER_PLACES], w, same);
    return w;
}

static void forget_watch(struct transfer_watch *w)
{
    unregister(w);
    LIST_REMOVE(w, same);
    free(w);
}

static int on_watch(CURL *easy, curl_socket_t fd, int what, void *arg, void *known)
{
    (void)easy, (void)known;
    struct transfers *t = arg;
    struct transfer_watch *w = find_watch(t, fd);
    w->idle = what == CURL_POLL_REMOVE;
    if (w->idle)
        return 0;
    short events = (short)((what & CURL_POLL_IN ? EV_READ : 0) | (what & CURL_POLL_OUT ? EV_WRITE : 0) | EV_PERSIST);
    if (w->events == events)
        return 0;
    unregister(w);
    w->events = events;
    event_assign(&w->event, t->loop->base, fd, events, on_socket, w);
    event_add(&w->event, NULL);
    return 0;
}

// Curl closes a descriptor, of which a new connection may get the number.
static int on_close_socket(void *arg, curl_socket_t fd)
{
    forget_watch(find_watch(arg, fd));
    return close(fd);
}

static void on_time(evutil_socket_t fd, short what, void *arg)
{
    (void)fd, (void)what;
    struct transfers *t = arg;
    int running;
    t->due = false;
    curl_multi_socket_action(t->multi, CURL_SOCKET_TIMEOUT, 0, &running);
    collect_finished(t);
}

static int on_timer(CURLM *multi, long ms, void *arg)
{
    (void)multi;
    struct transfers *t = arg;
    if (ms == 0 && t->due) // every new transfer asks for it
        return 0;
    t->due = ms == 0;
    if (ms < 0)
        event_del(t->timer);
    else
        event_add(t->timer, &(struct timeval){ms / 1000, ms % 1000 * 1000});
    return 0;
}

void transfers_open(struct transfers *t, struct loop *l, void (*on_end)(void *call, CURLcode code))
{
    *t = (struct transfers){.loop = l, .multi = curl_multi_init(), .on_end = on_end};
    if (!t->multi || !(t->timer = evtimer_new(l->base, on_time, t)))
        abort();
    curl_multi_setopt(t->multi, CURLMOPT_SOCKETFUNCTION, on_watch);
    curl_multi_setopt(t->multi, CURLMOPT_SOCKETDATA, t);
    curl_multi_setopt(t->multi, CURLMOPT_TIMERFUNCTION, on_timer);
    curl_multi_setopt(t->multi, CURLMOPT_TIMERDATA, t);
}

void transfers_close(struct transfers *t)
{
    curl_multi_cleanup(t->multi);
    for (int i = 0; i < TRANSFER_PLACES; i++)
        while (!LIST_EMPTY(&t->watches[i]))
            forget_watch(LIST_FIRST(&t->watches[i]));
    event_free(t->timer);
}

void transfers_prepare(struct transfers *t, CURL *easy, const char *ca_file, bool trust_anyone)
{
    curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(easy, CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_1_1);
    curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https");
    curl_easy_setopt(easy, CURLOPT_FOLLOWLOCATION, 0L); // B12.29; and a key goes to no other host
    curl_easy_setopt(easy, CURLOPT_CLOSESOCKETFUNCTION, on_close_socket);
    curl_easy_setopt(easy, CURLOPT_CLOSESOCKETDATA, t);
    if (ca_file)
        curl_easy_setopt(easy, CURLOPT_CAINFO, ca_file);
    if (trust_anyone) {
        curl_easy_setopt(easy, CURLOPT_SSL_VERIFYPEER, 0L);
        curl_easy_setopt(easy, CURLOPT_SSL_VERIFYHOST, 0L);
    }
}

// In words of our own where curl's say little about the server.
const char *transfer_describe(CURLcode code)
{
    static const struct {
        CURLcode code;
        const char *text;
    } rows[] = {
        {CURLE_COULDNT_CONNECT, "connection refused; is it running at this address?"},
        {CURLE_COULDNT_RESOLVE_HOST, "the host name is unknown"},
        {CURLE_PEER_FAILED_VERIFICATION, "its TLS certificate is not trusted"},
        {CURLE_SSL_CONNECT_ERROR, "the TLS handshake failed"},
        {CURLE_GOT_NOTHING, "the connection ended before the answer"},
        {CURLE_PARTIAL_FILE, "the connection ended in the middle of the answer"},
        {CURLE_RECV_ERROR, "the connection was lost"},
        {CURLE_SEND_ERROR, "the connection was lost"},
        {CURLE_UNSUPPORTED_PROTOCOL, "the answer is not HTTP"},
        {CURLE_WEIRD_SERVER_REPLY, "the answer is not HTTP"},
        {CURLE_OUT_OF_MEMORY, "a line of the answer's header is too long"}, // curl's limit is 100 kB
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].code == code)
            return rows[i].text;
    return curl_easy_strerror(code);
}
