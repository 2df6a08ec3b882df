// Strict UTF-8: no overlong forms, no surrogates, nothing above U+10FFFF.
#pragma once

#include "base/text.h"

bool utf8_is_valid(struct span s);
int utf8_sequence(const char *at, const char *end); // bytes of the sequence that starts here, 1..4; 0: none does

// How many characters, or -1 when one of them is malformed or not shown as itself: a control, bidirectional or
// invisible character, a space other than U+0020, a noncharacter. With those a name can look like another, or change
// the text around it.
int utf8_count_shown(struct span s);

// Appends bytes that somebody else wrote, for a terminal or a log: whatever is malformed or not shown as itself becomes
// \xNN, byte by byte. With `lines` line feeds and tabs stay.
void utf8_put_shown(struct text *t, struct span s, bool lines);
// The same into a buffer with a closing NUL; what does not fit is cut off. `out` and `s` do not overlap.
void utf8_copy_shown(char *out, size_t room, struct span s, bool lines);
