// Command lines: help by task, and errors with suggestions.
//
// Every command parses its options with help_parse instead of argp_parse. That adds -h, --help, --help-all, --usage and
// --version. --help leaves out options marked HELP_RARE; --help-all shows all. Options of all children with the same
// group are listed under one title, so a child has group 0 and no header of its own.
#pragma once

#include "base/nearest.h"

#include <argp.h>
#include <stdbool.h>
#include <stdio.h>

// In the flags of an argp_option, beside those of argp, which uses the low bits.
enum { HELP_RARE = 0x1000 };

// Groups of options, in the order in which help shows them. Each has a title, except group 0, which comes first.
enum help_group {
    HELP_PORTS = 1,
    HELP_PLAY,
    HELP_BOTS,
    HELP_ACCESS,
    HELP_TLS,
    HELP_REMOTE,
    HELP_MODELS,
    HELP_LIMITS,
    HELP_OUTPUT,
    HELP_MATCHMAKING,
    HELP_RATINGS,
    HELP_BELOTE,
    HELP_COMPATIBILITY,
    HELP_TETRIS,
    HELP_ENVIRONMENT,
    HELP_LIVE,
    HELP_TRAJECTORIES,
    HELP_PICTURES,
    HELP_LOAD,
    HELP_SERVER,
};

// Parses all arguments. Help, version, an unknown option or an invalid value end the program. The flags are those of
// argp_parse; with ARGP_IN_ORDER, options after the first other argument are not checked.
void help_parse(const struct argp *argp, int argc, char **argv, unsigned flags, void *input);

// Prints the help of a command, as --help does.
void help_print(const struct argp *argp, FILE *to, const char *command, bool all);

// Finds an option by its name or a prefix, as argp does; NULL: none. `word` is without the dashes.
const struct argp_option *help_find_option(const struct argp *argp, struct span word);

// Compares with the names of all options.
void help_try_options(struct nearest *n, const struct argp *argp);

// "did you mean 'this'? " or "", into `out`.
enum { HELP_HINT_ROOM = 80 };
const char *help_hint(const struct nearest *n, char out[HELP_HINT_ROOM]);
