// XXH3, 64 bits: identity of plain bytes. Not for secrets: that is crypto/.
#pragma once

#include <stddef.h>
#include <stdint.h>

uint64_t hash_bytes(const void *bytes, size_t size);
