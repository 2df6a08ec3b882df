// Tokens and keys on the command line: other users of the machine must not read them in the process list.
#pragma once

// Moves the values of secret options to the heap and blanks them where the system shows them. Call it first, because
// they are visible until then. Values from a file or the environment are never shown.
void secrets_hide(int argc, char **argv);

// Copies the arguments that are not such an option or its value. Returns how many.
int secrets_leave_out(int argc, char **argv, char **out);

// The first line of a file, which must not be empty; lives as long as the process. Ends the program with status 2 if
// there is none.
const char *secrets_read_file(const char *command, const char *option, const char *path);
