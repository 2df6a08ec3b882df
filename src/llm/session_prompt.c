// What a model is sent: the prompt of a question, what is left of older ones, and the request that carries both.
#include "llm/session_internal.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum llm_form session_form(const struct llm_model *m)
{
    enum llm_form form = (enum llm_form)m->endpoint.settings.form;
    return (form == LLM_SCHEMA && m->adapted.no_schema) || (form == LLM_TOOL && m->adapted.no_tool) ? LLM_JSON : form;
}

struct llm_scene session_scene_of(const struct llm_session *s, struct llm_settings *room)
{
    *room = s->model->endpoint.settings;
    room->form = (int)session_form(s->model);
    return (struct llm_scene){
        .codec = s->codec,
        .template = &s->model->template,
        .settings = room,
        .rules = &s->rules,
        .table = {.seat = codec_seat_names,
                  .seats = s->place.seats,
                  .viewer = s->place.seat,
                  .past = s->events,
                  .past_count = s->event_count},
        .players = s->place.players,
        .is_narrated = s->place.is_narrated,
        .narration = text_span(&s->narration),
        .view = &s->view,
        .choices = s->choices,
        .count = s->count,
    };
}

struct span session_new_narration(const struct llm_session *s)
{
    size_t size = s->narration.size - s->narration_sent;
    return size ? (struct span){s->narration.at + s->narration_sent, size} : (struct span){0};
}

// L54: bytes that a prompt may have.
static size_t prompt_room(const struct llm_model *m, double share)
{
    double context = m->endpoint.settings.context;
    double tokens = (0.9 * context - m->endpoint.settings.max_tokens) * share;
    return tokens > 0 ? (size_t)(tokens * m->ratio) : 0;
}

// L55: old pairs go in blocks, so that the beginning of the prompt stays the same for most decisions.
static void drop_old_messages(struct llm_session *s, size_t fixed)
{
    size_t room = prompt_room(s->model, s->model->share);
    if (fixed + conversation_bytes(&s->earlier) <= room)
        return;
    size_t goal = room > fixed + room / 4 ? room - fixed - room / 4 : 0;
    while (s->earlier.count >= 2 && conversation_bytes(&s->earlier) > goal) {
        conversation_drop(&s->earlier, 2);
        s->dropped++;
    }
    // Servers refuse the result of a call that is not in the conversation.
    if (s->earlier.count && s->earlier.at[0].is_call) // its call is gone: it is a plain message now
        s->earlier.at[0].is_call = false;
}

bool session_write_prompt(struct llm_session *s)
{
    struct llm_settings settings;
    struct llm_scene scene = session_scene_of(s, &settings);
    bool dialogue = settings.memory == LLM_DIALOGUE;
    s->system.size = s->user.size = 0;
    prompt_write_system(&s->system, &scene);
    prompt_version(s->model->version, &scene);
    scene.narration.size = 0;
    prompt_write_user(&s->user, &scene, s->event_count, 0); // without history: what can never be cut
    scene.narration = text_span(&s->narration);
    if (dialogue)
        scene.narration = session_new_narration(s);
    size_t fixed = s->system.size + s->user.size, room = prompt_room(s->model, s->model->share);
    // L54: with the whole context; a share that L56 has halved only cuts history.
    if (fixed > prompt_room(s->model, 1))
        return false;
    s->user.size = 0;
    prompt_write_user(&s->user, &scene, dialogue ? s->events_sent : 0, room > fixed ? room - fixed : 0);
    conversation_drop(&s->current, s->current.count);
    if (dialogue)
        drop_old_messages(s, s->system.size + s->user.size);
    bool answers_call = dialogue && s->earlier.count && s->earlier.at[s->earlier.count - 1].is_call;
    if (dialogue && s->dropped && !s->earlier.count) {
        char line[64];
        snprintf(line, sizeof line, "(The first %d decisions are left out.)", s->dropped);
        conversation_add(&s->current, ROLE_USER, span_of(line), false);
        conversation_append(&s->current, text_span(&s->user));
    } else {
        conversation_add(&s->current, ROLE_USER, text_span(&s->user), answers_call);
    }
    return true;
}

// --- the request

struct llm_request session_request_of(struct llm_session *s, const struct llm_message *messages, int count)
{
    return (struct llm_request){.endpoint = &s->model->endpoint,
                                .adapted = &s->model->adapted,
                                .form = session_form(s->model),
                                .schema = text_span(&s->schema),
                                .effort = s->effort,
                                .messages = messages,
                                .count = count};
}

void session_write_request(struct llm_session *s)
{
    struct llm_settings settings;
    struct llm_scene scene = session_scene_of(s, &settings);
    bool dialogue = settings.memory == LLM_DIALOGUE;
    int old = dialogue ? s->earlier.count : 0, count = 1 + old + s->current.count;
    struct llm_message *messages = malloc((size_t)count * sizeof *messages);
    if (!messages)
        abort();
    messages[0] = (struct llm_message){ROLE_SYSTEM, text_span(&s->system), false};
    if (old)
        memcpy(messages + 1, s->earlier.at, (size_t)old * sizeof *messages);
    memcpy(messages + 1 + old, s->current.at, (size_t)s->current.count * sizeof *messages);
    s->schema.size = s->body.size = 0;
    if (settings.form == LLM_SCHEMA || settings.form == LLM_TOOL)
        prompt_write_schema(&s->schema, &scene);
    struct llm_request q = session_request_of(s, messages, count);
    llm_dialects[settings.api]->write(&s->body, &q);
    free(messages);
}

int64_t session_estimate(const struct llm_model *m, size_t bytes)
{
    return (int64_t)ceil((double)bytes / m->ratio);
}

size_t session_sent_bytes(const struct llm_session *s)
{
    return s->system.size + conversation_bytes(&s->earlier) + conversation_bytes(&s->current);
}
