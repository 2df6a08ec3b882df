// Spectators of Tetris tables: what a page needs to list and to draw them, at a fraction of an observation's bytes.
//
// A spectator is no client of the adapter: it has no role and no table waits for it. All spectators of a table at one
// rate get the same frames, which are written once: the whole picture first, then what has changed. Whoever does not
// read in time is left out until its output has left, and then gets a whole picture again.
#pragma once

#include "front/lines/serve.h"
#include "net/http.h"

struct gallery;

struct gallery *gallery_open(struct serve *s); // NULL without memory; closed before its serve
void gallery_close(struct gallery *g);
// How often spectators are asked for a sign of life, and how long they may give none: 30 and 60 s (F1.11).
void gallery_set_patience(struct gallery *g, int64_t ping_ms, int64_t silence_ms);
// GET /api/tetris/watch?table=NAME,NAME&rate=15: an upgrade to WebSocket.
void gallery_watch(struct gallery *g, struct http_request *r, const char *const *origins);
void gallery_write_tables(struct gallery *g, struct text *out); // a JSON array
void gallery_list(struct gallery *g, struct http_request *r);   // GET /api/tetris/tables
