#include "net/forwarded.h"

// Some proxies add the port: 192.0.2.1:4711, [2001:db8::1]:4711. With it, every connection would be another client.
static struct span without_port(struct span name)
{
    if (name.size && name.at[0] == '[') {
        const char *end = memchr(name.at, ']', name.size);
        return end ? (struct span){name.at + 1, (size_t)(end - name.at - 1)} : name;
    }
    const char *colon = name.size ? memchr(name.at, ':', name.size) : NULL;
    bool is_only = colon && colon == memrchr(name.at, ':', name.size); // several colons are those of IPv6
    return is_only ? (struct span){name.at, (size_t)(colon - name.at)} : name;
}

// The last address, which the proxy itself saw: some proxies append to their client's line, some add a line after it.
static struct span forwarded_for(const struct http_request *r)
{
    struct span list = http_last_header(r, "X-Forwarded-For");
    const char *comma = list.size ? memrchr(list.at, ',', list.size) : NULL;
    if (comma)
        list = (struct span){comma + 1, (size_t)(list.at + list.size - comma - 1)};
    while (list.size && list.at[0] == ' ')
        list.at++, list.size--;
    return without_port(list);
}

static bool is_local(const char *peer)
{
    struct address a;
    return strcmp(peer, "local") == 0 || (address_read(&a, span_of(peer)) && address_is_loopback(&a));
}

bool forwarded_find(const struct http_request *r, char out[64])
{
    http_peer(r, out);
    bool local = is_local(out), forwarded = http_is_proxied(r);
    struct span named = forwarded ? forwarded_for(r) : (struct span){0};
    if (forwarded) {
        // Any text: the proxy is trusted to name clients, not to name addresses.
        size_t size = named.size < 63 ? named.size : 63;
        memcpy(out, named.at, size);
        out[size] = 0;
    }
    return local && !forwarded;
}

uint64_t forwarded_client(const struct http_request *r, const struct conn *c)
{
    if (!http_is_proxied(r))
        return conn_client(c);
    return admission_client_named(conn_admission(c), forwarded_for(r));
}
