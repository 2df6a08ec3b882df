// Understands what a person types at a table as one of the choices: "raise 400", "3 fours", "Ah", "tax", or the number
// of a line in the list.
//
// A choice is recognised by its description. The typed words must appear in it in order, each as the beginning of one
// of its words. So abbreviations work, and so do the words that the rules or the log use.
#pragma once

#include "codec/codec.h"

enum words_found {
    WORDS_ONE,     // `action` is set
    WORDS_NONE,    // no choice matches
    WORDS_SEVERAL, // `choice` lists the matches, `found` is their number
    WORDS_AMOUNT,  // one choice, but it needs an amount within its range
};

struct words_match {
    struct game_action action;
    int found;
    int choice[GAME_MAX_CHOICES]; // indexes
};

enum words_found words_find(const struct codec *c, const struct codec_table *table, const struct game_choice *choices,
                            int count, const char *line, struct words_match *out);

// A line of the list: the choice, and how to type an amount.
void words_put_choice(const struct codec *c, struct text *t, const struct codec_table *table,
                      struct game_choice choice);
