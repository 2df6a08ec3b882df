// One model at one table: what it has seen, what it is asked, and how its answers become a decision (L80-L85,
// L100-L107).
#pragma once

#include "llm/models.h"

struct llm_session;

struct llm_place {
    uint64_t match; // number of the match in the run
    uint64_t seed;  // for random moves
    int seat, seats;
    const void *rules;
    const char *const *players; // names of the players; NULL: unknown
    bool is_narrated;           // events are told in words (llm_session_add_history), not as events
};

struct llm_decision {
    enum llm_how how;
    struct game_action action; // of an answer, a fallback or a random move: always legal
    int64_t took_us;
    char text[LLM_NOTE]; // of a forfeit or an abort: the reason
};

// `on_decision` is called later, never inside a call, once for every question, unless the run has stopped meanwhile.
struct llm_session *llm_session_open(struct llm_model *m, const struct codec *codec, const struct llm_place *place,
                                     void (*on_decision)(void *owner, const struct llm_decision *d), void *owner);
void llm_session_notify(struct llm_session *s, const struct game_event *events, uint32_t count);
void llm_session_add_history(struct llm_session *s, struct span words); // lines of history, each with its line feed
// `fallback` of kind 0: the first choice is used.
void llm_session_ask(struct llm_session *s, const void *view, const struct game_choice *choices, int count,
                     struct game_action fallback);
void llm_session_set_turn(struct llm_session *s, int ms); // L106: for the next questions; 0: by the settings
void llm_session_cancel(struct llm_session *s);           // on_decision will not be called
void llm_session_close(struct llm_session *s);
