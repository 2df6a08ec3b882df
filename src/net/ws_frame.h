// WebSocket frames as bytes (RFC 6455, section 5): headers and masks.
#pragma once

#include "base/span.h"

#include <stdint.h>

enum ws_opcode { WS_CONTINUE = 0, WS_TEXT = 1, WS_BINARY = 2, WS_CLOSE = 8, WS_PING = 9, WS_PONG = 10 };
enum { WS_MAX_HEAD = 14, WS_MAX_CONTROL = 125 };

struct ws_head {
    uint64_t length; // of the payload
    uint8_t mask[4];
    uint8_t opcode;
    bool last, masked;
};

// Returns the size of the header; 0 if it is incomplete; -1 if it is invalid.
int ws_head_read(struct ws_head *h, struct span bytes);
int ws_head_write(uint8_t out[WS_MAX_HEAD], const struct ws_head *h); // returns its size

// Applies or removes the mask, beginning at byte `at` of the payload.
void ws_mask(char *out, const char *in, size_t size, const uint8_t mask[4], uint64_t at);
