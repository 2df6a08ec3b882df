// Files that a command writes. A long run checks them before it begins.
#pragma once

#include "base/span.h"

// Ends the program with status 2 if the file is not writable; NULL or "-" is the standard output. An existing file is
// not changed, and a missing one is not created.
void output_file_check(const char *path, const char *command);

// The same for a folder that is created if missing.
void output_file_check_folder(const char *path, const char *command);

// NULL or "-": the standard output. A failure ends the program with status 1.
void output_file_write(const char *path, struct span bytes);
