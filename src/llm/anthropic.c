// Anthropic messages (L23-L29).
#include "base/json_read.h"
#include "base/json_write.h"
#include "llm/dialect.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

// --- requests

static void write_block(struct text *t, const struct llm_message *m, bool cached)
{
    json_begin_object(t);
    if (m->is_call && m->role == ROLE_ASSISTANT) {
        json_put_text(t, "type", "tool_use");
        json_put_text(t, "id", "call_1");
        json_put_text(t, "name", "act");
        json_put_raw(t, "input", m->text);
    } else {
        json_put_text(t, "type", m->is_call ? "tool_result" : "text");
        if (m->is_call)
            json_put_text(t, "tool_use_id", "call_1");
        json_put_string(t, m->is_call ? "content" : "text", m->text);
    }
    if (cached)
        json_put_raw(t, "cache_control", SPAN("{\"type\":\"ephemeral\"}"));
    json_end_object(t);
}

// Roles must alternate, so neighbours of one role become blocks of one message. The cache ends at the last but one
// message of the user, among others, because the next request repeats everything before it.
static void write_messages(struct text *t, const struct llm_request *q)
{
    int last_user = q->count, marked = -1;
    for (int i = q->count - 1; i > 0 && marked < 0; i--)
        if (q->messages[i].role == ROLE_USER) {
            if (last_user < q->count)
                marked = i;
            last_user = i;
        }
    json_begin_array_at(t, "messages");
    for (int i = 1; i < q->count; i++) {
        enum llm_role role = q->messages[i].role;
        json_begin_object(t);
        json_put_text(t, "role", role == ROLE_USER ? "user" : "assistant");
        json_begin_array_at(t, "content");
        for (;; i++) {
            write_block(t, &q->messages[i], i == marked && q->endpoint->settings.memory == LLM_DIALOGUE);
            if (i + 1 == q->count || q->messages[i + 1].role != role)
                break;
        }
        json_end_array(t);
        json_end_object(t);
    }
    json_end_array(t);
}

static bool is_number(const char *text)
{
    return text[0] >= '0' && text[0] <= '9';
}

enum { LEAST_BUDGET = 1024 }; // L24: servers refuse less

// Which form of thinking: a budget of tokens, or a word. A server that knows only the other one gets that (L24).
static int thinking_budget(const struct llm_request *q)
{
    static const struct {
        const char *word;
        int budget;
    } words[] = {{"minimal", 1024}, {"low", 2048}, {"medium", 8192}, {"high", 16384}, {"xhigh", 32768}, {"max", 32768}};
    bool number = is_number(q->effort);
    int budget = number ? atoi(q->effort) : 0;
    for (unsigned i = 0; i < sizeof words / sizeof *words && !number; i++)
        if (strcmp(words[i].word, q->effort) == 0)
            budget = words[i].budget;
    budget = budget < LEAST_BUDGET ? LEAST_BUDGET : budget;
    return number != q->adapted->other_thinking ? budget : 0;
}

static const char *effort_word(const struct llm_request *q)
{
    return !is_number(q->effort)     ? q->effort
           : atoi(q->effort) < 4096  ? "low"
           : atoi(q->effort) < 16384 ? "medium"
                                     : "high";
}

static void write_thinking(struct text *t, const struct llm_request *q)
{
    int budget = thinking_budget(q);
    json_begin_object_at(t, "thinking");
    if (strcmp(q->effort, "none") == 0) {
        json_put_text(t, "type", "disabled");
    } else if (budget) {
        json_put_text(t, "type", "enabled");
        json_put_int(t, "budget_tokens", budget);
    } else {
        json_put_text(t, "type", "adaptive");
    }
    json_end_object(t);
}

static bool is_thinking(const struct llm_request *q)
{
    return dialect_thinks(q) && strcmp(q->effort, "none") != 0;
}

// Format and effort share one member.
static void write_output(struct text *t, const struct llm_request *q)
{
    bool word = is_thinking(q) && !thinking_budget(q);
    if (!word && q->form != LLM_SCHEMA)
        return;
    json_begin_object_at(t, "output_config");
    if (word)
        json_put_text(t, "effort", effort_word(q));
    if (q->form == LLM_SCHEMA) {
        json_begin_object_at(t, "format");
        json_put_text(t, "type", "json_schema");
        json_put_raw(t, "schema", q->schema);
        json_end_object(t);
    }
    json_end_object(t);
}

static void write_tool(struct text *t, const struct llm_request *q)
{
    json_put_raw(t, "tools", SPAN("[{\"name\":\"act\",\"description\":\"Play an action.\",\"input_schema\":"));
    json_write_raw(t, q->schema);
    text_puts(t, "}]");
    json_put_raw(t, "tool_choice",
                 is_thinking(q) ? SPAN("{\"type\":\"auto\"}") : SPAN("{\"type\":\"tool\",\"name\":\"act\"}"));
}

static void write_body(struct text *t, const struct llm_request *q)
{
    const struct llm_settings *s = &q->endpoint->settings;
    json_begin_object(t);
    json_put_text(t, "model", q->endpoint->model);
    json_put_int(t, "max_tokens", s->max_tokens + (is_thinking(q) ? thinking_budget(q) : 0));
    json_begin_array_at(t, "system");
    write_block(t, &q->messages[0], true);
    json_end_array(t);
    write_messages(t, q);
    if (!q->adapted->no_sampling && !is_thinking(q)) {
        if (!isnan(s->temperature))
            json_put_decimal(t, "temperature", s->temperature > 1 ? 1 : s->temperature, 6);
        if (!isnan(s->top_p))
            json_put_decimal(t, "top_p", s->top_p, 6);
    }
    if (dialect_thinks(q))
        write_thinking(t, q);
    write_output(t, q);
    if (q->form == LLM_TOOL)
        write_tool(t, q);
    json_put_bool(t, "stream", s->stream);
    dialect_write_extra(t, q);
    json_end_object(t);
}

// --- answers

// L27. A stream reports input first and output last; an absent count leaves the known one as it is.
static void read_usage(struct llm_reply *r, struct span usage)
{
    struct llm_usage *u = &r->usage;
    if (!usage.at || usage.at[0] != '{')
        return;
    int64_t fresh = reply_read_count(json_member(usage, "input_tokens")),
            output = reply_read_count(json_member(usage, "output_tokens"));
    int64_t written = reply_read_count(json_member(usage, "cache_creation_input_tokens"));
    int64_t cached = reply_read_count(json_member(usage, "cache_read_input_tokens"));
    struct span details = json_member(usage, "output_tokens_details");
    int64_t reasoning = details.at ? reply_read_count(json_member(details, "thinking_tokens")) : -1;
    if (fresh >= 0) {
        u->cached = cached > 0 ? cached : 0;
        u->cache_write = written > 0 ? written : 0;
        u->input = fresh + u->cached + u->cache_write;
    }
    if (output >= 0)
        u->output = output;
    if (reasoning >= 0)
        u->reasoning = reasoning;
}

static void read_stop(struct llm_reply *r, struct span word) // L26
{
    static const struct {
        const char *word;
        enum llm_finish finish;
    } words[] = {{"max_tokens", FINISH_LENGTH},
                 {"model_context_window_exceeded", FINISH_LENGTH},
                 {"pause_turn", FINISH_LENGTH},
                 {"refusal", FINISH_REFUSED}};
    if (!word.at || word.at[0] != '"')
        return;
    reply_copy_string(word, r->finish_word, sizeof r->finish_word);
    r->finish = FINISH_STOP;
    for (unsigned i = 0; i < sizeof words / sizeof *words; i++)
        if (strcmp(words[i].word, r->finish_word) == 0)
            r->finish = words[i].finish;
}

static void add_block(struct llm_reply *r, struct span block, int64_t index) // L25
{
    struct span type = json_member(block, "type");
    if (span_is(type, "\"text\"")) {
        reply_add_string(&r->content, json_member(block, "text"));
    } else if (span_is(type, "\"thinking\"")) {
        reply_add_string(&r->reasoning, json_member(block, "thinking"));
    } else if (span_is(type, "\"tool_use\"")) {
        struct reply_call *c = reply_call_at(r, index);
        struct span input = json_member(block, "input");
        if (!c)
            return;
        reply_copy_string(json_member(block, "name"), c->name, sizeof c->name);
        // A stream begins a block with an empty object; its arguments follow as pieces (on_block_delta).
        if (input.at && input.at[0] == '{' && !span_is(input, "{}"))
            text_put(&c->arguments, input);
    }
}

static void read_message(struct llm_reply *r, struct span message)
{
    struct span content = json_member(message, "content");
    struct json_reader j = json_reader_of(content, 64);
    reply_copy_string(json_member(message, "model"), r->model, sizeof r->model);
    read_usage(r, json_member(message, "usage"));
    read_stop(r, json_member(message, "stop_reason"));
    if (content.at && json_peek(&j) == JSON_ARRAY)
        for (json_enter_array(&j); json_next_item(&j);) {
            struct span block = json_read_raw(&j);
            add_block(r, block, r->calls);
        }
}

static void read_body(struct llm_reply *r, struct span body)
{
    if (json_type_of(body, 64) == JSON_NONE)
        return;
    struct span error = json_member(body, "error");
    if (span_is(json_member(body, "type"), "\"error\"") || (error.at && !span_is(error, "null"))) {
        reply_read_error(r, body);
        return;
    }
    read_message(r, body);
    r->complete = json_member(body, "content").at;
    if (r->complete && r->finish == FINISH_NONE)
        r->finish = FINISH_STOP;
}

// --- streams (L28)

static void on_message_start(struct llm_reply *r, struct span data)
{
    read_message(r, json_member(data, "message"));
}

static void on_block_start(struct llm_reply *r, struct span data)
{
    add_block(r, json_member(data, "content_block"), reply_read_count(json_member(data, "index")));
}

static void on_block_delta(struct llm_reply *r, struct span data)
{
    struct span delta = json_member(data, "delta"), type = json_member(delta, "type");
    struct reply_call *c;
    if (span_is(type, "\"text_delta\""))
        reply_add_string(&r->content, json_member(delta, "text"));
    else if (span_is(type, "\"thinking_delta\""))
        reply_add_string(&r->reasoning, json_member(delta, "thinking"));
    else if (span_is(type, "\"input_json_delta\"") &&
             (c = reply_call_at(r, reply_read_count(json_member(data, "index")))))
        reply_add_string(&c->arguments, json_member(delta, "partial_json"));
}

static void on_message_delta(struct llm_reply *r, struct span data)
{
    read_stop(r, json_member(json_member(data, "delta"), "stop_reason"));
    read_usage(r, json_member(data, "usage"));
}

static void on_message_stop(struct llm_reply *r, struct span data)
{
    (void)data;
    r->complete = !r->failed;
    if (r->finish == FINISH_NONE)
        r->finish = FINISH_STOP;
}

static void read_event(struct llm_reply *r, const char *event, struct span data)
{
    static const struct {
        const char *type;
        void (*take)(struct llm_reply *r, struct span data);
    } rows[] = {
        {"message_start", on_message_start},     {"content_block_start", on_block_start},
        {"content_block_delta", on_block_delta}, {"message_delta", on_message_delta},
        {"message_stop", on_message_stop},       {"error", reply_read_error},
    };
    char type[REPLY_WORD];
    if (r->failed)
        return;
    if (json_type_of(data, 64) == JSON_NONE) {
        reply_read_error(r, SPAN("an event that is not JSON"));
        return;
    }
    reply_copy_string(json_member(data, "type"), type, sizeof type);
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++)
        if (strcmp(rows[i].type, *type ? type : event) == 0)
            rows[i].take(r, data);
    // L28: an error may come after content, even after the message was complete.
    r->complete &= !r->failed;
}

const struct llm_dialect llm_anthropic = {write_body, read_body, read_event,
                                          "x-api-key: ", "anthropic-version: 2023-06-01"};
