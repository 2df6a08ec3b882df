// What a person types at a table, understood as one of the choices: "raise 400", "3 fours", "Ah", "tax", or the number
// of a line in the list.
//
// A choice is known by its description. Typed words must appear in it in their order, each as the beginning of one of
// its words, so abbreviations work and so does any wording the rules or the log use.
#pragma once

#include "codec/codec.h"

enum words_found {
    WORDS_ONE,     // `action` is it
    WORDS_NONE,    // no choice reads like that
    WORDS_SEVERAL, // `choice` lists which; `found` how many
    WORDS_AMOUNT,  // one choice, but it needs an amount within its range
};

struct words_match {
    struct game_action action;
    int found;
    int choice[GAME_MAX_CHOICES]; // indices
};

enum words_found words_find(const struct codec *c, const struct codec_table *table, const struct game_choice *choices,
                            int count, const char *line, struct words_match *out);

// A line of a list: what the choice is, and how to type an amount.
void words_put_choice(const struct codec *c, struct text *t, const struct codec_table *table,
                      struct game_choice choice);
