// On whose behalf a request comes. A proxy on this machine, or on one that the operator has named, tells it in
// X-Forwarded-For, whose last address is the one that the proxy saw itself; from anywhere else the header is not
// believed.
#pragma once

#include "net/http.h"

// The client's address as text; true: the peer is on this machine and names nobody else.
bool forwarded_find(const struct http_request *r, char out[64]);
uint64_t forwarded_client(const struct http_request *r, const struct conn *c); // as net/admission.h counts it
