// A blocking JSON-RPC client for a server under test: lines over a child's pipes or a Unix socket. Every wait has a
// time limit, every buffer a size limit.
#pragma once

#include "verify/assertion.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

// Longest wait for a reply, longest line, and notifications that are kept.
enum { RPC_WAIT_MS = 15000, RPC_MAX_LINE = 32 << 20, RPC_MAX_NOTES = 4096 };

struct rpc {
    pid_t pid; // 0: a socket
    int to, from;
    char *in;
    size_t start, size, room;
    int64_t id;                                  // of the last request
    json_t *notes;                               // notifications received meanwhile, oldest first
    char wrong[96];                              // the first line that was not a message; empty: none
    bool ended;                                  // the server has closed its side
    int status;                                  // of the ended child; -1: unknown yet
    int patience;                                // multiplies time limits; 0: unchanged
    uint64_t turn;                               // position of its last message among those of all connections
    char sent[WIRE_QUOTE], received[WIRE_QUOTE]; // the last ones, for error messages
};

bool rpc_spawn(struct rpc *r, const char *const *command); // false with errno set if it cannot be started
bool rpc_connect(struct rpc *r, const char *path);         // false: nobody listens there
int rpc_close(struct rpc *r);                              // also ends a child; returns its exit status as below

bool rpc_write(struct rpc *r, const char *bytes, size_t size); // reads meanwhile, so that neither side blocks
bool rpc_send_line(struct rpc *r, const char *line);           // with a line feed
json_t *rpc_read(struct rpc *r, int wait_ms);                  // the next message, new; NULL: none came
// The reply to request `id`, new; notifications before it are kept.
json_t *rpc_answer(struct rpc *r, int64_t id, int wait_ms);
// Takes ownership of params, which may be NULL; returns the id.
int64_t rpc_send(struct rpc *r, const char *method, json_t *params);
void rpc_notify(struct rpc *r, const char *method, json_t *params);    // likewise
json_t *rpc_find_note(struct rpc *r, const char *method, int wait_ms); // removed from notes, new; NULL: none came

void rpc_end_input(struct rpc *r);
int rpc_exit_status(struct rpc *r, int wait_ms); // 0..255, 256 + signal, or -1: still running
