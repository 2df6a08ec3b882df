// Prompt templates (L30, L33): texts with {placeholders}, built in or from a folder.
#pragma once

#include "base/text.h"
#include "llm/endpoint.h"

enum template_part { TEMPLATE_SYSTEM, TEMPLATE_USER, TEMPLATE_AGAIN, TEMPLATE_ABOUT, TEMPLATE_PARTS };

// The value of {game}, {seat}, ... in a text.
struct template_value {
    const char *name;
    struct span value;
};

struct llm_template {
    char name[64];     // "standard@1"
    char language[16]; // of its texts: "en"
    struct text part[TEMPLATE_PARTS];
};

// `which` is standard@1, or a folder. Returns false and sets what would be right: an unknown placeholder, for example.
bool template_open(struct llm_template *t, const char *which, char why[ENDPOINT_WHY]);
// Loads its texts in this language (L38), if its folder has them: system.LANG.txt and so on. Otherwise it stays as it
// is, and `language` says which it has. Returns false and sets what would be right.
bool template_speak(struct llm_template *t, const char *which, const char *language, char why[ENDPOINT_WHY]);
void template_close(struct llm_template *t);
// The text with its values, which are inserted once and not expanded again; ends with a NULL name.
void template_fill(struct text *out, struct span text, const struct template_value *values);
bool template_write_out(const char *which, const char *folder, char why[ENDPOINT_WHY]); // as files
