// The words of a command line that describe a contest: match and tournament share them.
#pragma once

#include "app/launched.h"
#include "app/llm_options.h"
#include "app/outside_options.h"
#include "app/setup.h"
#include "app/workers_options.h"
#include "contest/play.h"

enum contest_output { CONTEST_TABLE, CONTEST_JSON, CONTEST_CSV };

struct contest_options {
    struct setup_options setup;
    struct outside_options outside;
    struct llm_flags llm;
    struct workers_options workers;
    const char *seat[CONTEST_ENTRANTS]; // as they were given
    int seats_given;
    enum contest_format format;
    uint64_t games, rounds, seed, max_steps; // max_steps 0: as many as usual
    bool has_seed, has_games;
    int threads;
    int progress_s;
    int64_t clock_us, increment_us; // 0: no clock
    bool deals;                     // --unit deal
    bool has_by, by_lines;          // --by
    bool mirrored, again, verbose, aivat;
    const char *sprt;
    const char *partner; // of a person, where two play together; NULL: a house bot of level 3
    enum contest_output output;
    const char *replays, *transcript, *journal, *plot, *bots_dir, *deal_file, *programs;
};

void contest_options_init(struct contest_options *o, enum contest_format format);
extern const struct argp contest_argp; // a child parser; those of its members are its own

// The contest that was asked for, and how it is to be run. What makes no sense ends the program with status 2.
// Bots of --bots-dir are noted in `launched`, not started.
void contest_options_apply(const struct contest_options *o, const char *command, struct contest_plan *plan,
                           struct launched *launched);
void contest_options_set_run(const struct contest_options *o, const char *command, struct contest_run *run);
