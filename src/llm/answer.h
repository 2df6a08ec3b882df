// Parses the text of a model into an action (L60-L69).
//
// The first form that is present decides: a tool call, a JSON object, a labelled line, a bare line. If its action is
// illegal or unreadable, the rest of the text is not tried: a move picked from the prose would not be the player's.
#pragma once

#include "llm/action_text.h"

enum { ANSWER_TEXT = 262144 }; // L69: of public text; the rest is ignored

struct llm_tool_call {
    struct span name, arguments; // JSON text, or empty for {}
};

struct llm_said {
    struct span text; // the model's public text
    const struct llm_tool_call *calls;
    int call_count;
    bool cut;     // it was cut off by the token limit
    bool refused; // according to the model or its server
};

struct llm_found {
    enum llm_cause cause;
    bool forfeit, tolerated;
    struct game_action action;   // if the cause is LLM_FINE and it is no forfeit
    char said[ACTION_TEXT_SAID]; // the action as written, truncated; "": none was found
};

void answer_read(const struct llm_said *said, const struct codec *c, const struct codec_table *table,
                 const struct game_choice *choices, int count, struct llm_found *out);
// L61: the text without embedded reasoning.
struct span answer_strip(struct span text);
