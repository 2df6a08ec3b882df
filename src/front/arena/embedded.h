// Files that are part of the program (cmake/embed.cmake, cmake/embed_page.cmake).
#pragma once

#include "base/text.h"

#include <stddef.h>

extern const char embedded_rest_json[];
extern const size_t embedded_rest_json_size;

// The web page as built by `make page`. Without npm there are no assets, and the shell is page/minimal.html.
struct embedded_asset {
    const char *path; // "/assets/main-3f9a1c2b.js": the name changes with the content
    const char *type;
    struct span raw, br, gzip; // br and gzip are empty if they would not be shorter
};
extern const struct embedded_asset embedded_assets[]; // ends with a NULL path
extern const struct span embedded_shell;
extern const char embedded_build[]; // hash of all files
