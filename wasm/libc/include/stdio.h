// Formats into memory, as far as the rooms use them: %s %d %u %x %c, with flags, width, precision and the lengths l,
// ll, z, j.
#pragma once

#include <stdarg.h>
#include <stddef.h>

int vsnprintf(char *out, size_t room, const char *format, va_list args) __attribute__((format(printf, 3, 0)));
int snprintf(char *out, size_t room, const char *format, ...) __attribute__((format(printf, 3, 4)));
