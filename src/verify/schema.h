// A subset of JSON Schema 2020-12, as used by messages of Game-RL and MCP: whether a schema is valid, and whether a
// value conforms to one. References are local ("#/..."); formats are not checked.
#pragma once

#include <jansson.h>
#include <stdbool.h>

enum { SCHEMA_WHY = 160 };

struct schema_fault {
    char why[SCHEMA_WHY]; // "/steps/0/tick: not an integer"
};

// Local references are resolved in `root`, which contains the schema or is equal to it.
bool schema_holds(json_t *root, json_t *schema, json_t *value, struct schema_fault *fault);
bool schema_is_sound(json_t *schema, struct schema_fault *fault);
json_t *schema_at(json_t *root, const char *pointer); // "#/$defs/step"; NULL: not found
