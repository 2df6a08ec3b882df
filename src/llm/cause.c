#include "llm/cause.h"

#include <stddef.h>

const char *const llm_cause_names[LLM_CAUSES + 1] = {"fine",     "illegal",   "unparsable", "ambiguous", "bad_value",
                                                     "too_long", "empty",     "cut",        "refused",   "context",
                                                     "timeout",  "transport", NULL};
