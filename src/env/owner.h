// Owners and secrets of shared tables, and what such a table reveals about its chance.
#pragma once

#include "env/model.h"

struct env_entry { // what the config of a registration asks of its table
    bool owner;    // the connection is the owner, or has given the owner's secret
    bool sets;     // the join secret becomes `join`; "": everybody may join
    char join[ENV_SECRET_ROOM];
};
void env_entropy(const struct env *env, void *out, size_t size);
bool env_is_owner(const struct env_conn *c);    // of its table; at an exclusive one always
bool env_is_admitted(const struct env_conn *c); // it may use its table
bool env_has_owner(const struct env_group *g);  // the owner is connected
bool env_refuse_owner(struct env *env, const char *what, struct env_result *r); // "choose a seed"; always false
bool env_refuse_stranger(struct env *env, struct env_result *r); // the join secret is missing; always false
void env_owner_create(struct env_conn *c);                       // it has just created its table
void env_owner_leave(struct env_group *g, const struct env_conn *c);
void env_owner_release(struct env_group *g);
bool env_entry_check(struct env_conn *c, struct span config, struct env_entry *e, struct env_result *r);
void env_entry_apply(struct env_conn *c, const struct env_entry *e); // the registration has succeeded
void env_put_owner(struct text *t, const struct env_conn *c);        // members of its answer; shared tables only

void env_reveal_keep(struct env_table *t);                               // its episode is about to be replaced
void env_commitment(const struct env_table *t, char out[ENV_HASH_ROOM]); // to key and salt
void env_put_warning(struct text *t, const struct env_table *table);     // seeded and warning, if there is any
void env_put_revealed(struct text *t, const struct env_table *table);    // of the current episode, if it is over
void env_put_previous(struct text *t, const struct env_table *table);    // of the previous one
