#include "front/arena/client_address.h"

#include "front/arena/limits.h"
#include "net/forwarded.h"

void client_address_find(struct client_address *c, const struct http_request *r)
{
    char address[64];
    c->loopback = forwarded_find(r, address);
    limits_name(span_of(address), c->address);
}
