// The part of JSON Schema 2020-12 that our schemas use, and members of JSON values.
#pragma once

#include "env/model.h"

struct rl_fault {
    char path[256], expected[256];
    bool range; // the type is right, the value is not
};
// `of` is a tool or the row of an action, `path` where the value stands.
bool rl_schema_check(const struct rl_schemas *s, const void *of, struct span value, const char *path,
                     struct rl_fault *fault);
void rl_schemas_compile(struct rl_schemas *s, const struct rl_game *games);
void rl_schemas_add(struct rl_schemas *s, const void *of, struct span schema); // the text must stay
void rl_schemas_release(struct rl_schemas *s);
bool rl_json_member(struct span object, const char *key, struct span *value); // the last of this name
bool rl_json_is(struct span value, enum json_type type);
struct json_string rl_json_string(struct span value);
int64_t rl_json_int(struct span value); // beyond 64 bits: the nearest
bool rl_json_fits(struct span value);   // an integer in 64 bits
double rl_json_real(struct span value);
