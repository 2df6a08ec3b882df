// Players outside the process: bots behind HTTP (B12) and local programs on pipes, asked and told over one loop.
//
// A seat is one player's place in one match. Whatever is asked of it queues up and goes out strictly in order, one call
// at a time: create, then what was told and asked as it came, then delete. Nothing here blocks, and no callback ever
// runs inside a call of the owner's. What to do after a fault (abort, forfeit, go on with fallback moves) is the
// owner's; seats count and tell.
//
//     struct seat_client *client = seat_client_open(&loop, &options);
//     struct seat *s = seat_open(client, "http://localhost:5070", &belote_codec, &place, &handler, owner);
//     seat_notify(s, view, events, count);   // ... on_notified
//     seat_ask(s, view, choices, count);   // ... on_answer or on_fault
//     seat_close(s);                       // ... on_closed: s is gone
//     seat_client_close(client);           // when every seat is closed
#pragma once

#include "codec/codec.h"
#include "game/rows.h"
#include "net/loop.h"

#include <stddef.h>

struct llm_models;
struct seat_client;
struct seat;

// Kinds of calls, as reports tell them apart (B14.9).
enum seat_call {
    SEAT_CUT,
    SEAT_NEGOTIATION,
    SEAT_CARD,
    SEAT_ACTION, // decisions of the other games
    SEAT_NOTIFICATION,
    SEAT_CREATE,
    SEAT_DELETE,
    SEAT_CALLS,
};

extern const char *const seat_call_names[SEAT_CALLS]; // "Cut", "Negotiation", ...

// What a belote bot may be told of (B11.6-B11.10). Bots of other games know one event, `notify`: any bit is yes.
enum seat_notice {
    SEAT_DEAL_STARTED = 1,
    SEAT_NEGOTIATION_COMPLETED = 2, // no part of API 1.0: only where it is asked for (B12.19)
    SEAT_CARD_PLAYED = 4,
    SEAT_TRICK_COMPLETED = 8,
    SEAT_DEAL_ENDED = 16,
    SEAT_MATCH_ENDED = 32,
    SEAT_ALL_NOTICES = 63,
    SEAT_USUAL_NOTICES = SEAT_ALL_NOTICES & ~SEAT_NEGOTIATION_COMPLETED, // bots given by URL
};

// The set of comma-separated names ("card-played,deal-ended"; case does not matter; "all", "none"), or -1.
int seat_read_notices(const char *names);

// Of the whole process. Budgets cover a call with its retries and the waits between them, from when it leaves the queue
// of its origin (B12.28).
struct seat_options {
    int connect_ms;            // 5000, inside the budget of the call (B12.23)
    int create_ms;             // 30000
    int decide_ms;             // 30000
    int notify_ms;             // 5000
    int delete_ms;             // 5000
    int retries;               // 2 (B12.24-B12.26)
    int max_conns;             // per origin, 256; calls above that wait in turn (B12.39)
    int max_programs;          // of cmd: at once, 64; seats above that wait in turn
    const char *ca_file;       // certificates to trust besides the system's, or NULL
    bool trust_anyone;         // no certificate is checked
    struct llm_models *models; // of llm: seats, each of them added before (llm/models.h); NULL: there are none
    bool show_programs;        // their standard error goes to ours; else the last 16 KiB are kept for fault texts
};

void seat_options_init(struct seat_options *o); // the defaults above

// B12.3-B12.5: where implementations of the belote API differ. All false: API 1.0 as it is written.
struct seat_dialect {
    bool omit_nulls;   // null fields are left out
    bool early_result; // the last card-played and trick-completed of a deal carry the match state after it
    bool lax_cut;      // a missing fromTop is false
};

extern const struct seat_dialect seat_giretra; // --profile giretra: all of them

struct seat_place {
    int seat;
    int seats;
    const char *match;          // its id: 1..256 bytes
    const void *rules;          // of the game, complete
    const char *const *names;   // what seats are called in neutral JSON; NULL: seat_0..
    bool has_seed;              // `seed` is sent along
    int64_t seed;               //
    unsigned notices;           // of enum seat_notice; 0: nothing is sent
    struct seat_dialect wire;   // belote over HTTP only
    uint64_t number;            // of the match in its run
    const char *const *players; // what players call themselves, by seat, for models that want to know; NULL: unknown
    bool is_told;               // what happens comes by seat_tell, not by seat_notify
};

enum seat_fault_kind {
    SEAT_ILLEGAL,   // not an answer, or none of the choices (B12.21); too large (B12.37)
    SEAT_TIMEOUT,   // the budget is used up
    SEAT_STATUS,    // another HTTP status than 2xx
    SEAT_TRANSPORT, // no connection, no complete answer
    SEAT_CRASHED,   // the local program ended
    SEAT_FAULTS,
};

// What the seat itself wants done after a fault; SEAT_AS_USUAL: its owner's policy.
enum seat_remedy { SEAT_AS_USUAL, SEAT_FORFEITS, SEAT_ABORTS };

struct seat_fault {
    enum seat_fault_kind kind;
    enum seat_call call;
    int status;      // HTTP, 0 where none came; of a program that ended, as waitpid gives it
    int consecutive; // failed decisions in a row, with this one (B12.32)
    bool lost;       // there is no session any more (B12.30): every further question fails at once
    enum seat_remedy remedy;
    int64_t took_us;   // as of an answer
    const char *text;  // one line for people: what happened, with the address
    struct span sent;  // the request's body,
    struct span reply; // and what came back, as far as it was kept (B12.30); both valid during the call
};

// Any may be NULL but on_answer, on_fault and on_closed.
struct seat_handler {
    void (*on_open)(void *owner);     // the session exists
    void (*on_notified)(void *owner); // everything told so far was acknowledged or given up
    void (*on_answer)(void *owner, struct game_action action, int64_t took_us); // legal: one of the choices
    void (*on_fault)(void *owner, const struct seat_fault *f);                  // no session, or no answer
    void (*on_warning)(void *owner, const char *text);                          // a notification or DELETE failed
    void (*on_sample)(void *owner, enum seat_call call, int64_t took_us);       // every call that ended, however
    void (*on_closed)(void *owner); // the last call: counts may still be read
};

struct seat_counts {
    uint32_t calls[SEAT_CALLS]; // that ended, retries not counted
    uint32_t requests;          // sent, retries counted
    uint32_t retries;           // B12.29
    uint32_t faults[SEAT_FAULTS];
    uint32_t illegal[SEAT_CALLS]; // answers, by what was asked
    uint32_t warnings;            // notifications and DELETEs that failed
    uint32_t created, deleted;    // a DELETE that nobody heard deletes nothing
};

// NULL when the system has no room. At most one thread uses a client; more loops have more clients.
struct seat_client *seat_client_open(struct loop *l, const struct seat_options *o);
void seat_client_close(struct seat_client *c); // every seat has been closed; idle programs end

// Raises the limit of file descriptors as far as the system allows: what it is now. Opening a client does it too.
int64_t seat_raise_descriptors(void);

// NULL, or what is wrong with the address: "http://host[:port][/prefix]", "https://...", "cmd:PROGRAM [ARG...]",
// "tbp:PROGRAM [ARG...]" (a bot of the Tetris Bot Protocol; `agon tetris-tbp --seat` stands between).
// An address "llm:..." is refused here: only llm_models_add can tell.
const char *seat_check_address(const char *where);

// Copies what it is given, rules and codec apart. The session is created at once; telling and asking may begin before
// on_open. The address is right (seat_check_address). When the session cannot be had, on_fault with call SEAT_CREATE.
struct seat *seat_open(struct seat_client *c, const char *where, const struct codec *codec,
                       const struct seat_place *place, const struct seat_handler *handler, void *owner);

// What happened since the last call: all events that this seat may see, in order, from the match's first on; `view` is
// the seat's after them. Where nothing of it is to be sent, on_notified comes all the same.
void seat_notify(struct seat *s, const void *view, const struct game_event *events, uint32_t count);

// The same for a table whose rules run elsewhere (place.is_told): `events` is a JSON array in neutral form, `words` has
// a line for each. Programs get both, models the words.
void seat_tell(struct seat *s, struct span events, struct span words);

// How long the next decisions may take; 0: as the options say.
void seat_set_turn(struct seat *s, int ms);

// What is played for a model that finds no action, when its settings say so; before the question.
void seat_set_fallback(struct seat *s, struct game_action action);

// What policies of libagon see (include/agon.h), for programs that asked for it in their answer to "start" (P4.4).
struct seat_row {
    uint32_t size; // elements
    float vector[GAME_MAX_VECTOR];
    uint64_t legal[GAME_FLAT_WORDS];          // numbers, as bits
    struct game_action action[GAME_MAX_FLAT]; // of each legal number
};
int seat_vector(const struct seat *s);                         // the version that is wanted; 0: none
void seat_set_row(struct seat *s, const struct seat_row *row); // copied; before the question, when one is wanted

// The seat is asked: exactly one of on_answer and on_fault follows, before the next question. Given up by seat_close.
void seat_ask(struct seat *s, const void *view, const struct game_choice *choices, int count);

// The question is not awaited any more: neither on_answer nor on_fault follows. A later one may be put at once. For
// programs and models.
void seat_withdraw(struct seat *s);

// Nothing more is asked; calls not begun are dropped, a running one is given up, and the session is deleted, once, if
// it was created (B12.33). Ends with on_closed, never inside this call.
void seat_close(struct seat *s);

bool seat_is_lost(const struct seat *s); // questions fail at once, tells are dropped
void seat_give_up(struct seat *s);       // the owner does not ask again: only DELETE is still sent
const struct seat_counts *seat_counts(const struct seat *s);
