// Options of every libnats connection: addresses, TLS, login. Private to this room.
#pragma once

#include "bus/bus.h"

#ifdef AGON_NATS

#include <nats/nats.h>

natsStatus bus_set_options(natsOptions *n, const struct bus_options *o);
natsStatus bus_first_fault(const natsStatus *steps, size_t count); // NATS_OK: no fault
void bus_explain(char why[BUS_WHY], const struct bus_options *o, natsStatus s);

#endif
