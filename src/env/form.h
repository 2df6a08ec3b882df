// An action as a client writes it: an object with a type and parameters, words, a number or an array (G11.5).
#pragma once

#include "env/schema.h"

struct env_form {
    struct json_value action; // all of it
    struct json_value name;   // of an object: its type; JSON_NONE: it has none
    bool fits;                // what the schemas of the tools ask for; false: that is not known yet
    bool has_index;
    int64_t index;
    // Of an object: its parameters in env->members. Those of `params` have its number, which counts from 1 because it
    // may come again; those beside it have 0.
    size_t first, count;
    uint32_t params;
};

// Takes the value ahead in one pass. Its members lie in env->members until env_form_release.
void env_form_read(struct env *env, struct json_reader *r, struct env_form *f);
void env_form_release(struct env *env, const struct env_form *f);
// The parameters as one object in env->merged, where they stay as long as the call.
struct span env_form_merge(struct env *env, const struct env_form *f);
// The same, after merging, against the schema of an action; as env_schema_check.
bool env_form_check(const struct env *env, const struct env_form *f, const void *of, const char *path,
                    struct env_fault *fault);
