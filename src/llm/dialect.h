// The two protocols of chat servers, as tables of functions: OpenAI-compatible chat completions (L10-L22) and Anthropic
// messages (L23-L29).
#pragma once

#include "base/text.h"
#include "llm/endpoint.h"
#include "llm/reply.h"

enum llm_role { ROLE_SYSTEM, ROLE_USER, ROLE_ASSISTANT };

struct llm_message {
    enum llm_role role;
    struct span text;
    bool
        is_call; // of the assistant: a call of `act`, whose arguments are the text; of the user: the result of the last
};

// Features that a server was found not to support (L11). Found once, kept for the model.
struct llm_adapted {
    bool other_limit;    // max_tokens instead of max_completion_tokens, or the reverse
    bool no_sampling;    // neither temperature nor top_p nor seed
    bool no_effort;      // no effort of reasoning
    bool other_thinking; // Anthropic: the other form of thinking (L24)
    bool no_stream_options;
    bool no_system; // the system text is put before the first message
    bool no_schema, no_tool;
};

struct llm_request {
    const struct llm_endpoint *endpoint;
    const struct llm_adapted *adapted;
    enum llm_form form;                 // as adapted
    struct span schema;                 // of the answer, for LLM_SCHEMA and LLM_TOOL
    const char *effort;                 // "": not sent
    const struct llm_message *messages; // the first is the system message
    int count;
};

struct llm_dialect {
    void (*write)(struct text *t, const struct llm_request *q);                   // the body
    void (*read)(struct llm_reply *r, struct span body);                          // of status 200
    void (*read_event)(struct llm_reply *r, const char *event, struct span data); // of a stream
    const char *key_header;                                                       // "Authorization: Bearer "
    const char *version_header;                                                   // NULL: none
};

extern const struct llm_dialect llm_openai, llm_anthropic, *const llm_dialects[LLM_APIS];

void dialect_write_extra(struct text *t, const struct llm_request *q); // into the open object, last
bool dialect_thinks(const struct llm_request *q);                      // effort is sent
