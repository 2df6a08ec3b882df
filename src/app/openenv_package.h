// A Python package for one game: typed models and a client, generated from the schemas that the server shows (O70).
#pragma once

#include "kit/kit.h"

int openenv_package_write(const struct game_kit *k, const char *folder); // the exit status; a failure has been told
