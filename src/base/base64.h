// Bytes as text, RFC 4648 with padding.
#pragma once

#include "base/text.h"

void base64_write(struct text *t, const void *bytes, size_t size);
// Returns the number of bytes, or -1 if it is too long or not canonical base64.
long base64_read(struct span text, uint8_t *out, size_t room);
