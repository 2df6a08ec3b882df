// The part of JSON Schema 2020-12 that our schemas use, and members of JSON values.
#pragma once

#include "env/model.h"

struct env_fault {
    char path[256], expected[256];
    bool range; // the type is right, the value is not
};
// `of` is a tool or the row of an action, `path` where the value stands.
bool env_schema_check(const struct env_schemas *s, const void *of, struct span value, const char *path,
                      struct env_fault *fault);
bool env_schema_has(const struct env_schemas *s, const void *of, struct json_string key); // among its properties
void env_schemas_compile(struct env_schemas *s, const struct env_game *games);
void env_schemas_add(struct env_schemas *s, const void *of, struct span schema); // the text must stay
void env_schemas_release(struct env_schemas *s);
bool env_json_member(struct span object, const char *key, struct span *value); // the last of this name
bool env_json_is(struct span value, enum json_type type);
struct json_string env_json_string(struct span value);
int64_t env_json_int(struct span value); // beyond 64 bits: the nearest
bool env_json_fits(struct span value);   // an integer in 64 bits
double env_json_real(struct span value);
