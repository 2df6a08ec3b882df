// The bus between the nodes of one arena (`agon serve --bus`): NATS on the loop (bus/post.h), and the wire over it
// (front/arena/wire.h).
//
// The connection is made before the store is opened: a node that joins has no time to wait for a bus that is not there.
#pragma once

#include "bus/post.h"
#include "front/arena/wire.h"

struct serve_bus;

// Waits for a bus that does not answer (S75). NULL: it refuses, and `why` says so.
struct serve_bus *serve_bus_connect(struct loop *l, const struct bus_options *o, char why[BUS_WHY]);
struct wire *serve_bus_open(struct serve_bus *b, struct hub *h, struct store *s); // NULL: no memory
void serve_bus_flush(struct serve_bus *b);            // at the end of a turn, after hub_release
int64_t serve_bus_away_ms(const struct serve_bus *b); // since it went away; 0: it is there
void serve_bus_write_metrics(const struct serve_bus *b, struct text *t);
void serve_bus_shut(struct serve_bus *b);  // the wire: before the hub is closed
void serve_bus_close(struct serve_bus *b); // all of it
