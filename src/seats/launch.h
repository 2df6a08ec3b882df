// Bots that agon starts itself: a folder of them, each with a bot.meta.json (B13).
#pragma once

#include "net/loop.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { LAUNCH_OUTPUT = 16384 }; // last bytes kept of each stream (B13.5)

struct launch_meta {
    char *id;         // a UUID
    char *agent_name; // agentName, else name, else the folder's name
    char *display_name;
    char *pun, *author, *github;
    char *game;       // "belote" if the file does not say
    char *folder;     // absolute
    bool has_notices; // false: all notices
    unsigned notices; // of enum seat_notice
    char *init, *init_arguments;
    int init_timeout_s;
    char *file_name, *arguments;
    int port; // 0: any free one
    int startup_timeout_s;
    char *health;       // "health"
    char **environment; // NAME=VALUE, ended by NULL
};

struct launch_list {
    struct launch_meta *at;
    size_t count;
};

// Reads every direct subfolder of `folder` that has a bot.meta.json; sorted by agent name. Calls `warn` for those
// skipped. Returns 0, or an errno if the folder cannot be read.
int launch_discover(struct launch_list *list, const char *folder, void (*warn)(void *owner, const char *text),
                    void *owner);
void launch_list_release(struct launch_list *list);
const struct launch_meta *launch_find(const struct launch_list *list, const char *name); // B13.2; NULL: none

// A bot process. Starting takes time (init, health check, smoke test) and ends with on_ready or on_failed; then the
// address stays valid until launch_stop. A later crash is also reported by on_failed.
struct launch;

struct launch_handler {
    void (*on_ready)(void *owner, const char *address); // "http://localhost:PORT"
    // What happened, with the last output; launch_stop must still be called.
    void (*on_failed)(void *owner, const char *text);
    void (*on_warning)(void *owner, const char *text); // may be NULL
    void (*on_stopped)(void *owner);                   // the last call; everything is freed
};

struct launch *launch_start(struct loop *l, const struct launch_meta *meta, const struct launch_handler *h,
                            void *owner);
void launch_stop(struct launch *b); // SIGTERM to its process group, SIGKILL after a second (B13.7)
