// What a contest has shown of language models: how they answered, what it took and what it cost (L130-L132).
#pragma once

#include "app/llm_options.h"

void llm_report_print(const struct llm_players *p);                    // for people; nothing when there are no models
void llm_report_put_json(struct text *t, const struct llm_players *p); // "models" and "stopped_by" of an open object
// To the file, by its ending: .json, .csv, .html. Several contests are one report. False: errno says why.
bool llm_report_write(const char *path, const struct llm_players *const *list, int count);
