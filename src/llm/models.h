// The models of a run: their settings, limits, costs and records.
//
//     struct llm_models *m = llm_models_open(&loop, &options, why);
//     struct llm_model *small = llm_models_add(m, "small", "llm:gpt-x@https://api.example.com/v1#legal=off", why);
//     ... sessions (session.h) ask them ...
//     llm_models_close(m);
//
// Used by one thread. Nothing here blocks.
#pragma once

#include "codec/codec.h"
#include "llm/answer.h"
#include "llm/endpoint.h"
#include "llm/price.h"
#include "llm/prompt.h"
#include "net/loop.h"

#include <stdatomic.h>

// LLM_LIMITS: of one run. LLM_NOTE, LLM_LABEL: bytes of a message to people and of a label.
enum { LLM_LIMITS = 16, LLM_NOTE = 512, LLM_LABEL = 96 };

enum llm_how { HOW_ANSWER, HOW_FALLBACK, HOW_RANDOM, HOW_FORFEIT, HOW_ABORT, HOWS };
extern const char *const llm_how_names[HOWS + 1]; // "answer"..

enum llm_limit_kind { LIMIT_COST, LIMIT_TOKENS, LIMIT_MINUTES };

// L94: of everything, or of the model with this label.
struct llm_limit {
    enum llm_limit_kind kind;
    double value; // for LIMIT_COST in units of the currency
    double used;  // used before these models were opened (llm_models_carry)
    char label[LLM_LABEL];
};

struct llm_options {
    const char *models_file, *prices_file; // NULL: none
    const char *settings;                  // for all models, "legal=off,retries=0"; NULL: none
    const char *ca_file;                   // NULL: the system's
    bool trust_anyone, allow_private;
    int turn_ms; // time of a decision if the table has a clock; 0: by the settings (L106)
    struct llm_limit limit[LLM_LIMITS];
    int limits;
};

// One request of a decision, as in the journal.
struct llm_try {
    enum llm_cause cause;
    struct llm_usage usage;
    int64_t cost; // 1e-9; -1: unknown
    int64_t ms, first_ms;
};

// The newest LLM_TIMES of them, in no order, because a server may run for months.
enum { LLM_TIMES = 1 << 14 };
struct llm_times {
    uint32_t *at; // milliseconds
    size_t count, room;
    uint64_t seen; // in total
};

// The report of one model (L130). Sums are over requests that were answered.
struct llm_counts {
    uint64_t decisions, tries, transport; // transport: requests that failed because of the connection
    uint64_t how[HOWS], causes[LLM_CAUSES];
    uint64_t first_illegal, first_unparsable, first_cut, first_refused; // of first attempts
    uint64_t tolerated, recalled;                                       // recalled: taken from the journal
    int64_t input, cached, cache_write, output, reasoning;
    int64_t cost;                   // 1e-9
    bool unpriced, estimated;       // a request had no price; a request had no usage
    struct llm_times times, firsts; // of decisions; to the first byte
    int64_t answer_ms;              // in which output was received
    bool prompt_cut;                // L105
};

struct llm_models;
struct llm_model;

// Returns NULL and sets `why` to what would be right.
struct llm_models *llm_models_open(struct loop *l, const struct llm_options *o, char why[ENDPOINT_WHY]);
void llm_models_close(struct llm_models *m); // all sessions must be closed
// Adds a model by its address, "llm:..."; the same address twice is one model. Returns NULL and sets `why`.
struct llm_model *llm_models_add(struct llm_models *m, const char *label, const char *address, char why[ENDPOINT_WHY]);
struct llm_model *llm_models_find(struct llm_models *m, const char *address); // NULL: not added
struct llm_model *llm_models_at(struct llm_models *m, int i);                 // NULL after the last

const char *llm_model_label(const struct llm_model *m);
const struct llm_endpoint *llm_model_endpoint(const struct llm_model *m);
const struct llm_counts *llm_model_counts(const struct llm_model *m);
const char *llm_model_template(const struct llm_model *m);
const char *llm_model_version(const struct llm_model *m);  // of its prompts; "" before the first
const char *llm_model_changes(const struct llm_model *m);  // adaptations, one per line; ""
const char *llm_model_answered(const struct llm_model *m); // the server's name for it; "" before the first answer
const char *llm_models_currency(const struct llm_models *m);
double llm_model_cost(const struct llm_model *m, double input, double output); // of so many tokens; NAN: no price
// Whether there is a cost limit for a model without a price, which could never be checked.
const char *llm_models_unpriced(struct llm_models *m); // label of the first such model; NULL: none

// Several runs in a row share their limits: what these models have used counts against the limits of `next`.
void llm_models_carry(struct llm_models *m, struct llm_options *next);

// Set when nothing more will come: a limit was reached and all requests have ended, or there was a permanent error.
const atomic_bool *llm_models_stopper(const struct llm_models *m);
const char *llm_models_limit(const struct llm_models *m); // the limit that stopped it; NULL: none
const char *llm_models_fatal(const struct llm_models *m); // one line; NULL: none

// Where lines for the journal go (L110, L112), with a line feed; they are on disk when the call returns.
void llm_models_set_journal(struct llm_models *m, void (*write_journal)(void *owner, struct span line), void *owner);
// A line of the journal that is not a result: decisions and requests of an earlier process (L111).
void llm_models_read_journal(struct llm_models *m, struct span line);
uint64_t llm_models_unanswered(const struct llm_models *m);       // requests of earlier processes without a decision
void llm_models_replay_anyway(struct llm_models *m);              // accepts another state or prompt
void llm_models_write_head(struct llm_models *m, struct text *t); // L114: {"models":[..]}, a line
void llm_models_warn(struct llm_models *m, void (*warn)(void *owner, const char *text), void *owner);
void llm_models_set_verbose(struct llm_models *m); // --verbose: reports every fault to `warn`

// --- the chat record (L120-L123)

struct llm_outcome {
    uint64_t match, seed;
    int seats;
    double payoff[GAME_MAX_SEATS];
    const char *outcome[GAME_MAX_SEATS]; // "win", "draw", "loss", "forfeit"
    int place[GAME_MAX_SEATS];           // from 1
};
enum llm_chat_unit { CHAT_DECISION, CHAT_MATCH };
// Lines are passed to `write` when their match is over. `good`: only those of seats that won.
void llm_models_chat(struct llm_models *m, enum llm_chat_unit unit, bool good,
                     void (*write)(void *owner, struct span line), void *owner);
void llm_models_end_match(struct llm_models *m, const struct llm_outcome *o);
// Decisions in which something went wrong, for reports: up to 20 of a model, with its text; NULL after the last.
struct llm_trouble {
    uint64_t match;
    int seat, decision;
    const char *cause, *said, *text; // text: the end of what it wrote
};
const struct llm_trouble *llm_model_trouble(const struct llm_model *m, int i);
