// Is a bot there? Any answer to GET /health counts (B13.8).
#pragma once

#include "seats/seat.h"

struct seat_health;

// Asks once, and again so often where no connection could be had; on_done comes later, exactly once, unless it is
// cancelled before. `fault` is NULL when it answered, else one line that says why not, with the address; valid during
// the call. NULL without memory. The address is an http(s) one.
struct seat_health *seat_health_ask(struct seat_client *c, const char *where, int budget_ms, int retries,
                                    void (*on_done)(void *owner, const char *fault), void *owner);
void seat_health_cancel(struct seat_health *h);
