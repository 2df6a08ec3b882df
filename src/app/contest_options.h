// Options of a command line that describe a contest, shared by match and tournament.
#pragma once

#include "app/external_options.h"
#include "app/game_setup.h"
#include "app/launched_bots.h"
#include "app/llm_options.h"
#include "app/workers_options.h"
#include "contest/play.h"

enum contest_output { CONTEST_TABLE, CONTEST_JSON, CONTEST_CSV };

struct contest_options {
    struct game_setup_options setup;
    struct external_options external;
    struct llm_flags llm;
    struct workers_options workers;
    const char *seat[CONTEST_ENTRANTS]; // as given
    int seats_given;
    enum contest_format format;
    uint64_t games, rounds, seed, max_steps; // rounds, max_steps 0: default
    bool has_seed, has_games;
    int threads;
    int progress_s;
    int64_t clock_us, increment_us; // 0: no clock
    bool deals;                     // --unit deal
    bool has_by, by_lines;          // --by
    bool mirrored, again, verbose, aivat;
    const char *sprt;
    const char *partner; // partner of a person in team games; NULL: a house bot of level 3
    enum contest_output output;
    const char *replays, *transcript, *journal, *plot, *bots_dir, *deal_file, *programs;
};

void contest_options_init(struct contest_options *o, enum contest_format format);
extern const struct argp contest_argp; // a child parser

// The requested contest, and how to run it. Invalid options end the program with status 2. Bots of --bots-dir are added
// to `launched`, but not started.
void contest_options_apply(const struct contest_options *o, const char *command, struct contest_plan *plan,
                           struct launched_bots *launched);
void contest_options_set_run(const struct contest_options *o, const char *command, struct contest_run *run);
