// UUIDs: 16 bytes; text is canonical, in lower case. All zero: none.
#pragma once

#include "base/text.h"

enum { UUID_BYTES = 16, UUID_TEXT = 36 };

struct uuid {
    uint8_t byte[UUID_BYTES];
};

void uuid_mark_random(struct uuid *u);             // turns 16 random bytes into a random UUID (version 4)
bool uuid_parse(struct uuid *u, struct span text); // canonical, either case; false, leaving u unchanged, if invalid
void uuid_format(char out[UUID_TEXT + 1], struct uuid u);
void uuid_put(struct text *t, const char *key, struct uuid u); // as a member of an open JSON object

static inline bool uuid_equals(struct uuid a, struct uuid b)
{
    return memcmp(a.byte, b.byte, UUID_BYTES) == 0;
}

static inline bool uuid_is_none(struct uuid u)
{
    return uuid_equals(u, (struct uuid){0});
}
