// Options of `agon serve` that limit the resources of clients, and their figures for /metrics.
#pragma once

#include "front/mcp/mcp_serve.h"
#include "front/openenv/openenv.h"
#include "net/http.h"

#include <argp.h>

struct limit_settings {
    struct admission_options admission;
    int request_timeout_s, idle_timeout_s;
    int sessions_per_address, tables_per_address; // for MCP; 0: no limit
};

extern const struct argp limit_argp; // a child parser; its input is a struct limit_settings

void limit_settings_init(struct limit_settings *s);
// Copies them into the options of the server's parts; `limit_loopback` is an option of the arena.
void limit_settings_apply(struct limit_settings *s, bool limit_loopback, struct http_options *http,
                          struct mcp_serve_options *mcp);
void limit_metrics(struct text *t, const struct admission *a, const struct mcp_serve *mcp,
                   const struct openenv *openenv);
