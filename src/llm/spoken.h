// Parses an action in words, "raise to 1,200 chips", by the game's speech (L66-L68).
#pragma once

#include "codec/speech.h"
#include "llm/cause.h"

enum { SPOKEN_VALUE = 64, SPOKEN_SAID = 96 };

struct spoken_action {
    bool forfeit;
    bool tolerated; // a meaningless number was ignored
    struct speech_phrase phrase;
    char value[SPEECH_SLOTS][SPOKEN_VALUE]; // as JSON; "": not given
    char said[SPOKEN_SAID];                 // what was read, for people; truncated
};

// What the words say. `beside` is a JSON object whose members may have parameters, or empty.
enum llm_cause spoken_read(const struct codec *c, const struct codec_table *table, struct span words,
                           struct span beside, struct spoken_action *out);
// The action, if it is one of the choices.
enum llm_cause spoken_find(const struct codec *c, const struct codec_table *table, const struct spoken_action *w,
                           const struct game_choice *choices, int count, struct game_action *action);
// Full-width letters and typographic quotes as plain ones, lower case; for comparisons.
void spoken_fold(struct text *out, struct span s);
