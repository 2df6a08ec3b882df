// Every option of a command can be set in three places: a configuration file, the environment, the command line. Later
// ones in this list take precedence. The option --turn-timeout is the key `turn-timeout` (or `turn_timeout`) of the
// file and the variable AGON_TURN_TIMEOUT; an option without a value is true or false there.
//
// A file has one `key = value` per line; blank lines and lines that begin with # are ignored.
#pragma once

#include <argp.h>
#include <stdbool.h>

// The command line, preceded by the settings of the file (--config, or AGON_CONFIG) and the environment; for
// argp_parse. Lives as long as the process. An unknown key or an unreadable file ends the program with status 2.
char **settings_collect(const struct argp *argp, const char *command, int argc, char **argv, int *count);

// A variable AGON_... that names no option, or NULL: for a warning about a setting without effect.
const char *settings_find_unknown(const struct argp *argp);

// The arguments of those options that `keep` names; a new list, ended by NULL.
char **settings_select(const struct argp *argp, char **words, int *count, bool (*keep)(const char *name));
// The name of an option that `keep` does not name and whose value differs between the lists; NULL: none.
const char *settings_find_change(const struct argp *argp, char **one, char **other, bool (*keep)(const char *name));
