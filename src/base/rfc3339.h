// Timestamps as written in all protocols: RFC 3339, UTC, milliseconds, "2026-01-31T23:59:59.250Z".
#pragma once

#include "base/text.h"

enum { RFC3339_TEXT = 24 };

void rfc3339_write(struct text *t, int64_t unix_ms);                // without quotes; years 0 to 9999
void rfc3339_put(struct text *t, const char *key, int64_t unix_ms); // as a member of an open JSON object
