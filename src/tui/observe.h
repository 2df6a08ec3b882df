// Watching any adapter of the standard (T6.9).
#pragma once

#include "tui/config.h"

struct observe_options {
    struct config config;
    const char *host;
    uint16_t port;
    const char *note; // shown for the first seconds; NULL: none
};

enum { OBSERVE_ENDED, OBSERVE_LOST, OBSERVE_NEVER_BEGAN };

// Runs until the user leaves, or the adapter is gone or was never there; then sets `why_ended`.
int observe_run(const struct observe_options *o, char *why_ended, size_t room);
