// A model at a seat, shared by its files: session.c asks and decides, session_prompt.c writes requests, session_chat.c
// keeps the record.
#pragma once

#include "llm/conversation.h"
#include "llm/internal.h"
#include "llm/reply.h"
#include "llm/sse.h"

struct llm_session {
    struct llm_model *model;
    const struct codec *codec;
    struct llm_place place;
    union game_rules rules;
    char *player[GAME_MAX_SEATS];
    void (*on_decision)(void *owner, const struct llm_decision *d);
    void *owner;

    struct game_event *events;
    uint32_t event_count, event_room, events_sent; // events_sent: those that are in the dialogue
    struct text narration;                         // of a table whose events come as words
    size_t narration_sent;                         // bytes of it that are in the dialogue
    struct text system;
    // Only answers as they were parsed, never reasoning (L51).
    struct conversation earlier; // of earlier decisions (dialogue only)
    int dropped;                 // pairs of it that were left out
    int decisions, turn_ms;

    // The question.
    bool asked;
    union game_view view;
    struct game_choice choices[GAME_MAX_CHOICES];
    int count;
    struct game_action fallback;
    struct conversation current; // its messages after the system message
    struct text user;
    // Hash of view and events, for L111.
    uint64_t state;
    // due_us: of all tries together, waits included (L82).
    int64_t began_us, due_us;
    struct llm_try tries[SESSION_TRIES];
    int try_count, transport, adaptations;
    bool context_cut; // L56: once per decision
    char effort[16];
    char last_fault[LLM_NOTE];
    bool fault_is_time;

    // The request.
    struct llm_call call;
    // Compared with the model's when the answer comes: another table's request may have taught it meanwhile.
    struct llm_adapted sent; // adaptations when it was sent
    struct waiter waiter;
    bool has_place; // in the limiter
    struct text body, schema, whole;
    struct sse sse;
    struct llm_reply reply;
    int64_t first_us; // of content or reasoning
    // What this request adds to the model's; given back when it ends, in whatever way.
    int64_t reserved, reserved_cost;
    struct event *timer;
    // What the timer is for. Never both: a decision ends all sending.
    bool owes_go, owes_decision;
    struct llm_decision decision;
};

enum llm_form session_form(const struct llm_model *m); // of answers, as far as its server supports it
bool session_write_prompt(struct llm_session *s);      // false: the context is too small for the question alone
struct llm_request session_request_of(struct llm_session *s, const struct llm_message *messages, int count);
void session_write_request(struct llm_session *s); // into its body
size_t session_sent_bytes(const struct llm_session *s);
int64_t session_estimate(const struct llm_model *m, size_t bytes); // tokens
struct llm_scene session_scene_of(const struct llm_session *s, struct llm_settings *room);
struct span session_new_narration(const struct llm_session *s); // not in the dialogue yet
// The model's last public text; of a tool call its arguments.
struct span session_public_text(const struct llm_session *s);
// Adds a decision to the chat record, if there is one; `action` is JSON, or NULL: no move.
void session_keep_chat(struct llm_session *s, enum llm_how how, const char *action, int64_t ms);
