// What was said on one connection, one JSON object a line (F8.8, F9.3), for tests and for finding out what happened.
#pragma once

#include "base/uuid.h"

#include <stdint.h>

struct transcript;

// NULL when the file cannot be made: errno says why. It is for its owner alone: it holds what only that agent may know.
struct transcript *transcript_open(const char *folder, struct uuid agent, int64_t now_ms, uint32_t number);
void transcript_close(struct transcript *t); // NULL does nothing

// A frame; `match` is the session it belongs to, NULL: none. Frames that are no JSON object are left out.
void transcript_add(struct transcript *t, int64_t now_ms, bool from_client, const struct uuid *match,
                    struct span payload);
