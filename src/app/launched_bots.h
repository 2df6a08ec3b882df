// Bots that a contest starts itself, from a folder (B13).
#pragma once

#include "contest/contest.h"
#include "seats/launch.h"

#include <stdatomic.h>

struct launched_bots {
    const char *command; // for messages
    struct loop *loop;
    struct launch_list list;
    struct launched_bot {
        struct launched_bots *owner;
        struct launch *launch;
        const struct launch_meta *meta;
        struct contest_entrant *entrant;
        bool ready, failed, stopped;
    } bot[CONTEST_ENTRANTS];
    int count;
    bool has_list;
};

// `folder` NULL: external-bots, if it exists (B13.1). An unreadable folder ends the program with status 2.
void launched_bots_open(struct launched_bots *l, struct loop *loop, const char *folder, const char *command);
// Returns false if there is no such bot. A bot of another game ends the program with status 2.
bool launched_bots_add(struct launched_bots *l, const char *name, const char *game, struct contest_entrant *e);
void launched_bots_list(const struct launched_bots *l, char *out, size_t room); // "", or ", A, B"
// Starts all of them. If one does not start, the program ends with status 2; if `stop` is set, with status 1. No
// process is left in either case.
void launched_bots_start(struct launched_bots *l, const atomic_bool *stop);
void launched_bots_close(struct launched_bots *l); // stops them and waits for their end
