// Why an answer gave no action (L80). The first causes are the model's fault, the last two the connection's.
#pragma once

enum llm_cause {
    LLM_FINE,
    LLM_ILLEGAL,
    LLM_UNPARSABLE,
    LLM_AMBIGUOUS,
    LLM_BAD_VALUE,
    LLM_TOO_LONG,
    LLM_EMPTY,
    LLM_CUT,
    LLM_REFUSED,
    LLM_CONTEXT,
    LLM_TIMEOUT,
    LLM_TRANSPORT,
    LLM_CAUSES,
};

extern const char *const llm_cause_names[LLM_CAUSES + 1]; // "fine", "illegal".., ended by NULL
