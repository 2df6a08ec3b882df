// Records the messages of one connection, one JSON object per line (F8.8, F9.3), for tests and debugging.
#pragma once

#include "base/uuid.h"

#include <stdint.h>

struct transcript;

// Returns NULL with errno set if the file cannot be created. It is readable by its owner only, because it has what only
// the agent may know.
struct transcript *transcript_open(const char *folder, struct uuid agent, int64_t now_ms, uint32_t number);
void transcript_close(struct transcript *t); // NULL is allowed

// Adds a frame; `match` is its session, NULL: none. Frames that are not a JSON object are left out.
void transcript_add(struct transcript *t, int64_t now_ms, bool from_client, const struct uuid *match,
                    struct span payload);
