// Prompts: rules, history, situation and legal actions, by a template (L30-L36, L40).
#pragma once

#include "codec/speech.h"
#include "llm/cause.h"
#include "llm/settings.h"
#include "llm/template.h"

enum { PROMPT_VERSION = 72 }; // "sha256:", 64 digits and a NUL

// Everything a prompt is made from: only what the seat knows (L144).
struct llm_scene {
    const struct codec *codec;
    const struct llm_template *template;
    const struct llm_settings *settings;
    const void *rules;
    struct codec_table table;   // seats are seat_0.. here, whatever their names elsewhere
    const char *const *players; // names of the players, by seat; NULL: unknown
    bool is_narrated;           // the history is known from `narration` only
    struct span narration;      // one line per event; empty: nothing is known
    const void *view;
    const struct game_choice *choices;
    int count;
};

void prompt_write_system(struct text *t, const struct llm_scene *s);
// `since`: the first event not told yet; 0: all. `room` is for the history, in bytes.
void prompt_write_user(struct text *t, const struct llm_scene *s, uint32_t since, size_t room);
// L81. `tried`: number of earlier attempts; `said`: the action that was read, "" if none.
void prompt_write_again(struct text *t, const struct llm_scene *s, enum llm_cause cause, const char *said, int tried);
void prompt_write_schema(struct text *t, const struct llm_scene *s); // L40, L41
void prompt_write_legal(struct text *t, const struct llm_scene *s, const char *before, const char *between);
void prompt_version(char out[PROMPT_VERSION], const struct llm_scene *s); // "sha256:..." (L31)
