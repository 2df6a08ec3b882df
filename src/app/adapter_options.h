// Options of the Tetris adapter, shared by every command that opens it: flags beat the environment (T6.30), the
// environment beats the defaults (T6.13).
#pragma once

#include "front/lines/serve.h"

#include <argp.h>

// Child parsers; their input is a struct adapter_settings. Where HTTP has --host and --port, the adapter's port is
// --tetris-port.
extern const struct argp adapter_argp, adapter_argp_serve;

struct adapter_settings {
    struct serve_options serve;
    bool disabled; // TETRIS_AI_DISABLED
};

void adapter_settings_init(struct adapter_settings *s); // defaults, then the environment
