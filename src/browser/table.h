// The files, as cmake/wasm.cmake writes them into the build.
#pragma once

#include <stddef.h>

struct browser_row {
    const char *name;
    const char *at;
    const size_t *size;
};

extern const struct browser_row browser_table[]; // ended by a row without a name
