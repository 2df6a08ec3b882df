// How often somebody may call (F5.11): a token bucket for each address or agent and class of calls, in a table that
// never grows. A bucket is one moment: when it would be full again. A full one is worth nothing and makes room.
#pragma once

#include "base/span.h"

#include <stdbool.h>
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
        uint32_t own_ms; // what was counted here and the other nodes have not heard of
        uint32_t kind;   // enum limit_class
    } at[LIMITS_SETS][LIMITS_WAYS];
};

void limits_init(struct limits *l, uint64_t salt);
// 0 and counted, or how many seconds to wait (1 or more).
int limits_take(struct limits *l, enum limit_class c, struct span who, int64_t now_ms);
int limits_wait(struct limits *l, enum limit_class c, struct span who,
                int64_t now_ms); // as that, and nothing is counted

// S46: classes that one table for all nodes counts (store_take_call), and how.
bool limits_is_shared(enum limit_class c, int64_t *each_ms, int64_t *burst);
// Callers that have used more than a quarter of what they may at once, and what was counted of it since the last call,
// for the other nodes; how many were written. Their tables must have the same salt.
struct limits_heavy {
    uint64_t who;
    uint32_t ms, kind;
};
int limits_tell(struct limits *l, int64_t now_ms, struct limits_heavy *out, int room);
void limits_hear(struct limits *l, const struct limits_heavy *heavy, int64_t now_ms);

// What stands for an address: IPv6 by its upper 64 bits, everything else as it is written.
struct span limits_name(struct span address, char out[64]);
