// What a model is told: rules, history, situation and what is legal, by a template (L30-L36, L40).
#pragma once

#include "codec/speech.h"
#include "llm/cause.h"
#include "llm/settings.h"
#include "llm/template.h"

enum { PROMPT_VERSION = 72 };

// All that a prompt is made of: what the seat knows, and nothing else (L144).
struct llm_scene {
    const struct codec *codec;
    const struct llm_template *template;
    const struct llm_settings *settings;
    const void *rules;
    struct codec_table table;   // seats are seat_0.. here, whatever they are called elsewhere
    const char *const *players; // what players call themselves, by seat; NULL: unknown
    bool is_blind;              // what happened is known by `words` alone
    struct span words;          // a line an event; empty: nothing is known
    const void *view;
    const struct game_choice *choices;
    int count;
};

void prompt_write_system(struct text *t, const struct llm_scene *s);
// `since`: the first event that has not been told yet; 0: all. `room` is for the history, in bytes.
void prompt_write_user(struct text *t, const struct llm_scene *s, uint32_t since, size_t room);
// L81. `tried` re-asks came before this one; `said` is the action that was read, "" where none was.
void prompt_write_again(struct text *t, const struct llm_scene *s, enum llm_cause cause, const char *said, int tried);
void prompt_write_schema(struct text *t, const struct llm_scene *s); // L40, L41
void prompt_write_legal(struct text *t, const struct llm_scene *s, const char *before, const char *between);
void prompt_version(char out[PROMPT_VERSION], const struct llm_scene *s); // "sha256:..." (L31)
