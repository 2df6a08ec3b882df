// The adapter over WebSocket (T3.8): one JSON object is one text message.
#pragma once

#include "front/lines/adapter_server.h"
#include "net/http.h"

// Takes the request: GET /api/tetris/ws[?table=NAME]. Only pages of these origins may connect (http_is_origin_allowed).
void adapter_server_ws_open(struct adapter_server *s, struct http_request *r, const char *const *origins);
