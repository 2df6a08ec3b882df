// The plan of a contest for workers: one JSON object, read once by each of them (S81).
//
// It has the game, its rules, the players, and how to treat external players. House bots are given by name, programs by
// a name in the worker's own list (S86), HTTP bots by their URL. The plan that was read must have the fingerprint of
// the one that was written; otherwise it is refused.
#pragma once

#include "contest/play.h"

enum { WORKERS_PLAN_BYTES = 256 << 10, WORKERS_WHY = 512 };

// Programs that a worker may start, from a file of lines NAME = COMMAND; '#' begins a comment.
struct workers_programs {
    struct workers_program {
        char *name, *command; // the command as after cmd:
    } * at;
    size_t count;
};

// Returns false and sets `why` to one line if the file is unreadable or a line invalid. An empty list is valid.
bool workers_read_programs(struct workers_programs *p, const char *path, char why[WORKERS_WHY]);
void workers_release_programs(struct workers_programs *p);
// Sets `command` of every entrant whose address is program:NAME. Returns false and sets `why` if one is not in the
// list.
bool workers_find_programs(const struct workers_programs *p, struct contest_plan *plan, char why[WORKERS_WHY]);
bool workers_is_program(const char *address);

// Sent besides the plan: how a run treats external players. The plan is that of run->contest.
void workers_write_plan(struct text *t, const struct contest_run *run);
// Reads into a plan, and into the members of `run` that are sent. `why` is a sentence for the reader of the refusal at
// the other end. Programs are looked up afterwards.
bool workers_read_plan(struct span bytes, struct contest_plan *plan, struct contest_run *run, char why[WORKERS_WHY]);

// Why workers cannot play a contest of this plan, or NULL.
const char *workers_check_plan(const struct contest_plan *p);
// The same games give the same results, whoever plays them (S84): house bots without a time limit, and programs.
bool workers_is_repeatable(const struct contest_plan *p);
