// Reloading on SIGHUP: a child process checks the configuration first (`agon serve --check`), because errors end the
// process that reads it. The running server takes the settings over only if that succeeds.
#pragma once

#include "net/loop.h"

#include <sys/types.h>

struct serve_reload {
    struct loop *loop;
    int argc;
    char **argv;                // of the command
    void (*ready)(void *owner); // the configuration is valid: read it
    void *owner;
    struct event *signal, *ended;
    pid_t pid; // of the check; 0: none is running
    int pipe;  // closed by the child's end
    bool again;
};

void serve_reload_open(struct serve_reload *r, struct loop *l, int argc, char **argv, void (*ready)(void *owner),
                       void *owner);
void serve_reload_close(struct serve_reload *r);
