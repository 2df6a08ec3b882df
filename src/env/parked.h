// Calls that wait for others: kept at their group, replied to when they have had their ticks.
#pragma once

#include "env/model.h"

struct env_parked *env_park(struct env_group *g, const struct env_parked *call); // a copy, behind those that wait
void env_parked_unlink(struct env_group *g, struct env_parked *p);
void env_parked_free(struct env_parked *p);
void env_parked_finish(struct env_parked *p, struct env_result *r);                 // the reply to a step or a batch
void env_write_refusal(struct text *t, const char *id, const struct env_result *r); // of one step of a batch
