// Text pictures printed line by line, with colour where the output is a terminal and the user wants it.
#pragma once

#include "base/text.h"

// `seat`: names that get a colour each; NULL: none.
void show_plain(const struct text *t, const char *const *seat, int seats);
void show_keep_last(struct text *t, int lines);
