// Keys of model servers: from the environment or a file, never printed (L3, L140).
#pragma once

#include "base/text.h"
#include "llm/endpoint.h"

// In a page that is excluded from core files; NULL: no key.
struct api_key;
// Returns false and sets the error: the file cannot be read, or others can read it.
bool api_key_find(struct api_key **key, const struct llm_endpoint *n, char why[ENDPOINT_WHY]);
void api_key_free(struct api_key *key);
const char *api_key_text(const struct api_key *key);      // for the header only; "": none
void api_key_mask(const struct api_key *key, char *text); // replaces every occurrence of the key by sk-...last4
