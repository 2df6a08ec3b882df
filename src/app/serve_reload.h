// SIGHUP: whether the configuration would do is asked of a process of its own (`agon serve --check`), because what is
// wrong ends the one that reads it. Only when that one is content does the running server take the settings over.
#pragma once

#include "net/loop.h"

#include <sys/types.h>

struct serve_reload {
    struct loop *loop;
    int argc;
    char **argv;                // of the command
    void (*ready)(void *owner); // the configuration is sound: read it
    void *owner;
    struct event *signal, *ended;
    pid_t pid; // of the check; 0: none runs
    int pipe;  // which it closes by ending
    bool again;
};

void serve_reload_open(struct serve_reload *r, struct loop *l, int argc, char **argv, void (*ready)(void *owner),
                       void *owner);
void serve_reload_close(struct serve_reload *r);
