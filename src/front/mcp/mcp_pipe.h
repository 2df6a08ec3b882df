// Two descriptors of a program that waits with poll: input is kept until it is split into lines, output is collected
// and written once per turn. And the signals that end such a program.
#pragma once

#include "front/mcp/mcp_lines.h"

#include <signal.h>
#include <stdint.h>

struct mcp_pipe {
    int in, out;
    size_t max_waiting; // of output; beyond it the pipe is broken
    struct mcp_lines lines;
    char *in_at, *out_at;
    // in_seen: so far no line end was found, and need not be searched for again. out_sent: already written.
    size_t in_size, in_room, in_seen;
    size_t out_size, out_room, out_sent;
    int flags;          // of out, as before; -1: unchanged
    bool ended, broken; // no more input; output failed, or too much is waiting
};

void mcp_pipe_init(struct mcp_pipe *p, int in, int out, size_t max_waiting, const struct mcp_lines *lines);
void mcp_pipe_release(struct mcp_pipe *p); // the descriptors stay open

void mcp_pipe_send(struct mcp_pipe *p, struct span line); // and an LF
void mcp_pipe_write(struct mcp_pipe *p);                  // as far as the system accepts it
void mcp_pipe_read(struct mcp_pipe *p);                   // once, then splits
enum mcp_try { MCP_TAKEN, MCP_NOTHING, MCP_CANNOT };
enum mcp_try mcp_pipe_try_read(struct mcp_pipe *p);   // the same without waiting, if the system supports that
void mcp_pipe_split(struct mcp_pipe *p);              // what was held back
size_t mcp_pipe_waiting(const struct mcp_pipe *p);    // bytes
bool mcp_pipe_may_read(const struct mcp_pipe *p);     // less than 1 MiB of output is unread: continue
bool mcp_pipe_has_hung_up(const struct mcp_pipe *p);  // the writer has closed it, whether everything was read or not
void mcp_pipe_linger(struct mcp_pipe *p, int64_t us); // waits until everything is written, or so long

// SIGINT and SIGTERM are delivered only while ppoll waits with the mask `awake`. SIGPIPE is ignored.
void mcp_stop_watch(sigset_t *awake);
bool mcp_stop_requested(void);
