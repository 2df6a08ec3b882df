// The grammar of HTTP/1.1 (RFC 9110, RFC 9112), one rule per function. Each function checks a whole element.
#pragma once

#include "base/span.h"

#include <stdint.h>

bool http_is_token(struct span s);  // a method or a field name
bool http_is_value(struct span s);  // a field value: no control characters but tabs, so no bare CR and no NUL
bool http_is_target(struct span s); // visible ASCII without '#'
// A host as DNS or an address may have it, and an optional port up to 65535. Stricter than RFC 3986: no userinfo, no
// commas or other sub-delimiters, no percent signs, no empty host.
bool http_is_host(struct span s);
// Digits only, below 2^63. Refuses a sign, a list, an empty value and an overflow.
bool http_read_length(struct span s, uint64_t *length);
// 1 to 16 hexadecimal digits, then nothing or an extension that begins with ';', whose size is set.
bool http_read_chunk(struct span line, uint64_t *size, size_t *extension);
int http_hex(char c);                              // value of a hexadecimal digit, or -1
bool http_equals(struct span a, const char *word); // ignoring the case of ASCII letters
struct span http_trim(struct span s);              // without spaces and tabs at both ends
// Whether a list of tokens has this one, ignoring case. Commas, spaces and tabs separate tokens. Blanks alone do not in
// RFC 9110, but no token contains one, and clients that forget a comma are understood.
bool http_list_has(struct span list, const char *token);
