// A blocking JSON-RPC client for a server under test: lines over a child's pipes or over a Unix socket. Every wait has
// a limit, every buffer a ceiling.
#pragma once

#include "judge/assertion.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

enum { RPC_WAIT_MS = 15000, RPC_MAX_LINE = 32 << 20, RPC_MAX_NOTES = 4096 };

struct rpc {
    pid_t pid; // 0: a socket
    int to, from;
    char *in;
    size_t start, size, room;
    int64_t id;                                  // of the last request
    json_t *notes;                               // notifications that came meanwhile, oldest first
    char wrong[96];                              // the first line that was no message; empty: none
    bool ended;                                  // the server has closed its side
    int status;                                  // of the ended child; -1: not yet known
    int patience;                                // answers and ends take so many times as long at most; 0: once
    uint64_t turn;                               // of its last message among those of all connections
    char sent[WIRE_QUOTE], received[WIRE_QUOTE]; // the last ones, for a message
};

bool rpc_spawn(struct rpc *r, const char *const *command); // false: it cannot be started; errno says why
bool rpc_connect(struct rpc *r, const char *path);         // false: nobody listens there
int rpc_close(struct rpc *r);                              // ends a child, too; its exit status as below

bool rpc_write(struct rpc *r, const char *bytes, size_t size); // while it reads what comes
bool rpc_say(struct rpc *r, const char *line);                 // with a line feed
json_t *rpc_read(struct rpc *r, int wait_ms);                  // the next message, new; NULL: none came
// The answer to request `id`, new; notifications before it are kept.
json_t *rpc_answer(struct rpc *r, int64_t id, int wait_ms);
int64_t rpc_send(struct rpc *r, const char *method, json_t *params);   // takes params, which may be NULL; its id
void rpc_notify(struct rpc *r, const char *method, json_t *params);    // likewise
json_t *rpc_find_note(struct rpc *r, const char *method, int wait_ms); // taken out of notes, new; NULL: none came

void rpc_end_input(struct rpc *r);
int rpc_exit_status(struct rpc *r, int wait_ms); // 0..255, 256 + the signal, or -1: it still runs
