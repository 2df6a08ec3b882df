// Checks before a long run that the files written at its end are writable.
#pragma once

// Ends the program with status 2 if the file is not writable. An existing file is not changed, and a missing one is not
// created.
void output_check_file(const char *path, const char *command);

// The same for a folder that is created if missing.
void output_check_folder(const char *path, const char *command);
