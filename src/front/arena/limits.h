// Rate limits (F5.11): a token bucket for each address or agent and class of calls, in a table of fixed size. A bucket
// is stored as the time at which it will be full again. A full bucket carries no information and can be replaced.
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

// 8,192 buckets. Only clients that are not full again take one.
enum { LIMITS_WAYS = 8, LIMITS_SETS = 1024 };

struct limits {
    uint64_t salt; // so that nobody outside can choose names that share a bucket
    struct limits_bucket {
        uint64_t who;
        int64_t full_ms;
        uint32_t own_ms; // counted here and not reported to other nodes yet
        uint32_t kind;   // enum limit_class
    } at[LIMITS_SETS][LIMITS_WAYS];
};

void limits_init(struct limits *l, uint64_t salt);
// Returns 0 and counts the call, or the number of seconds to wait (at least 1).
int limits_take(struct limits *l, enum limit_class c, struct span who, int64_t now_ms);
int limits_wait(struct limits *l, enum limit_class c, struct span who,
                int64_t now_ms); // the same without counting

// S46: classes that the store counts for all nodes (store_take_call), with their parameters.
bool limits_is_shared(enum limit_class c, int64_t *each_ms, int64_t *burst);
// Lists clients that have used more than a quarter of their burst, with what was counted since the last call, for the
// other nodes. Returns how many were written. Tables of all nodes must have the same salt.
struct limits_heavy {
    uint64_t who;
    uint32_t ms, kind;
};
int limits_take_report(struct limits *l, int64_t now_ms, struct limits_heavy *out, int room);
void limits_apply_report(struct limits *l, const struct limits_heavy *heavy, int64_t now_ms);

// The name of an address in the table: IPv6 by its upper 64 bits, anything else unchanged.
struct span limits_name(struct span address, char out[64]);
