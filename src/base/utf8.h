// Strict UTF-8: no overlong forms, no surrogates, nothing above U+10FFFF.
#pragma once

#include "base/span.h"

bool utf8_is_valid(struct span s);
int utf8_sequence(const char *at, const char *end); // bytes of the sequence that starts here, 1..4; 0: none does
