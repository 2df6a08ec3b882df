// Converts MessagePack to JSON values, to inspect files written by others. Bin becomes a string of its length in bytes.
#pragma once

#include <jansson.h>
#include <stddef.h>

// Reads one value from the front of `bytes`; new. Sets `used` to its size. Returns NULL if there is no complete value.
json_t *msgpack_read_value(const unsigned char *bytes, size_t size, size_t *used);
