// Who owns a shared table and who may use it: secrets, and what a registration asks for.
#pragma once

#include "env/model.h"

struct env_access_request { // of the config of a registration
    bool owner;             // the connection is the owner, or has given the owner's secret
    bool sets;              // the join secret becomes `join`; "": everybody may join
    char join[ENV_SECRET_ROOM];
};
void env_entropy(const struct env *env, void *out, size_t size); // random bytes for keys, salts and secrets
bool env_is_owner(const struct env_conn *c);                     // of its table; at an exclusive one always
bool env_is_admitted(const struct env_conn *c);                  // it may use its table
bool env_has_owner(const struct env_group *g);                   // the owner is connected
bool env_refuse_not_owner(struct env *env, const char *what, struct env_result *r); // "choose a seed"; always false
bool env_refuse_without_secret(struct env *env, struct env_result *r);              // the join secret; always false
void env_access_make_owner(struct env_conn *c);                                     // it has just created its table
void env_access_leave(struct env_group *g, const struct env_conn *c);
void env_access_release(struct env_group *g);
bool env_access_check(struct env_conn *c, struct span config, struct env_access_request *request, struct env_result *r);
void env_access_apply(struct env_conn *c, const struct env_access_request *request); // the registration has succeeded
void env_put_owner(struct text *t, const struct env_conn *c); // members of its answer; shared tables only
