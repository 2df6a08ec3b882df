// Language models at the table of `agon play`: every question is waited for.
#pragma once

#include "app/table.h"
#include "llm/models.h"

#include <signal.h>

enum play_answer { PLAY_ANSWERED, PLAY_INTERRUPTED, PLAY_STOPPED };

struct play_models;

// The model at each seat by its address, "llm:..."; NULL: none. An invalid one ends the program with status 2. Returns
// NULL if no seat has one.
struct play_models *play_models_open(const struct llm_options *o, const char *const address[GAME_MAX_SEATS],
                                     const char *command);
// Waits for the decision of a seat until `interrupted` is set; then the question stays open, and the next call
// continues to wait. PLAY_STOPPED: a limit was reached, or the error is permanent; sets `why` (LLM_NOTE bytes).
enum play_answer play_models_ask(struct play_models *m, const struct table *t, int seat,
                                 const volatile sig_atomic_t *interrupted, struct game_action *out, char *why);
void play_models_close(struct play_models *m);
