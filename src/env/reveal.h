// What a shared table reveals about its chance (G17.6).
#pragma once

#include "env/model.h"

void env_reveal_keep(struct env_table *t);                               // its episode is about to be replaced
void env_commitment(const struct env_table *t, char out[ENV_HASH_ROOM]); // to key and salt
void env_put_warning(struct text *t, const struct env_table *table);     // seeded and warning, if there is any
void env_put_revealed(struct text *t, const struct env_table *table);    // of the current episode, if it is over
void env_put_previous(struct text *t, const struct env_table *table);    // of the previous one
