#include "llm/dialect.h"

#include "base/json_read.h"

const struct llm_dialect *const llm_dialects[LLM_APIS] = {&llm_openai, &llm_anthropic};

bool dialect_thinks(const struct llm_request *q)
{
    return q->effort[0] && !q->adapted->no_effort;
}

void dialect_write_extra(struct text *t, const struct llm_request *q)
{
    struct json_reader r = json_reader_of(span_of(q->endpoint->settings.extra), 64);
    struct json_string key;
    if (!q->endpoint->settings.extra[0])
        return;
    for (json_enter_object(&r); json_next_key(&r, &key);) {
        struct span value = json_read_raw(&r);
        text_puts(t, ",\"");
        text_put(t, key.raw);
        text_puts(t, "\":");
        text_put(t, value);
    }
}
