// The client of a request: the peer's address, or, behind a proxy on this machine, the address that the proxy saw.
#pragma once

#include "net/http.h"

struct client_address {
    char address[64]; // as limits count it: IPv6 by its upper 64 bits
    bool loopback;    // from this machine, and not through a proxy
};

void client_address_find(struct client_address *c, const struct http_request *r);
