// A NATS server as the bus between processes of agon: plain messages, and JetStream queues with acknowledgements.
//
// Calls block and may come from any thread; libnats has threads of its own and reconnects by itself (decision 039).
// While the bus is away plain messages are dropped and puts fail: whoever needs one to arrive puts it again. A program
// that was built without libnats has the same calls, and bus_open says why nothing works.
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

enum { BUS_WHY = 512, BUS_SUBJECT = 128, BUS_BATCH = 64 };

struct bus_options {
    const char *url;     // nats://HOST:PORT or tls://HOST:PORT, several separated by commas; no secrets in it
    const char *login;   // TOKEN or USER:PASSWORD; NULL: none is asked for
    const char *ca_file; // certificates to trust instead of the system's; NULL: those
    const char *name;    // as the server lists this connection
};

struct bus;
// NULL, and one line in `why` about what is wrong and what would be right.
struct bus *bus_open(const struct bus_options *o, char why[BUS_WHY]);
void bus_close(struct bus *b); // queues and listeners have been closed
// How often the connection came back. After that queues may be empty and streams gone.
unsigned bus_returns(struct bus *b);
bool bus_is_away(struct bus *b);

// --- plain messages: whoever listens now hears them

void bus_say(struct bus *b, const char *subject, struct span bytes);
struct bus_ear;
// `hear` is called on a thread of the bus, one call at a time.
struct bus_ear *bus_listen(struct bus *b, const char *subject, void (*hear)(void *owner, struct span bytes),
                           void *owner);
void bus_listen_end(struct bus_ear *e); // no call comes afterwards; NULL is fine

// --- JetStream

struct bus_stream {
    const char *name, *subject; // "AGON_WORK", "work.*"
    bool is_queue;              // a message is deleted when it is acknowledged; else the last of each subject is kept
    int64_t most, max_bytes;    // messages, and bytes of one
    int64_t max_age_s;
};

bool bus_ensure_stream(struct bus *b, const struct bus_stream *s, char why[BUS_WHY]);
// Acknowledged by the server. The same id again within two minutes is not stored twice; NULL: none.
bool bus_put(struct bus *b, const char *subject, const char *id, struct span bytes, char why[BUS_WHY]);
bool bus_read(struct bus *b, const char *stream, const char *subject, struct text *out); // the last message
bool bus_purge(struct bus *b, const char *stream, const char *subject);

struct bus_queue_options {
    const char *stream, *consumer, *subject;
    int64_t ack_wait_ms;
    int max_deliver;    // -1: any number
    int64_t inactive_s; // the server forgets the consumer when nobody has taken messages for so long; 0: never
};

struct bus_queue;
struct bus_message;
struct bus_queue *bus_queue_open(struct bus *b, const struct bus_queue_options *o, char why[BUS_WHY]);
void bus_queue_close(struct bus_queue *q, bool forget); // `forget`: the consumer is deleted; NULL is fine
// Up to `most` (BUS_BATCH) messages; waits up to `wait_ms` for the first. -1: the queue is gone or the bus is away.
int bus_queue_take(struct bus_queue *q, struct bus_message **list, int most, int wait_ms);
struct span bus_message_bytes(const struct bus_message *m);
void bus_message_hold(struct bus_message *m);                 // it is being worked on: the server waits on
void bus_message_done(struct bus_message *m);                 // frees it
void bus_message_refuse(struct bus_message *m, int delay_ms); // it comes again, to anybody; frees it
