#include "net/address.h"

#include <arpa/inet.h>

// ::ffff:0:0/96. A port that listens on IPv6 reports IPv4 peers in this form, so a client has one address on all ports.
static const uint8_t mapped[12] = {[10] = 0xff, [11] = 0xff};

static void put_four(struct address *a, const void *four)
{
    memcpy(a->byte, mapped, sizeof mapped);
    memcpy(a->byte + sizeof mapped, four, 4);
}

bool address_read(struct address *a, struct span text)
{
    char copy[INET6_ADDRSTRLEN];
    uint8_t four[4];
    if (text.size == 0 || text.size >= sizeof copy)
        return false;
    memcpy(copy, text.at, text.size);
    copy[text.size] = 0;
    if (inet_pton(AF_INET6, copy, a->byte) == 1)
        return true;
    if (inet_pton(AF_INET, copy, four) != 1)
        return false;
    put_four(a, four);
    return true;
}

bool address_of_peer(struct address *a, const struct sockaddr *from)
{
    if (from->sa_family == AF_INET)
        put_four(a, &((const struct sockaddr_in *)(const void *)from)->sin_addr);
    else if (from->sa_family == AF_INET6)
        memcpy(a->byte, &((const struct sockaddr_in6 *)(const void *)from)->sin6_addr, sizeof a->byte);
    else
        return false;
    return true;
}

static bool is_four(const struct address *a)
{
    return memcmp(a->byte, mapped, sizeof mapped) == 0;
}

bool address_is_loopback(const struct address *a)
{
    static const uint8_t one[16] = {[15] = 1};
    return is_four(a) ? a->byte[12] == 127 : memcmp(a->byte, one, sizeof one) == 0;
}

bool address_range_read(struct address_range *r, struct span text)
{
    const char *slash = text.size ? memchr(text.at, '/', text.size) : NULL;
    struct span host = {text.at, slash ? (size_t)(slash - text.at) : text.size};
    if (!address_read(&r->first, host))
        return false;
    // In dotted form the bits count from the IPv4 part on; in "::ffff:10.0.0.0/104" from the beginning of all 128.
    bool four = is_four(&r->first) && !memchr(host.at, ':', host.size);
    int most = four ? 32 : 128, bits = slash ? 0 : most;
    size_t digits = slash ? text.size - host.size - 1 : 0;
    if (slash && (digits == 0 || digits > 3))
        return false;
    for (size_t i = 0; i < digits; i++) {
        char digit = slash[1 + i];
        if (digit < '0' || digit > '9')
            return false;
        bits = bits * 10 + (digit - '0');
    }
    r->bits = bits + (four ? 96 : 0);
    return bits <= most;
}

bool address_is_within(const struct address *a, const struct address_range *r)
{
    int whole = r->bits / 8, rest = r->bits % 8;
    if (memcmp(a->byte, r->first.byte, (size_t)whole) != 0)
        return false;
    return rest == 0 || (a->byte[whole] ^ r->first.byte[whole]) >> (8 - rest) == 0;
}

struct address address_network(const struct address *a)
{
    struct address network = *a;
    if (!is_four(a))
        memset(network.byte + 8, 0, 8);
    return network;
}
