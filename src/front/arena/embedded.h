// Files that are part of the program (cmake/embed.cmake, cmake/embed_page.cmake).
#pragma once

#include "base/text.h"

#include <stddef.h>

extern const char embedded_rest_json[];
extern const size_t embedded_rest_json_size;

// The page as `make page` built it. Without npm there are no assets, and the shell is page/minimal.html.
struct embedded_asset {
    const char *path; // "/assets/main-3f9a1c2b.js": the name changes with the content
    const char *type;
    struct span raw, br, gzip; // the last two are empty where they would be no shorter
};
extern const struct embedded_asset embedded_assets[]; // ended by a NULL path
extern const struct span embedded_shell;
extern const char embedded_build[]; // a hash of all of it
