// House bots behind HTTP, for game engines elsewhere: the engine creates sessions, requests decisions and reports
// events (B11). Belote speaks the public Remote Bot Player API, the other games the generic dialect of
// protocol/bot-api.
//
// It handles part of the paths of an HTTP server. Responses are sent at once, or from a worker thread if the bot thinks
// long.
#pragma once

#include "bots/bot.h"
#include "codec/codec.h"
#include "net/http.h"

struct botapi;

struct botapi_options {
    const struct codec *codec; // of the game
    const struct bot *bot;
    const char *prefix;    // before /health and /api; "" at the root
    uint32_t max_sessions; // 65536 (B11.22)
    int session_ttl_s;     // 3600
    bool has_id_seed;      // session ids come from `id_seed`, so that logs repeat
    uint64_t id_seed;
    float aggro;  // 0.5
    int think_ms; // time of each decision of a searching bot; 0: its usual effort (B15.8)
    int threads;  // worker threads for decisions; 0: decide on the loop
};

void botapi_defaults(struct botapi_options *o); // all but codec and bot
struct botapi *botapi_create(struct loop *l, const struct botapi_options *o);
void botapi_destroy(struct botapi *b); // after the HTTP server

bool botapi_is_public(const struct codec *c); // the game has a public API of its own, which engines expect at the root
bool botapi_has_view(const struct codec *c); // whether bots see the table; if not, only those that look at choices play
void botapi_describe(const struct botapi *b, struct text *t); // members game, bot, sees_table of an open object
bool botapi_owns(const struct botapi *b, struct span path);   // the path is below its prefix
size_t botapi_max_body(const struct botapi *b, const struct http_request *r); // 1 MiB where a body is expected (B11)
void botapi_request(struct botapi *b, struct http_request *r);
void botapi_disconnected(struct botapi *b, struct http_request *r); // its peer left before the answer
// For http_handler.on_refuse: the body, and the status that the order of checks asks for (B11.14).
int botapi_refuse(struct botapi *b, struct http_request *r, int status, struct text *body);
int botapi_deciding(const struct botapi *b); // decisions under way

struct span botapi_full(void); // the 503 response for connections beyond the limit: conn_options.full
