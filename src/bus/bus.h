// A NATS server as the bus between processes of agon: plain messages, and JetStream queues with acknowledgements.
//
// Calls block and may come from any thread; libnats has its own threads and reconnects by itself (decision 039). While
// the bus is unreachable, plain messages are dropped and puts fail: a caller that needs one to arrive puts it again. A
// program built without libnats has the same functions, and bus_open says why nothing works.
//
//     struct bus *b = bus_open(&options, why);
//     bus_ensure_stream(b, &stream, why);
//     bus_put(b, "work.CONTEST", "0-0", bytes, why);
//     struct bus_queue *q = bus_queue_open(b, &options, why);
//     int n = bus_queue_take(q, list, 16, 500);     // each message ends with done, refuse or drop
//     bus_queue_close(q);
//     bus_close(b);
#pragma once

#include "base/text.h"

// Room of a message to people and of a name; most messages of one bus_queue_take.
enum { BUS_WHY = 512, BUS_SUBJECT = 128, BUS_BATCH = 64 };

struct bus_options {
    const char *url;     // nats://HOST:PORT or tls://HOST:PORT, several separated by commas; without secrets
    const char *login;   // TOKEN or USER:PASSWORD; NULL: none
    const char *ca_file; // certificates to trust instead of the system's; NULL: the system's
    const char *name;    // shown in the server's list of connections
};

struct bus;
// Returns NULL and sets `why` to one line: what is wrong and what would be right.
struct bus *bus_open(const struct bus_options *o, char why[BUS_WHY]);
void bus_close(struct bus *b); // queues and listeners must be closed
// How often the connection was restored. After that, queues may be empty and streams gone.
unsigned bus_reconnects(struct bus *b);
bool bus_is_away(struct bus *b);

// --- plain messages: received by current listeners only

void bus_publish(struct bus *b, const char *subject, struct span bytes);
struct bus_subscription;
// `hear` is called on a thread of the bus, one call at a time.
struct bus_subscription *bus_subscribe(struct bus *b, const char *subject, void (*hear)(void *owner, struct span bytes),
                                       void *owner);
void bus_unsubscribe(struct bus_subscription *e); // no calls come afterwards; NULL is allowed

// --- JetStream

struct bus_stream {
    const char *name, *subject; // "AGON_WORK", "work.*"
    bool is_queue; // true: a message is deleted when it is acknowledged; false: the last one of each subject is kept
    int64_t most, max_bytes; // messages, and bytes of one message
    int64_t max_age_s;
};

bool bus_ensure_stream(struct bus *b, const struct bus_stream *s, char why[BUS_WHY]);
// Waits for the server's acknowledgement. The same id is not stored twice within two minutes; NULL: no id.
bool bus_put(struct bus *b, const char *subject, const char *id, struct span bytes, char why[BUS_WHY]);
bool bus_read(struct bus *b, const char *stream, const char *subject, struct text *out); // the last message
bool bus_purge(struct bus *b, const char *stream, const char *subject);

struct bus_queue_options {
    const char *stream, *consumer, *subject;
    int64_t ack_wait_ms;
    int max_deliver;    // -1: any number
    int64_t inactive_s; // the server deletes the consumer if nobody has taken messages for so long; 0: never
};

struct bus_queue;
struct bus_message;
struct bus_queue *bus_queue_open(struct bus *b, const struct bus_queue_options *o, char why[BUS_WHY]);
void bus_queue_close(struct bus_queue *q, bool forget); // `forget`: deletes the consumer; NULL is allowed
// Takes up to `most` (BUS_BATCH) messages; waits up to `wait_ms` for the first. -1: the queue is gone or the bus is
// unreachable.
int bus_queue_take(struct bus_queue *q, struct bus_message **list, int most, int wait_ms);
struct span bus_message_bytes(const struct bus_message *m);
void bus_message_hold(struct bus_message *m);                 // still in progress: extends the server's wait
void bus_message_done(struct bus_message *m);                 // acknowledges and frees it
void bus_message_refuse(struct bus_message *m, int delay_ms); // it is delivered again, to any consumer; frees it
