// Strict UTF-8: no overlong forms, no surrogates, nothing above U+10FFFF.
#pragma once

#include "base/text.h"

bool utf8_is_valid(struct span s);
// Number of bytes of the sequence that starts here, 1..4; 0: invalid.
int utf8_sequence(const char *at, const char *end);

// Number of characters, or -1 if one of them is malformed or not visible as itself: a control, bidirectional or
// invisible character, a space other than U+0020, a noncharacter. Such characters can make a name look like another, or
// change the text around it.
int utf8_count_shown(struct span s);

// Appends foreign text for a terminal or a log: what is malformed or not visible as itself becomes \xNN, byte by byte.
// With `lines`, line feeds and tabs stay.
void utf8_put_shown(struct text *t, struct span s, bool lines);
// The same into a buffer with a terminating NUL; truncated if it does not fit. `out` and `s` must not overlap.
void utf8_copy_shown(char *out, size_t room, struct span s, bool lines);
