// Parses an action in words, "raise to 1,200 chips", by the game's speech (L66-L68).
#pragma once

#include "codec/speech.h"
#include "llm/cause.h"

// Bytes, with a NUL, of a parameter and of the words that reports show.
enum { ACTION_TEXT_VALUE = 64, ACTION_TEXT_SAID = 96 };

struct action_text {
    bool forfeit;
    bool tolerated; // a meaningless number was ignored
    struct speech_phrase phrase;
    char value[SPEECH_SLOTS][ACTION_TEXT_VALUE]; // as JSON; "": not given
    char said[ACTION_TEXT_SAID];                 // what was read, for people; truncated
};

// What the words say. `beside` is a JSON object whose members may have parameters, or empty.
enum llm_cause action_text_read(const struct codec *c, const struct codec_table *table, struct span words,
                                struct span beside, struct action_text *out);
// The action, if it is one of the choices.
enum llm_cause action_text_find(const struct codec *c, const struct codec_table *table, const struct action_text *w,
                                const struct game_choice *choices, int count, struct game_action *action);
// Full-width letters and typographic quotes as plain ones, lower case; for comparisons.
void action_text_fold(struct text *out, struct span s);
