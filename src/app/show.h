// Text pictures printed line by line, with colour where the output is a terminal and the user wants it.
#pragma once

#include "codec/codec.h"

// `seat`: names that get a colour each; NULL: none.
void show_plain(const struct text *t, const char *const *seat, int seats);
void show_keep_last(struct text *t, int lines);
// The rules in the words of people, without what programs answer with.
void show_put_rules(const struct codec *c, const void *rules, int seats, struct text *out);
