// Messages as lines (G2.1): cuts bytes into lines for a session. An over-long line is answered once and its rest
// thrown away as it comes; the connection lives on (G2.2).
#pragma once

#include "front/mcp/mcp_session.h"

struct mcp_lines {
    struct mcp_session *session;
    size_t max_bytes; // of a line
    bool skipping;    // inside a line that is too long
};

// How many bytes are used up; the first `seen` were shown before. `go_on` may end it after a line; may be NULL.
size_t mcp_lines_cut(struct mcp_lines *l, struct span bytes, size_t seen, int64_t now_us, bool (*go_on)(void *conn),
                     void *conn);
