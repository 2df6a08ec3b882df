// Messages of a conversation with a model, owned by it.
#pragma once

#include "llm/dialect.h"

struct conversation {
    struct llm_message *at;
    int count, room;
};

void conversation_add(struct conversation *t, enum llm_role role, struct span text, bool is_call); // copies the text
void conversation_drop(struct conversation *t, int count);                                         // drops the oldest
// Appends to the last message: two of the same role in a row are one.
void conversation_append(struct conversation *t, struct span text);
size_t conversation_bytes(const struct conversation *t);
struct span conversation_tail(struct span text, size_t most); // its last bytes, in whole characters
