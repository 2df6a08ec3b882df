// Is a bot there? Any answer to GET /health counts (B13.8).
#pragma once

#include "seats/seat.h"

struct seat_health;

// Asks once; on_done comes later, exactly once, unless it is cancelled before. NULL without memory. The address is an
// http(s) one.
struct seat_health *seat_health_ask(struct seat_client *c, const char *where, int budget_ms,
                                    void (*on_done)(void *owner, bool answers), void *owner);
void seat_health_cancel(struct seat_health *h);
