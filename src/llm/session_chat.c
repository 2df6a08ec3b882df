// The chat record: what a decision was asked and answered, as one line of JSON and as turns of a conversation.
#include "base/json_write.h"
#include "heap/heap.h"
#include "llm/session_internal.h"

#include <stdio.h>
#include <stdlib.h>

static void put_message(struct text *t, const char *role, struct span text)
{
    json_begin_object(t);
    json_put_text(t, "role", role);
    json_put_string(t, "content", text);
    json_end_object(t);
}

static void put_messages(struct text *t, const struct llm_session *s)
{
    static const char *const roles[] = {"system", "user", "assistant"};
    put_message(t, "system", text_span(&s->system));
    for (int i = 0; i < s->earlier.count; i++)
        put_message(t, roles[s->earlier.at[i].role], s->earlier.at[i].text);
    for (int i = 0; i < s->current.count; i++)
        put_message(t, roles[s->current.at[i].role], s->current.at[i].text);
}

struct span session_public_text(const struct llm_session *s)
{
    return s->reply.content.size || !s->reply.calls ? text_span(&s->reply.content)
                                                    : text_span(&s->reply.call[0].arguments);
}

static void put_ids(struct text *t, const struct llm_session *s)
{
    char id[96];
    snprintf(id, sizeof id, "%s-%ju-%d-%d", s->codec->game->name, (uintmax_t)s->place.match, s->place.seat,
             s->decisions);
    json_put_text(t, "id", id);
    json_put_text(t, "game", s->codec->game->name);
    json_put_uint(t, "match", s->place.match);
    json_put_text(t, "seat", codec_seat_names[s->place.seat]);
    json_put_text(t, "player", s->model->label);
    json_put_text(t, "model", s->model->endpoint.model);
    json_put_text(t, "prompt_version", s->model->version);
}

static void put_legal(struct text *t, const struct llm_session *s)
{
    struct llm_settings settings;
    struct llm_scene scene = session_scene_of(s, &settings);
    struct text lines = {.grow = heap_text_grow};
    prompt_write_legal(&lines, &scene, "", "\n");
    json_begin_array_at(t, "legal");
    for (const char *at = lines.at, *end = lines.at + lines.size; at < end;) {
        const char *stop = memchr(at, '\n', (size_t)(end - at));
        stop = stop ? stop : end;
        json_write_string(t, (struct span){at, (size_t)(stop - at)});
        at = stop + 1;
    }
    json_end_array(t);
    free(lines.at);
}

static void put_causes(struct text *t, const struct llm_session *s)
{
    json_begin_array_at(t, "causes");
    for (int i = 0; i < s->try_count; i++)
        if (s->tries[i].cause != LLM_FINE)
            json_write_text(t, llm_cause_names[s->tries[i].cause]);
    json_end_array(t);
}

static void put_sums(struct text *t, const struct llm_session *s, int64_t ms)
{
    int64_t input = 0, cached = 0, output = 0, reasoning = 0, cost = 0;
    bool priced = s->try_count > 0;
    for (int i = 0; i < s->try_count; i++) {
        const struct llm_try *y = &s->tries[i];
        input += y->usage.input > 0 ? y->usage.input : 0;
        cached += y->usage.cached > 0 ? y->usage.cached : 0;
        output += y->usage.output > 0 ? y->usage.output : 0;
        reasoning += y->usage.reasoning > 0 ? y->usage.reasoning : 0;
        cost += y->cost;
        priced &= y->cost >= 0;
    }
    json_put_int(t, "input", input);
    json_put_int(t, "cached", cached);
    json_put_int(t, "output", output);
    json_put_int(t, "reasoning_tokens", reasoning);
    char money[48];
    // A decimal even when it is whole (L120: every line has the same types).
    snprintf(money, sizeof money, "%.9f", (double)cost / 1e9);
    json_put_raw(t, "cost", priced ? span_of(money) : SPAN("null"));
    json_put_int(t, "ms", ms);
}

// The object stays open: the outcome is known, and appended, when the match is over (put_outcome in models.c).
void session_keep_chat(struct llm_session *s, enum llm_how how, const char *action, int64_t ms)
{
    struct llm_models *m = s->model->all;
    struct chat_entry *e = m->chats ? calloc(1, sizeof *e) : NULL;
    if (!e)
        return;
    e->match = s->place.match;
    e->seat = s->place.seat;
    e->n = s->decisions;
    e->model = s->model;
    e->body.grow = e->turn.grow = e->system.grow = heap_text_grow;
    struct text *t = &e->body;
    json_begin_object(t);
    put_ids(t, s);
    json_put_int(t, "decision", s->decisions);
    json_begin_array_at(t, "messages");
    put_messages(t, s);
    put_message(t, "assistant", session_public_text(s));
    json_end_array(t);
    json_put_string(t, "reasoning", text_span(&s->reply.reasoning));
    json_put_text(t, "action", action);
    put_legal(t, s);
    json_put_text(t, "how", llm_how_names[how]);
    json_put_int(t, "tries", s->try_count);
    put_causes(t, s);
    put_sums(t, s, ms);
    json_put_text(t, "finish", s->reply.finish_word);
    json_begin_object(&e->system);
    put_ids(&e->system, s);
    json_begin_array_at(&e->system, "messages");
    put_message(&e->system, "system", text_span(&s->system));
    struct llm_settings settings;
    struct llm_scene scene = session_scene_of(s, &settings);
    struct text since = {.grow = heap_text_grow};
    scene.narration = session_new_narration(s);
    // L123: as in a dialogue, whatever the memory of the match was; never cut, since no request has to hold it.
    prompt_write_user(&since, &scene, s->events_sent, SIZE_MAX);
    put_message(&e->turn, "user", text_span(&since));
    text_put_char(&e->turn, ',');
    put_message(&e->turn, "assistant", session_public_text(s));
    free(since.at);
    LIST_INSERT_HEAD(&m->chat, e, next);
}
