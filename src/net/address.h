// Client addresses, for limits. IPv4 addresses are stored as IPv4-mapped IPv6 addresses.
#pragma once

#include "base/span.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>

struct address {
    uint8_t byte[16];
};

bool address_read(struct address *a, struct span text);               // numeric IPv4 or IPv6; false: neither
bool address_of_peer(struct address *a, const struct sockaddr *from); // false: not an IP address (a Unix socket)
bool address_is_loopback(const struct address *a);
// A network: the addresses whose first `bits` bits (of 128) are those of `first`.
struct address_range {
    struct address first;
    int bits;
};
bool address_range_read(struct address_range *r, struct span text); // "192.0.2.7", "10.0.0.0/8", "2001:db8::/32"
bool address_is_within(const struct address *a, const struct address_range *r);
// The part that limits count as one client: all of an IPv4 address, the upper 64 bits of an IPv6 address.
struct address address_network(const struct address *a);
