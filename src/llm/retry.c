#include "llm/retry.h"

#include <stdio.h>

static bool error_has(const struct llm_reply *r, const char *words)
{
    return strcasestr(r->error, words);
}

static bool names_parameter(const struct llm_reply *r, const char *parameter)
{
    return strcmp(r->error_param, parameter) == 0 || strstr(r->error, parameter);
}

// --- L103

static bool is_context_error(int status, const struct llm_reply *r)
{
    static const char *const phrases[] = {"maximum context length", "context length",
                                          "context window",         "prompt is too long",
                                          "input is too long",      "exceeds the available context size"};
    if (status == 413 || strcmp(r->error_code, "context_length_exceeded") == 0 ||
        strcmp(r->error_type, "exceed_context_size_error") == 0)
        return true;
    for (unsigned i = 0; i < sizeof phrases / sizeof *phrases; i++)
        if (error_has(r, phrases[i]))
            return true;
    return false;
}

// --- L102

static bool is_permanent(int status, const struct llm_reply *r)
{
    static const char *const codes[] = {"insufficient_quota",   "billing_error",    "model_not_found",
                                        "authentication_error", "permission_error", "not_found_error",
                                        "invalid_api_key"};
    // 3xx: redirects are not followed, because the key may go to the configured host only (L140).
    if (status == 401 || status == 403 || status == 404 || (status >= 300 && status < 400))
        return true;
    for (unsigned i = 0; i < sizeof codes / sizeof *codes; i++)
        if (strcmp(r->error_code, codes[i]) == 0 || strcmp(r->error_type, codes[i]) == 0)
            return true;
    return status == 400 && (error_has(r, "credit balance") || error_has(r, "billing"));
}

// --- L100

static bool is_temporary(int status, const struct llm_reply *r)
{
    // 0: no answer at all.
    static const short statuses[] = {0, 408, 409, 425, 429, 500, 502, 503, 504, 520, 521, 522, 523, 524, 529};
    for (unsigned i = 0; i < sizeof statuses / sizeof *statuses; i++)
        if (statuses[i] == status)
            return true;
    return status == 200 && !is_permanent(0, r); // an error inside a good answer, or half of one
}

// --- L11

static bool adapt_limit(const struct llm_request *q, struct llm_adapted *a)
{
    if (q->endpoint->settings.api != LLM_OPENAI || a->other_limit)
        return false;
    return a->other_limit = true;
}

static bool adapt_sampling(const struct llm_request *q, struct llm_adapted *a)
{
    (void)q;
    return !a->no_sampling && (a->no_sampling = true);
}

static bool adapt_schema(const struct llm_request *q, struct llm_adapted *a)
{
    return q->form == LLM_SCHEMA && (a->no_schema = true);
}

static bool adapt_tool(const struct llm_request *q, struct llm_adapted *a)
{
    return q->form == LLM_TOOL && (a->no_tool = true);
}

static bool adapt_thinking(const struct llm_request *q, struct llm_adapted *a)
{
    if (!dialect_thinks(q) || q->endpoint->settings.api != LLM_ANTHROPIC || a->other_thinking)
        return false;
    return a->other_thinking = true;
}

static bool adapt_effort(const struct llm_request *q, struct llm_adapted *a)
{
    return dialect_thinks(q) && (a->no_effort = true);
}

static bool adapt_options(const struct llm_request *q, struct llm_adapted *a)
{
    return q->endpoint->settings.stream && !a->no_stream_options && (a->no_stream_options = true);
}

static bool adapt_system(const struct llm_request *q, struct llm_adapted *a)
{
    return q->endpoint->settings.api == LLM_OPENAI && !a->no_system && (a->no_system = true);
}

// Tried in this order, the first that changes something (L11). `names_parameter` finds them as words of the message
// too, so longer names stand before those that they contain.
static const struct {
    const char *parameter;
    bool (*adapt)(const struct llm_request *q, struct llm_adapted *a);
    const char *change;
} adaptations[] = {
    {"max_completion_tokens", adapt_limit, "the other name for the limit of tokens"},
    {"max_tokens", adapt_limit, "the other name for the limit of tokens"},
    {"temperature", adapt_sampling, "no temperature, top_p or seed: the run is not what was asked for"},
    {"top_p", adapt_sampling, "no temperature, top_p or seed: the run is not what was asked for"},
    {"seed", adapt_sampling, "no temperature, top_p or seed: the run is not what was asked for"},
    {"response_format", adapt_schema, "answer=json instead of schema"},
    {"output_config.format", adapt_schema, "answer=json instead of schema"},
    {"tool", adapt_tool, "answer=json instead of tool"},
    {"thinking", adapt_thinking, "the other form of thinking"},
    {"output_config", adapt_thinking, "the other form of thinking"},
    {"reasoning_effort", adapt_effort, "no effort: the run is not what was asked for"},
    {"effort", adapt_effort, "no effort: the run is not what was asked for"},
    {"thinking", adapt_effort, "no effort: the run is not what was asked for"},
    {"stream_options", adapt_options, "no stream_options: tokens are estimated"},
    {"system", adapt_system, "the system text before the first message"},
};

static bool adapt_request(const struct llm_reply *r, const struct llm_request *q, struct llm_adapted *a,
                          char change[REPLY_ERROR])
{
    for (unsigned i = 0; i < sizeof adaptations / sizeof *adaptations; i++)
        if (names_parameter(r, adaptations[i].parameter) && adaptations[i].adapt(q, a)) {
            snprintf(change, REPLY_ERROR, "%s", adaptations[i].change);
            return true;
        }
    return false;
}

enum llm_retry retry_decide(const struct llm_response_status *n, const struct llm_reply *r, const struct llm_request *q,
                            struct llm_adapted *a, char change[REPLY_ERROR])
{
    if (n->status == 200 && r->complete)
        return RETRY_NOT_NEEDED;
    if (n->final_fault)
        return RETRY_NEVER;
    if (is_context_error(n->status, r))
        return RETRY_SHORTER;
    // 422: servers made with FastAPI refuse parameters so (L22).
    if ((n->status == 400 || n->status == 422) && adapt_request(r, q, a, change))
        return RETRY_ADAPTED;
    if (is_permanent(n->status, r) || n->should_retry == 0)
        return RETRY_NEVER;
    if (n->should_retry == 1 || is_temporary(n->status, r))
        return RETRY_LATER;
    // L102: before the first answer a refusal that nothing fixes is a mistake in the settings.
    return n->first ? RETRY_NEVER : RETRY_LATER;
}
