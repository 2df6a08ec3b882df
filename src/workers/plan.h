// The plan of a contest on its way to workers: one JSON object, read once by each of them (S81).
//
// It names the game, its rules, the players and how players outside are to be treated. House bots travel by name,
// programs by the name that the worker's own list knows (S86), bots behind HTTP by their URL. What was read has the
// fingerprint of what was written, or it is refused.
#pragma once

#include "contest/play.h"

enum { WORKERS_PLAN_BYTES = 256 << 10, WORKERS_WHY = 512 };

// Programs that a worker may start, from a file of lines NAME = COMMAND; '#' begins a comment.
struct workers_programs {
    struct workers_program {
        char *name, *command; // the command as behind cmd:
    } * at;
    size_t count;
};

// False, and one line in `why`, when the file cannot be read or a line makes no sense. An empty list is one.
bool workers_read_programs(struct workers_programs *p, const char *path, char why[WORKERS_WHY]);
void workers_release_programs(struct workers_programs *p);
// Sets `command` of everybody whose address is program:NAME. False, and why, when one is not in the list.
bool workers_find_programs(const struct workers_programs *p, struct contest_plan *plan, char why[WORKERS_WHY]);
bool workers_is_program(const char *address);

// What travels besides the plan: how a run treats players outside. The plan is that of run->contest.
void workers_write_plan(struct text *t, const struct contest_run *run);
// Into a plan, and into those members of `run` that travel. The sentence in `why` is for whoever reads the refusal at
// the other end. Programs are looked up afterwards.
bool workers_read_plan(struct span bytes, struct contest_plan *plan, struct contest_run *run, char why[WORKERS_WHY]);

// Why a contest of this plan cannot be played by workers, or NULL.
const char *workers_check_plan(const struct contest_plan *p);
// The same games give the same results, whoever plays them (S84): house bots that do not go by the clock, and programs.
bool workers_is_repeatable(const struct contest_plan *p);
