// The words of a command line about players outside the process: how they are asked, told, and what their faults do.
#pragma once

#include "contest/play.h"

#include <argp.h>

struct outside_options {
    int tables, max_conns;
    int budget_ms[SEAT_CALLS]; // 0: as usual (B12.23-B12.28); all decisions have that of SEAT_ACTION
    int connect_ms;            // the same
    int retries;               // -1: as usual
    int notices;               // of enum seat_notice, for bots given by URL; -1: what the profile tells
    int omit_nulls;            // B12.3; -1: as the profile has it
    int early_result;          // B12.4; -1: as the profile has it
    bool is_giretra;           // B12.5
    bool has_policy, describe_at_once, no_seed, trust_anyone;
    enum contest_policy policy;
    const char *ca_file;
};

void outside_options_init(struct outside_options *o);
extern const struct argp outside_argp; // a child parser

unsigned outside_options_notices(const struct outside_options *o); // what a bot given by URL is told of
// What makes no sense ends the program with status 2. `single`: one game, which a fault aborts unless told otherwise.
void outside_options_set_run(const struct outside_options *o, const char *command, bool single,
                             struct contest_run *run);
