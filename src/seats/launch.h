// Bots that are started here: a folder of them, each with a bot.meta.json (B13).
#pragma once

#include "net/loop.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { LAUNCH_OUTPUT = 16384 }; // bytes kept of each stream (B13.5)

struct launch_meta {
    char *id;           // a UUID
    char *agent_name;   // agentName, else name, else the folder's
    char *display_name; //
    char *pun, *author, *github;
    char *game;       // what it plays: "belote" where the file does not say
    char *folder;     // absolute
    bool has_notices; // false: all of them
    unsigned notices; // of enum seat_notice
    char *init, *init_arguments;
    int init_timeout_s;
    char *file_name, *arguments;
    int port; // 0: a free one
    int startup_timeout_s;
    char *health;       // "health"
    char **environment; // NAME=VALUE, ended by NULL
};

struct launch_list {
    struct launch_meta *at;
    size_t count;
};

// Every direct sub-folder of `folder` with a bot.meta.json, by agent name. What is skipped is told to `warn`. 0, or an
// errno when the folder cannot be read.
int launch_discover(struct launch_list *list, const char *folder, void (*warn)(void *owner, const char *text),
                    void *owner);
void launch_list_release(struct launch_list *list);
const struct launch_meta *launch_find(const struct launch_list *list, const char *name); // B13.2; NULL: none

// A bot that runs. Starting takes time (init, health, smoke test) and ends in on_ready or on_failed; then the address
// stays valid until launch_stop. A crash later is told by on_failed too.
struct launch;

struct launch_handler {
    void (*on_ready)(void *owner, const char *address); // "http://localhost:PORT"
    void (*on_failed)(void *owner, const char *text);   // what happened, with the last output; stop it all the same
    void (*on_warning)(void *owner, const char *text);  // may be NULL
    void (*on_stopped)(void *owner);                    // the last call; nothing of it is left
};

struct launch *launch_start(struct loop *l, const struct launch_meta *meta, const struct launch_handler *h,
                            void *owner);
void launch_stop(struct launch *b); // SIGTERM to its process group, SIGKILL after a second (B13.7)
