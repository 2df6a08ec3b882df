// A parser for the part of TOML that poker hands need: tables, keys, and values that are read or skipped.
//
//     struct toml t = toml_of(text);
//     while ((item = toml_next(&t, &name)) > TOML_END)
//         if (item == TOML_KEY)
//             ... read one value, or toml_skip(&t);
//     if (item == TOML_BAD) ... t.error, t.line
//
// Only strings are copied. After an error every call fails.
#pragma once

#include "base/span.h"

#include <stdint.h>

struct toml {
    struct span text;
    size_t at;
    uint32_t line;     // from 1
    const char *error; // NULL: no error
};

enum toml_item { TOML_BAD = -1, TOML_END, TOML_TABLE, TOML_KEY };

struct toml toml_of(struct span text);
// The next header of a table, or key; its value comes next. `name` is as written, without brackets and spaces.
enum toml_item toml_next(struct toml *t, struct span *name);

// One value each; false if it has another type, which is an error.
bool toml_read_string(struct toml *t, char *out, size_t room);   // with a terminating 0; truncated if it does not fit
bool toml_read_whole(struct toml *t, int64_t max, int64_t *out); // 0 to max; a float must be whole
bool toml_enter_array(struct toml *t);
bool toml_next_element(struct toml *t);            // false: the array has ended, or an error
bool toml_skip(struct toml *t);                    // a value of any type
bool toml_fail(struct toml *t, const char *error); // returns false
