// Spectators of Tetris tables: what a page needs to list and draw them, in far fewer bytes than
// observations.
//
// A spectator is not a client of the adapter: it has no role and no table waits for it. All spectators of a table with
// the same rate get the same frames, each written once: first the whole picture, then the changes. A spectator that
// reads too slowly is skipped until its output is sent, and then gets a whole picture again.
#pragma once

#include "front/lines/adapter_server.h"
#include "net/http.h"

struct spectators;

struct spectators *spectators_open(struct adapter_server *s); // NULL without memory; closed before its server
void spectators_close(struct spectators *g);
// Interval of pings and longest silence of a spectator; by default 30 and 60 s (F1.11).
void spectators_set_patience(struct spectators *g, int64_t ping_ms, int64_t silence_ms);
// GET /api/tetris/watch?table=NAME,NAME&rate=15: an upgrade to WebSocket.
void spectators_watch(struct spectators *g, struct http_request *r, const char *const *origins);
void spectators_write_tables(struct spectators *g, struct text *out); // a JSON array
void spectators_list(struct spectators *g, struct http_request *r);   // GET /api/tetris/tables
