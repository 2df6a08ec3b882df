// One model at one table: what it has seen, what it is asked, and the way from its answers to a decision (L80-L85,
// L100-L107).
#pragma once

#include "llm/models.h"

struct llm_sitting;

struct llm_place {
    uint64_t match; // its number in the run
    uint64_t seed;  // of random moves
    int seat, seats;
    const void *rules;
    const char *const *players; // what players call themselves; NULL: unknown
    bool is_blind;              // what happens is told in words (llm_sitting_tell), not as events
};

struct llm_decision {
    enum llm_how how;
    struct game_action action; // of an answer, a fallback or a random move: legal
    int64_t took_us;
    char text[LLM_NOTE]; // of a forfeit or an abort: why
};

// `on_decision` comes later, never inside a call, once for every question, unless the run has stopped meanwhile.
struct llm_sitting *llm_sitting_open(struct llm_model *m, const struct codec *codec, const struct llm_place *place,
                                     void (*on_decision)(void *owner, const struct llm_decision *d), void *owner);
void llm_sitting_notify(struct llm_sitting *s, const struct game_event *events, uint32_t count);
void llm_sitting_tell(struct llm_sitting *s, struct span words); // lines of a history, each with its line feed
// `fallback` of kind 0: the first choice stands in.
void llm_sitting_ask(struct llm_sitting *s, const void *view, const struct game_choice *choices, int count,
                     struct game_action fallback);
void llm_sitting_set_turn(struct llm_sitting *s, int ms); // L106: of the next questions; 0: as the settings say
void llm_sitting_cancel(struct llm_sitting *s);           // on_decision will not come
void llm_sitting_close(struct llm_sitting *s);
