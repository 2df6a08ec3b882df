// The client on whose behalf a request comes. A proxy on this machine, or on one that the operator has named, sends it
// in X-Forwarded-For, whose last address is the one that the proxy itself saw. From other peers the header is ignored.
#pragma once

#include "net/http.h"

// Sets the client's address as text. Returns true if the peer is on this machine and names no other client.
bool forwarded_find(const struct http_request *r, char out[64]);
uint64_t forwarded_client(const struct http_request *r, const struct conn *c); // as counted by net/admission.h
