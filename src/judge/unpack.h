// MessagePack into JSON values, for looking into files that others wrote. Bin becomes a string of its length in bytes.
#pragma once

#include <jansson.h>
#include <stddef.h>

// One value from the front of `bytes`, new, and how many bytes it took; NULL when there is none that is whole.
json_t *unpack_value(const unsigned char *bytes, size_t size, size_t *used);
