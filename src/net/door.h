// Which names and which pages may call a server that needs no key: what keeps strange web pages out.
#pragma once

#include "base/span.h"

struct door {
    const char *host;           // that is listened on, besides the names of the loopback
    const char *public_url;     // http(s)://host[:port], as seen from outside; NULL: none
    const char *const *origins; // allowed ones besides, ended by NULL; NULL: none
};

// By a name of ours: a page that made a name of its own point here (DNS rebinding) does not know one. A proxy may drop
// the port of the public address, so only the host counts.
bool door_knows_host(const struct door *d, struct span host);
// Of the public address the scheme and the port count too: another port is another origin. No origin (at NULL): no
// page.
bool door_allows_origin(const struct door *d, struct span origin);
