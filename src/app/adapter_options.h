// Options of the Tetris adapter, shared by all commands that open it: flags take precedence over the environment
// (T6.30), the environment over the defaults (T6.13).
#pragma once

#include "front/lines/adapter_server.h"

#include <argp.h>

// Child parsers; their input is a struct adapter_settings. If HTTP has --host and --port, the adapter's port is
// --tetris-port.
extern const struct argp adapter_argp, adapter_argp_serve;

struct adapter_settings {
    struct adapter_server_options serve;
    bool disabled; // TETRIS_AI_DISABLED
};

// From the environment: an invalid value is reported on standard error and replaced by the default (T6.13).
long environment_number(const char *name, long usual, long min, long max);
bool environment_is_yes(const char *name); // 1, true or yes

void adapter_settings_init(struct adapter_settings *s); // defaults, then the environment
