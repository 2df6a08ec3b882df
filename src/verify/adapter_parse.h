// Parses lines of a Tetris adapter leniently: every member of the right type is used, whatever the others are. So one
// wrong member is one finding, and the conversation can continue. The strict parser is front/lines/server_message.h.
#pragma once

#include "front/lines/server_message.h"

#include <jansson.h>

// Fills `m`; absent or invalid members are 0. Returns a new value, or NULL if the line is not a JSON object.
json_t *adapter_parse_message(struct server_message *m, struct span line);

int adapter_parse_kind(const json_t *kind);         // 1..7, or 0
int adapter_parse_rotation(const json_t *rotation); // 0..3, or -1
bool adapter_is_int(const json_t *value, json_int_t least, json_int_t most);
bool adapter_list_has(const json_t *list, const char *word);
