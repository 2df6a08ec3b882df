// The adapter over WebSocket (T3.8): one JSON object is one text message.
#pragma once

#include "front/lines/serve.h"
#include "net/http.h"

// Takes the request: GET /api/tetris/ws[?table=NAME].
void serve_ws_open(struct serve *s, struct http_request *r);
