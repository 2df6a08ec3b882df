// Understands what a person types at a table as one of the choices: "raise 400", "3 fours", "Ah", "tax", or the number
// of a line in the list.
//
// A choice is recognised by its description. The typed words must appear in it in order, each as the beginning of one
// of its words. So abbreviations work, and so do the words that the rules or the log use.
#pragma once

#include "codec/codec.h"

enum move_input_result {
    MOVE_INPUT_ONE,     // `action` is set
    MOVE_INPUT_NONE,    // no choice matches
    MOVE_INPUT_SEVERAL, // `choice` lists the matches, `found` is their number
    MOVE_INPUT_AMOUNT,  // one choice, but it needs an amount within its range
};

struct move_input {
    struct game_action action;
    int found;
    int choice[GAME_MAX_CHOICES]; // indexes
};

enum move_input_result move_input_find(const struct codec *c, const struct codec_table *table,
                                       const struct game_choice *choices, int count, const char *line,
                                       struct move_input *out);

// A line of the list: the choice, and how to type an amount.
void move_input_put_choice(const struct codec *c, struct text *t, const struct codec_table *table,
                           struct game_choice choice);
