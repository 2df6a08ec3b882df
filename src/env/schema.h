// The part of JSON Schema 2020-12 that our schemas use, and members of JSON values.
#pragma once

#include "env/model.h"

struct env_fault {
    char path[256], expected[256];
    bool range; // the type is right, but not the value
};
// `of` is a tool or the row of an action, `path` the position of the value.
bool env_schema_check(const struct env_schemas *s, const void *of, struct span value, const char *path,
                      struct env_fault *fault);
const struct env_schema *env_schema_of(const struct env_schemas *s, const void *of);
int env_schema_size(const struct env_schema *schema); // how many properties it has
// For an object that is read member by member: `seen` is 0 before the first, and records which were present.
int env_schema_place(const struct env_schema *schema, struct json_string key); // index among its properties; -1: none
bool env_schema_check_member(const struct env_schema *schema, struct json_string key, struct json_value value,
                             uint64_t *seen, struct env_fault *fault);
bool env_schema_check_required(const struct env_schema *schema, uint64_t seen, struct env_fault *fault);
bool env_fault_below(struct env_fault *fault, const char *path); // prepends "/a/b" to its path; always returns false
void env_schemas_init(struct env_schemas *s);                    // those of tools
void env_schemas_compile(struct env_schemas *s, const struct env_game *g); // and of a game's actions, if they are new
void env_schemas_add(struct env_schemas *s, const void *of, struct span schema); // the text must stay valid
void env_schemas_release(struct env_schemas *s);
bool env_json_is(struct span value, enum json_type type);
struct json_string env_json_string(struct span value);
int64_t env_json_int(struct span value); // beyond 64 bits: the nearest
bool env_json_fits(struct span value);   // an integer that fits into 64 bits
double env_json_real(struct span value);
bool env_value_is(struct json_value value, enum json_type type); // the same for values already read
int64_t env_value_int(struct json_value value);
