// Owners and secrets of shared tables, and what such a table says about its chance.
#pragma once

#include "env/model.h"

struct rl_entry { // what the config of a registration asks of its table
    bool owner;   // the connection is, or has shown the owner's secret
    bool sets;    // the join secret becomes `join`; "": everybody may join
    char join[RL_SECRET_ROOM];
};
void rl_entropy(const struct rl *rl, void *out, size_t size);
bool rl_is_owner(const struct rl_conn *c);    // of its table; alone at an exclusive one everybody is
bool rl_is_admitted(const struct rl_conn *c); // nothing stands between it and its table
bool rl_has_owner(const struct rl_group *g);  // the owner is connected
bool rl_refuse_owner(struct rl *rl, const char *what, struct rl_result *r); // "choose a seed"; always false
bool rl_refuse_stranger(struct rl *rl, struct rl_result *r);                // the join secret is missing; always false
void rl_owner_create(struct rl_conn *c);                                    // it has just created its table
void rl_owner_leave(struct rl_group *g, const struct rl_conn *c);
void rl_owner_release(struct rl_group *g);
bool rl_entry_check(struct rl_conn *c, struct span config, struct rl_entry *e, struct rl_result *r);
void rl_entry_apply(struct rl_conn *c, const struct rl_entry *e); // the registration has succeeded
void rl_put_owner(struct text *t, const struct rl_conn *c);       // members of its answer; shared tables only

void rl_reveal_keep(struct rl_table *t);                              // its episode is about to be replaced
void rl_commitment(const struct rl_table *t, char out[RL_HASH_ROOM]); // to key and salt
void rl_put_warning(struct text *t, const struct rl_table *table);    // seeded and warning, if there is any
void rl_put_revealed(struct text *t, const struct rl_table *table);   // of the running episode, when it is over
void rl_put_previous(struct text *t, const struct rl_table *table);   // of the one before
