#include "front/arena/caller.h"

#include "front/arena/limits.h"

#include <string.h>

static bool is_loopback(const char *address)
{
    return strncmp(address, "127.", 4) == 0 || strcmp(address, "::1") == 0 || strcmp(address, "local") == 0;
}

// A proxy appends to X-Forwarded-For: only the last address is its own word.
static struct span last_of(struct span list)
{
    const char *comma = memrchr(list.at, ',', list.size);
    if (comma)
        list = (struct span){comma + 1, (size_t)(list.at + list.size - comma - 1)};
    while (list.size && list.at[0] == ' ')
        list.at++, list.size--;
    return list;
}

void caller_find(struct caller *c, const struct http_request *r)
{
    char peer[64];
    http_peer(r, peer);
    struct span seen = span_of(peer), forwarded = http_header(r, "X-Forwarded-For");
    c->loopback = is_loopback(peer);
    if (c->loopback && forwarded.size) {
        seen = last_of(forwarded);
        c->loopback = false;
    }
    limits_name(seen, c->address);
}
