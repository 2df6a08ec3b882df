// Every option of a command in three places: a configuration file, the environment, the command line. What comes later
// in this list wins. An option --turn-timeout is the key `turn-timeout` (or `turn_timeout`) of the file and the
// variable AGON_TURN_TIMEOUT; one without a value takes true or false there.
//
// A file has one `key = value` a line; blank lines and those that begin with # say nothing.
#pragma once

#include <argp.h>
#include <stdbool.h>

// The command line with what the file (--config, or AGON_CONFIG) and the environment say put before it; to be given to
// argp_parse. It lasts as long as the process. An unknown key or an unreadable file ends the program with status 2.
char **settings_gather(const struct argp *argp, const char *command, int argc, char **argv, int *count);

// A variable AGON_... that names no option, or NULL: a setting that somebody believes to be in force.
const char *settings_find_stray(const struct argp *argp);

// The words of those options alone that `keep` names; a list of its own, which ends with NULL.
char **settings_select(const struct argp *argp, char **words, int *count, bool (*keep)(const char *name));
// The name of an option that `keep` does not name and that stands in one list otherwise than in the other; NULL: none.
const char *settings_find_change(const struct argp *argp, char **one, char **other, bool (*keep)(const char *name));
