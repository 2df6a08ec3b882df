// Runs a contest on the command line, from its options to the report: which player is better, and how certain is that?
#pragma once

#include "app/contest_options.h"

int contest_command_run(const struct contest_options *o, const char *command); // returns the exit status
