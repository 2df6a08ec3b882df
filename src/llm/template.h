// Prompt templates (L30, L33): texts with {placeholders}, built in or from a folder.
#pragma once

#include "base/text.h"
#include "llm/name.h"

enum template_part { TEMPLATE_SYSTEM, TEMPLATE_USER, TEMPLATE_AGAIN, TEMPLATE_ABOUT, TEMPLATE_PARTS };

// What stands for {game}, {seat}.. in a text.
struct template_value {
    const char *name;
    struct span value;
};

struct llm_template {
    char name[64];     // "standard@1"
    char language[16]; // of its texts: "en"
    struct text part[TEMPLATE_PARTS];
};

// `which` is standard@1, or a folder. False, and what would be right: an unknown placeholder, for one.
bool template_open(struct llm_template *t, const char *which, char why[NAME_WHY]);
// Its texts in this language (L38), where its folder has them: system.LANG.txt and so on. Else it stays as it is, and
// `language` says in which it is. False, and what would be right.
bool template_speak(struct llm_template *t, const char *which, const char *language, char why[NAME_WHY]);
void template_close(struct llm_template *t);
// The text with its values, which are put in once and never looked at again; ended by a NULL name.
void template_fill(struct text *out, struct span text, const struct template_value *values);
bool template_write_out(const char *which, const char *folder, char why[NAME_WHY]); // as files
