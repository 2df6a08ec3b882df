// Options about players outside the process: how they are asked and notified, and what happens after faults.
#pragma once

#include "contest/play.h"

#include <argp.h>

struct external_options {
    int tables, max_conns;
    int budget_ms[SEAT_CALLS]; // 0: default (B12.23-B12.28); all decisions use that of SEAT_ACTION
    int connect_ms;            // likewise
    int retries;               // -1: default
    int notices;               // enum seat_notice, for bots given by URL; -1: by the profile
    int omit_nulls;            // B12.3; -1: by the profile
    int early_result;          // B12.4; -1: by the profile
    bool is_giretra;           // B12.5
    bool has_policy, describe_at_once, no_seed, trust_anyone;
    enum contest_policy policy;
    const char *ca_file;
};

void external_options_init(struct external_options *o);
extern const struct argp external_argp; // a child parser

unsigned external_options_notices(const struct external_options *o); // notifications of a bot given by URL
// Invalid options end the program with status 2. `single`: one game, which a fault aborts by default.
void external_options_set_run(const struct external_options *o, const char *command, bool single,
                              struct contest_run *run);
