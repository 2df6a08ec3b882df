#include "net/web_access.h"

#include <strings.h>

static struct span without_port(struct span host)
{
    const char *end = host.size && host.at[0] == '[' ? memchr(host.at, ']', host.size) : host.at;
    const char *colon = end && host.size ? memchr(end, ':', host.size - (size_t)(end - host.at)) : NULL;
    if (colon)
        host.size = (size_t)(colon - host.at);
    return host;
}

// The part after the scheme; empty if there is none.
static struct span host_of(struct span url)
{
    const char *mark = url.size ? memmem(url.at, url.size, "://", 3) : NULL;
    if (!mark)
        return (struct span){0};
    struct span host = {mark + 3, url.size - (size_t)(mark + 3 - url.at)};
    if (host.size && host.at[host.size - 1] == '/')
        host.size--;
    return host;
}

static bool is_same(struct span a, struct span b) // ignoring the case of ASCII letters
{
    return a.size && a.size == b.size && strncasecmp(a.at, b.at, a.size) == 0;
}

// The loopback and the address that is listened on, with any port.
static bool is_local(const struct web_access *d, struct span host)
{
    const char *const names[] = {"localhost", "127.0.0.1", "[::1]", d->host};
    for (unsigned i = 0; i < sizeof names / sizeof *names; i++)
        if (names[i] && is_same(without_port(host), span_of(names[i])))
            return true;
    return false;
}

// A page that reaches this server under a name of its own (DNS rebinding) sends that name as Host.
bool web_access_knows_host(const struct web_access *d, struct span host)
{
    const char *url = d->public_url;
    return is_local(d, host) || (url && is_same(without_port(host), without_port(host_of(span_of(url)))));
}

bool web_access_allows_origin(const struct web_access *d, struct span origin)
{
    if (!origin.at)
        return true;
    struct span url = d->public_url ? span_of(d->public_url) : (struct span){0};
    for (int i = 0; d->origins && d->origins[i]; i++)
        if (span_is(origin, d->origins[i]))
            return true;
    if (url.size && url.at[url.size - 1] == '/')
        url.size--;
    return is_same(origin, url) || is_local(d, host_of(origin));
}
