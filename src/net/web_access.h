// Which host names and which web pages may call a server that needs no key: keeps foreign web pages out.
#pragma once

#include "base/span.h"

struct web_access {
    const char *host;           // that is listened on, besides names of the loopback
    const char *public_url;     // http(s)://host[:port], as seen from outside; NULL: none
    const char *const *origins; // further allowed ones, ended by NULL; NULL: none
};

// Whether the Host header has one of our names: a page that points its own name here (DNS rebinding) does not have one.
// A proxy may drop the port of the public address, so only the host is compared.
bool web_access_knows_host(const struct web_access *d, struct span host);
// Whether a page of this origin may call. For the public address, scheme and port must match too: another port is
// another origin. No origin (at NULL) means no page.
bool web_access_allows_origin(const struct web_access *d, struct span origin);
