// The adapter on a TCP port: its clock, its clients' sockets, its wire log.
#pragma once

#include "front/lines/adapter.h"
#include "net/lines.h"

#include <stdio.h>

struct adapter_server_options {
    struct adapter_options adapter;
    const char *host;
    uint16_t port;
    int max_connections;
    struct admission *admission;       // shared with other ports; NULL: none
    size_t max_waiting_bytes;          // T3.75
    const char *log_path;              // T3.90; NULL: none
    uint64_t log_every, log_max_lines; // 0: no limit
};

struct adapter_server {
    struct loop *loop;
    struct adapter *adapter;
    struct conn_server *port; // NULL: no port, a game for one person
    struct event *timer;
    struct wire_log *log;
};

void adapter_server_defaults(struct adapter_server_options *o);
// `log` is the replay of the table main, or NULL. Returns 0 or an errno; on failure nothing stays open.
int adapter_server_open(struct adapter_server *s, struct loop *l, const struct adapter_server_options *o, bool listen,
                        struct text *log);
void adapter_server_close(struct adapter_server *s);
void adapter_server_touch(
    struct adapter_server *s); // something was passed to the adapter from outside: recompute its timer
