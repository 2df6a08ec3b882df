// Tokens and keys on the command line: other users of the machine must not read them in the list of processes.
#pragma once

// Moves the values of options that are secrets to the heap and blanks them where the system shows them. Call it first
// of all: until then they can be seen. A file or the environment never shows them.
void secrets_hide(int argc, char **argv);

// Copies the words that are not such an option or its value; how many.
int secrets_leave_out(int argc, char **argv, char **out);

// The first line of a file, which must not be empty; it lasts as long as the process. Ends the program with status 2
// when there is none.
const char *secrets_read_file(const char *command, const char *option, const char *path);
