// Options of MCP servers (G1.3), shared by `agon mcp` and `agon serve`.
#pragma once

#include "front/mcp/mcp_serve.h"

#include <argp.h>

struct mcp_settings {
    struct mcp_serve_options serve; // env, sessions, HTTP, socket, linger
    bool rate_given;
    int origins;
};

// Child parsers; their input is a struct mcp_settings. The second has options for servers of many tables only.
extern const struct argp mcp_argp, mcp_argp_serve;

void mcp_settings_init(struct mcp_settings *s);
// The default of --data-dir, and limits of trajectories: none for a single client that started the program itself; some
// for `many` clients.
void mcp_settings_place(struct mcp_settings *s, const char *trajectories, bool many);
void mcp_settings_check(struct mcp_settings *s, const char *command); // invalid settings end the program with status 2

// The default data folder of `agon serve`: XDG_DATA_HOME or ~/.local/share, with agon below it. Returns false without a
// home.
bool mcp_data_dir(char *out, size_t room);
void mcp_make_dir(const char *path); // with its parents, for this user only
