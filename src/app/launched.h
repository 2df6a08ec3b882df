// Bots that a contest starts for itself, from a folder of them (B13).
#pragma once

#include "contest/contest.h"
#include "seats/launch.h"

#include <stdatomic.h>

struct launched {
    const char *command; // for messages
    struct loop *loop;
    struct launch_list list;
    struct launched_bot {
        struct launched *owner;
        struct launch *launch;
        const struct launch_meta *meta;
        struct contest_entrant *entrant;
        bool ready, failed, stopped;
    } bot[CONTEST_ENTRANTS];
    int count;
    bool has_list;
};

// `folder` NULL: external-bots, if that is there (B13.1). A folder that cannot be read ends the program with status 2.
void launched_open(struct launched *l, struct loop *loop, const char *folder, const char *command);
// False: no such bot there. One that plays another game ends the program with status 2.
bool launched_add(struct launched *l, const char *name, const char *game, struct contest_entrant *e);
void launched_name_bots(const struct launched *l, char *out, size_t room); // "", or ", A, B"
// All of them. One that does not come up ends the program with status 2, and `stop` with status 1; none is left then.
void launched_start(struct launched *l, const atomic_bool *stop);
void launched_close(struct launched *l); // stops them; nothing of them is left
