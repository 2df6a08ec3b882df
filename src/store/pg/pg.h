// The store on PostgreSQL 15 and later (docs/spec/scale.md, S10 to S42; decision 046).
//
// Everything happens on the caller's thread, inside store_submit, store_collect and reads: libpq in pipeline mode, with
// one connection for writing and two for reading. store_descriptor is an epoll descriptor over them. What is put
// between two calls of store_submit is one batch: a numbered transaction whose first statement fails if another server
// has taken the store over (S11). After a broken connection the number tells whether the batch was committed (S12).
#pragma once

#include "store/engine.h"

extern const struct store_engine store_pg; // needs the option `url`; ignores `folder`

// As store_read_cluster, without opening the arena. Returns false and sets `why`.
bool pg_peek_cluster(const char *url, struct store_cluster *out, char *why, size_t room);
// Call it after pg_open failed. Returns true if trying again may help: the server cannot be reached, is starting,
// recovering or a standby, or a required standby is missing. Returns false if something must be fixed first (a
// password, a name). Sets `why`.
bool pg_may_come(const struct store_options *o, char *why, size_t room);
bool pg_is_url(const char *text); // postgresql://... or postgres://...
