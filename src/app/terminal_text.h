// Prints text pictures line by line, in colour if the output is a terminal and the user wants it.
#pragma once

#include "codec/codec.h"

// `seat`: names that each get a colour; NULL: none.
void terminal_text_print(const struct text *t, const char *const *seat, int seats);
void terminal_text_print_plain(const struct text *t); // without colours; ends the last line
void terminal_text_keep_last(struct text *t, int lines);
// The rules for people, without what programs reply.
void terminal_text_put_rules(const struct codec *c, const void *rules, int seats, struct text *out);
