// From what a model wrote to an action (L60-L69).
//
// The first form that is present decides: a tool call, a JSON object, a labelled line, a bare line. If its action is
// illegal or unreadable, nothing else in the text is tried: a move that was taken from the prose is not the player's.
#pragma once

#include "llm/spoken.h"

enum { ANSWER_TEXT = 262144 }; // L69: of public text; what is beyond is not looked at

struct llm_tool_call {
    struct span name, arguments; // JSON text, or empty for {}
};

struct llm_said {
    struct span text; // what the model said in public
    const struct llm_tool_call *calls;
    int call_count;
    bool cut;     // it ended at the limit of tokens
    bool refused; // the model or its server said so
};

struct llm_found {
    enum llm_cause cause;
    bool forfeit, tolerated;
    struct game_action action; // when the cause is LLM_FINE and it is no forfeit
    char said[SPOKEN_SAID];    // the action as it was written, cut; "": none was found
};

void answer_read(const struct llm_said *said, const struct codec *c, const struct codec_table *table,
                 const struct game_choice *choices, int count, struct llm_found *out);
// L61: what is left without reasoning that stands in the text.
struct span answer_strip(struct span text);
