// Players outside the process: HTTP bots (B12), local programs on pipes and language models, on one event loop.
//
// A seat is one player's place in one match. Requests to it are queued and sent strictly in order, one call at a time:
// create, then notifications and questions as they come, then delete. Nothing here blocks, and no callback is ever
// called inside a call of the owner. What to do after a fault (abort, forfeit, continue with fallback moves) is up to
// the owner; seats only count and report.
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

// Kinds of calls that reports distinguish (B14.9).
enum seat_call {
    SEAT_CUT,
    SEAT_NEGOTIATION,
    SEAT_CARD,
    SEAT_ACTION, // decisions of games other than belote
    SEAT_NOTIFICATION,
    SEAT_CREATE,
    SEAT_DELETE,
    SEAT_CALLS,
};

extern const char *const seat_call_names[SEAT_CALLS]; // "Cut", "Negotiation", ...

// Notifications of a belote bot (B11.6-B11.10). Bots of other games have one, `notify`, which any bit enables.
enum seat_notice {
    SEAT_DEAL_STARTED = 1,
    SEAT_NEGOTIATION_COMPLETED = 2, // not part of API 1.0: sent only on request (B12.19)
    SEAT_CARD_PLAYED = 4,
    SEAT_TRICK_COMPLETED = 8,
    SEAT_DEAL_ENDED = 16,
    SEAT_MATCH_ENDED = 32,
    SEAT_ALL_NOTICES = 63,
    SEAT_USUAL_NOTICES = SEAT_ALL_NOTICES & ~SEAT_NEGOTIATION_COMPLETED, // default of bots given by URL
};

// Reads a comma-separated list of names ("card-played,deal-ended"; case-insensitive; "all", "none"). Returns the set,
// or -1.
int seat_read_notices(const char *names);

// Options of the whole process. A time limit covers a call with its retries and the waits between them, from when it
// leaves the queue of its origin (B12.28).
struct seat_options {
    // Milliseconds.
    int connect_ms;            // 5000, part of the call's limit (B12.23)
    int create_ms;             // 30000
    int decide_ms;             // 30000
    int notify_ms;             // 5000
    int delete_ms;             // 5000
    int retries;               // 2 (B12.24-B12.26)
    int max_conns;             // connections per origin, 256; further calls wait in turn (B12.39)
    int max_programs;          // concurrent programs of cmd: seats, 64; further seats wait in turn
    const char *ca_file;       // certificates to trust besides the system's; may be NULL
    bool trust_anyone;         // does not verify certificates
    struct llm_models *models; // for llm: seats; each model must have been added before (llm/models.h); NULL: none
    bool show_programs;        // passes their standard error through; else the last 16 KiB are kept for error messages
};

void seat_options_init(struct seat_options *o); // sets the defaults above

// B12.3-B12.5: differences between implementations of the belote API. All false: API 1.0 as written.
struct seat_dialect {
    bool omit_nulls;   // omits null fields
    bool early_result; // the last card-played and trick-completed of a deal contain the match state after it
    bool lax_cut;      // a missing fromTop means false
};

extern const struct seat_dialect seat_giretra; // --profile giretra: all of them

struct seat_place {
    int seat;
    int seats;
    const char *match;        // id of the match: 1..256 bytes
    const void *rules;        // of the game, complete
    const char *const *names; // names of the seats in neutral JSON; NULL: seat_0, ...
    bool has_seed;            // `seed` is sent
    int64_t seed;
    unsigned notices;            // set of enum seat_notice; 0: none
    struct seat_dialect dialect; // for belote over HTTP only
    uint64_t number;             // number of the match in its run
    const char *const *players;  // names of the players, by seat, for models that want them; NULL: unknown
    bool is_remote;              // events come by seat_add_history, not by seat_notify
};

enum seat_fault_kind {
    SEAT_ILLEGAL,   // unreadable, or not one of the choices (B12.21); too large (B12.37)
    SEAT_TIMEOUT,   // the time limit is exceeded
    SEAT_STATUS,    // an HTTP status other than 2xx
    SEAT_TRANSPORT, // no connection, or no complete answer
    SEAT_CRASHED,   // the local program ended
    SEAT_FAULTS,
};

// What the seat itself demands after a fault; SEAT_AS_USUAL: nothing, the owner decides.
enum seat_remedy { SEAT_AS_USUAL, SEAT_FORFEITS, SEAT_ABORTS };

struct seat_fault {
    enum seat_fault_kind kind;
    enum seat_call call;
    int status; // HTTP, 0 if none; of a program that ended, as returned by waitpid
    // B12.32: after three its owner asks no more.
    int consecutive; // failed decisions in a row, this one included (B12.32)
    bool lost;       // the session is gone (B12.30): every further question fails at once
    enum seat_remedy remedy;
    int64_t took_us;   // as for an answer
    const char *text;  // one line for people: what happened, with the address
    struct span sent;  // body of the request
    struct span reply; // body of the reply, as far as it was kept (B12.30); both valid during the call
};

// All but on_answer, on_fault and on_closed may be NULL.
struct seat_handler {
    void (*on_open)(void *owner);     // the session was created
    void (*on_notified)(void *owner); // everything sent so far was acknowledged or given up
    void (*on_answer)(void *owner, struct game_action action, int64_t took_us); // always one of the choices
    void (*on_fault)(void *owner, const struct seat_fault *f);                  // no session, or no answer
    void (*on_warning)(void *owner, const char *text);                          // a notification or DELETE failed
    void (*on_sample)(void *owner, enum seat_call call, int64_t took_us);       // for every call that ended, in any way
    void (*on_closed)(void *owner); // the last call; counts may still be read
};

struct seat_counts {
    uint32_t calls[SEAT_CALLS]; // calls that ended, without retries
    uint32_t requests;          // sent, including retries
    uint32_t retries;           // B12.29
    uint32_t faults[SEAT_FAULTS];
    uint32_t illegal[SEAT_CALLS]; // illegal answers, by kind of question
    uint32_t warnings;            // notifications and DELETEs that failed
    uint32_t created, deleted;    // a DELETE that was not received does not count
};

// NULL if the system has no resources left. A client belongs to one thread; each loop has its own.
struct seat_client *seat_client_open(struct loop *l, const struct seat_options *o);
void seat_client_close(struct seat_client *c); // all seats must be closed before; ends idle programs

// Kills the programs at seats, whose next callback is a fault, or on_closed. For owners that cannot wait.
void seat_client_kill_programs(struct seat_client *c);

// Raises the limit of file descriptors as far as the system allows, and returns it. seat_client_open does this too.
int64_t seat_raise_descriptors(void);

// Returns NULL, or what is wrong with the address: "http://host[:port][/prefix]", "https://...", "cmd:PROGRAM
// [ARG...]", "tbp:PROGRAM [ARG...]" (a bot of the Tetris Bot Protocol, through `agon tetris-tbp --seat`). Refuses
// "llm:..." addresses, which only llm_models_add can check.
const char *seat_check_address(const char *address);

// Copies its arguments, except rules and codec. Creates the session at once; notifications and questions may be sent
// before on_open. The address must be valid (seat_check_address). If the session cannot be created, on_fault is called
// with SEAT_CREATE.
struct seat *seat_open(struct seat_client *c, const char *address, const struct codec *codec,
                       const struct seat_place *place, const struct seat_handler *handler, void *owner);

// Reports what has happened since the last call: all events that this seat may see, in order, from the first of the
// match on; `view` is the seat's view after them. on_notified follows even if nothing has to be sent.
void seat_notify(struct seat *s, const void *view, const struct game_event *events, uint32_t count);

// The same for a table whose rules run elsewhere (place.is_remote): `events` is a JSON array in neutral form, `words`
// has a line for each event. Programs get both, models the words.
void seat_add_history(struct seat *s, struct span events, struct span words);

// Time limit of the next decisions; 0: as in the options.
void seat_set_turn(struct seat *s, int ms);

// The move for a model that finds no action, if its settings say so. Call it before the question.
void seat_set_fallback(struct seat *s, struct game_action action);

// The vector that policies of libagon see (include/agon.h), for programs that asked for it in their answer to "start"
// (P4.4).
struct seat_row {
    uint32_t size; // number of elements
    float vector[GAME_MAX_VECTOR];
    uint64_t legal[GAME_FLAT_WORDS];          // bit set of legal numbers
    struct game_action action[GAME_MAX_FLAT]; // of each legal number
};
int seat_vector(const struct seat *s);                         // the version that is wanted; 0: none
void seat_set_row(struct seat *s, const struct seat_row *row); // copied; call it before the question, if one is wanted

// Asks for a decision. Exactly one of on_answer and on_fault follows, before the next question; none after seat_close.
void seat_ask(struct seat *s, const void *view, const struct game_choice *choices, int count);

// Cancels the question: neither on_answer nor on_fault follows, and another one may be asked at once. For programs and
// models.
void seat_withdraw(struct seat *s);

// Drops calls that have not begun, gives up the current one, and deletes the session, once, if it was created (B12.33).
// Ends with on_closed, never inside this call.
void seat_close(struct seat *s);

bool seat_is_lost(const struct seat *s); // questions fail at once, notifications are dropped
void seat_give_up(struct seat *s);       // the owner will not ask again: only DELETE is still sent
const struct seat_counts *seat_counts(const struct seat *s);
