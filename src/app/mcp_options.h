// Options of MCP servers (G1.3), shared by `agon mcp` and `agon serve`.
#pragma once

#include "front/mcp/mcp_serve.h"

#include <argp.h>

struct mcp_settings {
    struct mcp_serve_options serve; // env, sessions, HTTP, socket, linger
    bool rate_given;
    int origins;
};

// Child parsers; their input is a struct mcp_settings. The second has what concerns a server of many tables alone.
extern const struct argp mcp_argp, mcp_argp_serve;

void mcp_settings_init(struct mcp_settings *s);
// Where trajectories go unless --data-dir says otherwise, and how many there may be: one client, who started the
// program, has no limits of its own accord; `many` clients have.
void mcp_settings_place(struct mcp_settings *s, const char *trajectories, bool many);
void mcp_settings_check(struct mcp_settings *s, const char *command); // ends the program with status 2 on nonsense

// Where `agon serve` keeps what lasts: XDG_DATA_HOME or ~/.local/share, below it agon; false when there is no home.
bool mcp_data_dir(char *out, size_t room);
void mcp_make_dir(const char *path); // and its parents, for this user alone
