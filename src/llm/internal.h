// Shared by the files of this room about models and sessions.
#pragma once

#include "llm/api_key.h"
#include "llm/dialect.h"
#include "llm/http.h"
#include "llm/session.h"

#include <sys/queue.h>

// SESSION_TRIES: answered requests of one decision, whatever `retries` allows. MODEL_TROUBLES: shown by the report
// (L132). TROUBLE_TEXT: bytes of each.
enum { SESSION_TRIES = 12, MODEL_TROUBLES = 20, TROUBLE_TEXT = 600 };

struct waiter;
TAILQ_HEAD(waiters, waiter);

// All players of one model on one host share its connections (L101).
struct limiter {
    char model[ENDPOINT_MODEL], host[ENDPOINT_HOST];
    // most: as configured. limit: what the server bears now (L101), at least 1. active: requests in flight; at most
    // `limit`, but for those that were sent before it was lowered.
    int most, limit, active;
    int good; // answers since the last "too many requests"
    // No request begins before; from the server's own headers (L101).
    int64_t paused_us;
    struct waiters waiting;
    struct event *timer;
    LIST_ENTRY(limiter) next;
};

struct waiter {
    void (*go)(void *owner);
    void *owner;
    bool queued;
    TAILQ_ENTRY(waiter) next;
};

struct trouble {
    struct llm_trouble report;
    char said[ACTION_TEXT_SAID], text[TROUBLE_TEXT];
};

struct llm_model {
    struct llm_models *all;
    char label[LLM_LABEL];
    char *address;
    struct llm_endpoint endpoint;
    struct api_key *key;
    struct curl_slist *headers;
    struct llm_template template;
    struct llm_price price;
    struct llm_adapted adapted;
    struct limiter *limiter;
    struct llm_counts counts;
    // Between 1.5 and 6 (L54), so that one odd answer cannot make the budget absurd.
    double ratio; // bytes per token
    int learned;  // number of answers that the ratio was learned from
    double share; // of the context that is used; halved if the server says that it is too much (L56)
    char version[PROMPT_VERSION];
    // The server's own name of the model: an alias may have been replaced by another version.
    char answered[128];
    struct text changes;
    // L94: without it many requests at once would each fit the limit, and together exceed it.
    int64_t reserved; // tokens in flight
    int64_t reserved_cost;
    struct trouble trouble[MODEL_TROUBLES];
    int troubles;
    LIST_ENTRY(llm_model) next;
};

struct recalled {
    // state: hash of what the seat knew. A decision is used again only if it is the same (L111).
    uint64_t match, state;
    int seat, n;
    char prompt[PROMPT_VERSION];
    char action[192]; // JSON; "": none
    enum llm_how how;
};

// A decision of a running match, as it will be in its line of the chat record.
struct chat_entry {
    uint64_t match;
    int seat, n;
    struct llm_model *model;
    struct text body;   // members of the line up to the outcome
    struct text turn;   // of CHAT_MATCH: the messages of this decision
    struct text system; // of CHAT_MATCH: the beginning of its line, with the system message
    LIST_ENTRY(chat_entry) next;
};

struct llm_models {
    struct loop *loop;
    struct llm_options options;
    struct llm_file file;
    struct llm_prices prices;
    struct llm_http *http;
    LIST_HEAD(, llm_model) models;
    LIST_HEAD(, limiter) limiters;
    int64_t began_us;
    // Requests of all models. A run that is held stops when it is 0, so that nothing that was paid for is lost.
    int in_flight;
    // The only member that other threads read (llm_models_stopper).
    atomic_bool stop;
    char limit_text[LLM_NOTE], fatal[LLM_NOTE];
    // A limit was reached: questions that are open stay open, for a later run to continue (L94).
    bool held;
    void (*write_journal)(void *owner, struct span line);
    void *journal_owner;
    void (*warn)(void *owner, const char *text);
    void *warn_owner;
    bool is_verbose, replay_anyway;
    struct recalled *recalled;
    uint32_t recalled_count, recalled_room;
    uint64_t sent_before, decided_before; // requests of earlier processes, and those that led to a decision
    bool chats, chat_good;
    enum llm_chat_unit chat_unit;
    void (*write_chat)(void *owner, struct span line);
    void *chat_owner;
    // Of running matches: outcomes and the seed are known, and may be known, only when a match is over (L122).
    LIST_HEAD(, chat_entry) chat;
};

// --- limiter.c
struct limiter *limiter_find(struct llm_models *m, const char *model, const char *host, int most);
void limiter_close(struct limiter *l);
void limiter_wait(struct limiter *l, struct waiter *w); // `go` is called from the loop, never here
void limiter_leave(struct limiter *l, struct waiter *w);
void limiter_done(struct limiter *l, bool too_many, int64_t pause_ms); // a request has ended

// --- models.c
void models_warn(struct llm_models *m, const char *format, ...) __attribute__((format(printf, 2, 3)));
void models_fail(struct llm_models *m, const char *text); // permanent: ends the run
// L94: whether one more request is within the limits; if not, the run is held and stops when nothing is in flight.
bool models_may_send(struct llm_models *m, struct llm_model *model, int64_t input, int64_t output);
void models_settle(struct llm_models *m); // something in flight has ended
const struct recalled *models_find_recalled(const struct llm_models *m, uint64_t match, int seat, int n);
void model_count_try(struct llm_model *m, const struct llm_try *t, bool first);
void model_count_decision(struct llm_model *m, enum llm_how how, int64_t ms);
void model_note_change(struct llm_model *m, const char *change);
void model_note_trouble(struct llm_model *m, uint64_t match, int seat, int n, enum llm_cause cause, const char *said,
                        struct span text);

// --- journal.c
struct llm_journal_decision {
    uint64_t match, state;
    int seat, n;
    enum llm_how how;
    const char *action; // JSON; NULL: none
    const struct llm_try *tries;
    int count, transport;
    int64_t ms;
};
void llm_journal_decision(struct llm_model *m, const struct llm_journal_decision *d);
void llm_journal_change(struct llm_model *m, const char *change); // what the server asked for
void llm_journal_request(struct llm_model *m, uint64_t match, int seat, int n, int number);
