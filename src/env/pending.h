// Step calls that wait for others: kept at their group, replied to when they have had their ticks (G12, G15).
#pragma once

#include "env/model.h"

struct env_pending *env_pending_add(struct env_group *g, const struct env_pending *call); // a copy, behind the others
void env_pending_unlink(struct env_group *g, struct env_pending *p);
void env_pending_free(struct env_pending *p);
void env_pending_sweep(struct env_group *g); // frees cancelled ones
// Refuses and frees the calls of an agent or of a connection; either may be NULL.
void env_pending_drop(struct env_group *g, const struct env_agent *a, const struct env_conn *c);

struct env_agent *env_pending_actor(const struct env_pending *p); // of the current step; the first, if all act
struct env_table *env_pending_table(const struct env_pending *p); // its table

void env_write_refusal(struct text *t, const char *id, const struct env_result *r); // of one step of a batch
// Replies to single items, kept until the whole call is replied to.
void env_pending_add_refusal(struct env_pending *p, struct env_item *item, const struct env_result *r);
void env_pending_add_step(struct env_pending *p, struct env_item *item);
void env_pending_write_reply(struct env_pending *p, struct env_result *r); // to a step or a batch
void env_pending_answer(struct env_group *g, struct env_pending *p);       // sends the reply and frees the call
void env_pending_answer_all(struct env_table *t);                          // the episode of these calls has ended
// After an advance: replies to what env_pending_answer_all had to leave, because an advance was using the calls.
void env_pending_answer_deferred(struct env_table *t);
