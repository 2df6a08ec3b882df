// What an answer of a server means for the one who asked: take it, say it again, change the request, or stop (L11,
// L100-L103).
#pragma once

#include "llm/dialect.h"

enum llm_verdict {
    VERDICT_TAKE,    // a complete answer
    VERDICT_AGAIN,   // later: the line or the server failed
    VERDICT_ADAPT,   // at once, changed as noted
    VERDICT_CONTEXT, // the prompt was too long
    VERDICT_FINAL,   // nothing will ever come of it
};

struct llm_arrival {
    int status;       // HTTP; 0: none came
    bool final_fault; // of the connection: a certificate, an unknown host
    int should_retry; // of the server: -1 nothing, 0 no, 1 yes
    bool first;       // no answer of this model has been taken yet
};

// For VERDICT_ADAPT `a` has changed and `change` says how, in a few words.
enum llm_verdict verdict_of(const struct llm_arrival *n, const struct llm_reply *r, const struct llm_request *q,
                            struct llm_adapted *a, char change[REPLY_ERROR]);
