#include "bus/bus.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef AGON_NATS

// --- without libnats

struct bus *bus_open(const struct bus_options *o, char why[BUS_WHY])
{
    (void)o;
    snprintf(why, BUS_WHY, "this program was built without libnats; install libnats-dev and build it again");
    return NULL;
}

void bus_close(struct bus *b)
{
    (void)b;
}

unsigned bus_reconnects(struct bus *b)
{
    (void)b;
    return 0;
}

bool bus_is_away(struct bus *b)
{
    (void)b;
    return true;
}

void bus_publish(struct bus *b, const char *subject, struct span bytes)
{
    (void)b, (void)subject, (void)bytes;
}

struct bus_subscription *bus_subscribe(struct bus *b, const char *subject, void (*hear)(void *owner, struct span bytes),
                                       void *owner)
{
    (void)b, (void)subject, (void)hear, (void)owner;
    return NULL;
}

void bus_unsubscribe(struct bus_subscription *e)
{
    (void)e;
}

bool bus_ensure_stream(struct bus *b, const struct bus_stream *s, char why[BUS_WHY])
{
    (void)b, (void)s, (void)why;
    return false;
}

bool bus_put(struct bus *b, const char *subject, const char *id, struct span bytes, char why[BUS_WHY])
{
    (void)b, (void)subject, (void)id, (void)bytes, (void)why;
    return false;
}

bool bus_read(struct bus *b, const char *stream, const char *subject, struct text *out)
{
    (void)b, (void)stream, (void)subject, (void)out;
    return false;
}

bool bus_purge(struct bus *b, const char *stream, const char *subject)
{
    (void)b, (void)stream, (void)subject;
    return false;
}

struct bus_queue *bus_queue_open(struct bus *b, const struct bus_queue_options *o, char why[BUS_WHY])
{
    (void)b, (void)o, (void)why;
    return NULL;
}

void bus_queue_close(struct bus_queue *q, bool forget)
{
    (void)q, (void)forget;
}

int bus_queue_take(struct bus_queue *q, struct bus_message **list, int most, int wait_ms)
{
    (void)q, (void)list, (void)most, (void)wait_ms;
    return -1;
}

struct span bus_message_bytes(const struct bus_message *m)
{
    (void)m;
    return (struct span){0};
}

void bus_message_hold(struct bus_message *m)
{
    (void)m;
}

void bus_message_done(struct bus_message *m)
{
    (void)m;
}

void bus_message_refuse(struct bus_message *m, int delay_ms)
{
    (void)m, (void)delay_ms;
}

#else

#include "bus/options.h"

#include <stdatomic.h>

// CALL_MS: longest time a caller is blocked by one call.
enum { CALL_MS = 5000, RECONNECT_MS = 100, CLOSE_MS = 5000 };
static const int64_t ns_per_ms = 1000000, ns_per_s = 1000000000;

struct bus {
    natsConnection *connection;
    jsCtx *js;
    // Counted on a thread of libnats, read on any thread.
    atomic_uint returns;
    struct bus *next; // in the list of closed ones
};

struct bus_subscription {
    natsSubscription *subscription;
    void (*hear)(void *owner, struct span bytes);
    void *owner;
    atomic_bool over;
};

struct bus_queue {
    struct bus *bus;
    natsSubscription *subscription;
    char stream[BUS_SUBJECT], consumer[BUS_SUBJECT];
};

// --- the connection

static void on_return(natsConnection *c, void *owner)
{
    (void)c;
    atomic_fetch_add(&((struct bus *)owner)->returns, 1);
}

static natsStatus set_options(natsOptions *n, struct bus *b)
{
    const natsStatus steps[] = {
        natsOptions_SetReconnectWait(n, RECONNECT_MS),
        natsOptions_SetReconnectJitter(n, RECONNECT_MS, RECONNECT_MS),
        natsOptions_SetReconnectedCB(n, on_return, b),
        // A put that waits when the bus breaks fails at once; its caller puts again (S80).
        natsOptions_SetFailRequestsOnDisconnect(n, true),
    };
    return bus_first_fault(steps, sizeof steps / sizeof *steps);
}

static bool has_jetstream(struct bus *b, const char *url, char why[BUS_WHY])
{
    jsAccountInfo *info = NULL;
    jsErrCode code = 0;
    natsStatus s = natsConnection_JetStream(&b->js, b->connection, NULL);
    if (s == NATS_OK)
        s = js_GetAccountInfo(&info, b->js, NULL, &code);
    jsAccountInfo_Destroy(info);
    if (s != NATS_OK)
        snprintf(why, BUS_WHY, "the bus at %s has no JetStream (%s); start it as 'nats-server -js -sd FOLDER'", url,
                 natsStatus_GetText(s));
    return s == NATS_OK;
}

static _Atomic(struct bus *) closed_clients;

struct bus *bus_open(const struct bus_options *o, char why[BUS_WHY])
{
    struct bus *b = calloc(1, sizeof *b);
    natsOptions *n = NULL;
    natsStatus s = b ? natsOptions_Create(&n) : NATS_NO_MEMORY;
    if (s == NATS_OK)
        s = bus_set_options(n, o);
    if (s == NATS_OK)
        s = set_options(n, b);
    if (s == NATS_OK)
        s = natsConnection_Connect(&b->connection, n);
    natsOptions_Destroy(n);
    if (s != NATS_OK)
        bus_explain(why, o, s);
    if (s != NATS_OK || !has_jetstream(b, o->url, why)) {
        if (b)
            bus_close(b);
        return NULL;
    }
    return b;
}

void bus_close(struct bus *b)
{
    jsCtx_Destroy(b->js);
    if (b->connection) {
        natsConnection_FlushTimeout(b->connection, CALL_MS);
        natsConnection_Close(b->connection);
    }
    natsConnection_Destroy(b->connection);
    // nats_Close would free what OpenSSL frees at exit, and a server may demand TLS whatever the address says. So
    // libnats's threads run until the process ends, and what they may use is kept.
    b->next = atomic_load(&closed_clients);
    while (!atomic_compare_exchange_weak(&closed_clients, &b->next, b))
        continue;
}

unsigned bus_reconnects(struct bus *b)
{
    return atomic_load(&b->returns);
}

bool bus_is_away(struct bus *b)
{
    return natsConnection_Status(b->connection) != NATS_CONN_STATUS_CONNECTED;
}

// --- plain messages

void bus_publish(struct bus *b, const char *subject, struct span bytes)
{
    natsConnection_Publish(b->connection, subject, bytes.at, (int)bytes.size);
}

static void on_message(natsConnection *c, natsSubscription *s, natsMsg *m, void *owner)
{
    struct bus_subscription *e = owner;
    (void)c, (void)s;
    e->hear(e->owner, (struct span){natsMsg_GetData(m), (size_t)natsMsg_GetDataLength(m)});
    natsMsg_Destroy(m);
}

static void on_complete(void *owner)
{
    atomic_store(&((struct bus_subscription *)owner)->over, true);
}

struct bus_subscription *bus_subscribe(struct bus *b, const char *subject, void (*hear)(void *owner, struct span bytes),
                                       void *owner)
{
    struct bus_subscription *e = calloc(1, sizeof *e);
    if (!e)
        return NULL;
    e->hear = hear;
    e->owner = owner;
    if (natsConnection_Subscribe(&e->subscription, b->connection, subject, on_message, e) != NATS_OK) {
        free(e);
        return NULL;
    }
    // bus_unsubscribe waits for this before it frees `e`: `hear` may be running on a thread of libnats.
    natsSubscription_SetOnCompleteCB(e->subscription, on_complete, e);
    natsConnection_FlushTimeout(b->connection, CALL_MS); // messages sent from now on are received
    return e;
}

void bus_unsubscribe(struct bus_subscription *e)
{
    if (!e)
        return;
    natsSubscription_Unsubscribe(e->subscription);
    for (int i = 0; i < CLOSE_MS && !atomic_load(&e->over); i++)
        nats_Sleep(1);
    natsSubscription_Destroy(e->subscription);
    free(e);
}

// --- JetStream

static bool set_error(char why[BUS_WHY], const char *what, const char *name, natsStatus s, jsErrCode code)
{
    snprintf(why, BUS_WHY, "%s %s: %s (JetStream error %d)", what, name, natsStatus_GetText(s), (int)code);
    return false;
}

bool bus_ensure_stream(struct bus *b, const struct bus_stream *s, char why[BUS_WHY])
{
    jsStreamConfig c;
    jsErrCode code = 0;
    const char *subjects[] = {s->subject};
    jsStreamConfig_Init(&c);
    c.Name = s->name;
    c.Subjects = subjects;
    c.SubjectsLen = 1;
    c.Retention = s->is_queue ? js_WorkQueuePolicy : js_LimitsPolicy;
    c.MaxMsgsPerSubject = s->is_queue ? -1 : 1;
    c.MaxMsgs = s->most;
    c.MaxMsgSize = (int32_t)s->max_bytes;
    c.MaxAge = s->max_age_s * ns_per_s;
    // A full queue refuses work, so that the sender notices; elsewhere a new message replaces the oldest.
    c.Discard = s->is_queue ? js_DiscardNew : js_DiscardOld;
    // S82: within this time an id is stored once, however often it is put.
    c.Duplicates = 120 * ns_per_s;
    natsStatus status = js_AddStream(NULL, b->js, &c, NULL, &code);
    if (status != NATS_OK && code == JSStreamNameExistErr) // made by another version: it will do
        return true;
    return status == NATS_OK || set_error(why, "cannot create the stream", s->name, status, code);
}

bool bus_put(struct bus *b, const char *subject, const char *id, struct span bytes, char why[BUS_WHY])
{
    jsPubOptions o;
    jsErrCode code = 0;
    jsPubOptions_Init(&o);
    o.MsgId = id;
    o.MaxWait = CALL_MS;
    natsStatus s = js_Publish(NULL, b->js, subject, bytes.at, (int)bytes.size, &o, &code);
    return s == NATS_OK || set_error(why, "cannot put a message on", subject, s, code);
}

bool bus_read(struct bus *b, const char *stream, const char *subject, struct text *out)
{
    natsMsg *m = NULL;
    if (js_GetLastMsg(&m, b->js, stream, subject, NULL, NULL) != NATS_OK)
        return false;
    text_put(out, (struct span){natsMsg_GetData(m), (size_t)natsMsg_GetDataLength(m)});
    natsMsg_Destroy(m);
    return !out->full;
}

bool bus_purge(struct bus *b, const char *stream, const char *subject)
{
    jsOptions o;
    jsOptions_Init(&o);
    o.Stream.Purge.Subject = subject;
    return js_PurgeStream(b->js, stream, &o, NULL) == NATS_OK;
}

struct bus_queue *bus_queue_open(struct bus *b, const struct bus_queue_options *o, char why[BUS_WHY])
{
    struct bus_queue *q = calloc(1, sizeof *q);
    jsConsumerConfig c;
    jsSubOptions sub;
    jsErrCode code = 0;
    if (!q)
        return set_error(why, "cannot open", o->stream, NATS_NO_MEMORY, 0), NULL;
    q->bus = b;
    snprintf(q->stream, sizeof q->stream, "%s", o->stream);
    snprintf(q->consumer, sizeof q->consumer, "%s", o->consumer);
    jsConsumerConfig_Init(&c);
    c.Durable = o->consumer;
    c.AckPolicy = js_AckExplicit;
    c.AckWait = o->ack_wait_ms * ns_per_ms;
    c.MaxDeliver = o->max_deliver;
    c.MaxAckPending = -1;
    c.FilterSubject = o->subject;
    c.InactiveThreshold = o->inactive_s * ns_per_s;
    natsStatus s = js_AddConsumer(NULL, b->js, o->stream, &c, NULL, &code);
    jsSubOptions_Init(&sub);
    sub.Stream = o->stream;
    sub.Consumer = o->consumer;
    if (s == NATS_OK)
        s = js_PullSubscribe(&q->subscription, b->js, o->subject, o->consumer, NULL, &sub, &code);
    if (s == NATS_OK)
        return q;
    free(q);
    set_error(why, "cannot read the stream", o->stream, s, code);
    return NULL;
}

void bus_queue_close(struct bus_queue *q, bool forget)
{
    if (!q)
        return;
    natsSubscription_Unsubscribe(q->subscription);
    natsSubscription_Destroy(q->subscription);
    if (forget)
        js_DeleteConsumer(q->bus->js, q->stream, q->consumer, NULL, NULL);
    free(q);
}

static natsStatus take_one(struct bus_queue *q, struct bus_message **out, int wait_ms)
{
    natsMsgList got = {0};
    natsStatus s = natsSubscription_Fetch(&got, q->subscription, 1, wait_ms, NULL);
    if (got.Count) {
        *out = (struct bus_message *)got.Msgs[0];
        got.Msgs[0] = NULL; // it is the caller's now
    }
    natsMsgList_Destroy(&got);
    return s;
}

static bool has_more(const struct bus_queue *q)
{
    int messages = 0, bytes = 0;
    return natsSubscription_GetPending(q->subscription, &messages, &bytes) == NATS_OK && messages > 0;
}

// One at a time: asked for several, libnats 3.4 writes beyond its list if a message of an earlier request comes before
// the answer and more follow. Anybody on the bus can send such messages.
int bus_queue_take(struct bus_queue *q, struct bus_message **list, int most, int wait_ms)
{
    natsStatus s = take_one(q, &list[0], wait_ms);
    int count = s == NATS_OK;
    while (s == NATS_OK && count < most && has_more(q)) {
        s = take_one(q, &list[count], 1);
        count += s == NATS_OK;
    }
    return count || s == NATS_TIMEOUT ? count : -1;
}

struct span bus_message_bytes(const struct bus_message *m)
{
    const natsMsg *n = (const natsMsg *)m;
    return (struct span){natsMsg_GetData(n), (size_t)natsMsg_GetDataLength(n)};
}

void bus_message_hold(struct bus_message *m)
{
    natsMsg_InProgress((natsMsg *)m, NULL);
}

void bus_message_done(struct bus_message *m)
{
    natsMsg_Ack((natsMsg *)m, NULL);
    natsMsg_Destroy((natsMsg *)m);
}

void bus_message_refuse(struct bus_message *m, int delay_ms)
{
    if (delay_ms)
        natsMsg_NakWithDelay((natsMsg *)m, delay_ms, NULL);
    else
        natsMsg_Nak((natsMsg *)m, NULL);
    natsMsg_Destroy((natsMsg *)m);
}

#endif
