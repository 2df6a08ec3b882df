// What a contest has shown, for people and for programs.
#pragma once

#include "contest/play.h"

void contest_print_table(struct contest_run *run, double seconds);
void contest_write_json(struct contest_run *run, struct text *t);
void contest_print_csv(struct contest *c);
void contest_print_progress(struct contest *c, double seconds); // one line, to standard error
