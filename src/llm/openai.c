// OpenAI-compatible chat completions (L10-L22).
#include "base/json_read.h"
#include "base/json_write.h"
#include "llm/dialect.h"

#include <math.h>
#include <stdio.h>

// --- requests

static const char *const roles[] = {"system", "user", "assistant"};

static void write_call(struct text *t, const struct llm_message *m)
{
    json_begin_object(t);
    json_put_text(t, "role", "assistant");
    json_put_null(t, "content");
    json_begin_array_at(t, "tool_calls");
    json_begin_object(t);
    // A message has one call, so one id is enough; the result names it.
    json_put_text(t, "id", "call_1");
    json_put_text(t, "type", "function");
    json_begin_object_at(t, "function");
    json_put_text(t, "name", "act");
    json_put_string(t, "arguments", m->text);
    json_end_object(t);
    json_end_object(t);
    json_end_array(t);
    json_end_object(t);
}

static void write_message(struct text *t, const char *role, const struct llm_message *m, struct span before)
{
    json_begin_object(t);
    json_put_text(t, "role", m->is_call ? "tool" : role);
    if (m->is_call)
        json_put_text(t, "tool_call_id", "call_1");
    json_key(t, "content");
    if (before.size) { // a JSON string from two texts, without a copy: the second without its opening quote
        json_write_string(t, before);
        t->size--;
        text_puts(t, "\\n\\n");
        size_t at = t->size;
        json_write_string(t, m->text);
        // The writer may have put a comma between the two strings.
        size_t skip = t->at[at] == ',' ? 2 : 1;
        memmove(t->at + at, t->at + at + skip, t->size - at - skip);
        t->size -= skip;
    } else {
        json_write_string(t, m->text);
    }
    json_end_object(t);
}

static void write_messages(struct text *t, const struct llm_request *q)
{
    bool joined = q->adapted->no_system && q->count > 1;
    json_begin_array_at(t, "messages");
    for (int i = joined; i < q->count; i++) {
        const struct llm_message *m = &q->messages[i];
        if (m->is_call && m->role == ROLE_ASSISTANT)
            write_call(t, m);
        else
            write_message(t, roles[m->role], m, joined && i == 1 ? q->messages[0].text : (struct span){0});
    }
    json_end_array(t);
}

static bool is_openai(const char *host)
{
    size_t size = strlen(host);
    return size >= 10 && strcmp(host + size - 10, "openai.com") == 0;
}

static void write_form(struct text *t, const struct llm_request *q)
{
    if (q->form == LLM_SCHEMA) {
        json_begin_object_at(t, "response_format");
        json_put_text(t, "type", "json_schema");
        json_begin_object_at(t, "json_schema");
        json_put_text(t, "name", "action");
        json_put_bool(t, "strict", true);
        json_put_raw(t, "schema", q->schema);
        json_end_object(t);
        json_end_object(t);
    } else if (q->form == LLM_TOOL) {
        json_key(t, "tools");
        json_write_raw(
            t, SPAN("[{\"type\":\"function\",\"function\":{\"name\":\"act\",\"description\":\"Play an action.\","
                    "\"parameters\":"));
        json_write_raw(t, q->schema);
        text_puts(t, "}}]");
        json_put_raw(t, "tool_choice", SPAN("{\"type\":\"function\",\"function\":{\"name\":\"act\"}}"));
    }
}

static void write_sampling(struct text *t, const struct llm_settings *s)
{
    if (!isnan(s->temperature))
        json_put_decimal(t, "temperature", s->temperature, 6);
    if (!isnan(s->top_p))
        json_put_decimal(t, "top_p", s->top_p, 6);
    if (s->seed >= 0)
        json_put_int(t, "seed", s->seed);
}

static void write_body(struct text *t, const struct llm_request *q)
{
    const struct llm_settings *s = &q->endpoint->settings;
    bool newer = is_openai(q->endpoint->host) != q->adapted->other_limit; // L12
    json_begin_object(t);
    json_put_text(t, "model", q->endpoint->model);
    write_messages(t, q);
    json_put_int(t, newer ? "max_completion_tokens" : "max_tokens", s->max_tokens);
    if (!q->adapted->no_sampling)
        write_sampling(t, s);
    if (dialect_thinks(q))
        json_put_text(t, "reasoning_effort", q->effort);
    write_form(t, q);
    json_put_bool(t, "stream", s->stream);
    if (s->stream && !q->adapted->no_stream_options) {
        json_put_raw(t, "stream_options", SPAN("{\"include_usage\":true}"));
    }
    dialect_write_extra(t, q);
    json_end_object(t);
}

// --- answers

static void read_usage(struct llm_reply *r, struct span usage)
{
    struct llm_usage *u = &r->usage;
    struct span in = json_member(usage, "prompt_tokens_details"), out = json_member(usage, "completion_tokens_details");
    if (!usage.at || usage.at[0] != '{')
        return;
    u->input = reply_read_count(json_member(usage, "prompt_tokens"));
    u->output = reply_read_count(json_member(usage, "completion_tokens"));
    u->cached = in.at ? reply_read_count(json_member(in, "cached_tokens")) : -1;
    u->cache_write = in.at ? reply_read_count(json_member(in, "cache_write_tokens")) : -1;
    // DeepSeek (L19)
    if (u->cached < 0)
        u->cached = reply_read_count(json_member(usage, "prompt_cache_hit_tokens"));
    u->reasoning = out.at ? reply_read_count(json_member(out, "reasoning_tokens")) : -1;
    struct span cost = json_member(usage, "cost"); // OpenRouter
    struct json_reader j = json_reader_of(cost, 1);
    double money = cost.at ? json_read_real(&j) : -1;
    // L92: it takes precedence over the price file. Below a million it fits into 64 bits as 1e-9 units.
    if (cost.at && !j.error && money >= 0 && money < 1e6)
        u->cost = llround(1e9 * money);
}

static void read_finish(struct llm_reply *r, struct span word)
{
    if (!word.at || word.at[0] != '"')
        return;
    reply_copy_string(word, r->finish_word, sizeof r->finish_word);
    r->finish = strcmp(r->finish_word, "length") == 0           ? FINISH_LENGTH
                : strcmp(r->finish_word, "content_filter") == 0 ? FINISH_REFUSED
                                                                : FINISH_STOP;
}

// L15: a text, or parts of which some are text.
static void add_content(struct text *t, struct span content)
{
    struct json_reader r = json_reader_of(content, 64);
    if (!content.at || json_peek(&r) != JSON_ARRAY) {
        reply_add_string(t, content);
        return;
    }
    for (json_enter_array(&r); json_next_item(&r);) {
        struct span part = json_read_raw(&r);
        if (span_is(json_member(part, "type"), "\"text\""))
            reply_add_string(t, json_member(part, "text"));
    }
}

static void add_call(struct llm_reply *r, struct span function, int64_t index)
{
    struct reply_call *c = function.at ? reply_call_at(r, index) : NULL;
    struct span name = json_member(function, "name"), arguments = json_member(function, "arguments");
    if (!c)
        return;
    if (name.at && name.at[0] == '"' && name.size > 2)
        reply_copy_string(name, c->name, sizeof c->name);
    if (arguments.at && arguments.at[0] == '"')
        reply_add_string(&c->arguments, arguments);
    // L18: some servers send an object, not a text of JSON.
    else if (arguments.at && arguments.at[0] == '{')
        text_put(&c->arguments, arguments);
}

// L18: in a message and, piece by piece, in a delta.
static void add_calls(struct llm_reply *r, struct span message)
{
    struct span calls = json_member(message, "tool_calls");
    struct json_reader j = json_reader_of(calls, 64);
    int64_t place = 0;
    if (calls.at && json_peek(&j) == JSON_ARRAY)
        for (json_enter_array(&j); json_next_item(&j); place++) {
            struct span call = json_read_raw(&j);
            // Only pieces of a stream have an index.
            int64_t index = reply_read_count(json_member(call, "index"));
            add_call(r, json_member(call, "function"), index >= 0 ? index : place);
        }
    struct span old = json_member(message, "function_call");
    if (old.at && old.at[0] == '{')
        add_call(r, old, 0);
}

static void add_message(struct llm_reply *r, struct span message)
{
    static const char *const fields[] = {"reasoning_content", "reasoning"}; // L16
    struct span refusal = json_member(message, "refusal");
    add_content(&r->content, json_member(message, "content"));
    for (unsigned i = 0; i < sizeof fields / sizeof *fields; i++)
        reply_add_string(&r->reasoning, json_member(message, fields[i]));
    r->refused |= refusal.size > 2 && refusal.at[0] == '"';
    add_calls(r, message);
}

static struct span first_choice(struct span body)
{
    struct span choices = json_member(body, "choices");
    struct json_reader r = json_reader_of(choices, 64);
    if (!choices.at || json_peek(&r) != JSON_ARRAY)
        return (struct span){0};
    json_enter_array(&r);
    return json_next_item(&r) ? json_read_raw(&r) : (struct span){0};
}

static void read_choice(struct llm_reply *r, struct span body, const char *member)
{
    struct span choice = first_choice(body), error = json_member(body, "error");
    if (error.at && !span_is(error, "null")) {
        reply_read_error(r, body);
        return;
    }
    if (!r->model[0])
        reply_copy_string(json_member(body, "model"), r->model, sizeof r->model);
    read_usage(r, json_member(body, "usage"));
    if (!choice.at)
        return;
    add_message(r, json_member(choice, member));
    read_finish(r, json_member(choice, "finish_reason"));
}

static void read_body(struct llm_reply *r, struct span body)
{
    struct json_reader j = json_reader_of(body, 64);
    json_skip(&j);
    if (json_finish(&j) != OK)
        return; // damaged in transit
    read_choice(r, body, "message");
    r->complete = !r->failed && first_choice(body).at;
    if (r->complete && r->finish == FINISH_NONE)
        r->finish = FINISH_STOP;
}

static void read_event(struct llm_reply *r, const char *event, struct span data)
{
    (void)event;
    if (span_is(data, "[DONE]") || r->failed)
        return;
    struct json_reader j = json_reader_of(data, 64);
    json_skip(&j);
    if (json_finish(&j) != OK) {
        reply_read_error(r, SPAN("an event that is not JSON"));
        return;
    }
    read_choice(r, data, "delta");
    // L21: with a finish_reason it is complete, whether [DONE] comes or not.
    r->complete = !r->failed && r->finish != FINISH_NONE;
}

const struct llm_dialect llm_openai = {write_body, read_body, read_event, "Authorization: Bearer ", NULL};
