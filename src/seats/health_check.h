// Checks that a bot is there: any answer to GET /health counts (B13.8).
#pragma once

#include "seats/seat.h"

struct health_check;

// Asks once, and up to `retries` times more if there is no connection. on_done is called later, exactly once, unless
// cancelled before. `fault` is NULL if the bot answered, else one line that says why not, with the address; valid
// during the call. Returns NULL without memory. `address` must be an http(s) address.
struct health_check *health_check_start(struct seat_client *c, const char *address, int budget_ms, int retries,
                                        void (*on_done)(void *owner, const char *fault), void *owner);
void health_check_cancel(struct health_check *h);
