// The arguments of a tool call, parsed once.
#pragma once

#include "env/action_input.h"

enum { ENV_MAX_ARGUMENTS = 16 };

struct env_arguments {
    struct span text;                           // all of them
    const struct env_schema *schema;            // of the tool
    struct json_value value[ENV_MAX_ARGUMENTS]; // by position among its properties; JSON_NONE: not given
    struct env_action_input input;              // of the argument `action`, if the tool has one
};

// G4.6: PascalCase names are replaced by ours, in a copy that lasts as long as the call. `arguments` is an object.
struct span env_resolve_aliases(struct env *env, struct span arguments);
// Parses and checks an object. Returns false and the first error. The text must stay valid.
bool env_arguments_read(struct env *env, const struct env_tool *tool, struct span text, struct env_arguments *a,
                        struct env_fault *fault);
bool env_argument(const struct env_arguments *a, const char *name, struct span *value); // false: not given
// The agent named by agent_id, which the tool requires; NULL: refused.
struct env_agent *env_agent_argument(struct env_conn *c, const struct env_arguments *a, struct env_result *r);
