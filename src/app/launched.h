// Bots that a contest starts for itself, from a folder of them (B13).
#pragma once

#include "contest/contest.h"
#include "seats/launch.h"

struct launched {
    const char *command; // for messages
    struct loop *loop;
    struct launch_list list;
    struct launched_bot {
        struct launched *owner;
        struct launch *launch;
        const struct launch_meta *meta;
        struct contest_entrant *entrant;
        bool ready, stopped;
    } bot[CONTEST_ENTRANTS];
    int count;
    bool has_list;
};

// A folder that cannot be read ends the program with status 2.
void launched_open(struct launched *l, struct loop *loop, const char *folder, const char *command);
bool launched_add(struct launched *l, const char *name, struct contest_entrant *e); // false: no such bot there
void launched_start(struct launched *l); // all of them; one that does not come up ends the program with status 2
void launched_close(struct launched *l); // stops them; nothing of them is left
