// House bots inside agon serve: belote at /api/sessions as engines expect it, every game at /bots/GAME/api/sessions.
#pragma once

#include "front/botapi/botapi.h"
#include "games/games.h"

enum { SERVE_BOTS = GAMES_MAX + 1 }; // every game, and the public API at the root

struct serve_bots {
    struct botapi *at[SERVE_BOTS];
    char prefix[SERVE_BOTS][64];
    int count;
};

void serve_bots_open(struct serve_bots *b, struct loop *l);
void serve_bots_close(struct serve_bots *b); // after closing the HTTP server

// Each returns false if the request is not for a bot.
bool serve_bots_head(struct serve_bots *b, const struct http_request *r, struct http_terms *t); // false: not for a bot
bool serve_bots_request(struct serve_bots *b, struct http_request *r);
bool serve_bots_gone(struct serve_bots *b, struct http_request *r);
int serve_bots_refuse(struct serve_bots *b, struct http_request *r, int status, struct text *body);
