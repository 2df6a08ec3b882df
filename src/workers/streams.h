// The streams and subjects of contests on the bus (S82), for coordinators and workers.
#pragma once

#include "base/uuid.h"
#include "bus/bus.h"

// Idempotent. Returns false and sets `why` if the bus refuses.
bool workers_open_streams(struct bus *b, char why[BUS_WHY]);

// "work.CONTEST"
const char *workers_subject(char out[BUS_SUBJECT], const char *what, struct uuid contest);
