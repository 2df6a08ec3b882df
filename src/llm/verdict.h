// What to do after a server's answer: use it, repeat the request, change it, or stop (L11, L100-L103).
#pragma once

#include "llm/dialect.h"

enum llm_verdict {
    VERDICT_TAKE,    // a complete answer
    VERDICT_AGAIN,   // repeat later: the connection or the server failed
    VERDICT_ADAPT,   // repeat at once, with the noted change
    VERDICT_CONTEXT, // the prompt was too long
    VERDICT_FINAL,   // it can never succeed
};

struct llm_arrival {
    int status;       // HTTP; 0: none
    bool final_fault; // of the connection: a certificate, an unknown host
    int should_retry; // according to the server: -1 unknown, 0 no, 1 yes
    bool first;       // no answer of this model was used yet
};

// For VERDICT_ADAPT `a` was changed, and `change` describes how in a few words.
enum llm_verdict verdict_of(const struct llm_arrival *n, const struct llm_reply *r, const struct llm_request *q,
                            struct llm_adapted *a, char change[REPLY_ERROR]);
