// The answer of a model's server, in either protocol, whole or as a stream of events.
#pragma once

#include "base/text.h"
#include "llm/answer.h"
#include "llm/price.h"

// REPLY_CALLS: further tool calls are dropped. REPLY_ERROR: 300 bytes (L22) and a NUL.
enum { REPLY_CALLS = 8, REPLY_ERROR = 301, REPLY_WORD = 64 };

enum llm_finish { FINISH_NONE, FINISH_STOP, FINISH_LENGTH, FINISH_REFUSED };

struct reply_call {
    char name[REPLY_WORD];
    struct text arguments; // JSON
};

struct llm_reply {
    struct text content, reasoning; // public; never searched for an action (L16)
    struct reply_call call[REPLY_CALLS];
    int calls;
    bool refused;
    enum llm_finish finish;
    char finish_word[REPLY_WORD];
    char model[128]; // as named by the server
    struct llm_usage usage;
    bool complete; // nothing is missing: it may be parsed for an action (L21)

    bool failed; // the server reported an error
    char error[REPLY_ERROR], error_type[REPLY_WORD], error_code[REPLY_WORD], error_param[REPLY_WORD];
    int64_t context; // context size in tokens according to the server; 0: unknown
};

void reply_init(struct llm_reply *r);
void reply_release(struct llm_reply *r);
void reply_reset(struct llm_reply *r);

// For the dialects.
void reply_add_string(struct text *t, struct span json); // the text of a JSON string; anything else adds nothing
void reply_copy_string(struct span json, char *out, size_t room);     // truncated; "" if it is not a string
int64_t reply_read_count(struct span json);                           // 0..1e9, or -1
struct reply_call *reply_call_at(struct llm_reply *r, int64_t index); // NULL: too many
// L22: extracts an error from a body of any kind.
void reply_read_error(struct llm_reply *r, struct span body);
struct llm_said reply_said(const struct llm_reply *r, struct llm_tool_call calls[REPLY_CALLS]);
