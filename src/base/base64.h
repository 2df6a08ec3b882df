// Bytes as text, RFC 4648 with padding.
#pragma once

#include "base/text.h"

void base64_write(struct text *t, const void *bytes, size_t size);
// The number of bytes, or -1: too long, or not what base64_write makes of any bytes.
long base64_read(struct span text, uint8_t *out, size_t room);
