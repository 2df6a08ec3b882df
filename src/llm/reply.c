#include "llm/reply.h"

#include "base/json_read.h"
#include "base/utf8.h"
#include "heap/heap.h"

#include <stdio.h>
#include <stdlib.h>

enum { ABSURD = 1000000000 }; // tokens; a larger count is a mistake of the server and would spoil every sum

// Keeps the buffers, which grow to the size of the largest answer.
void reply_reset(struct llm_reply *r)
{
    struct text content = r->content, reasoning = r->reasoning;
    struct reply_call calls[REPLY_CALLS];
    memcpy(calls, r->call, sizeof calls);
    memset(r, 0, sizeof *r);
    r->content = content;
    r->reasoning = reasoning;
    r->content.size = r->reasoning.size = 0;
    for (int i = 0; i < REPLY_CALLS; i++) {
        r->call[i].arguments = calls[i].arguments;
        r->call[i].arguments.size = 0;
    }
    r->usage = (struct llm_usage){-1, -1, -1, -1, -1, -1, false};
}

void reply_init(struct llm_reply *r)
{
    memset(r, 0, sizeof *r);
    r->content.grow = r->reasoning.grow = heap_text_grow;
    for (int i = 0; i < REPLY_CALLS; i++)
        r->call[i].arguments.grow = heap_text_grow;
    reply_reset(r);
}

void reply_release(struct llm_reply *r)
{
    free(r->content.at);
    free(r->reasoning.at);
    for (int i = 0; i < REPLY_CALLS; i++)
        free(r->call[i].arguments.at);
    memset(r, 0, sizeof *r);
}

void reply_add_string(struct text *t, struct span json)
{
    struct json_reader r = json_reader_of(json, 1);
    if (!json.at || json_peek(&r) != JSON_STRING)
        return;
    struct json_string s = json_read_string(&r);
    if (r.error || !s.raw.size)
        return;
    if (!s.escaped) {
        text_put(t, s.raw);
        return;
    }
    // Enough: every escape is longer than what it stands for.
    char *copy = malloc(s.raw.size + 1);
    if (!copy)
        abort();
    int size = json_string_unescape(s, copy, s.raw.size + 1);
    text_put(t, (struct span){copy, size > 0 ? (size_t)size : 0});
    free(copy);
}

void reply_copy_string(struct span json, char *out, size_t room)
{
    struct text t = {.grow = heap_text_grow};
    reply_add_string(&t, json);
    size_t size = t.size < room ? t.size : room - 1;
    if (size)
        memcpy(out, t.at, size);
    out[size] = 0;
    free(t.at);
}

int64_t reply_read_count(struct span json)
{
    struct json_reader r = json_reader_of(json, 1);
    if (!json.at || json_peek(&r) != JSON_INT)
        return -1;
    int64_t value = json_read_int(&r, INT64_MIN, INT64_MAX);
    return r.error || value < 0 || value > ABSURD ? -1 : value;
}

struct reply_call *reply_call_at(struct llm_reply *r, int64_t index)
{
    if (index < 0 || index >= REPLY_CALLS)
        return NULL;
    if (index >= r->calls)
        r->calls = (int)index + 1;
    return &r->call[index];
}

// --- errors

static bool is_object(struct span json)
{
    return json.size && json.at[0] == '{';
}

// A word that may be a number.
static void copy_word(struct span json, char out[REPLY_WORD])
{
    reply_copy_string(json, out, REPLY_WORD);
    if (!*out && json.size && json.size < REPLY_WORD && json.at[0] >= '0' && json.at[0] <= '9')
        snprintf(out, REPLY_WORD, "%.*s", (int)json.size, json.at);
}

static void set_error(struct llm_reply *r, struct span text)
{
    utf8_copy_shown(r->error, sizeof r->error, (struct span){text.at, text.size < 300 ? text.size : 300}, false);
}

static void set_error_string(struct llm_reply *r, struct span json)
{
    struct text t = {.grow = heap_text_grow};
    reply_add_string(&t, json);
    set_error(r, t.size ? text_span(&t) : json);
    free(t.at);
}

// {"error":{..}}, {"error":"text"}, {"message":..}, {"detail":..}, a bare text, or a page of HTML (L22).
void reply_read_error(struct llm_reply *r, struct span body)
{
    struct span all = json_type_of(body, 64) != JSON_NONE ? body : (struct span){0};
    while (all.size && memchr(" \t\r\n", all.at[0], 4))
        all.at++, all.size--;
    struct span error = is_object(all) ? json_member(all, "error") : all;
    r->failed = true;
    r->complete = false;
    if (!is_object(error) && is_object(all) && !error.at)
        error = json_member(all, "message").at ? all : json_member(all, "detail");
    if (is_object(error)) {
        struct span message = json_member(error, "message");
        copy_word(json_member(error, "type"), r->error_type);
        copy_word(json_member(error, "code"), r->error_code);
        copy_word(json_member(error, "param"), r->error_param);
        r->context = reply_read_count(json_member(error, "n_ctx"));
        set_error_string(r, message.at ? message : error);
    } else if (error.at) {
        set_error_string(r, error);
    } else {
        set_error(r, body.size ? body : SPAN("an empty answer"));
    }
    if (r->context < 0)
        r->context = 0;
}

struct llm_said reply_said(const struct llm_reply *r, struct llm_tool_call calls[REPLY_CALLS])
{
    for (int i = 0; i < r->calls; i++)
        calls[i] = (struct llm_tool_call){span_of(r->call[i].name), text_span(&r->call[i].arguments)};
    return (struct llm_said){.text = text_span(&r->content),
                             .calls = calls,
                             .call_count = r->calls,
                             .cut = r->finish == FINISH_LENGTH,
                             .refused = r->refused || r->finish == FINISH_REFUSED};
}
