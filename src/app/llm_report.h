// What a contest has shown of language models: how they answered, what it took and what it cost (L130-L132).
#pragma once

#include "app/llm_options.h"

void llm_report_print(const struct llm_players *p);                    // for people; nothing without models
void llm_report_put_json(struct text *t, const struct llm_players *p); // "models" and "stopped_by" of an open object
// Writes to the file, by its extension: .json, .csv, .html. Several contests are one report. Returns false with errno
// set.
bool llm_report_write(const char *path, const struct llm_players *const *list, int count);
