// Files that are part of the program (cmake/embed.cmake).
#pragma once

#include <stddef.h>

extern const char embedded_rest_json[], embedded_page_html[];
extern const size_t embedded_rest_json_size, embedded_page_html_size;
