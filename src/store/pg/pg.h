// The store on PostgreSQL 15 and later (docs/spec/scale.md, S10 to S42; decision 046).
//
// Everything happens in the caller's thread, inside store_submit, store_collect and reads: libpq in pipeline mode, one
// connection that writes and two that read. store_descriptor is an epoll descriptor over them. What is put between two
// calls of store_submit is one batch: a numbered transaction whose first statement fails when the store has been given
// to somebody else (S11). A batch in doubt after a broken connection is settled by its number (S12).
#pragma once

#include "store/engine.h"

extern const struct store_engine store_pg; // options: `url`; `folder` is not used

// Who is there, without opening the arena: as store_read_cluster. False, and `why` says it.
bool pg_peek_cluster(const char *url, struct store_cluster *out, char *why, size_t room);
// After an opening that failed: the server cannot be reached, starts, recovers or is a standby, so that trying again
// may help; or a standby is required and none is there. `why` says it. False: something must be mended first (a
// password, a name).
bool pg_may_come(const struct store_options *o, char *why, size_t room);
bool pg_is_url(const char *text); // postgresql://... or postgres://...
