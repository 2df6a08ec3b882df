#include "front/arena/caller.h"

#include "front/arena/limits.h"
#include "net/forwarded.h"

void caller_find(struct caller *c, const struct http_request *r)
{
    char address[64];
    c->loopback = forwarded_find(r, address);
    limits_name(span_of(address), c->address);
}
