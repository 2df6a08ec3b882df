// Keys of model servers: from the environment or a file, never printed (L3, L140).
#pragma once

#include "base/text.h"
#include "llm/name.h"

// In a page that is excluded from core files; NULL: no key.
struct llm_key;
// Returns false and sets the error: the file cannot be read, or others can read it.
bool llm_key_find(struct llm_key **key, const struct llm_name *n, char why[NAME_WHY]);
void llm_key_free(struct llm_key *key);
const char *llm_key_text(const struct llm_key *key);      // for the header only; "": none
void llm_key_mask(const struct llm_key *key, char *text); // replaces every occurrence of the key by sk-...last4
