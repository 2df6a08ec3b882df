// Answers of the server, for a person at a terminal.
#pragma once

#include "base/span.h"

#include <stdbool.h>

// The member `list`, or the whole object when it is NULL: rows with these columns (blanks between them), or one
// "key: value" a line. `as_json`: as it came.
// False: the answer has no such list or object, so it is not ours.
bool admin_print(struct span answer, const char *list, const char *columns, bool as_json);
void admin_print_error(const char *command, int status, struct span answer);
