// Settings of a model: after the # of its address, in the models file, or in --llm (L5).
#pragma once

#include "base/span.h"

#include <stdint.h>

enum llm_api { LLM_OPENAI, LLM_ANTHROPIC, LLM_APIS };
enum llm_form { LLM_JSON, LLM_SCHEMA, LLM_TOOL, LLM_LINE };
enum llm_memory { LLM_ALONE, LLM_DIALOGUE };
enum llm_policy { LLM_FALLBACK, LLM_RANDOM, LLM_FORFEIT, LLM_ABORT };

extern const char *const llm_api_names[], *const llm_form_names[]; // ended by NULL

enum { SETTINGS_TEXT = 256, SETTINGS_EXTRA = 4096, SETTINGS_WHY = 256 };

struct llm_settings {
    int api; // enum llm_api; -1: derived from the address
    char template_name[SETTINGS_TEXT];
    bool legal, thoughts, stream, names;
    int form, memory, policy;
    int max_tokens, context, retries, concurrency, idle_s, total_s;
    double temperature, top_p; // NAN: not sent
    int64_t seed;              // -1: not sent
    char effort[16];           // "": not sent
    char language[16];
    char price[SETTINGS_TEXT];    // name in the price file; "": the model's
    char key_env[64];             // models file only
    char key_file[SETTINGS_TEXT]; // models file only
    char extra[SETTINGS_EXTRA];   // a JSON object; "": none
};

void settings_init(struct llm_settings *s);
// KEY=VALUE. `in_file`: from the models file, which allows some more keys. Returns false and sets what would be right.
bool settings_put(struct llm_settings *s, struct span key, struct span value, bool in_file, char why[SETTINGS_WHY]);
bool settings_put_list(struct llm_settings *s, struct span list, char why[SETTINGS_WHY]); // "legal=off,retries=0"
struct text;
void settings_write(struct text *t, const struct llm_settings *s);    // as a JSON object, without keys (L114)
void settings_describe(struct text *t, const struct llm_settings *s); // differences from the defaults, "legal=off,..."
