// A model at a seat, as the files that serve it see it: sitting.c asks and decides, sitting_prompt.c writes what is
// sent, sitting_chat.c keeps the record.
#pragma once

#include "llm/inside.h"
#include "llm/reply.h"
#include "llm/sse.h"
#include "llm/talk.h"

struct llm_sitting {
    struct llm_model *model;
    const struct codec *codec;
    struct llm_place place;
    union game_rules rules;
    char *player[GAME_MAX_SEATS];
    void (*on_decision)(void *owner, const struct llm_decision *d);
    void *owner;

    struct game_event *past;
    uint32_t past_count, past_room, told; // told: events that the dialogue has
    struct text words;                    // of a table that is told in words
    size_t words_told;                    // bytes of it that the dialogue has
    struct text system;
    struct talk talk; // of decisions that were made (dialogue only)
    int dropped;      // pairs of it that were left out
    int decisions, turn_ms;

    // The question.
    bool asked;
    union game_view view;
    struct game_choice choices[GAME_MAX_CHOICES];
    int count;
    struct game_action fallback;
    struct talk now; // its messages behind the system's
    struct text user;
    uint64_t state;
    int64_t began_us, due_us;
    struct llm_try tries[SITTING_TRIES];
    int try_count, transport, adaptations;
    bool context_cut; // L56: once a decision
    char effort[16];
    char last_fault[LLM_NOTE];
    bool fault_is_time;

    // The request.
    struct llm_call call;
    struct llm_adapted sent; // how it was adapted when it was sent
    struct waiter waiter;
    bool has_place; // of the limiter
    struct text body, schema, whole;
    struct sse sse;
    struct llm_reply reply;
    int64_t first_us; // of content or reasoning
    int64_t reserved, reserved_cost;
    struct event *timer;
    bool owes_go, owes_decision;
    struct llm_decision decision;
};

enum llm_form sitting_form(const struct llm_model *m); // of answers, as far as its server can
bool sitting_write_prompt(struct llm_sitting *s);      // false: the context is too small for the question alone
struct llm_request sitting_request_of(struct llm_sitting *s, const struct llm_message *messages, int count);
void sitting_write_request(struct llm_sitting *s); // into its body
size_t sitting_sent_bytes(const struct llm_sitting *s);
int64_t sitting_estimate(const struct llm_model *m, size_t bytes); // tokens
struct llm_scene sitting_scene_of(const struct llm_sitting *s, struct llm_settings *room);
struct span sitting_new_words(const struct llm_sitting *s); // that the dialogue has not been told
// What the model said last in public; of a tool call its arguments.
struct span sitting_public_text(const struct llm_sitting *s);
// A decision into the chat record, where one is kept; `action` is JSON, or NULL: it moved nothing.
void sitting_keep_chat(struct llm_sitting *s, enum llm_how how, const char *action, int64_t ms);
