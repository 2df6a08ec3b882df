// Files that a long run writes at its end: whether they can be written is asked before it begins.
#pragma once

// Ends with status 2 when the file cannot be written. What is in it stays, and a file that was not there is not there
// afterwards.
void output_check_file(const char *path, const char *command);

// The same for a folder that is made when it is not there.
void output_check_folder(const char *path, const char *command);
