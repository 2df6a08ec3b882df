// How often somebody may call (F5.11): a token bucket for each address or agent and class of calls, in a table that
// never grows. A bucket is one moment: when it would be full again. A full one is worth nothing and makes room.
#pragma once

#include "base/span.h"

#include <stdint.h>

enum limit_class {
    LIMIT_NONE,
    LIMIT_JOIN,
    LIMIT_FRAMES,
    LIMIT_READ,
    LIMIT_KEYED,
    LIMIT_GUESS,
    LIMIT_GUEST,
    LIMIT_CLASSES
};

enum { LIMITS_WAYS = 8, LIMITS_SETS = 1024 };

struct limits {
    uint64_t salt; // nobody outside can choose who shares a bucket
    struct limits_bucket {
        uint64_t who;
        int64_t full_ms;
    } at[LIMITS_SETS][LIMITS_WAYS];
};

void limits_init(struct limits *l, uint64_t salt);
// 0 and counted, or how many seconds to wait (1 or more).
int limits_take(struct limits *l, enum limit_class c, struct span who, int64_t now_ms);
int limits_wait(struct limits *l, enum limit_class c, struct span who,
                int64_t now_ms); // as that, and nothing is counted
// What stands for an address: IPv6 by its upper 64 bits, everything else as it is written.
struct span limits_name(struct span address, char out[64]);
