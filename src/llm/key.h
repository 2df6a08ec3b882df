// Keys of model servers: from the environment or a file, never told (L3, L140).
#pragma once

#include "base/text.h"
#include "llm/name.h"

// A page that no core file gets; NULL: there is no key.
struct llm_key;
// False, and why: a file that cannot be read or that others can read.
bool llm_key_find(struct llm_key **key, const struct llm_name *n, char why[NAME_WHY]);
void llm_key_free(struct llm_key *key);
const char *llm_key_text(const struct llm_key *key);      // for the header alone; "": none
void llm_key_mask(const struct llm_key *key, char *text); // whatever holds the key holds sk-...last4 afterwards
