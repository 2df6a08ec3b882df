// The streams and subjects of contests on the bus (S82), as coordinators and workers both need them.
#pragma once

#include "base/uuid.h"
#include "bus/bus.h"

// Idempotent. False, and why, when the bus refuses.
bool workers_open_streams(struct bus *b, char why[BUS_WHY]);

// "work.CONTEST"
const char *workers_subject(char out[BUS_SUBJECT], const char *what, struct uuid contest);
