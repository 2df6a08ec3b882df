#include "net/http_grammar.h"

#include <arpa/inet.h>
#include <strings.h>

// One bit for each ASCII character: 0 to 63, 64 to 127.
struct char_set {
    uint64_t bits[2];
};

static const struct char_set token_set = {{0x3ff6cfa00000000, 0x57ffffffc7fffffe}};   // RFC 9110, 5.6.2
static const struct char_set target_set = {{0xfffffff600000000, 0x7fffffffffffffff}}; // 0x21 to 0x7e without '#'
static const struct char_set host_set = {{0x3ff600000000000, 0x47fffffe87fffffe}};    // letters, digits, - . _ ~

// At least one character, and all of them in the set.
static bool is_all_of(const struct char_set *set, struct span s)
{
    for (size_t i = 0; i < s.size; i++) {
        unsigned char u = (unsigned char)s.at[i];
        if (u >= 128 || !(set->bits[u >> 6] >> (u & 63) & 1))
            return false;
    }
    return s.size > 0;
}

bool http_is_token(struct span s)
{
    return is_all_of(&token_set, s);
}

bool http_is_target(struct span s)
{
    return is_all_of(&target_set, s);
}

bool http_is_value(struct span s)
{
    bool bad = false; // no early return, so that the compiler can vectorise the loop
    for (size_t i = 0; i < s.size; i++) {
        unsigned char c = (unsigned char)s.at[i];
        bad |= (c < ' ' && c != '\t') | (c == 127);
    }
    return !bad;
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

// What may follow a host: nothing, or a colon and up to five digits (RFC 3986 also allows none).
static bool is_port(struct span s)
{
    unsigned port = 0;
    if (s.size == 0)
        return true;
    if (s.at[0] != ':' || s.size > 6)
        return false;
    for (size_t i = 1; i < s.size; i++) {
        if (!is_digit(s.at[i]))
            return false;
        port = port * 10 + (unsigned)(s.at[i] - '0');
    }
    return port <= UINT16_MAX;
}

static bool is_ipv6(struct span s)
{
    char text[INET6_ADDRSTRLEN];
    struct in6_addr address;
    if (s.size >= sizeof text || memchr(s.at, 0, s.size))
        return false;
    memcpy(text, s.at, s.size);
    text[s.size] = 0;
    return inet_pton(AF_INET6, text, &address) == 1;
}

bool http_is_host(struct span s)
{
    if (s.size == 0)
        return false;
    bool literal = s.at[0] == '[';
    const char *end = literal ? memchr(s.at, ']', s.size) : memchr(s.at, ':', s.size);
    if (literal && !end)
        return false;
    size_t size = !end ? s.size : (size_t)(end - s.at) + literal;
    struct span host = {s.at, size};
    if (!is_port((struct span){s.at + size, s.size - size}))
        return false;
    return literal ? is_ipv6((struct span){host.at + 1, host.size - 2}) : is_all_of(&host_set, host);
}

bool http_read_length(struct span s, uint64_t *length)
{
    uint64_t n = 0;
    for (size_t i = 0; i < s.size; i++) {
        if (!is_digit(s.at[i]) || n > (INT64_MAX - 9) / 10)
            return false;
        n = n * 10 + (uint64_t)(s.at[i] - '0');
    }
    *length = n;
    return s.size > 0;
}

int http_hex(char c)
{
    return is_digit(c) ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

bool http_read_chunk(struct span line, uint64_t *size, size_t *extension)
{
    uint64_t n = 0;
    size_t i = 0;
    for (; i < line.size && http_hex(line.at[i]) >= 0; i++)
        n = n << 4 | (uint64_t)http_hex(line.at[i]);
    if (i == 0 || i > 16 || n > INT64_MAX)
        return false;
    struct span rest = {line.at + i, line.size - i};
    *size = n;
    *extension = rest.size;
    if (rest.size == 0)
        return true;
    size_t blanks = 0; // RFC 9112, 7.1.1: bad whitespace, allowed only before an extension
    while (blanks < rest.size && is_blank(rest.at[blanks]))
        blanks++;
    return blanks < rest.size && rest.at[blanks] == ';' && http_is_value(rest);
}

bool http_equals(struct span a, const char *word)
{
    return a.size == strlen(word) && (a.size == 0 || strncasecmp(a.at, word, a.size) == 0);
}

struct span http_trim(struct span s)
{
    while (s.size && is_blank(s.at[0]))
        s.at++, s.size--;
    while (s.size && is_blank(s.at[s.size - 1]))
        s.size--;
    return s;
}

static bool is_separator(char c)
{
    return c == ',' || is_blank(c);
}

bool http_list_has(struct span list, const char *token)
{
    for (size_t at = 0; at < list.size;) {
        size_t from = at;
        while (at < list.size && !is_separator(list.at[at]))
            at++;
        if (http_equals((struct span){list.at + from, at - from}, token))
            return true;
        at++;
    }
    return false;
}
