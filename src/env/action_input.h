// An action as written by a client: an object with a type and parameters, words, a number or an array (G11.5).
#pragma once

#include "env/schema.h"

struct env_action_input {
    struct json_value action; // the whole value
    struct json_value name;   // of an object: its type; JSON_NONE: absent
    bool fits;                // conforms to the tools' schemas; false: not known yet
    bool has_index;
    int64_t index;
    // Of an object: its parameters in env->members. Those of `params` have its number, counted from 1 because it may
    // occur again; those beside it have 0.
    size_t first, count;
    uint32_t params;
};

// Reads the next value in one pass. Its members are in env->members until env_action_input_release.
void env_action_input_read(struct env *env, struct json_reader *r, struct env_action_input *input);
void env_action_input_release(struct env *env, const struct env_action_input *input);
// The parameters as one object in env->merged, valid as long as the call.
struct span env_action_input_merge(struct env *env, const struct env_action_input *input);
// Checks the merged parameters against the schema of an action, as env_schema_check.
bool env_action_input_check(const struct env *env, const struct env_action_input *input, const void *of,
                            const char *path, struct env_fault *fault);
