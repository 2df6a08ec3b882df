// Messages of a conversation with a model, owned by it.
#pragma once

#include "llm/dialect.h"

struct talk {
    struct llm_message *at;
    int count, room;
};

void talk_add(struct talk *t, enum llm_role role, struct span text, bool is_call); // copies the text
void talk_drop(struct talk *t, int count);                                         // drops the oldest
// Appends to the last message: two of the same role in a row are one.
void talk_append(struct talk *t, struct span text);
size_t talk_bytes(const struct talk *t);
struct span talk_tail(struct span text, size_t most); // its last bytes, in whole characters
