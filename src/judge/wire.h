// Lines of a Tetris adapter, read leniently: every member of the right type counts, whatever the others are. So one
// wrong member is one finding, and the conversation can go on. Strict reading is front/lines/peer.h.
#pragma once

#include "front/lines/peer.h"

#include <jansson.h>

// Fills `m`; absent or wrong members are 0. The value is the caller's, NULL when the line is not a JSON object.
json_t *wire_read(struct peer_message *m, struct span line);

int wire_kind(const json_t *kind);         // 1..7, or 0
int wire_rotation(const json_t *rotation); // 0..3, or -1
bool wire_is_int(const json_t *value, json_int_t least, json_int_t most);
bool wire_list_has(const json_t *list, const char *word);
