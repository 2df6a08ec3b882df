// The parts of this room, seen by each other and by nobody else.
#pragma once

#include "botwire/wire.h"
#include "llm/sitting.h"
#include "net/heap_text.h"
#include "seats/seat.h"

#include <curl/curl.h>
#include <sys/queue.h>

enum {
    SEAT_ID_ROOM = 1024,  // of a session id, percent-encoded
    SEAT_TEXT_ROOM = 512, // of what is told to people
    ANSWER_BYTES = 65536, // of create and decisions (B12.37)
    ACKNOWLEDGED_BYTES = 1 << 20,
    HEADER_BYTES = 16384,
};

// --- http.c: calls over one client's connections

struct origin;
struct lane;

// What became of a call.
struct outcome {
    bool failed;
    enum seat_fault_kind kind; // when it failed
    int status;                // HTTP, 0: none came
    int64_t took_us;           // from when it left the queue of its origin
    const char *text;          // when it failed
    enum seat_remedy remedy;   // when it failed
};

// One call at a time, with its retries. Part of a seat; `body` and `url` stay with it until the end.
struct call {
    struct seat_client *client;
    struct origin *origin;
    struct lane *lane; // while it is under way
    CURL *easy;
    const char *url;
    struct span body; // of a POST; else at NULL
    bool is_get;      // GET instead of DELETE where there is no body
    int budget_ms;
    int retries;      // left
    bool cautious;    // B12.26: only what cannot have been heard is said again
    size_t max_bytes; // of the answer
    void (*on_done)(void *owner, const struct outcome *o);
    void *owner;

    struct text reply;
    size_t head_bytes, drained;
    bool too_large;
    bool running, queued;
    bool fresh; // on a new connection, after an old one had ended
    int attempt, retry_after_s, keep_alive_s;
    int64_t began_us, due_us; // 0: still in the queue
    int64_t sent_us;          // this attempt
    struct event *timer;      // a wait before a retry, or the end of the budget while queued again
    uint32_t requests, retried;
    TAILQ_ENTRY(call) next; // waiting in its origin's queue, or among those that are under way
};

TAILQ_HEAD(calls, call);

struct origin *origin_find(struct seat_client *c, const char *base); // made when it is new; of an http(s) URL
void call_start(struct call *k);                                     // everything up to `owner` is set
void call_cancel(struct call *k);                                    // on_done will not come
void call_release(struct call *k);

// --- jobs

// A piece of work of a seat, in the order of the queue.
struct job {
    enum seat_call call;
    const char *path; // below the session: "choose-card", "notify/card-played"; NULL: nothing is sent
    unsigned notice;  // of enum seat_notice
    bool ends_notify; // on_notified follows
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
    struct event *watchdog; // of their budgets; pending while there are any
    struct jobs spare;      // with their bodies, to be used again
    int spares;
    TAILQ_HEAD(, seat) owing; // seats with something to say to their owners
    struct event *why;
    struct programs *programs;
    int seats;
};

bool http_open(struct seat_client *c);
void http_close_all(struct seat_client *c);

// --- wires: what is said to whom

struct wire {
    void (*begin)(struct seat *s);                        // sets what it keeps in the seat
    void (*end)(struct seat *s);                          // gives it back
    void (*write_create)(struct seat *s, struct text *t); //
    void (*tell)(struct seat *s, const void *view, const struct game_event *e, uint32_t count); // adds jobs
    struct job *(*ask)(struct seat *s, const void *view);                                       // of the seat's choices
    int (*read)(struct seat *s, enum seat_call call, struct span reply,
                struct game_action *a); // ERR_ACTION: not listed
};

extern const struct wire wire_belote, wire_generic, wire_model;

struct job *seat_add_job(struct seat *s, enum seat_call call, const char *path, unsigned notice);

// --- a seat

// The belote match as its events tell it.
struct track {
    struct wire_match match;
    struct wire_deal deal;
    struct belote_deal *deals; // owned; match.deals
    uint32_t room;
    uint8_t multiplier, team; // of the running deal
    bool settled;             // the running deal's result is in `match`
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
    char *where;
    struct seat_place place;
    char *match;
    char *name[GAME_MAX_SEATS]; // owned copies of place.names; NULL: the house names
    union game_rules rules;
    const struct wire *wire;
    struct track track;      // belote
    struct game_event *past; // other games: what has been seen, as far as codecs want it; of a program: all of it
    uint32_t past_count, past_room;
    struct game_choice *choices; // of the running question
    int choice_count, choice_room;

    struct jobs jobs;
    struct job *now; // under way
    struct call call;
    struct program *program;      // of a cmd: seat, which does not use `call`
    struct exchange *exchange;    // what it asks of it
    struct model_exchange *model; // of an llm: seat, which uses neither
    char *base;                   // the URL up to /api
    struct text url;              // of the call under way, with a closing NUL
    char id[SEAT_ID_ROOM];
    bool created, lost, given_up, closing, gone;
    bool is_program, is_model;
    bool wants_prose;     // of a program: it asked for words in its answer to "start" (L150)
    struct text told;     // of a table that is told in words: all of them
    int turn_ms;          // of decisions; 0: as the options say
    int vector;           // of a program: the version it asked for likewise; 0: none
    struct seat_row *row; // of the running question, where one is wanted; owned
    int consecutive;
    struct seat_counts counts;

    // What is owed to the owner, told from the loop.
    unsigned owes_notice;
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
bool program_is_queued(const struct seat *s);     // nothing was sent yet: it waits for a program
void program_cancel(struct seat *s);              // the job under way is given up
void program_leave(struct seat *s);               // the seat goes: what it still holds of a program is let go

// --- model.c: language models

void model_send(struct seat *s, const struct job *j); // ends in seat_finish_job, never inside this call
void model_cancel(struct seat *s);
void model_tell(struct seat *s, struct span words);
