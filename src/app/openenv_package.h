// Generates a Python package for one game: typed models and a client, from the schemas that the server publishes (O70).
#pragma once

#include "kit/kit.h"

// Returns the exit status; a failure was reported.
int openenv_package_write(const struct game_kit *k, const char *folder);
