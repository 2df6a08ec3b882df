// What `agon verify` can check: one function for each of its commands.
#pragma once

#include "app/app.h"

int verify_bot(int argc, char **argv);
int verify_gamerl(int argc, char **argv);
int verify_history(int argc, char **argv);
