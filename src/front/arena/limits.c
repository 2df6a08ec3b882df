#include "front/arena/limits.h"

#include "base/hash.h"

#include <arpa/inet.h>
#include <assert.h>

// F5.11. A call costs `each_ms`; a bucket of `burst` calls lets so many through at once.
static const struct {
    int64_t each_ms;
    int64_t burst;
} rates[LIMIT_CLASSES] = {
    [LIMIT_JOIN] = {360000, 10}, // 10 per hour
    [LIMIT_FRAMES] = {1000, 20},  [LIMIT_READ] = {100, 40},
    [LIMIT_KEYED] = {200, 30},    [LIMIT_GUESS] = {6000, 10}, // wrong operator tokens
    [LIMIT_GUEST] = {120000, 30},                             // 30 per hour: households share an address
};

// A client that several nodes let through within a second has used more than one node would allow: up to this many
// bursts are remembered.
enum { DEBTS = 8 };

void limits_init(struct limits *l, uint64_t salt)
{
    *l = (struct limits){.salt = salt};
}

static uint64_t name_of(const struct limits *l, enum limit_class c, struct span who)
{
    // All bytes are hashed, and there is no padding.
    struct {
        uint64_t salt, kind;
        char name[64];
    } key = {.salt = l->salt, .kind = (uint64_t)c};
    memcpy(key.name, who.at, who.size < sizeof key.name ? who.size : sizeof key.name);
    uint64_t hash = hash_bytes(&key, sizeof key);
    // 0 marks an unused bucket.
    return hash ? hash : 1;
}

// The bucket of this name, or the one in its set that is nearest to being full, since replacing that loses least.
static struct limits_bucket *find_bucket(struct limits *l, uint64_t who)
{
    // A table of fixed size: many addresses can push buckets out, but not fill the memory.
    struct limits_bucket *set = l->at[who % LIMITS_SETS], *oldest = set;
    for (int i = 0; i < LIMITS_WAYS; i++) {
        if (set[i].who == who)
            return &set[i];
        if (set[i].full_ms < oldest->full_ms)
            oldest = &set[i];
    }
    *oldest = (struct limits_bucket){.who = who};
    return oldest;
}

bool limits_is_shared(enum limit_class c, int64_t *each_ms, int64_t *burst)
{
    *each_ms = rates[c].each_ms;
    *burst = rates[c].burst;
    return c == LIMIT_JOIN || c == LIMIT_GUEST;
}

static int64_t most_of(enum limit_class c)
{
    int64_t each_ms, burst;
    bool shared = limits_is_shared(c, &each_ms, &burst);
    return each_ms * burst * (shared ? 1 : 1 + DEBTS);
}

static int take_or_wait(struct limits *l, enum limit_class c, struct span who, int64_t now_ms, bool take)
{
    assert(c < LIMIT_CLASSES);
    if (c == LIMIT_NONE)
        return 0;
    struct limits_bucket *b = find_bucket(l, name_of(l, c, who));
    int64_t depth = rates[c].each_ms * rates[c].burst;
    // More can only come from a clock that was set back; without this the caller would wait for as long as that.
    if (b->full_ms > now_ms + most_of(c))
        b->full_ms = now_ms + depth; // the clock was set back
    int64_t full = (b->full_ms > now_ms ? b->full_ms : now_ms) + rates[c].each_ms;
    if (full > now_ms + depth)
        return (int)((full - now_ms - depth + 999) / 1000);
    if (take) {
        b->full_ms = full;
        b->own_ms += (uint32_t)rates[c].each_ms;
        b->kind = (uint32_t)c;
    }
    return 0;
}

int limits_take(struct limits *l, enum limit_class c, struct span who, int64_t now_ms)
{
    return take_or_wait(l, c, who, now_ms, true);
}

int limits_wait(struct limits *l, enum limit_class c, struct span who, int64_t now_ms)
{
    return take_or_wait(l, c, who, now_ms, false);
}

int limits_take_report(struct limits *l, int64_t now_ms, struct limits_heavy *out, int room)
{
    int count = 0;
    for (int i = 0; i < LIMITS_SETS * LIMITS_WAYS && count < room; i++) {
        struct limits_bucket *b = &l->at[i / LIMITS_WAYS][i % LIMITS_WAYS];
        int64_t each_ms, burst;
        bool shared = limits_is_shared(b->kind, &each_ms, &burst);
        if (b->full_ms <= now_ms)
            b->own_ms = 0; // it no longer matters
        if (shared || !b->own_ms || b->full_ms - now_ms <= each_ms * burst / 4)
            continue;
        out[count++] = (struct limits_heavy){b->who, b->own_ms, b->kind};
        b->own_ms = 0;
    }
    return count;
}

void limits_apply_report(struct limits *l, const struct limits_heavy *heavy, int64_t now_ms)
{
    // From another node, which may be another version.
    if (heavy->kind >= LIMIT_CLASSES || heavy->who == 0)
        return;
    struct limits_bucket *b = find_bucket(l, heavy->who);
    int64_t most_ms = most_of(heavy->kind);
    b->full_ms = (b->full_ms > now_ms ? b->full_ms : now_ms) + heavy->ms;
    if (b->full_ms > now_ms + most_ms)
        b->full_ms = now_ms + most_ms;
    b->kind = heavy->kind;
}

struct span limits_name(struct span address, char out[64])
{
    uint8_t bytes[16];
    char text[64];
    size_t size = address.size < sizeof text ? address.size : sizeof text - 1;
    memcpy(text, address.at, size);
    text[size] = 0;
    if (inet_pton(AF_INET6, text, bytes) == 1) {
        memset(bytes + 8, 0, 8);
        inet_ntop(AF_INET6, bytes, out, 64);
    } else {
        memcpy(out, text, size + 1);
    }
    return span_of(out);
}
