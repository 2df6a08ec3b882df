// Two descriptors of a program that waits by poll: what comes is kept until it is cut into lines, what goes is
// gathered and written once a turn. And the signals that end such a program.
#pragma once

#include "front/mcp/mcp_lines.h"

#include <signal.h>
#include <stdint.h>

struct mcp_pipe {
    int in, out;
    size_t max_waiting; // of output; more breaks it
    struct mcp_lines lines;
    char *in_at, *out_at;
    size_t in_size, in_room, in_seen;
    size_t out_size, out_room, out_sent;
    int flags;          // of out, as they were; -1: untouched
    bool ended, broken; // no more input; output failed, or too much of it waits
};

void mcp_pipe_init(struct mcp_pipe *p, int in, int out, size_t max_waiting, const struct mcp_lines *lines);
void mcp_pipe_release(struct mcp_pipe *p); // the descriptors stay open

void mcp_pipe_send(struct mcp_pipe *p, struct span line); // and an LF
void mcp_pipe_write(struct mcp_pipe *p);                  // as far as the system takes it
void mcp_pipe_read(struct mcp_pipe *p);                   // once, and cuts
enum mcp_try { MCP_TAKEN, MCP_NOTHING, MCP_CANNOT };
enum mcp_try mcp_pipe_try(struct mcp_pipe *p);        // the same without waiting, where the system has that
void mcp_pipe_cut(struct mcp_pipe *p);                // what was held back
size_t mcp_pipe_waiting(const struct mcp_pipe *p);    // bytes
bool mcp_pipe_wants(const struct mcp_pipe *p);        // less than a mebibyte of output is unread: go on
bool mcp_pipe_has_hung_up(const struct mcp_pipe *p);  // whoever wrote to it has closed, read or not
void mcp_pipe_linger(struct mcp_pipe *p, int64_t us); // waits until all is written, or so long

// SIGINT and SIGTERM only count while ppoll waits with the mask `awake`. SIGPIPE is ignored.
void mcp_stop_watch(sigset_t *awake);
bool mcp_stop_came(void);
