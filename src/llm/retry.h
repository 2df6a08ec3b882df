// What to do after a server's answer: use it, repeat the request, change it, or stop (L11, L100-L103).
#pragma once

#include "llm/dialect.h"

enum llm_retry {
    RETRY_NOT_NEEDED, // a complete answer
    RETRY_LATER,      // repeat later: the connection or the server failed
    RETRY_ADAPTED,    // repeat at once, with the noted change
    RETRY_SHORTER,    // the prompt was too long
    RETRY_NEVER,      // it can never succeed
};

struct llm_response_status {
    int status;       // HTTP; 0: none
    bool final_fault; // of the connection: a certificate, an unknown host
    int should_retry; // according to the server: -1 unknown, 0 no, 1 yes
    bool first;       // no answer of this model was used yet
};

// For RETRY_ADAPTED `a` was changed, and `change` describes how in a few words.
enum llm_retry retry_decide(const struct llm_response_status *n, const struct llm_reply *r, const struct llm_request *q,
                            struct llm_adapted *a, char change[REPLY_ERROR]);
