// Every option of a command in three places: a configuration file, the environment, the command line. What comes later
// in this list wins. An option --turn-timeout is the key `turn-timeout` (or `turn_timeout`) of the file and the
// variable AGON_TURN_TIMEOUT; one without a value takes true or false there.
//
// A file has one `key = value` a line; blank lines and those that begin with # say nothing.
#pragma once

#include <argp.h>

// The command line with what the file (--config, or AGON_CONFIG) and the environment say put before it; to be given to
// argp_parse. It lasts as long as the process. An unknown key or an unreadable file ends the program with status 2.
char **settings_gather(const struct argp *argp, const char *command, int argc, char **argv, int *count);
