// Shared by the files of this room; private to it.
#pragma once

#include "botwire/wire.h"
#include "heap/heap.h"
#include "llm/session.h"
#include "seats/seat.h"

#include <curl/curl.h>
#include <sys/queue.h>

enum {
    SEAT_ID_ROOM = 1024,  // for a session id, percent-encoded
    SEAT_TEXT_ROOM = 512, // for messages to people
    ANSWER_BYTES = 65536, // most bytes of an answer to create and decisions (B12.37)
    ACKNOWLEDGED_BYTES = 1 << 20,
    HEADER_BYTES = 16384,
};

// --- http.c: HTTP calls of one client

struct origin;
struct lane;

// The result of a call.
struct outcome {
    bool failed;
    enum seat_fault_kind kind; // if it failed
    int status;                // HTTP; 0: none
    int64_t took_us;           // since it left the queue of its origin
    const char *text;          // if it failed
    enum seat_remedy remedy;   // if it failed
};

// One call with its retries. Part of a seat, which calls one at a time; `body` and `url` must stay valid until the end.
struct call {
    struct seat_client *client;
    struct origin *origin;
    struct lane *lane; // while it is in progress
    CURL *easy;
    const char *url;
    struct span body; // of a POST; else at is NULL
    bool is_get;      // without a body: GET instead of DELETE
    int budget_ms;
    int retries; // left
    // Notifications: one that arrives twice would report the same card twice.
    bool cautious;    // B12.26: repeats only requests that the bot cannot have received
    size_t max_bytes; // most bytes of the answer
    void (*on_done)(void *owner, const struct outcome *o);
    void *owner;

    struct text reply;
    size_t head_bytes, drained;
    bool too_large;
    bool running, queued;
    bool fresh; // on a new connection, after an old one was found closed
    int attempt, retry_after_s, keep_alive_s;
    int64_t began_us, due_us; // 0: still in the queue
    int64_t sent_us;          // start of this attempt
    struct event *timer;      // wait before a retry, or end of the budget while queued again
    uint32_t requests, retried;
    TAILQ_ENTRY(call) next; // in its origin's queue, or among those in progress
};

TAILQ_HEAD(calls, call);

struct origin *origin_find(struct seat_client *c, const char *base); // creates it if it is new; for an http(s) URL
void call_start(struct call *k);                                     // all members up to `owner` must be set
void call_cancel(struct call *k);                                    // on_done will not be called
void call_release(struct call *k);

// --- jobs

// An item of a seat's queue.
struct job {
    enum seat_call call;
    const char *path; // below the session: "choose-card", "notify/card-played"; NULL: nothing is sent
    unsigned notice;  // of enum seat_notice
    bool ends_notify; // on_notified follows
    // Its memory stays with the job among the spare ones.
    struct text body; // owned
    TAILQ_ENTRY(job) next;
};

TAILQ_HEAD(jobs, job);

// --- the client

struct programs;

struct seat_client {
    struct loop *loop;
    struct seat_options options;
    CURLSH *share;
    struct curl_slist *post_headers, *delete_headers;
    LIST_HEAD(, origin) origins;
    struct calls under_way;
    struct event *watchdog; // checks their budgets; pending while there are any
    struct jobs spare;      // unused jobs with their buffers, for reuse
    int spares;
    TAILQ_HEAD(, seat) owing; // seats with pending callbacks
    struct event *owed_event;
    struct programs *programs;
    int seats;
};

bool http_open(struct seat_client *c);
void http_close_all(struct seat_client *c);

// --- the protocol spoken at a seat

struct seat_protocol {
    void (*begin)(struct seat *s); // sets up its data in the seat
    void (*end)(struct seat *s);   // frees it
    void (*write_create)(struct seat *s, struct text *t);
    void (*send_events)(struct seat *s, const void *view, const struct game_event *e, uint32_t count); // adds jobs
    struct job *(*ask)(struct seat *s, const void *view); // about the seat's choices
    int (*read)(struct seat *s, enum seat_call call, struct span reply,
                struct game_action *a); // ERR_ACTION: not one of the choices
};

extern const struct seat_protocol protocol_belote, protocol_generic, protocol_model;

struct job *seat_add_job(struct seat *s, enum seat_call call, const char *path, unsigned notice);

// --- a seat

// The state of a belote match, derived from its events.
struct tracked_match {
    struct wire_match match;
    struct wire_deal deal;
    struct belote_deal *deals; // owned; match.deals
    uint32_t room;
    uint8_t multiplier, team; // of the current deal
    bool settled;             // the current deal's result is in `match`
    int32_t clubs_base, sweep_points;
    bool single_deal;
};

struct program;
struct exchange;

struct seat {
    struct seat_client *client;
    const struct codec *codec;
    const struct seat_handler *handler;
    void *owner;
    char *address;
    struct seat_place place;
    char *match;
    char *name[GAME_MAX_SEATS]; // owned copies of place.names; NULL: the default names
    union game_rules rules;
    const struct seat_protocol *protocol;
    struct tracked_match tracked; // belote
    struct game_event *past;      // other games: events that codecs may want; of a program: all events
    uint32_t past_count, past_room;
    struct game_choice *choices; // of the current question
    int choice_count, choice_room;

    struct jobs jobs;
    struct job *now; // in progress
    // One at a time, so a session sees its calls in order (B12.17); jobs wait in `jobs`.
    struct call call;
    struct program *program;      // of a cmd: seat, which does not use `call`
    struct exchange *exchange;    // its question to the program
    struct model_exchange *model; // of an llm: seat, which uses neither
    char *base;                   // the URL up to /api
    struct text url;              // of the current call, with a terminating NUL
    char id[SEAT_ID_ROOM];
    // created: a DELETE is due, exactly one (B12.33). lost: questions fail at once. given_up: the owner's decision,
    // with the same effect. closing: seat_close was called, on_closed follows. gone: nothing more is sent.
    bool created, lost, given_up, closing, gone;
    bool is_program, is_model;
    bool wants_prose;      // of a program: it asked for prose in its answer to "start" (L150)
    struct text narration; // of a table told in words (seat_add_history): all of them
    int turn_ms;           // limit of decisions; 0: as in the options
    int vector;            // of a program: version of the vector it asked for; 0: none
    struct seat_row *row;  // of the current question, if wanted; owned
    int consecutive;
    struct seat_counts counts;

    // Pending callbacks, called from the loop.
    // on_notified calls that no sent call carries; counted, because several may be due.
    unsigned owes_notice;
    // Callbacks are made from the loop, since an owner must never be called inside one of its own calls.
    bool owes_open, owes_fault, owes_step;
    bool owing;
    struct seat_fault fault;
    char fault_text[SEAT_TEXT_ROOM];
    TAILQ_ENTRY(seat) owed;
};

void seat_finish_job(struct seat *s, const struct outcome *o, struct span reply);

// --- program.c: local programs

void programs_close(struct seat_client *c);
void program_send(struct seat *s, struct job *j); // ends in seat_finish_job, never inside this call
bool program_is_queued(const struct seat *s);     // it waits for a program, and nothing was sent yet
void program_cancel(struct seat *s);              // gives up the current job
void program_leave(struct seat *s);               // the seat is being freed: lets go of its program

// --- model.c: language models

void model_send(struct seat *s, const struct job *j); // ends in seat_finish_job, never inside this call
void model_cancel(struct seat *s);
void model_add_history(struct seat *s, struct span words);
