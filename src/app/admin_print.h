// Prints replies of the server for people at a terminal.
#pragma once

#include "base/span.h"

#include <stdbool.h>

// The member `list` as rows with these columns (separated by blanks); list NULL: the whole object, one "key: value" per
// line. `as_json`: unchanged. Returns false if the reply has no such list or object, so that it is not from an agon
// server.
bool admin_print(struct span answer, const char *list, const char *columns, bool as_json);
void admin_print_error(const char *command, int status, struct span answer);
