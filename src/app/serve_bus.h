// The bus between the nodes of one arena (`agon serve --bus`): NATS on the loop (bus/pubsub.h), and the node bus over
// it (front/arena/node_bus.h).
//
// The connection is made before the store is opened: a node that has joined must not wait for a missing bus.
#pragma once

#include "bus/pubsub.h"
#include "front/arena/node_bus.h"

struct serve_bus;

// Waits for a bus that does not answer (S75). Returns NULL and sets `why` if it refuses.
struct serve_bus *serve_bus_connect(struct loop *l, const struct bus_options *o, char why[BUS_WHY]);
struct node_bus *serve_bus_open(struct serve_bus *b, struct hub *h, struct store *s); // NULL without memory
void serve_bus_flush(struct serve_bus *b);            // at the end of a turn, after hub_release
int64_t serve_bus_away_ms(const struct serve_bus *b); // time since it became unreachable; 0: it is reachable
void serve_bus_write_metrics(const struct serve_bus *b, struct text *t);
void serve_bus_close_wire(struct serve_bus *b); // closes the node bus, before the hub is closed
void serve_bus_close(struct serve_bus *b);      // closes everything
